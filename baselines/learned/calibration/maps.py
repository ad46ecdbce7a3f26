"""Picture of one board: mine probabilities by the network, the exact ones, and their differences."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from baselines.learned.calibration.compare import ProbabilityComparison
from baselines.learned.networks.board import MAX_COUNT
from baselines.support.figures import image, styled_figure

WIDTH = 8.0
"""Width of the picture, in inches."""

PROBABILITIES = {"cmap": "Blues", "vmin": 0.0, "vmax": 100.0}
DIFFERENCES = {"cmap": "PuOr", "vmin": -30.0, "vmax": 30.0}
"""Colours of differences, in percentage points; larger ones have the colours of the ends."""


def draw_maps(comparison: ProbabilityComparison, seed: int, name: str) -> bytes:
    """Returns a PNG with three maps of the board in the middle of a game: network, exact, difference.

    Args:
        comparison: the boards of all games.
        seed: seed of the game.
        name: name of the agent.
    """
    game = comparison.of_game(seed)
    number = len(game.codes) // 2
    codes, predicted, exact = game.codes[number], 100 * game.predicted[number], 100 * game.exact[number]
    maps = (
        (f"mine probability by {name}, in per cent", predicted, PROBABILITIES, "{:.0f}"),
        ("exact", exact, PROBABILITIES, "{:.0f}"),
        (f"{name} minus exact, in percentage points", predicted - exact, DIFFERENCES, "{:+.0f}"),
    )
    rows, cols = codes.shape
    with styled_figure(WIDTH, len(maps) * (WIDTH * rows / cols + 0.3) + 0.4) as figure:
        for axes, (title, values, colours, form) in zip(figure.subplots(len(maps)), maps, strict=True):
            _draw_map(axes, codes, values, colours, form)
            axes.set_title(title, loc="left")
        figure.suptitle(f"Game {seed} before click {number + 2}; bold: counts of open cells")
        return image(figure)


def _draw_map(
    axes: Axes, codes: NDArray[np.int8], values: NDArray[np.float64], colours: dict[str, Any], form: str
) -> None:
    """Draws a map: counts in open cells, values in covered ones."""
    is_covered = codes > MAX_COUNT
    axes.imshow(np.where(is_covered, values, np.nan), **colours)
    middle, reach = (colours["vmin"] + colours["vmax"]) / 2, (colours["vmax"] - colours["vmin"]) / 2
    is_diverging = colours["vmin"] < 0
    size = min(9.0, 190.0 / codes.shape[1])
    for (row, col), code in np.ndenumerate(codes):
        value = float(values[row, col])
        is_dark = is_covered[row, col] and (abs(value) > 0.7 * reach if is_diverging else value > middle + 0.2 * reach)
        text = _value(form, value) if is_covered[row, col] else str(code) if code else ""
        weight = "normal" if is_covered[row, col] else "bold"
        colour = "white" if is_dark else "black"
        axes.text(col, row, text, ha="center", va="center_baseline", size=size, weight=weight, color=colour)
    axes.set(xticks=[], yticks=[])


def _value(form: str, value: float) -> str:
    """Returns a number in its form; differences that round to 0 have no sign."""
    text = form.format(value)
    return "0" if text in ("-0", "+0") else text
