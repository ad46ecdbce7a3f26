"""Disjoint seed ranges for test, selection, development and training games.

A win rate is unbiased only on games that were used neither for training nor to choose the checkpoint or an option.
"""

import numpy as np

TEST_SEEDS = range(0, 1 << 30)
"""Seeds of published win rates."""

SELECTION_SEEDS = range(1 << 30, 1_500_000_000)
"""Seeds of the evaluations during training, which choose the checkpoint."""

DEVELOPMENT_SEEDS = range(1_500_000_000, 1 << 31)
"""Seeds of games that choose options and compare trainings, before the test."""

TRAINING_SEEDS = range(1 << 31, 1 << 32)
"""Seeds of the games that an agent learns from."""


def check_seeds(first: int, games: int) -> range:
    """Returns `games` seeds from `first` on; raises ValueError unless all are test seeds, or all development seeds."""
    if games < 1:
        raise ValueError(f"games must be at least 1, not {games}")
    seeds = range(first, first + games)
    if not any(seeds[0] in allowed and seeds[-1] in allowed for allowed in (TEST_SEEDS, DEVELOPMENT_SEEDS)):
        raise ValueError(
            f"the seeds of test games are 0 to {TEST_SEEDS[-1]}, those of development games {DEVELOPMENT_SEEDS[0]} "
            f"to {DEVELOPMENT_SEEDS[-1]}, not {first} to {seeds[-1]}"
        )
    return seeds


def use_of(seed: int) -> str:
    """Returns what the games of a seed from `check_seeds` are for: "test" or "development"."""
    return "development" if seed in DEVELOPMENT_SEEDS else "test"


def range_text(first: int, games: int) -> str:
    """Returns a range of `check_seeds` as text, such as "seeds 0 to 999"; development seeds are called so."""
    label = "development seeds" if first in DEVELOPMENT_SEEDS else "seeds"
    return f"{label} {first} to {first + games - 1}"


def derived_seed(*parts: int) -> int:
    """Returns a seed below 2**32 that depends on all parts, each at least 0, and on their order."""
    return int(np.random.SeedSequence(parts).generate_state(1)[0])
