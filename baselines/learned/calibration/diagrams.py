"""Diagrams of a comparison: reliability, and the differences by the number of covered cells."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from baselines.learned.calibration.compare import ProbabilityComparison
from baselines.support.figures import image, styled_figure

QUANTILES = ((0.5, "-"), (0.9, "--"), (0.99, ":"))
"""Fractions of the cells whose differences a line bounds, and the styles of the lines."""

CLASSES = 12
"""Maximum number of classes of boards by their covered cells."""


def draw_calibration(comparison: ProbabilityComparison, name: str) -> bytes:
    """Returns a PNG with a reliability diagram and the quantiles of the differences.

    Args:
        comparison: the boards of all games.
        name: name of the agent.
    """
    with styled_figure(8.0, 4.2) as figure:
        left, right = figure.subplots(1, 2)
        _draw_reliability(left, comparison, name)
        _draw_differences(right, comparison)
        return image(figure)


def _draw_reliability(axes: Axes, comparison: ProbabilityComparison, name: str) -> None:
    predicted, exact, spread, _ = zip(*comparison.reliability(), strict=True)
    axes.plot([0, 1], [0, 1], color="grey", linestyle=":")
    axes.errorbar(predicted, exact, yerr=spread, marker="o")
    axes.set(xlabel=f"mine probability by {name}", ylabel="exact mine probability", xlim=(0, 1), ylim=(0, 1))
    axes.set_title("means of classes, ± root mean squared difference", loc="left")
    axes.grid()


def _draw_differences(axes: Axes, comparison: ProbabilityComparison) -> None:
    covered = comparison.covered
    differences = np.abs(comparison.predicted - comparison.exact)[covered]
    counts = covered.sum(axis=(1, 2)).repeat(covered.sum(axis=(1, 2)))
    edges = np.unique(np.linspace(counts.min(), counts.max() + 1, CLASSES + 1).astype(int))
    classes = np.searchsorted(edges, counts, side="right") - 1
    present = np.unique(classes)
    middles = [(edges[number] + edges[min(number + 1, len(edges) - 1)] - 1) / 2 for number in present]
    for fraction, style in QUANTILES:
        values = [np.quantile(differences[classes == number], fraction) for number in present]
        axes.plot(middles, values, style, marker=".", label=f"{fraction:.0%} of cells")
    axes.set(xlabel="covered cells on the board", yscale="log")
    axes.set_title("difference to the exact probability, at most", loc="left")
    axes.grid()
    axes.figure.legend(loc="outside lower right", ncols=len(QUANTILES))
