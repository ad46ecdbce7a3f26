"""Checks of the arguments at construction, with messages that list the allowed values."""

import dataclasses
import inspect
import pickle
from functools import partial
from itertools import product

import gymnasium
import numpy as np
import pytest

from minesweeper_env import BoardConfig, MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.config import check_config
from minesweeper_env.inference import Oracle
from minesweeper_env.observations import Encoder
from minesweeper_env.rewards import find_reward

NO_MINES = "left out, they are 14 on 8x8, 10 on 9x9, 40 on 16x16, 99 on 16x30"

WRONG_ARGUMENTS = [
    ({"size": 0}, "whole number of at least 1"),
    ({"size": 1, "mines": 1}, "2 to 1048576 cells"),
    ({"size": (5000, 5000), "mines": 9}, "2 to 1048576 cells"),
    ({"size": (5, -1)}, "cols must be a whole number of at least 1"),
    ({"size": (5, 5, 5)}, r"pair \(rows, cols\)"),
    ({"size": "8x8"}, r"whole number of at least 1, or a pair \(rows, cols\), not '8x8'"),
    ({"size": 12}, NO_MINES),
    ({"mines": 0}, "mines must be a whole number of at least 1"),
    ({"mines": 56}, "mines must be 1 to 55"),
    ({"mines": 64, "first_click": "any"}, "mines must be 1 to 63"),
    ({"mines": 64, "first_click": "safe"}, "1 to 63 on 8 x 8 with first_click 'safe', not 64"),
    ({"mines": 56, "first_click": "corners"}, "mines must be 1 to 55"),
    ({"mines": 40, "radius": 2}, "mines must be 1 to 39 on .* and radius 2, not 40"),
    ({"size": 3, "mines": 1}, "no number of mines fits"),
    ({"first_click": "zero"}, "any, safe, opening, corners"),
    ({"moves": ("flag",)}, "must include 'click'"),
    ({"moves": "click"}, "tuple of names"),
    ({"moves": ("flag", "click")}, "in the order click, flag, unflag, question, chord"),
    ({"moves": ("click", "jump")}, "in the order click, flag, unflag, question, chord"),
    ({"reward": "winning"}, "callable or one of win_loss, win, safe_click, progress, shaped"),
    ({"observation": "pixels"}, "codes, planes, flat"),
    ({"radius": 6}, "radius must be 1 to 5"),
    ({"max_steps": 1 << 63}, "max_steps must be 1 to 9223372036854775807"),
    ({"render_mode": "humane"}, "None or one of ansi, rgb_array"),
    *(({"no_guess": value}, "no_guess must be False or one of subset, exact") for value in (True, None, 0, ["exact"])),
]


@pytest.mark.parametrize(("arguments", "allowed"), WRONG_ARGUMENTS)
@pytest.mark.parametrize("make", [MinesweeperEnv, MinesweeperVectorEnv])
def test_wrong_arguments_are_refused_in_one_line(make, arguments, allowed):
    with pytest.raises(ValueError, match=allowed) as raised:
        make(**arguments)
    assert "\n" not in str(raised.value)


OTHERS = (True, -1, 1.5, "x", b"x", (3,), [None], {"a": 1}, {3, 4}, np.array([1.5, 2.0]), np.zeros(0), object())
MAKERS = [
    MinesweeperEnv,
    MinesweeperVectorEnv,
    partial(gymnasium.make, "Minesweeper-Expert-ClickOnly-v0"),
    partial(gymnasium.make_vec, "Minesweeper-Beginner-v0", num_envs=2),
]


@pytest.mark.parametrize("name", list(inspect.signature(MinesweeperEnv).parameters))
@pytest.mark.parametrize("make", [MinesweeperEnv, partial(MinesweeperVectorEnv, 2)])
def test_a_value_of_another_type_is_refused_by_the_name_of_its_argument(make, name):
    for value in OTHERS:
        if value is True and name == "luck":
            continue
        with pytest.raises(ValueError, match=name if name != "size" else "size|rows"):
            make(**{name: value})


@pytest.mark.parametrize("make", MAKERS)
def test_an_unknown_argument_is_answered_with_the_known_ones(make):
    # TorchRL looks for Python's own words.
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'rows'.* size, mines, first_click, "):
        make(rows=8, cols=8)


@pytest.mark.parametrize("value", [None, "Minesweeper-v0", 8, {"rows": 8}, BoardConfig])
@pytest.mark.parametrize("take", [partial(Encoder, "codes"), partial(find_reward, "win"), Oracle, check_config])
def test_what_takes_a_configuration_refuses_anything_else(take, value):
    with pytest.raises(ValueError, match="config must be a BoardConfig, not"):
        take(value)


@pytest.mark.parametrize(
    ("size", "mines"),
    [(8, 14), (16, 40), ([16, 30], 99), (np.int64(9), 10), ((np.int32(16), np.int8(30)), 99), (np.array([16, 30]), 99)],
)
@pytest.mark.parametrize("make", MAKERS)
def test_mines_left_out_follow_the_size(make, size, mines):
    assert make(size=size).unwrapped.config.mines == mines
    assert make(size=size, mines=7).unwrapped.config.mines == 7


def test_the_ids_have_the_boards_of_their_names():
    boards = {"": (8, 8, 14), "-Beginner": (9, 9, 10), "-Intermediate": (16, 16, 40), "-Expert": (16, 30, 99)}
    for (middle, board), end in product(boards.items(), ("", "-ClickOnly")):
        env_id = f"Minesweeper{middle}{end}-v0"
        for env in (gymnasium.make(env_id), gymnasium.make_vec(env_id, num_envs=2)):
            config = env.unwrapped.config
            assert (config.rows, config.cols, config.mines) == board
            assert config.moves == (("click",) if end else ("click", "flag"))


@pytest.mark.parametrize(("first_click", "most"), [("any", 24), ("safe", 24), ("opening", 16), ("corners", 16)])
def test_the_most_mines_work_wherever_the_first_click_falls(first_click, most):
    env = MinesweeperEnv(5, most, first_click, ("click",))
    assert env.config.max_mines == most
    for cell in range(25):
        env.reset(seed=cell)
        _, _, terminated, _, info = env.step(cell)
        assert env.get_state()["mines"].sum() == most
        assert first_click == "any" or not terminated or info["is_success"]


def test_the_configuration_is_frozen_and_complete():
    config = BoardConfig.of_size((4, 6), 5, moves=["click", "chord"])
    assert (config.rows, config.cols, config.cells, config.actions) == (4, 6, 24, 48)
    assert config.moves == ("click", "chord")
    assert config.step_limit == 240
    assert BoardConfig(4, 6, 5, max_steps=9).step_limit == 9
    assert pickle.loads(pickle.dumps(config)) == config
    assert hash(config) == hash(dataclasses.replace(config))
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.mines = 3
