"""Boards as text and as pictures."""

from __future__ import annotations

import numpy as np
import pytest
from support.naive_game import ALL_MOVES

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.codes import Codes
from minesweeper_env.rendering import TILE, render_board

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
        pictures = example(mode, *clicks, kind=MinesweeperVectorEnv).render()
        assert isinstance(pictures, tuple)
        assert len(pictures) == 1
        assert np.array_equal(pictures[0], example(mode, *clicks).render())


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
