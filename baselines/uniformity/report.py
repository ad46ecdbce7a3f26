"""Report of the tests of a sample: rows of a table, and JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from baselines.evaluation.report import config_row, format_p_value
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


def _cells(test: ChiSquared) -> list[str]:
    return [f"{test.statistic:.2f}", f"{test.degrees}", format_p_value(test.p_value)]
