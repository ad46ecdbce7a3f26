"""Text and pictures of a position."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from azulejos_env import AzulejosEnv
from azulejos_env.rendering import COLOURS, LEAST_COLS, PAPER, View, picture_size, render_picture, render_text

BOARD = np.array([[0, 1, 2], [3, 1, 9]], np.int8)


def view(board=BOARD, names=("agent", "opponent"), scores=(3, 12), turn=0, last=None):
    last = np.zeros(board.shape, bool) if last is None else last
    return View(board, last, names, scores, turn)


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


def test_a_long_score_widens_the_picture():
    assert picture_size(view(scores=(1, 1234567))) == (4, 10)


@pytest.mark.parametrize("opponent", ["greedy", None])
def test_environments_draw_what_they_show(opponent):
    env = AzulejosEnv(size=4, opponent=opponent, render_mode="ansi", seat="second")
    board, _ = env.reset(seed=0)
    lines = env.render().splitlines()
    assert [line.split()[1:] for line in lines[1:5]] == [[str(c) if c else "." for c in row] for row in board.tolist()]
    assert lines[5].endswith("agent to move")


def test_render_without_a_mode_warns():
    env = AzulejosEnv(size=3)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="Azulejos-v0"):
        assert env.render() is None
