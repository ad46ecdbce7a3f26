"""Random games, and comparisons of the values that they return."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gymnasium
import numpy as np

Env = gymnasium.Env[Any, Any]
MakeEnv = Callable[[], Env]


def actions_of(env: Env) -> int:
    """Returns the size of the action space."""
    assert isinstance(env.action_space, gymnasium.spaces.Discrete), "the action space must be Discrete"
    return int(env.action_space.n)


def legal_action(info: dict[str, Any], rng: np.random.Generator) -> int:
    """Draws an action that the mask allows, all equally likely."""
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


class Turn(NamedTuple):
    """The values that a step returned, or a reset with the reward 0.0."""

    observation: Any
    reward: Any
    over: bool
    info: dict[str, Any]


def play(env: Env, seed: int, action_seed: int = 0, games: int = 20, steps: int = 50) -> Iterator[Turn]:
    """Plays random legal actions, drawn by `action_seed`, and yields each turn.

    Between two turns the caller may take steps of its own that change nothing.
    """
    rng = np.random.default_rng(action_seed)
    observation, info = env.reset(seed=seed)
    for _ in range(games):
        turn = Turn(observation, 0.0, False, info)
        for _ in range(steps):
            yield turn
            if turn.over:
                break
            observation, reward, terminated, truncated, info = env.step(legal_action(turn.info, rng))
            turn = Turn(observation, reward, terminated or truncated, info)
        observation, info = env.reset()


def frozen(value: Any) -> Any:
    """Returns tuples and bytes that are equal if and only if the arrays, dicts and numbers of the value are."""
    if isinstance(value, dict):
        return tuple((key, frozen(value[key])) for key in sorted(value))
    if isinstance(value, (tuple, list)):
        return tuple(frozen(part) for part in value)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return value


def same(first: Any, second: Any) -> bool:
    """Returns whether two observations or infos hold equal arrays and numbers, with any types of scalars."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    return np.array_equal(first, second) and np.asarray(first).dtype == np.asarray(second).dtype
