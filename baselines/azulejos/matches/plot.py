"""Picture of a tournament: the win rates of all pairs as a matrix, and the ratings with their intervals."""

from __future__ import annotations

import math
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from baselines.azulejos.matches.report import Report, elo_text
from baselines.support.figures import image, styled_figure
from baselines.support.files import replace_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = "PuOr"
"""A diverging colour map that stays readable for the colour-blind: purple above 50 %, orange below."""

_NAME = 24
"""Number of letters of a line of a policy's name."""


def write_plot(report: Report, path: Path) -> None:
    """Writes the picture; the suffix of the path sets the format."""
    names = [rating.policy for rating in report.ranked]
    side = 1.9 + 0.75 * len(names)
    with styled_figure(2 * side + 1.6, side + 0.4) as figure:
        matrix, bars = figure.subplots(1, 2, width_ratios=(1, 1))
        _draw_matrix(matrix, report, names)
        _draw_ratings(bars, report)
        figure.suptitle(f"{report.title()}; {2 * report.boards} games per pair")
        replace_file(path, image(figure, path.suffix))


def _draw_matrix(axes: Axes, report: Report, names: list[str]) -> None:
    """Draws the win rate of each row's policy against each column's."""
    count = len(names)
    rates = np.full((count, count), np.nan)
    for row, name in enumerate(names):
        for column, other in enumerate(names):
            if row != column:
                rates[row, column] = report.result(name, other).win_rate
    axes.imshow(rates, cmap=COLOURS, vmin=0, vmax=1)
    for (row, column), rate in np.ndenumerate(rates):
        if not math.isnan(rate):
            colour = "white" if abs(rate - 0.5) > 0.3 else "black"
            axes.text(column, row, _percent(rate), ha="center", va="center", color=colour)
    axes.set_xticks(range(count), [_folded(name) for name in names], rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(count), [_folded(name) for name in names])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.set_title("win rate of the row against the column")


def _draw_ratings(axes: Axes, report: Report) -> None:
    """Draws a bar for each policy, strongest at the top; an arrow leads to where there is no limit."""
    ratings = report.ranked
    finite = [limit for each in ratings for limit in (each.elo, each.low, each.high) if math.isfinite(limit)]
    low, high = min(finite), max(finite)
    room = 0.25 * max(high - low, 1.0)
    axes.barh(range(len(ratings)), [each.elo for each in ratings], height=0.6)
    for at, each in enumerate(ratings):
        left, right = max(each.low, low - room / 3), min(each.high, high + room / 3)
        axes.plot((left, right), (at, at), color="black", linewidth=1.5)
        for limit, end, marker in ((each.low, left, "<"), (each.high, right, ">")):
            axes.plot(end, at, marker="|" if math.isfinite(limit) else marker, color="black")
        outer = right if each.elo >= 0 else left
        axes.annotate(
            elo_text(each), (outer, at), (8 if each.elo >= 0 else -8, 0), textcoords="offset points",
            va="center", ha="left" if each.elo >= 0 else "right",
        )  # fmt: skip
    axes.set_xlim(min(low - (room if low < 0 else 0), 0), max(high + room, 0))
    axes.set_ylim(len(ratings) - 0.5, -0.5)
    axes.set_yticks(range(len(ratings)), [_folded(each.policy) for each in ratings])
    axes.set_xlabel("Elo, with its 95 % bootstrap interval")


def _percent(rate: float) -> str:
    """Returns a rate in whole percent, with a digit more next to 0 and 1, which only all games give."""
    return f"{rate:.0%}" if 0.01 <= rate <= 0.99 or rate in (0, 1) else f"{rate:.1%}"


def _folded(name: str) -> str:
    return fill(name, _NAME)
