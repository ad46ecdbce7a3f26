"""Boards as text and as pictures, with and without mine probabilities."""

import gymnasium
import numpy as np
import pytest
from support.naive_game import ALL_MOVES

from minesweeper_env import MineProbabilities, MinesweeperEnv, MinesweeperVectorEnv, VectorMineProbabilities, rendering
from minesweeper_env.codes import Codes
from minesweeper_env.rendering import LEVEL_MINE, LEVEL_SAFE, LEVEL_UNKNOWN, TILE, levels_of, render_board

LAYOUT = np.zeros((3, 12), np.bool_)
LAYOUT[[0, 2, 2], [0, 4, 11]] = True


def example(render_mode, *clicks, kind=MinesweeperEnv):
    """Returns a game with an opened number, a flag on a mine, a wrong flag and a question mark, and further clicks."""
    env = kind(size=(3, 12), mines=3, first_click="any", moves=ALL_MOVES, render_mode=render_mode)
    env.reset(options={"layout": LAYOUT})
    moves = [("click", 1), ("flag", 0), ("flag", 5), ("question", 28), ("click", 2 * 12 + 8)]
    for move, cell in moves + [("click", cell) for cell in clicks]:
        action = ALL_MOVES.index(move) * 36 + cell
        env.step(action if kind is MinesweeperEnv else [action])
    return env


def test_a_board_as_text():
    assert example("ansi").render().splitlines() == [
        "   0  1  2  3  4  5  6  7  8  9 10 11",
        "0  F  1  #  #  #  F  .  .  .  .  .  .",
        "1  #  #  #  #  #  1  .  .  .  .  1  1",
        "2  #  #  #  #  ?  1  .  .  .  .  1  #",
    ]
    assert example("ansi", 35).render().splitlines()[1:] == [
        "0  F  1  #  #  #  X  .  .  .  .  .  .",
        "1  #  #  #  #  #  1  .  .  .  .  1  1",
        "2  #  #  #  #  *  1  .  .  .  .  1  *",
    ]


def tiles(picture, side=TILE):
    rows, cols = picture.shape[0] // side, picture.shape[1] // side
    return picture.reshape(rows, side, cols, side, 3).swapaxes(1, 2)


def test_a_picture_is_a_fresh_array_with_one_tile_a_cell():
    env = example("rgb_array")
    picture = env.render()
    assert picture.dtype == np.uint8
    assert picture.shape == (3 * TILE, 12 * TILE, 3)
    shown, codes = tiles(picture), env.get_state()["codes"]
    for code in np.unique(codes):
        alike = shown[codes == code]
        assert (alike == alike[0]).all()
    assert len({tile.tobytes() for tile in shown.reshape(36, -1)}) == len(np.unique(codes))
    kept = picture.copy()
    picture[...] = 0
    assert np.array_equal(env.render(), kept)


@pytest.mark.parametrize(("radius", "side"), [(1, 4), (1, 7), (1, 17), (1, 61), (1, TILE), (2, TILE), (5, TILE)])
def test_every_code_and_a_wrong_flag_have_their_own_tile_on_pictures_of_every_size(radius, side):
    codes = Codes.of_radius(radius)
    board = np.arange(codes.mine + 1, dtype=np.int8).reshape(1, -1)
    mines = np.zeros(board.shape, np.bool_)
    plain = tiles(render_board("rgb_array", board, codes, mines, side=side), side)[0]
    mines[0, codes.mine] = True
    with_cross = tiles(render_board("rgb_array", board, codes, mines, side=side), side)[0]
    kinds = {tile.tobytes() for tile in plain} | {with_cross[codes.flagged].tobytes()}
    # Characters need seven pixels.
    assert len(kinds) == (codes.mine + 2 if side >= 7 else 5)


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_a_batch_renders_each_game_as_the_single_environment_does(mode):
    for clicks in ((), (35,)):
        (picture,) = example(mode, *clicks, kind=MinesweeperVectorEnv).render()
        assert np.array_equal(picture, example(mode, *clicks).render())


def test_the_exploded_mine_differs_from_the_others_until_the_game_is_restored():
    env = example("rgb_array", 35)
    lost = env.render()
    shown, other = tiles(lost), tiles(example("rgb_array", 28).render())
    assert (shown[2, 11] != shown[2, 4]).any()
    assert np.array_equal(shown[2, 11], other[2, 4])
    assert np.array_equal(shown[2, 4], other[2, 11])
    env.step(2)
    assert np.array_equal(env.render(), lost)
    env.set_state(env.get_state())
    shown = tiles(env.render())
    assert np.array_equal(shown[2, 11], shown[2, 4])


def test_a_chord_may_open_several_mines():
    layout = np.array([[True, False, False, False, True]])
    env = MinesweeperEnv((1, 5), 2, "any", ALL_MOVES, radius=2, render_mode="rgb_array")
    env.reset(options={"layout": layout})
    for move, cell in (("click", 2), ("flag", 1), ("flag", 3), ("chord", 2)):
        env.step(ALL_MOVES.index(move) * 5 + cell)
    shown = tiles(env.render())[0]
    assert np.array_equal(shown[0], shown[4])
    assert np.array_equal(shown[0], tiles(example("rgb_array", 35).render())[2, 11])


# Mine probabilities in the renderings

OVERLAID = np.zeros((3, 6), np.bool_)
OVERLAID[[0, 0, 2], [0, 3, 5]] = True
CODES = Codes.of_radius(1)
ARGUMENTS = {"size": (3, 6), "mines": 3, "first_click": "any", "moves": ALL_MOVES}


def actions(*moves):
    return [ALL_MOVES.index(move) * 18 + cell for move, cell in moves]


def play(render_mode, *moves, overlay=True):
    """Returns the environment after moves on the layout above."""
    env = gymnasium.make("minesweeper_env:Minesweeper-v0", render_mode=render_mode, **ARGUMENTS)
    env = MineProbabilities(env, overlay=overlay)
    env.reset(options={"layout": OVERLAID})
    for action in actions(*moves):
        env.step(action)
    return env


MOVES = (("click", 12), ("flag", 0), ("question", 2), ("flag", 17))


def test_probabilities_as_text():
    """The clues imply one mine under the first two cells, one under cells 3 and 4, and one in the last column."""
    assert play("ansi", *MOVES).render().splitlines() == [
        "     0    1    2    3    4    5",
        "0 F50%  50%  ?0%  50%  50%   0%",
        "1    1    1    1    1    2  50%",
        "2    .    .    .    .    1 F50%",
    ]
    plain = play("ansi", *MOVES, overlay=False)
    assert plain.render() == plain.unwrapped.render()
    assert "%" not in plain.render()


def test_a_lost_board_as_text():
    """Two of the three flags are right, and the lost board does not tell which ones."""
    assert play("ansi", *MOVES, ("flag", 1), ("click", 3)).render().splitlines() == [
        "    0   1   2   3   4   5",
        "0   F   X ?0%   *  0%  0%",
        "1   1   1   1   1   2  0%",
        "2   .   .   .   .   1   F",
    ]


def test_only_the_certain_is_0_or_100_per_cent():
    flags = np.array([[CODES.flagged, CODES.flagged, CODES.question, CODES.flagged]], np.int8)
    known = np.array([[1.0, 0.0, 1.0, np.nan]])
    text = render_board("ansi", flags, CODES, np.zeros(flags.shape, np.bool_), probabilities=known)
    assert text.splitlines()[1].split() == ["0", "F100%", "F0%", "?100%", "F"]
    shown = np.array([[0.0, 1e-15, 0.0099, 0.0149, 0.5, 0.985, 0.991, 1 - 1e-15, 1.0, np.nan]])
    assert levels_of(shown).tolist() == [[LEVEL_SAFE, 1, 1, 2, 51, 99, 101, 101, LEVEL_MINE, LEVEL_UNKNOWN]]
    codes = np.full(shown.shape, CODES.hidden, np.int8)
    text = render_board("ansi", codes, CODES, np.zeros(shown.shape, np.bool_), probabilities=shown)
    assert text.splitlines()[1].split() == ["0", "0%", "<1%", "<1%", "1%", "50%", "98%", ">99%", ">99%", "100%", "#"]


@pytest.mark.parametrize("code", [CODES.hidden, CODES.flagged, CODES.question])
def test_every_level_has_a_tile_of_its_own(code):
    levels = np.array([[0.0, 0.005, *(np.arange(1, 100) / 100), 0.995, 1.0]])
    codes, mines = np.full(levels.shape, code, np.int8), np.zeros(levels.shape, np.bool_)
    shown = tiles(render_board("rgb_array", codes, CODES, mines, probabilities=levels))[0]
    assert shown.dtype == np.uint8
    assert len({tile.tobytes() for tile in shown}) == levels.size


@pytest.mark.parametrize(("tints", "cold"), [(rendering.STANDARD, 1), (rendering.COLOUR_BLIND, 2)])
def test_faces_go_from_green_or_blue_to_red(tints, cold):
    faces = np.array([rendering.level_face(level, tints) for level in range(LEVEL_SAFE, LEVEL_MINE + 1)])
    warmth = faces[:, 0] - faces[:, cold]
    assert (np.diff(warmth[1:-1]) >= -2).all()
    assert (warmth[:2] < (-80, -30)).all()
    assert (warmth[-2:] > (80, 120)).all()


def test_a_picture_changes_only_in_covered_cells():
    """Open cells, visible mines, wrong flags and cells of unknown probability look as they do without the overlay."""
    codes = np.array([[0, 1, 8, CODES.mine, CODES.flagged, CODES.flagged, CODES.hidden, CODES.hidden]], np.int8)
    mines = np.array([[0, 0, 0, 1, 0, 1, 0, 0]], np.bool_)
    probabilities = np.array([[0, 0, 0, 1, 0, 1, 0.25, np.nan]])
    plain, shown = (
        tiles(render_board("rgb_array", codes, CODES, mines, probabilities=each))[0] for each in (None, probabilities)
    )
    same = [np.array_equal(*pair) for pair in zip(plain, shown, strict=True)]
    assert same == [True, True, True, True, True, False, False, True]


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_a_batch_renders_probabilities_as_the_single_environment_does(mode):
    envs = gymnasium.make_vec("minesweeper_env:Minesweeper-v0", num_envs=2, render_mode=mode, **ARGUMENTS)
    envs = VectorMineProbabilities(envs, overlay=True)
    envs.reset(seed=0, options={"layout": OVERLAID})
    for action in actions(*MOVES):
        envs.step(np.array([action, action]))
    pictures = envs.render()
    assert len(pictures) == 2
    for picture in pictures:
        assert np.array_equal(picture, play(mode, *MOVES).render())


def test_a_restored_game_is_drawn_as_it_stands():
    env, other = play("ansi"), play("ansi", *MOVES)
    env.unwrapped.set_state(other.unwrapped.get_state())
    assert env.render() == other.render()
