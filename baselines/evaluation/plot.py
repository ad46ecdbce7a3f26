"""Forest plot of win rates: a panel per board, a row per policy, and the value of each point at the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from baselines import plot_style, registry
from baselines.evaluation.columns import board_title, games_range

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Content = dict[str, Any]

COLOURS = {
    "no reasoning": "0.45",
    "local rules": "#009E73",
    "published program": "#E69F00",
    "probabilities": "#0072B2",
    registry.OTHERS: "#D55E00",
}

REFERENCES: Mapping[str, Literal["--", ":"]] = {"exact": "--", "optimal": ":"}
"""Policies with a vertical line at their win rate, and the style of the line."""

MOST_COLUMNS = 5
WIDTH, ROW_HEIGHT, PANEL_EXTRA = 8.0, 0.22, 0.5  # In inches; a panel has its title besides its rows.


def family_of(policy: str) -> str:
    """Returns the family of a policy, whatever its options."""
    row = registry.POLICIES.get(policy.partition(":")[0])
    return registry.OTHERS if row is None else row.family


def draw(content: Content, title: str, suffix: str = ".png") -> bytes:
    """Returns the bytes of a plot of the win rates in a `results.json`; `suffix` is .png, .pdf or .svg."""
    with plot_style.styled_figure() as figure:
        _draw_boards(figure, content)
        figure.suptitle(title)
        return plot_style.image(figure, suffix)


def _draw_boards(figure: Figure, content: Content) -> None:
    """Draws a panel per board, in up to `MOST_COLUMNS` columns, and the legend; unused panels stay empty."""
    boards, labels = content["boards"], _labels(content)
    policies = list(labels)
    panel_rows = -(-len(boards) // MOST_COLUMNS)
    panel_columns = -(-len(boards) // panel_rows)
    figure.set_size_inches(WIDTH, 1.1 + panel_rows * (PANEL_EXTRA + ROW_HEIGHT * len(policies)))
    panels = figure.subplots(panel_rows, panel_columns, sharey=True, sharex=True, squeeze=False).ravel()
    rules = {board["config"]["first_click"] for board in boards}
    for axes, board in zip(panels, boards, strict=False):
        _draw_board(axes, board, policies)
        subtitle = f"\n{board['config']['first_click']}" if len(rules) > 1 else ""
        axes.set_title(board_title(board["config"]) + subtitle, weight="bold")
    for axes in panels[len(boards) :]:
        axes.set_axis_off()
    panels[0].set_yticks(range(len(policies)), labels.values())
    _draw_legend(figure, policies)


def _labels(content: Content) -> dict[str, str]:
    """Returns the label of each policy, best mean win rate first; n is stated if a board has fewer games than asked."""
    rows_of: dict[str, list[Content]] = {}
    for row in (row for board in content["boards"] for row in board["results"]):
        rows_of.setdefault(row["policy"], []).append(row)
    games = {policy: [row["games"] for row in rows] for policy, rows in rows_of.items()}
    notes = {name: "" if min(n) == content["games"] else f" (n = {games_range(n)})" for name, n in games.items()}
    mean_rates = {policy: sum(row["win_rate"] for row in rows) / len(rows) for policy, rows in rows_of.items()}
    return {policy: policy + notes[policy] for policy in sorted(rows_of, key=lambda policy: -mean_rates[policy])}


def _draw_board(axes: Axes, board: Content, policies: Sequence[str]) -> None:
    """Draws the intervals and win rates of a board; a policy stands at the same height in all panels."""
    for row in board["results"]:
        y, rate = policies.index(row["policy"]), row["win_rate"]
        colour = COLOURS[family_of(row["policy"])]
        axes.plot(row["ci95"], [y, y], color=colour, linewidth=2.5, solid_capstyle="butt")
        axes.plot([rate], [y], "o", color=colour, markersize=4.5)
        panel_x_data_y = axes.get_yaxis_transform()
        axes.text(1.03, y, f"{100 * rate:.1f}", transform=panel_x_data_y, va="center", size=8.5, color=colour)
        if row["policy"] in REFERENCES:
            axes.axvline(rate, linestyle=REFERENCES[row["policy"]], color=colour, linewidth=0.9, zorder=0)
    axes.set_ylim(len(policies) - 0.5, -0.5)
    axes.set_xlim(-0.03, 1.03)
    axes.set_xticks([0, 0.5, 1], ["0", "50", "100"])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", linewidth=0.5)


def _draw_legend(figure: Figure, policies: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    present = {family_of(policy) for policy in policies}
    key = {name: Line2D([], [], marker="o", linestyle="", color=COLOURS[name]) for name in COLOURS if name in present}
    for name, style in REFERENCES.items():
        if name in policies:
            key[f"win rate of {name}"] = Line2D([], [], linestyle=style, color=COLOURS[family_of(name)])
    figure.legend(key.values(), key.keys(), loc="outside lower center", ncols=min(4, len(key)))
