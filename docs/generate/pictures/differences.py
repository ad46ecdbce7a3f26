"""learned.png: the win rates of trained agents less that of `exact` on the same games, from the result files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from baselines.benchmark.leaderboard import rows_of
from baselines.benchmark.result_files import ResultFile
from baselines.evaluation.protocol import PROTOCOL
from baselines.registry import agent_names
from baselines.support.board_names import board_name
from baselines.support.figures import image, styled_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIRST_CLICK = "opening"
ABOVE = ("lookahead",)
"""Scripted policies that are drawn with the agents."""

BETTER, WORSE, UNCLEAR = "#009E73", "#D55E00", "0.35"


class Point(NamedTuple):
    """One difference to the reference, in percentage points.

    Attributes:
        policy: the entry.
        board: name of the board.
        games: the number of games that both played.
        value: the difference.
        low: low end of its 95 % interval.
        high: high end of its 95 % interval.
    """

    policy: str
    board: str
    games: int
    value: float
    low: float
    high: float

    @property
    def colour(self) -> str:
        """The colour, by the side of 0 that the interval lies on."""
        return BETTER if self.low > 0 else WORSE if self.high < 0 else UNCLEAR


def differences(entries: Sequence[ResultFile]) -> list[Point]:
    """Returns the differences of all agents on all boards, board by board, the highest win rate first."""
    shown = {*agent_names(), *ABOVE}
    titles = [board_name(*size) for size in PROTOCOL.sizes]
    return [
        Point(row.card.name, title, row.games.games, *(100 * each for each in row.difference))
        for title in titles
        for row in rows_of(entries, f"{title} {FIRST_CLICK}")
        if row.card.name in shown and row.difference is not None
    ]


def draw_differences(entries: Sequence[ResultFile]) -> bytes:
    """Returns the picture as a PNG file: a panel per board, a row per agent."""
    points = differences(entries)
    boards = list(dict.fromkeys(point.board for point in points))
    policies = sorted({point.policy for point in points}, key=lambda policy: -_mean(points, policy))
    with styled_figure(8, 0.95 + 0.3 * len(policies)) as figure:
        panels = figure.subplots(1, len(boards), sharey=True)
        for axes, board in zip(panels, boards, strict=True):
            _draw_board(axes, [point for point in points if point.board == board], policies)
            axes.set_title(board, weight="bold")
        panels[0].set_yticks(range(len(policies)), policies)
        panels[0].set_ylim(len(policies) - 0.5, -0.5)
        figure.supxlabel(f"win rate minus that of {PROTOCOL.reference}, percentage points with 95 % intervals", size=9)
        return image(figure)


def _mean(points: Sequence[Point], policy: str) -> float:
    values = [point.value for point in points if point.policy == policy]
    return sum(values) / len(values)


def _draw_board(axes: Axes, points: Sequence[Point], policies: Sequence[str]) -> None:
    from matplotlib.transforms import blended_transform_factory

    beside = blended_transform_factory(axes.transAxes, axes.transData)
    axes.axvline(0, color="0.3", linestyle="--", linewidth=0.9, zorder=0)
    for point in points:
        place = policies.index(point.policy)
        axes.plot([point.low, point.high], [place, place], color=point.colour, linewidth=2.5, solid_capstyle="butt")
        axes.plot([point.value], [place], "o", color=point.colour, markersize=4.5)
        axes.text(1.02, place, f"{point.value:+.1f}", transform=beside, va="center", size=8.5, color=point.colour)
    axes.margins(x=0.08)
    axes.locator_params(axis="x", nbins=3)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", linewidth=0.5)
