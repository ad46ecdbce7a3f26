"""Plots of the suites from the content of results.json; every rate has its 95 % interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from baselines.evaluation.forest import draw_forest, labels
from baselines.suites.suite import Suite
from baselines.suites.tables import caption
from baselines.support.board_names import size_name
from baselines.support.figures import image, styled_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Content = dict[str, Any]

MARKERS = "osD^vPX<>*"


def draw(suite: Suite, content: Content) -> bytes:
    """Returns the plot of a suite as a PNG file."""
    with styled_figure() as figure:
        PLOTS[suite.plot](figure, content)
        measure = (
            "; win rates in per cent with 95 % intervals"
            if suite.plot == "rates_by_board"
            else "; bars: 95 % intervals"
        )
        figure.suptitle(f"{content['title']}\n{caption(content)}{measure}")
        return image(figure)


def _rates_over_mines(figure: Figure, content: Content) -> None:
    """Draws win rates over the number of mines, one line per policy; small shifts keep the intervals apart."""
    boards, policies = content["boards"], labels(content)
    figure.set_size_inches(8, 4.6)
    axes = figure.add_subplot()
    for i, (policy, label) in enumerate(policies.items()):
        shift = 0.3 * (i / max(1, len(policies) - 1) - 0.5)
        found = [(at, row) for at, board in enumerate(boards) for row in board["results"] if row["policy"] == policy]
        rates = [row["win_rate"] for _, row in found]
        reach = [[abs(row["win_rate"] - row["ci95"][end]) for _, row in found] for end in (0, 1)]
        places, marker = [at + shift for at, _ in found], MARKERS[i % len(MARKERS)]
        axes.errorbar(places, rates, reach, capsize=2, color=f"C{i}", marker=marker, label=label)
    axes.set_xticks(range(len(boards)), [f"{board['config']['mines']}" for board in boards])
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")
    axes.set_xlabel(f"mines on {size_name(*boards[0]['config']['size'])}")
    axes.set_ylabel("win rate")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right center")


PLOTS: dict[str, Callable[[Figure, Content], None]] = {
    "rates_over_mines": _rates_over_mines,
    "rates_by_board": draw_forest,
}
"""The plots by name."""
