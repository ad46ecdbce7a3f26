"""Boards as text and as pictures."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.codes import Codes
from minesweeper_env.rendering.board import TILE, render_picture

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
    wrong = np.zeros(board.shape, np.bool_)
    plain = tiles(render_picture(board, codes, wrong))[0]
    wrong[0, codes.flagged] = True
    with_cross = tiles(render_picture(board, codes, wrong))[0]
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


def test_rendering_nothing():
    with pytest.warns(UserWarning, match="render_mode"):
        assert example(None).render() is None


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_a_batch_renders_each_game_as_the_single_environment_does(mode):
    pictures = example(mode, MinesweeperVectorEnv, num_envs=1).render()
    assert isinstance(pictures, tuple)
    assert len(pictures) == 1
    assert np.array_equal(pictures[0], example(mode).render())


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_gymnasium_renders_through_make(mode):
    env = gymnasium.make("Minesweeper-v0", render_mode=mode)
    env.reset(seed=0)
    assert isinstance(env.render(), str if mode == "ansi" else np.ndarray)
    assert env.metadata["render_modes"] == ["ansi", "rgb_array"]
    assert env.metadata["render_fps"] == 4
