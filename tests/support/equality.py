"""Comparison of the values that environments return, types and dtypes included."""

from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv


def assert_same(left: Any, right: Any, where: str = "") -> None:
    """Raises an AssertionError unless two nested structures are equal, with equal types, dtypes and shapes.

    Dicts may be of any class.
    """
    both_dicts = isinstance(left, dict) and isinstance(right, dict)
    assert both_dicts or type(left) is type(right), f"{where}: {type(left)} is not {type(right)}"
    if isinstance(left, dict):
        assert set(left) == set(right), f"{where}: {sorted(left)} are not {sorted(right)}"
        for key in left:
            assert_same(left[key], right[key], f"{where}[{key!r}]")
    elif isinstance(left, (list, tuple)) or (isinstance(left, np.ndarray) and left.dtype == object):
        assert len(left) == len(right), where
        for i, (one, other) in enumerate(zip(left, right, strict=True)):
            assert_same(one, other, f"{where}[{i}]")
    elif isinstance(left, np.ndarray):
        assert (left.dtype, left.shape) == (right.dtype, right.shape), where
        assert np.array_equal(left, right, equal_nan=left.dtype.kind == "f"), f"{where}:\n{left}\nis not\n{right}"
    else:
        assert left == right, f"{where}: {left!r} is not {right!r}"


def steps_alike(batch: VectorEnv, other: VectorEnv, seed: int, steps: int) -> int:
    """Plays legal actions, one in ten of them replaced by any, in two batches; returns the number of games that ended.

    Raises:
        AssertionError: a reset or a step returns other values in the second batch.
    """
    assert_same(batch.reset(seed=seed), other.reset(seed=seed), "reset")
    rng = np.random.default_rng(seed)
    ended, count = 0, batch.num_envs
    for step in range(steps):
        anything = rng.integers(batch.single_action_space.n, size=count)
        actions = np.where(rng.random(count) < 0.1, anything, batch.sample_actions())
        results = batch.step(actions)
        ended += int((results[2] | results[3]).sum())
        assert_same(results, other.step(actions), f"step {step}")
    return ended
