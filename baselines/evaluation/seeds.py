"""The seeds of games, divided by what the games are for.

A win rate is honest only on games that took no part in training and none in the choice of the checkpoint;
so each of the three purposes draws from a range of its own, and no two of these ranges meet.
"""

from __future__ import annotations

import numpy as np

TEST_SEEDS = range(0, 1 << 30)
"""The seeds of published win rates: those that ``evaluate.py`` plays."""

SELECTION_SEEDS = range(1 << 30, 1 << 31)
"""The seeds of the evaluations during training, by which a checkpoint is chosen."""

TRAINING_SEEDS = range(1 << 31, 1 << 32)
"""The seeds of the games that an agent learns from."""


def check_test_seeds(first: int, games: int) -> range:
    """Returns the seeds first, first + 1, ... of that many games.

    Raises:
        ValueError: there is no game, or a seed lies outside `TEST_SEEDS`.
    """
    if games < 1:
        raise ValueError(f"games must be at least 1, not {games}")
    if first < 0 or first + games > TEST_SEEDS.stop:
        raise ValueError(f"the seeds of test games are 0 to {TEST_SEEDS.stop - 1}, not {first} to {first + games - 1}")
    return range(first, first + games)


def derived_seed(*parts: int) -> int:
    """Returns a seed below 2**32 that depends on all the parts, each at least 0, and on their order."""
    return int(np.random.SeedSequence(parts).generate_state(1)[0])
