"""Plots of the suites from the content of results.json; every rate has its 95 % interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from baselines.evaluation.forest import draw_forest
from baselines.suites.suite import Suite
from baselines.suites.tables import caption
from baselines.support.board_names import size_name
from baselines.support.figures import image, styled_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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


def _labels(content: Content) -> dict[str, str]:
    """Returns the label of each policy, with its number of games if it played fewer than requested."""
    fewest: dict[str, int] = {}
    for board in content["boards"]:
        for row in board["results"]:
            fewest[row["policy"]] = min(row["games"], fewest.get(row["policy"], row["games"]))
    return {
        policy: policy if games == content["games"] else f"{policy} (n = {games})" for policy, games in fewest.items()
    }


def _styles(content: Content) -> dict[str, dict[str, Any]]:
    """Returns the line style of each policy."""
    return {
        policy: {"color": f"C{i}", "marker": MARKERS[i % len(MARKERS)], "label": label}
        for i, (policy, label) in enumerate(_labels(content).items())
    }


def _reach(values: Sequence[float], ends: Sequence[Sequence[float]]) -> list[list[float]]:
    """Returns the distances from the values down to the low ends and up to the high ends of their intervals."""
    pairs = list(zip(values, ends, strict=True))
    return [
        [max(0.0, value - low) for value, (low, _) in pairs],
        [max(0.0, high - value) for value, (_, high) in pairs],
    ]


def _points(boards: Sequence[Content], policy: str) -> list[tuple[int, Content]]:
    """Returns the rows of a policy, each with the index of its board."""
    return [(i, row) for i, board in enumerate(boards) for row in board["results"] if row["policy"] == policy]


def _draw_rates(axes: Axes, boards: Sequence[Content], styles: dict[str, dict[str, Any]]) -> None:
    """Draws win rates over the number of mines, one line per policy; small shifts keep the intervals apart."""
    for i, (policy, style) in enumerate(styles.items()):
        points = _points(boards, policy)
        if points:
            shift = 0.3 * (i / max(1, len(styles) - 1) - 0.5)
            rates = [row["win_rate"] for _, row in points]
            bars = _reach(rates, [row["ci95"] for _, row in points])
            axes.errorbar([place + shift for place, _ in points], rates, bars, capsize=2, **style)
    axes.set_xticks(range(len(boards)), [f"{board['config']['mines']}" for board in boards])
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")


def _rates_over_mines(figure: Figure, content: Content) -> None:
    figure.set_size_inches(8, 4.6)
    axes = figure.add_subplot()
    _draw_rates(axes, content["boards"], _styles(content))
    axes.set_xlabel(f"mines on {size_name(*content['boards'][0]['config']['size'])}")
    axes.set_ylabel("win rate")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right center")


def _rates_and_times(figure: Figure, content: Content) -> None:
    """Draws win rates above times, both over the number of mines, with one column per board size."""
    styles = _styles(content)
    sizes = list(dict.fromkeys(tuple(board["config"]["size"]) for board in content["boards"]))
    figure.set_size_inches(8, 5.6)
    panels = figure.subplots(2, len(sizes), sharex="col", sharey="row", squeeze=False)
    for column, size in enumerate(sizes):
        boards = [board for board in content["boards"] if tuple(board["config"]["size"]) == size]
        rates, times = panels[:, column]
        _draw_rates(rates, boards, styles)
        for policy, style in styles.items():
            points = _points(boards, policy)
            times.plot([place for place, _ in points], [row["ms_per_game"] for _, row in points], **style)
        rates.set_title(size_name(*size))
        times.set_yscale("log")
        times.yaxis.set_major_formatter("{x:g}")
        times.yaxis.set_minor_formatter("")
        times.grid(axis="y")
        times.set_xlabel("mines")
    panels[0, 0].set_ylabel("win rate")
    panels[1, 0].set_ylabel("milliseconds a game")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)


def _draw_dots(axes: Axes, board: Content, labels: dict[str, str], name: str, ends: str) -> None:
    """Draws one value per policy as a dot with its interval, one row per policy."""
    policies = list(labels)
    for row in board["results"]:
        if row[name] is not None:
            bars = None if row[ends] is None else _reach([row[name]], [row[ends]])
            height = policies.index(row["policy"])
            axes.errorbar([row[name]], [height], xerr=bars, fmt="o", color="C0")
    axes.set_yticks(range(len(policies)), list(labels.values()))
    axes.set_ylim(len(policies) - 0.5, -0.5)
    axes.grid(axis="x")


def _rates_and_scores(figure: Figure, content: Content) -> None:
    labels = _labels(content)
    (board,) = content["boards"]
    figure.set_size_inches(8, 1.8 + 0.4 * len(labels))
    panels = figure.subplots(1, 3, sharey=True)
    parts = (
        ("win_rate", "ci95", "win rate"),
        ("survived_win_rate", "survived_ci95", "win rate after the first click"),
        ("score", "score_ci95", "score: cells opened,\ndoubled on a win"),
    )
    for axes, (name, ends, label) in zip(panels, parts, strict=True):
        _draw_dots(axes, board, labels, name, ends)
        axes.set_xlabel(label)


PLOTS: dict[str, Callable[[Figure, Content], None]] = {
    "rates_over_mines": _rates_over_mines,
    "rates_and_times": _rates_and_times,
    "rates_by_board": draw_forest,
    "rates_and_scores": _rates_and_scores,
}
"""The plots by name."""
