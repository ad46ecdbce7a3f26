"""Report of the tests of a sample: rows of a table, JSON, and a plot of observed against expected."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baselines.evaluation.report import config_row, format_p_value
from baselines.support.board_names import size_name
from baselines.support.figures import image, styled_figure
from baselines.terminal.tables import Column
from baselines.uniformity.hypotheses import (
    Bin,
    ChiSquared,
    clicks_law,
    clicks_test,
    fewer_clicks_test,
    placement_test,
    raw_statistic,
)
from baselines.uniformity.samples import Sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OBSERVED, EXPECTED, FLOODED = "C0", "C1", "C2"
"""Colours, by their places in the palette of the style."""


COLUMNS = (
    Column("first click", "left"),
    Column("test", "left", folds=True),
    Column("chi-squared", priority=1),
    Column("degrees", priority=2),
    Column("p"),
    Column("observation", "left", folds=True),
)
"""Columns of the rows of a `Finding`."""


@dataclass(frozen=True)
class Finding:
    """A sample and the results of its tests.

    Attributes:
        sample: the sample.
        placement: test that each eligible cell holds a mine equally often.
        clicks: test that the clicks before a mine, without flood fill, follow their law.
        bins: bins of the test `clicks`.
        fewer: p-value of the test that flood fill leaves fewer clicks before a mine.
    """

    sample: Sample
    placement: ChiSquared
    clicks: ChiSquared
    bins: list[Bin]
    fewer: float

    @classmethod
    def of(cls, sample: Sample) -> Finding:
        """Tests a sample."""
        cells, mines = len(sample.eligible), sample.config.mines
        clicks, bins = clicks_test(sample.plain, cells, mines)
        placement = placement_test(sample.counts, sample.games, mines)
        return cls(sample, placement, clicks, bins, fewer_clicks_test(sample.flooded, sample.plain))

    def rows(self) -> list[list[str]]:
        """Returns one row per test: rule, test, statistic, degrees of freedom, p, observation."""
        sample, rule = self.sample, self.sample.config.first_click
        cells, mines = len(sample.eligible), sample.config.mines
        law = clicks_law(cells, mines)
        return [
            [rule, "placement", *_cells(self.placement), f"{cells} cells, {sample.outside} mines elsewhere"],
            [
                rule,
                "clicks before a mine",
                *_cells(self.clicks),
                f"mean {sample.plain.mean():.3f}, by the law {law @ np.arange(len(law)):.3f}",
            ],
            [rule, "fewer with flood fill", "", "", format_p_value(self.fewer), f"mean {sample.flooded.mean():.3f}"],
        ]

    def content(self) -> dict[str, Any]:
        """Returns the finding as a JSON object."""
        sample = self.sample
        raw = raw_statistic(sample.counts, sample.games, sample.config.mines)
        return {
            "config": config_row(sample.config),
            "games": sample.games,
            "first_cell": list(divmod(sample.first, sample.config.cols)),
            "placement": {
                **asdict(self.placement),
                "uncorrected_statistic": raw,
                "cells": sample.eligible.tolist(),
                "observed": sample.counts.tolist(),
                "expected": sample.games * sample.config.mines / len(sample.eligible),
                "mines_elsewhere": sample.outside,
            },
            "clicks": {**asdict(self.clicks), "bins": [asdict(each) for each in self.bins]},
            "flood_fill": {
                "p_value": self.fewer,
                "mean": float(sample.flooded.mean()),
                "mean_without": float(sample.plain.mean()),
                "observed": np.bincount(sample.flooded).tolist(),
            },
        }

    def draw(self) -> bytes:
        """Returns the plot as a PNG file: counts of cells, clicks without flood fill, clicks with it."""
        config = self.sample.config
        with styled_figure(11, 3.6) as figure:
            placement, clicks, flood = figure.subplots(1, 3)
            self._draw_placement(placement)
            self._draw_clicks(clicks)
            self._draw_flood(flood)
            figure.suptitle(
                f"{size_name(config.rows, config.cols)}, {config.mines} mines, first click {config.first_click}, "
                f"{self.sample.games} games"
            )
            return image(figure)

    def _draw_placement(self, axes: Axes) -> None:
        sample = self.sample
        cells, density = len(sample.eligible), sample.config.mines / len(sample.eligible)
        deviation = 2.0 * float(np.sqrt(sample.games * density * (1.0 - density)))
        expected = sample.games * density
        axes.axhspan(expected - deviation, expected + deviation, color=EXPECTED, alpha=0.15)
        axes.axhline(expected, color=EXPECTED, label="expected, ± 2 standard deviations")
        axes.plot(range(cells), sample.counts, ".", color=OBSERVED, label="observed")
        axes.set_xlabel("cell that may hold a mine")
        axes.set_ylabel("games with a mine there")
        _finish(axes, "placement", self.placement.p_value)

    def _draw_clicks(self, axes: Axes) -> None:
        at = [(each.first + each.last) / 2 for each in self.bins]
        # A pooled bin shows its mean per number of clicks, on the scale of its neighbours.
        widths = np.array([each.last - each.first + 1 for each in self.bins])
        axes.bar(
            at,
            np.array([each.observed for each in self.bins]) / widths,
            widths,
            color=OBSERVED,
            alpha=0.5,
            label="observed",
        )
        axes.plot(at, np.array([each.expected for each in self.bins]) / widths, ".-", color=EXPECTED, label="expected")
        axes.set_xlabel("clicks before a mine, no flood fill")
        axes.set_ylabel("games per number of clicks")
        _finish(axes, "clicks", self.clicks.p_value)

    def _draw_flood(self, axes: Axes) -> None:
        sample = self.sample
        most = int(max(sample.plain.max(), sample.flooded.max())) + 1
        law = clicks_law(len(sample.eligible), sample.config.mines)
        edges = np.arange(most + 1)
        for clicks, colour, label in (
            (sample.plain, OBSERVED, "no flood fill"),
            (sample.flooded, FLOODED, "flood fill"),
        ):
            survived = 1.0 - np.cumsum(np.bincount(clicks, minlength=most + 1)) / sample.games
            axes.step(edges, survived, where="post", color=colour, label=label)
        expected = 1.0 - np.cumsum(law)
        axes.plot(range(len(expected)), expected, ".", markersize=3, color=EXPECTED, label="expected, no flood fill")
        axes.set_xlim(-0.5, most)
        axes.set_xlabel("clicks before a mine")
        axes.set_ylabel("fraction of games with more")
        _finish(axes, "fewer with flood fill", self.fewer)


def _finish(axes: Axes, title: str, p_value: float) -> None:
    shown = format_p_value(p_value)
    axes.set_title(f"{title}: p {shown if shown.startswith('<') else f'= {shown}'}", fontsize="small")
    axes.legend(fontsize="x-small")


def _cells(test: ChiSquared) -> list[str]:
    return [f"{test.statistic:.2f}", f"{test.degrees}", format_p_value(test.p_value)]
