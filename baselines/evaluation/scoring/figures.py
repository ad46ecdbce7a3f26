"""Figures of a policy beside the reference: the paired difference, and the diagnostics as single numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from baselines.evaluation.diagnostics import Diagnostics, Share
from baselines.evaluation.intervals import paired_difference
from baselines.evaluation.results import Comparison, PolicyResult


@dataclass(frozen=True)
class Difference:
    """Difference of a policy to the reference on the same games.

    Attributes:
        points: win rate less that of the reference, in percentage points.
        low: lower end of its 95 % interval, by `paired_difference`.
        high: upper end.
        p_value: p-value of the exact McNemar test.
        p_holm: the same after Holm's correction for all policies in the table.
    """

    points: float
    low: float
    high: float
    p_value: float
    p_holm: float


def difference_of(result: PolicyResult, comparison: Comparison, p_holm: float) -> Difference:
    """Returns the difference that a comparison with the reference shows, with its corrected p-value."""
    both = result.wins - comparison.won_alone
    neither = comparison.games - both - comparison.won_alone - comparison.lost_alone
    points, low, high = paired_difference(both, comparison.won_alone, comparison.lost_alone, neither)
    return Difference(100.0 * points, 100.0 * low, 100.0 * high, comparison.p_value, p_holm)


def flat_diagnostics(result: PolicyResult) -> dict[str, Any]:
    """Returns the diagnostics as single numbers: a fraction of games under its own name, its ends with suffixes."""
    if not result.diagnoses:
        return {}
    flat: dict[str, Any] = {}
    diagnostics = Diagnostics.of(result.diagnoses)
    for name in diagnostics.row():
        value = getattr(diagnostics, name)
        if isinstance(value, Share):
            ends = value.ci95 or (None, None)
            flat |= {name: value.share, f"{name}_low": ends[0], f"{name}_high": ends[1]}
        elif name == "excess_risk_per_game_ci95":
            low, high = value or (None, None)
            flat |= {"excess_risk_per_game_low": low, "excess_risk_per_game_high": high}
        else:
            flat[name] = value
    return flat
