"""Boards as text and as pictures."""

from __future__ import annotations

import numpy as np
import pytest

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.codes import Codes
from minesweeper_env.rendering import TILE, render_board

ALL_MOVES = ("click", "flag", "unflag", "question", "chord")
LAYOUT = np.zeros((3, 12), np.bool_)
LAYOUT[[0, 2, 2], [0, 4, 11]] = True


def example(render_mode, kind=MinesweeperEnv, **arguments):
    """Returns a game with an opened number, a flag on a mine, a wrong flag and a question mark."""
    env = kind(size=(3, 12), mines=3, first_click="any", moves=ALL_MOVES, render_mode=render_mode, **arguments)
    env.reset(options={"layout": LAYOUT})
    for move, cell in (("click", 1), ("flag", 0), ("flag", 5), ("question", 28), ("click", 2 * 12 + 8)):
        action = ALL_MOVES.index(move) * 36 + cell
        env.step(np.array([action]) if arguments else action)
    return env


def test_a_board_as_text():
    assert example("ansi").render().splitlines() == [
        "   0  1  2  3  4  5  6  7  8  9 10 11",
        "0  F  1  #  #  #  F  .  .  .  .  .  .",
        "1  #  #  #  #  #  1  .  .  .  .  1  1",
        "2  #  #  #  #  ?  1  .  .  .  .  1  #",
    ]


def test_a_lost_board_as_text_shows_mines_and_wrong_flags():
    env = example("ansi")
    env.step(35)
    assert env.render().splitlines()[1:] == [
        "0  F  1  #  #  #  X  .  .  .  .  .  .",
        "1  #  #  #  #  #  1  .  .  .  .  1  1",
        "2  #  #  #  #  *  1  .  .  .  .  1  *",
    ]


def tiles(picture):
    rows, cols = picture.shape[0] // TILE, picture.shape[1] // TILE
    return picture.reshape(rows, TILE, cols, TILE, 3).swapaxes(1, 2)


def test_a_board_as_a_picture_has_one_tile_a_cell():
    env = example("rgb_array")
    picture = env.render()
    assert picture.dtype == np.uint8
    assert picture.shape == (3 * TILE, 12 * TILE, 3)
    shown, codes = tiles(picture), env.get_state()["codes"]
    for code in np.unique(codes):
        alike = shown[codes == code]
        assert (alike == alike[0]).all()
    assert len({tile.tobytes() for tile in shown.reshape(36, -1)}) == len(np.unique(codes))


@pytest.mark.parametrize("radius", [1, 2, 5])
def test_every_code_and_a_wrong_flag_have_their_own_tile(radius):
    codes = Codes.of_radius(radius)
    board = np.arange(codes.mine + 1, dtype=np.int8).reshape(1, -1)
    mines = np.zeros(board.shape, np.bool_)
    plain = tiles(render_board("rgb_array", board, codes, mines))[0]
    mines[0, codes.mine] = True
    with_cross = tiles(render_board("rgb_array", board, codes, mines))[0]
    assert len({tile.tobytes() for tile in plain} | {with_cross[codes.flagged].tobytes()}) == codes.mine + 2


def test_a_picture_shows_nothing_that_the_player_does_not_see():
    """Two layouts that agree with everything visible have the same text and picture."""
    for mode in ("ansi", "rgb_array"):
        boards = []
        for mine in (22, 23):
            layout = np.zeros(25, np.bool_)
            layout[[2, mine]] = True
            env = MinesweeperEnv(5, 2, "any", ALL_MOVES, render_mode=mode)
            env.reset(options={"layout": layout.reshape(5, 5)})
            env.step(1)
            env.step(25 + 23)
            boards.append(env.render())
        assert np.array_equal(*boards)


def test_pictures_are_fresh_arrays():
    env = example("rgb_array")
    first = env.render()
    kept = first.copy()
    first[...] = 0
    assert np.array_equal(env.render(), kept)


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_a_batch_renders_each_game_as_the_single_environment_does(mode):
    pictures = example(mode, MinesweeperVectorEnv, num_envs=1).render()
    assert isinstance(pictures, tuple)
    assert len(pictures) == 1
    assert np.array_equal(pictures[0], example(mode).render())


def click_on(cell, kind=MinesweeperEnv, **arguments):
    """Returns the tiles after a click on a mine."""
    env = example("rgb_array", kind, **arguments)
    env.step(np.array([cell]) if arguments else cell)
    picture = env.render()
    return tiles(picture[0] if arguments else picture)


def test_the_exploded_mine_differs_from_the_others():
    shown = click_on(35)
    assert (shown[2, 11] != shown[2, 4]).any()
    other = click_on(28)
    assert np.array_equal(shown[2, 11], other[2, 4])
    assert np.array_equal(shown[2, 4], other[2, 11])
    assert np.array_equal(click_on(35, MinesweeperVectorEnv, num_envs=1), shown)


def test_a_chord_may_open_several_mines():
    layout = np.zeros((1, 5), np.bool_)
    layout[0, [0, 4]] = True
    env = MinesweeperEnv((1, 5), 2, "any", ALL_MOVES, radius=2, render_mode="rgb_array")
    env.reset(options={"layout": layout})
    for move, cell in (("click", 2), ("flag", 1), ("flag", 3), ("chord", 2)):
        env.step(ALL_MOVES.index(move) * 5 + cell)
    shown = tiles(env.render())[0]
    assert np.array_equal(shown[0], shown[4])
    assert np.array_equal(shown[0], click_on(35)[2, 11])


def test_a_restored_game_has_no_exploded_mine_and_later_steps_move_none():
    env = example("rgb_array")
    env.step(35)
    lost = env.render()
    env.step(2)
    assert np.array_equal(env.render(), lost)
    env.set_state(env.get_state())
    shown = tiles(env.render())
    assert np.array_equal(shown[2, 11], shown[2, 4])


@pytest.mark.parametrize("side", [4, 7, 8, 12, 17, 24, 48, 61])
def test_pictures_of_every_size_show_all_codes_apart(side):
    codes = Codes.of_radius(1)
    board = np.arange(codes.mine + 1, dtype=np.int8).reshape(1, -1)
    picture = render_board("rgb_array", board, codes, np.zeros(board.shape, np.bool_), side=side)
    assert picture.shape == (side, side * (codes.mine + 1), 3)
    kinds = {picture[:, i * side : (i + 1) * side].tobytes() for i in range(codes.mine + 1)}
    # Characters need seven pixels.
    assert len(kinds) == (codes.mine + 1 if side >= 7 else 4)
