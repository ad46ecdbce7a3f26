"""Estimates of the worth of clicks from playouts on common layouts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from baselines.rollouts.guess_games import Flags, Floats


class Estimates(NamedTuple):
    """What M clicks are worth.

    Attributes:
        worth: (M,) float64, the estimated probabilities of winning.
        moves: (M, L) float64, by how much each layout moves the estimate of a click, times L, to first order; the mean
            over the layouts is 0.
    """

    worth: Floats
    moves: Floats

    def errors(self, click: int) -> Floats:
        """Returns the standard errors (M,) of the differences to the worth of one of the clicks."""
        layouts = max(self.moves.shape[1], 1)
        return np.asarray((self.moves - self.moves[click]).std(axis=1) / np.sqrt(layouts))


def estimate(values: Floats, free: Flags, safety: Floats, luck: Floats | None = None) -> Estimates:
    """Estimates the worth of each click: its safety times the mean value over the layouts where it is safe.

    The oracle gives the exact safety. So the expectation is that of the plain mean over all layouts, and the luck of
    the draw at the click disappears. The luck of later guesses is a control variate: its mean is 0.

    Args:
        values: (M, L) as `Playouts.play` returns them. A layout with a NaN counts for none of the clicks.
        free: (M, L) bool, whether the layout has no mine in the clicked cell.
        safety: (M,) the exact probability that the clicked cell is free.
        luck: (M, L) as `Playouts.play` returns it; None for no control variate.
    """
    known = np.isfinite(values).all(axis=0)
    values, free = values[:, known], free[:, known]
    if luck is not None:
        luck = luck[:, known]
        values = values - _slope(values[free], luck[free]) * luck
    counts = np.maximum(free.sum(axis=1, keepdims=True), 1)
    means = (values * free).sum(axis=1, keepdims=True) / counts
    moves = safety[:, None] * free * (values - means) * (known.sum() / counts)
    return Estimates(safety * means[:, 0], moves)


def _slope(values: Floats, luck: Floats) -> float:
    """Returns the slope of the regression of values on luck; 0 if all luck is the same."""
    spread = luck - luck.mean() if len(luck) else luck
    scale = float(spread @ spread)
    return float(spread @ values) / scale if scale > 0 else 0.0
