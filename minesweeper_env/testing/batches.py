"""Check that the batched environment plays the games of the single one."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.testing.playing import frozen, same
from minesweeper_env.vector_env import MinesweeperVectorEnv

GAMES = 20
STEPS = 200


def check_batch(env: MinesweeperEnv, seed: int, mode: AutoresetMode) -> None:
    """Checks that game i of the batched environment equals the game of the single environment seeded s + i."""
    arguments = {"reward": env.reward, "observation": env.observation, "autoreset_mode": mode}
    batch = MinesweeperVectorEnv.of_config(env.config, GAMES, **arguments)
    singles = [copy.deepcopy(env) for _ in range(GAMES)]
    observations, infos = batch.reset(seed=seed)
    for i, single in enumerate(singles):
        observation, info = single.reset(seed=seed + i)
        _compare(observation, info, observations, infos, i)
    over = [False] * GAMES
    for _ in range(STEPS):
        if mode is AutoresetMode.DISABLED and any(over):
            _reset_some(batch, singles, np.array(over))
            over = [False] * GAMES
        actions = batch.sample_actions()
        step = batch.step(actions)
        for i, single in enumerate(singles):
            over[i] = _compare_step(single, int(actions[i]), over[i], step, i, mode)


def _reset_some(batch: MinesweeperVectorEnv, singles: list[MinesweeperEnv], over: NDArray[np.bool_]) -> None:
    """Starts the next game where `over`, in the batch and singly."""
    observations, infos = batch.reset(options={"reset_mask": over})
    for i in np.flatnonzero(over).tolist():
        observation, info = singles[i].reset()
        _compare(observation, info, observations, infos, i)
    assert (infos["_action_mask"] == over).all(), "the info of a partial reset must hold for the games that it starts"


def _compare_step(
    single: MinesweeperEnv, action: int, over: bool, step: tuple[Any, ...], i: int, mode: AutoresetMode
) -> bool:
    """Takes the step of the batch; returns whether the single environment waits for a reset."""
    observations, rewards, terminations, truncations, infos = step
    reward, terminated, truncated = 0.0, False, False
    if over:
        # Only NEXT_STEP leaves games that are over to the step.
        observation, info = single.reset()
    else:
        observation, reward, terminated, truncated, info = single.step(action)
    results = (float(rewards[i]), bool(terminations[i]), bool(truncations[i]))
    assert frozen(results) == (reward, terminated, truncated), "single and batched environments step differently"
    ended = terminated or truncated
    if ended and mode is AutoresetMode.SAME_STEP:
        _compare(observation, info, infos["final_obs"], infos["final_info"], i)
        observation, info = single.reset()
    _compare(observation, info, observations, infos, i)
    return ended and mode is not AutoresetMode.SAME_STEP


def _compare(observation: Any, info: dict[str, Any], observations: Any, infos: dict[str, Any], i: int) -> None:
    assert same(observation, observations[i]), "single and batched observations differ"
    assert same(info, {key: infos[key][i] for key in info}), "single and batched infos differ"
    assert all(infos[f"_{key}"][i] for key in info), "the batched info must say for which games it holds"
