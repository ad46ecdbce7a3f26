"""Environments with `no_guess`: their boards, and what changes nothing."""

import numpy as np
import pytest

from minesweeper_env import MinesweeperEnv
from minesweeper_env.generation import GenerationError, generate


@pytest.mark.parametrize("level", ["subset", "exact"])
def test_a_game_is_the_generated_board_of_its_seed_and_first_cell(level):
    env = MinesweeperEnv(6, 7, no_guess=level)
    for seed, cell in ((0, 14), (1, 14), (1, 0)):
        board = generate(env.config, divmod(cell, 6), level, seed)
        env.reset(seed=seed)
        env.step(cell)
        assert np.array_equal(env.get_state()["mines"], board.layout)


@pytest.mark.parametrize("level", ["subset", "exact"])
@pytest.mark.parametrize("rule", ["opening", "safe", "any", "corners"])
def test_a_tiny_board_serves_every_first_cell_or_none(rule, level):
    refused = 0
    for size, mines in ((size, mines) for size in ((1, 4), (2, 3), (2, 4), (6, 2), (3, 4)) for mines in (1, 2, 3)):
        arguments = {"size": size, "mines": mines, "first_click": rule, "no_guess": level}
        try:
            env = MinesweeperEnv(**arguments)
        except ValueError:
            refused += 1
            continue
        for cell in range(size[0] * size[1]):
            env.reset(seed=cell)
            env.step(cell)
    assert 0 < refused < 15


def test_a_configuration_with_a_first_cell_that_no_board_serves_is_refused():
    with pytest.raises(GenerationError, match="first cell"):
        MinesweeperEnv((3, 2), 1, "any", no_guess="exact")


def test_a_first_click_on_a_flag_begins_nothing():
    env = MinesweeperEnv(6, 7, no_guess="exact")
    env.reset(seed=2)
    env.step(36 + 8)
    assert env.step(8)[-1]["invalid_action"]
    assert not env.get_state()["mines"].any()
    env.step(9)
    board = env.get_state()
    assert board["mines"].sum() == 7
    assert board["codes"][1, 2] == 9


def test_a_search_in_vain_changes_nothing(monkeypatch):
    monkeypatch.setattr("minesweeper_env.no_guess.supply._check_first_cells", lambda *_: None)
    env = MinesweeperEnv((1, 3), 1, "safe", no_guess="exact")
    env.reset(seed=0)
    before = env.get_state()
    with pytest.raises(GenerationError, match="no layout of 1x3"):
        env.step(1)
    assert all(np.array_equal(env.get_state()[key], value) for key, value in before.items())
    env.step(0)
