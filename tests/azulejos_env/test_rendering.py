"""Text, pictures and the window of a position."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from azulejos_env import AzulejosEnv, AzulejosVectorEnv
from azulejos_env.rendering.picture import COLOURS, LEAST_COLS, PAPER, picture_size, render_picture
from azulejos_env.rendering.text import render_text
from azulejos_env.rendering.view import View

BOARD = np.array([[0, 1, 2], [3, 1, 9]], np.int8)

# What the kinds of colour blindness see, in linear RGB (Machado, Oliveira and Fernandes 2009, severity 1).
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deuteranopia": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "tritanopia": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}


def view(board=BOARD, names=("agent", "opponent"), scores=(3, 12), turn=0, last=None):
    last = np.zeros(board.shape, bool) if last is None else last
    return View(board, last, names, scores, turn)


def lab(colour, kind):
    """Returns the colour in CIELAB as a person with this kind of sight sees it."""
    part = np.array(colour) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    seen = (BLINDNESS[kind] @ linear).clip(0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ seen
    scaled = xyz / [0.9505, 1.0, 1.089]
    root = np.where(scaled > 0.008856, np.cbrt(scaled), 7.787 * scaled + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@pytest.mark.parametrize("kind", BLINDNESS)
def test_the_colours_differ_for_the_colour_blind(kind):
    """A difference of 2.3 is just noticeable."""
    differences = [
        np.linalg.norm(lab(one, kind) - lab(other, kind)) for one, other in itertools.combinations(COLOURS, 2)
    ]
    assert min(differences) > 12


def test_the_text_has_the_board_the_scores_and_the_last_move():
    last = np.array([[True, True, False], [False, False, False]])
    assert render_text(view(last=last)).splitlines() == [
        "  0 1 2",
        "0 . 1 2",
        "1 3 1 9",
        "agent 3, opponent 12: agent to move",
        "last move: 2 tiles at (0,0)",
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"turn": 1}, "agent 3, opponent 12: opponent to move"),
        ({"turn": None}, "agent 3, opponent 12: opponent wins"),
        ({"turn": None, "names": ("machine", "you")}, "machine 3, you 12: you win"),
        ({"turn": None, "scores": (4, 4)}, "agent 4, opponent 4: a tie"),
        ({"turn": None, "scores": (4,), "names": ("agent",)}, "agent 4: over"),
        ({"turn": None, "scores": (4,), "names": ("agent",), "board": 0 * BOARD}, "agent 4: board cleared"),
    ],
)
def test_the_status_line_says_whose_turn_it_is_or_who_won(arguments, line):
    assert view(**arguments).status_line() == line


def test_a_picture_has_the_colours_of_the_tiles_below_the_lines_of_the_players():
    side = 32
    picture = render_picture(view(), side)
    assert picture.shape == (4 * side, LEAST_COLS * side, 3)
    assert picture.dtype == np.uint8
    for row, col in itertools.product(range(2), range(3)):
        pixel = picture[(2 + row) * side + 5, col * side + 5]
        if BOARD[row, col]:
            assert tuple(pixel) == COLOURS[BOARD[row, col] - 1]
    assert tuple(picture[-1, -1]) == PAPER


def test_the_last_move_is_outlined():
    last = np.array([[False, True, True], [False, False, False]])
    changed = (render_picture(view(last=last), 20) != render_picture(view(), 20)).any(axis=2)
    assert changed[40, 20:60].all()
    assert changed[59, 20:60].all()
    assert not changed[50, 40]
    assert not changed[60:].any()
    assert not changed[:40].any()


def marks(picture, side=32):
    """Returns which lines of players have a mark."""
    return [(picture[row * side : (row + 1) * side, :side] != PAPER).any() for row in range(2)]


@pytest.mark.parametrize(
    ("arguments", "marked"),
    [
        ({"turn": 0}, [True, False]),
        ({"turn": 1}, [False, True]),
        ({"turn": None}, [False, True]),
        ({"turn": None, "scores": (7, 7)}, [True, True]),
    ],
)
def test_a_mark_shows_who_is_to_move_or_who_won(arguments, marked):
    assert marks(render_picture(view(**arguments))) == marked


def test_a_long_score_widens_the_picture():
    assert picture_size(view(scores=(1, 1234567))) == (4, 10)


@pytest.mark.parametrize("side", [4, 7, 13])
def test_pictures_of_any_tile_size(side):
    assert render_picture(view(), side).shape == (4 * side, LEAST_COLS * side, 3)


@pytest.mark.parametrize("opponent", ["greedy", None])
def test_environments_draw_what_they_show(opponent):
    env = AzulejosEnv(size=4, opponent=opponent, render_mode="ansi", seat="second")
    board, _ = env.reset(seed=0)
    lines = env.render().splitlines()
    assert [line.split()[1:] for line in lines[1:5]] == [[str(c) if c else "." for c in row] for row in board.tolist()]
    assert lines[5].endswith("agent to move")
    pictures = AzulejosVectorEnv(2, size=4, opponent=opponent, render_mode="rgb_array", seat="second")
    pictures.reset(seed=0)
    single = AzulejosEnv(size=4, opponent=opponent, render_mode="rgb_array", seat="second")
    single.reset(seed=1)
    assert (pictures.render()[1] == single.render()).all()


def test_render_without_a_mode_warns():
    env = AzulejosEnv(size=3)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="Azulejos-v0"):
        assert env.render() is None


@pytest.fixture
def pygame(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return pytest.importorskip("pygame")


@pytest.mark.parametrize("count", [None, 3])
def test_the_window_shows_each_step(pygame, count):
    env = AzulejosEnv(size=4, render_mode="human") if count is None else AzulejosVectorEnv(3, 4, render_mode="human")
    env.metadata["render_fps"] = 1000
    env.reset(seed=0)
    assert pygame.display.get_surface() is not None
    title = "agent 0, opponent 0: agent to move" if count is None else "games 0 to 2 of 3: 3 playing, 0 over"
    assert pygame.display.get_caption()[0] == f"Azulejos 4x4: {title}"
    env.step(env.action_masks().argmax(axis=-1))
    assert env.render() is None
    env.close()
    assert pygame.display.get_surface() is None
