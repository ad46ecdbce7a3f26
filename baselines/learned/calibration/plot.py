"""Picture of a comparison: boards of one game with predicted and exact probabilities, and two diagrams."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from baselines.learned.calibration.compare import ProbabilityComparison
from baselines.support.figures import image, styled_figure
from minesweeper_env.codes import Codes
from minesweeper_env.rendering.probabilities import render_overlay

BOARDS = 3
"""Number of boards shown, spaced evenly from the second of the game to its last."""


def draw_safety(comparison: ProbabilityComparison, seed: int, name: str) -> bytes:
    """Returns a PNG with boards of one game, a reliability diagram, and the differences by number of covered cells.

    Args:
        comparison: the boards of all games.
        seed: seed of the game whose boards are shown.
        name: name of the agent.
    """
    game = comparison.of_game(seed)
    chosen = np.unique(np.linspace(0, len(game.codes) - 1, BOARDS).round().astype(int))
    with styled_figure(4 * (len(chosen) + 1.4), 8.6) as figure:
        panels = figure.add_gridspec(2, len(chosen) + 1, width_ratios=[1.0] * len(chosen) + [1.4])
        for column, number in enumerate(chosen):
            for row, (title, probabilities) in enumerate(((name, game.predicted), ("exact", game.exact))):
                axes = figure.add_subplot(panels[row, column])
                axes.imshow(_board(game.codes[number], probabilities[number]))
                axes.set(title=f"{title}, before click {number + 2} of game {seed}", xticks=[], yticks=[])
        _draw_reliability(figure.add_subplot(panels[0, -1]), comparison)
        _draw_differences(figure.add_subplot(panels[1, -1]), comparison)
        return image(figure)


def _board(codes: NDArray[np.int8], probabilities: NDArray[np.float64]) -> NDArray[np.uint8]:
    picture = render_overlay("rgb_array", codes, Codes.of_radius(1), np.zeros(codes.shape, np.bool_), probabilities)
    assert isinstance(picture, np.ndarray)
    return picture


def _draw_reliability(axes: Axes, comparison: ProbabilityComparison) -> None:
    predicted, exact, spread, _ = zip(*comparison.reliability(), strict=True)
    axes.plot([0, 1], [0, 1], color="grey", linestyle=":", label="exact")
    axes.errorbar(predicted, exact, yerr=spread, marker="o", label="mean of a class, ± root mean square")
    axes.set(title="probability of a mine", xlabel="by the network", ylabel="exact", xlim=(0, 1), ylim=(0, 1))
    axes.grid()
    axes.legend(loc="upper left")


def _draw_differences(axes: Axes, comparison: ProbabilityComparison) -> None:
    covered = comparison.covered
    differences = np.abs(comparison.predicted - comparison.exact)[covered]
    counts = covered.sum(axis=(1, 2)).repeat(covered.sum(axis=(1, 2)))
    edges = np.unique(np.linspace(counts.min(), counts.max() + 1, 13).astype(int))
    classes = np.searchsorted(edges, counts, side="right") - 1
    present = np.unique(classes)
    for fraction, style in ((0.5, "-"), (0.9, "--"), (0.99, ":")):
        values = [np.quantile(differences[classes == number], fraction) for number in present]
        middles = [(edges[number] + edges[min(number + 1, len(edges) - 1)] - 1) / 2 for number in present]
        axes.plot(middles, values, style, marker=".", label=f"{fraction:.0%} of cells are below")
    axes.set(title="difference to the exact probability", xlabel="covered cells on the board", yscale="log")
    axes.grid()
    axes.legend(loc="best")
