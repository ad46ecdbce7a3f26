"""Random games, and comparisons of the values that they return."""

from __future__ import annotations

import copy
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
    if isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.dtype == object):
        return tuple(frozen(part) for part in value)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return value


def same(first: Any, second: Any) -> bool:
    """Returns whether two observations or infos hold equal arrays and numbers, with any types of scalars."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    return np.array_equal(first, second) and np.asarray(first).dtype == np.asarray(second).dtype


OBSERVERS = ("HumanRendering", "RecordVideo", "RenderCollection", "RecordEpisodeStatistics")
"""Gymnasium's wrappers that draw or record games. The checks play without them."""

UNSUITABLE: dict[str, tuple[str, ...]] = {
    "TimeLimit": ("saving",),
    "Autoreset": ("saving",),
    "StickyAction": ("illegal actions", "saving"),
    "RepeatAction": ("illegal actions", "saving"),
    "MaxAndSkipObservation": ("illegal actions", "saving"),
    "DelayObservation": ("illegal actions", "saving"),
    "FrameStackObservation": ("illegal actions", "saving"),
    "TimeAwareObservation": ("illegal actions", "saving"),
    "AddRenderObservation": ("illegal actions",),
    "NormalizeObservation": ("illegal actions", "leaks", "saving"),
    "NormalizeReward": ("illegal actions", "leaks", "saving"),
}
"""The checks that do not apply under a wrapper: it keeps a state of its own, which `set_state` and layouts leave
alone, or it changes observations with time alone."""


def wrappers_of(env: Env) -> Iterator[gymnasium.Wrapper]:
    """Yields the wrappers around an environment, the outermost first."""
    while isinstance(env, gymnasium.Wrapper):
        yield env
        env = env.env


def gymnasium_wrappers(env: Env) -> list[gymnasium.Wrapper]:
    """Returns Gymnasium's own wrappers around an environment, the outermost first."""
    return [each for each in wrappers_of(env) if type(each).__module__.startswith("gymnasium.wrappers")]


def gymnasium_names(env: Env) -> list[str]:
    """Returns the names of Gymnasium's own wrappers around an environment, the outermost first."""
    return [type(wrapper).__name__ for wrapper in gymnasium_wrappers(env)]


def without_observers(env: Env) -> tuple[Env, list[str]]:
    """Returns a copy of an environment without the wrappers in `OBSERVERS`, and their names."""
    observers = [each for each in gymnasium_wrappers(env) if type(each).__name__ in OBSERVERS]
    chain = [wrapper for wrapper in wrappers_of(env) if wrapper not in observers]
    return _rebuild(chain, env.unwrapped), [type(each).__name__ for each in observers]


def _rebuild(chain: list[gymnasium.Wrapper], bare: Env) -> Env:
    """Returns copies of the wrappers of a chain, the outermost first, around a copy of `bare`."""
    env = copy.deepcopy(bare)
    for wrapper in reversed(chain):
        # The memo lets the copy hold the new inner environment in place of a copy of its own.
        env = copy.deepcopy(wrapper, {id(wrapper.env): env})
    return env


def unsuitable_checks(env: Env) -> dict[str, str]:
    """Returns the checks that do not apply to an environment, each with the name of the wrapper that forbids it."""
    found: dict[str, str] = {}
    for wrapper in gymnasium_wrappers(env):
        name = type(wrapper).__name__
        for check in (*UNSUITABLE.get(name, ()), *(["pickling"] if _holds_a_local_function(wrapper) else ())):
            found.setdefault(check, name)
    return found


def _holds_a_local_function(wrapper: Env) -> bool:
    """Returns whether a wrapper holds a function that Gymnasium defines in its constructor: pickle cannot save it."""
    return any(
        "<locals>" in getattr(value, "__qualname__", "") and value.__module__.startswith("gymnasium.")
        for value in vars(wrapper).values()
    )


def step_limit(env: Env, own: int) -> int:
    """Returns the steps after which a game is truncated: `own`, or fewer under `TimeLimit`."""
    limits = (getattr(wrapper, "_max_episode_steps", None) for wrapper in wrappers_of(env))
    return min([own, *(limit for limit in limits if limit is not None)])
