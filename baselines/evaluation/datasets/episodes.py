"""Episodes of recorded games: observations, masks, actions and rewards of every step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import Env
from numpy.typing import NDArray

from baselines.evaluation.records import GameRecord


class Episode(NamedTuple):
    """One game of T actions.

    Attributes:
        seed: seed of the game.
        observations: (T + 1, ...), from the empty board to the last one.
        action_masks: (T + 1, actions) int8, 1 for each legal action.
        actions: (T,) int64.
        rewards: (T,) float64.
        terminations: (T,) bool, True where the step won or lost the game.
        truncations: (T,) bool, True where the step limit ended it.
    """

    seed: int
    observations: NDArray[Any]
    action_masks: NDArray[np.int8]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]


def replay(env: Env[Any, Any], record: GameRecord) -> Episode:
    """Plays a recorded game again.

    Args:
        env: an environment with the board and the moves of the game.
        record: the record of the game, with its actions.

    Raises:
        ValueError: the environment does not end the game as the record says.
    """
    actions = np.frombuffer(record.actions, "<u2").astype(np.int64)
    observation, info = env.reset(seed=record.seed)
    observations, masks, steps = [observation], [info["action_mask"]], []
    for action in actions.tolist():
        observation, reward, terminated, truncated, info = env.step(action)
        observations.append(observation)
        masks.append(info["action_mask"])
        steps.append((reward, terminated, truncated))
    ended = bool(steps) and (steps[-1][1] or steps[-1][2])
    if not ended or info["is_success"] != record.won:
        raise ValueError(f"the game of seed {record.seed} ends otherwise in this environment")
    rewards, terminations, truncations = zip(*steps, strict=True)
    return Episode(
        record.seed,
        np.stack(observations),
        np.stack(masks),
        actions,
        np.array(rewards, np.float64),
        np.array(terminations, np.bool_),
        np.array(truncations, np.bool_),
    )
