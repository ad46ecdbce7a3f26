"""Random games, and comparisons of what they return: what the checks are made of."""

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
    """Returns one of the actions that the mask allows, all equally likely."""
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


class Turn(NamedTuple):
    """What an environment said last: at a reset, with the reward 0.0, or at a step."""

    observation: Any
    reward: Any
    over: bool
    info: dict[str, Any]


def play(env: Env, seed: int, action_seed: int = 0, games: int = 20, steps: int = 50) -> Iterator[Turn]:
    """Plays random legal actions, which `action_seed` decides, and yields each turn.

    The caller may take steps of its own that change nothing.
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
    """Returns a value made of tuples and bytes that is equal where arrays, dicts and numbers are the same."""
    if isinstance(value, dict):
        return tuple((key, frozen(value[key])) for key in sorted(value))
    if isinstance(value, (tuple, list)):
        return tuple(frozen(part) for part in value)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return value


def same(first: Any, second: Any) -> bool:
    """Says whether two observations or infos hold the same arrays and numbers, whatever the scalar types."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    return np.array_equal(first, second) and np.asarray(first).dtype == np.asarray(second).dtype
