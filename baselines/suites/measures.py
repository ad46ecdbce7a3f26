"""Measures of a suite beyond the win rate: flags on the mines, and scores."""

from __future__ import annotations

import math
from typing import Any

from baselines.evaluation.intervals import mean_interval, wilson_interval
from baselines.evaluation.records import GameRecord
from baselines.evaluation.results import PolicyResult


def marked(result: PolicyResult) -> dict[str, Any]:
    """Returns how many games had, at some moment, their flags exactly on the mines: a win for Antolín & de la Torre."""
    count = sum(record.marked for record in result.records)
    return {
        "marked": count,
        "marked_rate": count / result.games,
        "marked_ci95": list(wilson_interval(count, result.games)),
    }


def scores(result: PolicyResult) -> dict[str, Any]:
    """Returns the score of Sun, Chen & Yang, and figures derived from it.

    The score of a game is its number of open cells, doubled on a win. The mean score includes games that the first
    click lost; the mean score of lost games excludes them.
    """
    survivors = [record for record in result.records if not _lost_at_once(record)]
    won = sum(record.won for record in survivors)
    lost = [record for record in survivors if not record.won]
    return {
        "first_click_losses": result.games - len(survivors),
        "survived": len(survivors),
        "survived_win_rate": won / len(survivors) if survivors else None,
        "survived_ci95": list(wilson_interval(won, len(survivors))) if survivors else None,
        **_mean("score", [_score(record) for record in result.records]),
        **_mean("score_lost", [_score(record) for record in lost]),
    }


def _lost_at_once(record: GameRecord) -> bool:
    return record.clicks == 1 and not record.won and not record.truncated


def _score(record: GameRecord) -> int:
    return 2 * record.opened if record.won else record.opened


def _mean(name: str, values: list[int]) -> dict[str, Any]:
    ends = mean_interval(values)
    return {
        name: math.fsum(values) / len(values) if values else None,
        f"{name}_ci95": None if ends is None else list(ends),
    }
