"""Estimates of the worth of clicks."""

from __future__ import annotations

import numpy as np
import pytest

from baselines.rollouts.estimates import estimate

SAFETY, THEN = np.array([0.9, 0.8]), np.array([0.6, 0.7])
DIFFERENCE = 0.8 * 0.7 - 0.9 * 0.6


def draw(rng, layouts):
    """Returns values, free and luck of two clicks; a later guess of safety THEN decides each game."""
    free = rng.random((2, layouts)) < SAFETY[:, None]
    survived = rng.random(layouts) < THEN[:, None]
    return (free & survived).astype(float), free, free * (survived - THEN[:, None])


def differences(layouts, with_luck):
    """Returns estimated differences of the clicks, and their standard errors."""
    rng, found = np.random.default_rng(0), []
    for _ in range(2000):
        values, free, luck = draw(rng, layouts)
        own = estimate(values, free, SAFETY, luck if with_luck else None)
        found.append((own.worth[1] - own.worth[0], own.errors(0)[1]))
    return np.transpose(found)


def test_the_mean_is_right_and_the_noise_less_than_that_of_plain_differences():
    gaps, _ = differences(40, with_luck=False)
    rng = np.random.default_rng(1)
    plain = [np.diff(draw(rng, 40)[0].mean(axis=1))[0] for _ in range(2000)]
    assert gaps.mean() == pytest.approx(DIFFERENCE, abs=0.007)
    assert gaps.std() < 0.95 * np.std(plain)


def test_the_standard_error_is_the_spread_of_the_estimates():
    gaps, errors = differences(200, with_luck=False)
    assert errors.mean() == pytest.approx(gaps.std(), rel=0.05)


def test_luck_takes_its_part_of_the_noise_away():
    with_luck, errors = differences(40, with_luck=True)
    without, _ = differences(40, with_luck=False)
    assert with_luck.mean() == pytest.approx(DIFFERENCE, abs=0.003)
    assert with_luck.std() < 0.2 * without.std()
    assert errors.mean() < 0.2 * without.std()


def test_layouts_that_were_given_up_count_for_no_click():
    values = np.array([[1.0, np.nan, 0.0], [0.0, 1.0, 1.0]])
    free = np.ones((2, 3), bool)
    assert estimate(values, free, np.array([0.5, 0.5])).worth.tolist() == [0.25, 0.25]


def test_a_click_that_is_never_safe_is_worth_nothing():
    free = np.array([[True, True], [False, False]])
    assert estimate(np.ones((2, 2)) * free, free, np.array([0.5, 0.1])).worth.tolist() == [0.5, 0.0]
