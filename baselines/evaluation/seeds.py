"""Disjoint seed ranges for test, selection and training games.

A win rate is unbiased only on games that were used neither for training nor to choose the checkpoint.
"""

from __future__ import annotations

import numpy as np

TEST_SEEDS = range(0, 1 << 30)
"""Seeds of published win rates, which ``evaluate.py`` plays."""

SELECTION_SEEDS = range(1 << 30, 1 << 31)
"""Seeds of the evaluations during training, which choose the checkpoint."""

TRAINING_SEEDS = range(1 << 31, 1 << 32)
"""Seeds of the games that an agent learns from."""


def check_test_seeds(first: int, games: int) -> range:
    """Returns the seeds first to first + games - 1.

    Raises:
        ValueError: `games` is below 1, or a seed lies outside `TEST_SEEDS`.
    """
    if games < 1:
        raise ValueError(f"games must be at least 1, not {games}")
    if first < 0 or first + games > TEST_SEEDS.stop:
        raise ValueError(f"the seeds of test games are 0 to {TEST_SEEDS.stop - 1}, not {first} to {first + games - 1}")
    return range(first, first + games)


def derived_seed(*parts: int) -> int:
    """Returns a seed below 2**32 that depends on all parts, each at least 0, and on their order."""
    return int(np.random.SeedSequence(parts).generate_state(1)[0])
