"""Plot of a finding: placement by cell in standard deviations, and clicks before a mine against their law."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.report import format_p_value
from baselines.support.board_names import size_name
from baselines.support.figures import image, styled_figure
from baselines.uniformity.hypotheses import Bin, clicks_law
from baselines.uniformity.report import Finding
from baselines.uniformity.samples import Sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OBSERVED, EXPECTED, FLOODED = "C0", "C1", "C2"
"""Colours, by their places in the palette of the style."""

MOST_DEVIATIONS = 4.0
"""Deviation with the colours of the ends, in standard deviations."""


def draw_finding(finding: Finding) -> bytes:
    """Returns a PNG with a heat map of the placement, the clicks without flood fill, and the clicks with it."""
    sample = finding.sample
    config = sample.config
    with styled_figure(8, 5.2) as figure:
        grid = figure.add_gridspec(2, 2, width_ratios=(1.3, 1.0))
        _draw_placement(figure.add_subplot(grid[:, 0]), finding)
        _draw_clicks(figure.add_subplot(grid[0, 1]), finding.bins, finding.clicks.p_value)
        _draw_flood(figure.add_subplot(grid[1, 1]), sample, finding.fewer)
        figure.suptitle(
            f"{size_name(config.rows, config.cols)}, {config.mines} mines, first click {config.first_click}, "
            f"{sample.games} games"
        )
        return image(figure)


def deviations(sample: Sample) -> NDArray[np.float64]:
    """Returns the games with a mine in each cell minus the expected number, in standard deviations.

    Returns:
        (rows, cols); NaN where the first-click rule allows no mine.
    """
    config = sample.config
    density = config.mines / len(sample.eligible)
    spread = np.sqrt(sample.games * density * (1.0 - density))
    values = np.full(config.rows * config.cols, np.nan)
    values[sample.eligible] = (sample.counts - sample.games * density) / spread
    return values.reshape(config.rows, config.cols)


def _draw_placement(axes: Axes, finding: Finding) -> None:
    values = deviations(finding.sample)
    axes.imshow(values, cmap="PuOr", vmin=-MOST_DEVIATIONS, vmax=MOST_DEVIATIONS)
    size = min(8.5, 85.0 / values.shape[1])
    for (row, col), value in np.ndenumerate(values):
        if not np.isnan(value):
            colour = "white" if abs(value) > 0.7 * MOST_DEVIATIONS else "black"
            axes.text(col, row, f"{value:+.1f}", ha="center", va="center", size=size, color=colour)
    axes.set(xticks=[], yticks=[], xlabel="games with a mine there, in standard deviations from the mean")
    axes.set_title(_title("placement", finding.placement.p_value))


def _draw_clicks(axes: Axes, bins: list[Bin], p_value: float) -> None:
    at = [(each.first + each.last) / 2 for each in bins]
    # A pooled bin shows its mean per number of clicks, on the scale of its neighbours.
    widths = np.array([each.last - each.first + 1 for each in bins])
    observed, expected = (
        np.array(values) / widths for values in zip(*((b.observed, b.expected) for b in bins), strict=True)
    )
    axes.bar(at, observed, widths, color=OBSERVED, alpha=0.5, label="observed")
    axes.plot(at, expected, ".-", color=EXPECTED, label="expected")
    axes.set(xlabel="clicks before a mine, no flood fill", ylabel="games")
    axes.set_title(_title("clicks", p_value))
    axes.legend()


def _draw_flood(axes: Axes, sample: Sample, p_value: float) -> None:
    most = int(max(sample.plain.max(), sample.flooded.max())) + 1
    for clicks, colour, label in ((sample.plain, OBSERVED, "no flood fill"), (sample.flooded, FLOODED, "flood fill")):
        survived = 1.0 - np.cumsum(np.bincount(clicks, minlength=most + 1)) / sample.games
        axes.step(np.arange(most + 1), survived, where="post", color=colour, label=label)
    expected = 1.0 - np.cumsum(clicks_law(len(sample.eligible), sample.config.mines))
    axes.plot(range(len(expected)), expected, ".", markersize=3, color=EXPECTED, label="expected, no flood fill")
    axes.set(xlim=(-0.5, most), xlabel="clicks before a mine", ylabel="fraction with more")
    axes.set_title(_title("fewer with flood fill", p_value))
    axes.legend()


def _title(test: str, p_value: float) -> str:
    shown = format_p_value(p_value)
    return f"{test}: p {shown if shown.startswith('<') else f'= {shown}'}"
