"""Numbers of the presets, and the shapes of the observations, as literals."""

from __future__ import annotations

import gymnasium
import pytest

from minesweeper_env import MinesweeperEnv


@pytest.mark.parametrize(
    ("preset", "board"),
    [("", (8, 8, 14)), ("-Beginner", (9, 9, 10)), ("-Intermediate", (16, 16, 40)), ("-Expert", (16, 30, 99))],
)
def test_each_preset_has_its_size_and_mines(preset, board):
    for ending in ("", "-ClickOnly"):
        config = gymnasium.make(f"Minesweeper{preset}{ending}-v0").unwrapped.config
        assert (config.rows, config.cols, config.mines) == board
        assert config.moves == (("click",) if ending else ("click", "flag"))


@pytest.mark.parametrize(
    ("observation", "radius", "shape"),
    [
        ("codes", 1, (6, 7)),
        ("codes", 2, (6, 7)),
        ("planes", 1, (13, 6, 7)),
        ("planes", 2, (29, 6, 7)),
        ("flat", 1, (546,)),
        ("flat", 2, (1218,)),
    ],
)
def test_each_encoding_has_its_shape_and_largest_value(observation, radius, shape):
    env = MinesweeperEnv((6, 7), 3, "safe", observation=observation, radius=radius)
    assert env.observation_space.shape == env.reset(seed=0)[0].shape == shape
    assert env.observation_space.high.max() == (1.0 if observation != "codes" else 12 if radius == 1 else 28)
