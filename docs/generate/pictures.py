"""Pictures of the documentation: clicks of policies, curves, suites, risks; those of games are in `games.py`."""

from __future__ import annotations

import io
import runpy
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import games
import numpy as np
from games import as_png, half_played
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from PIL import Image
from scipy.stats import chi2

from baselines.benchmark.leaderboard import read_results, rows_of
from baselines.benchmark.protocol import PROTOCOL
from baselines.benchmark.result_files import title_of
from baselines.evaluation.columns import board_title, spaced
from baselines.evaluation.intervals import mean_interval
from baselines.evaluation.stored_results import read_figures
from baselines.plot_style import image, styled_figure
from baselines.registry import SCRIPTED, find_policy
from baselines.scripted.bayes_network import subnetwork
from minesweeper_env import HIDDEN, BoardConfig, MinesweeperVectorEnv
from minesweeper_env.escape import counted
from minesweeper_env.inference import mine_probabilities
from minesweeper_play.coach.board_text import read_board

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOCS = Path(__file__).parents[1]
WIDTH = 5.4
"""The width of figures in inches: on a phone of 390 pixels, type of 8.5 points is then 8.5 pixels high."""

INK = "#7d7d7d"
"""A grey with the same contrast, 4 to 1, to white pages and to dark ones."""

_INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color", "grid.color")
SEE_THROUGH = {
    "savefig.transparent": True,
    "figure.dpi": 160,
    **dict.fromkeys(_INKED, INK),
    "axes.prop_cycle": f"cycler('color', ['1F86CC', 'D55E00', '009E73', 'CC79A7', 'E69F00', '56B4E9', '{INK}'])",
}
"""The style of figures that stand on white pages and on dark ones."""

BOARD = BoardConfig(5, 5, 5, moves=("click",))
LABELS = {
    "afterstate:safety=clues,breadth=1": "the fit alone",
    "afterstate:clues=false,breadth=1": "afterstate, no fit",
}

DRAWS = 400
"""The actions that each policy draws on a board."""

POSITIONS = (read_board("##1##/22111/#1000/#3100/##100"), read_board("#101#/#201#/#2011/#211#/##1##"))
"""A board with one safe cell, which only the number of mines proves, and a board without a safe cell."""


def actions(policy: str, board: NDArray[np.int8]) -> Counter[tuple[tuple[int, int], bool]]:
    """Returns the counts of (cell, whether the action is a flag) among `DRAWS` actions of a policy on a board."""
    moves = ("click", "flag") if policy == "bayes_source" else ("click",)
    player = find_policy(policy)(BoardConfig(BOARD.rows, BOARD.cols, BOARD.mines, moves=moves))
    player.reset(0)
    boards = np.repeat(board[None], DRAWS, 0)
    legal = np.tile((boards == HIDDEN).reshape(DRAWS, -1).astype(np.int8), len(moves))
    sampled = player.act(boards, legal).tolist()
    return Counter((divmod(action % board.size, BOARD.cols), action >= board.size) for action in sampled)


def draw_clicks(figure: Figure) -> None:
    """Draws the risks of both positions, and the clicks of each scripted policy on them, two policies in a row."""
    names = ("risk of a mine, %", *SCRIPTED)
    panels = figure.subplots(-(-len(names) // 2), 2 * len(POSITIONS)).reshape(-1, len(POSITIONS))
    for axes in panels.flat:
        axes.set_axis_off()
    for name, row in zip(names, panels, strict=False):
        row[0].set_title(name, loc="left", weight="bold")
        for axes, board in zip(row, POSITIONS, strict=True):
            _draw_position(axes, board, actions(name, board) if name in SCRIPTED else None)


def _draw_position(axes: Axes, board: NDArray[np.int8], counts: Counter[tuple[tuple[int, int], bool]] | None) -> None:
    """Draws a position with the share of the actions on each cell in per cent, or without `counts` with its risk."""
    if counts is None:
        values, full_colour, text_of_zero = mine_probabilities(board, BOARD.mines), (0.84, 0.37, 0.0), "0"
    else:
        shares = [(counts[cell, False] + counts[cell, True]) / DRAWS for cell in np.ndindex(board.shape)]
        values, full_colour, text_of_zero = np.reshape(shares, board.shape), (0.0, 0.27, 0.54), ""
    weights = np.sqrt(values)[..., None]
    faces = np.where((board == HIDDEN)[..., None], (1 - weights) * 0.85 + weights * full_colour, 0.97)
    axes.pcolormesh(faces, edgecolors="#8e949d", linewidth=0.8)
    for (row, col), code in np.ndenumerate(board):
        value = values[row, col]
        text = f"{code or ''}" if code != HIDDEN else f"{100 * value:.0f}" if value else text_of_zero
        if counts is not None and counts[(row, col), True]:
            text = "flag"
        colour = "white" if code == HIDDEN and value > 0.2 else "#26292e"
        weight = "normal" if code == HIDDEN else "bold"
        axes.text(col + 0.5, row + 0.53, text, size=8, weight=weight, ha="center", va="center", color=colour)
    axes.invert_yaxis()
    axes.set_aspect("equal")


ORACLES = {"lookahead": 70.2, "exact": 68.0}
"""Win rates on 8x8/14 in per cent, of 100 000 games; see docs/policies/oracle.md."""


def draw_text_learning(figure: Figure) -> None:
    """Draws the win rates of the transformer of the examples while it learns from each reward: mean of the seeds."""
    axes = figure.subplots()
    for reward, curves in _read("text-transformer")["curves"].items():
        replies, rates = np.transpose(curves, (2, 0, 1))
        (line,) = axes.plot(replies[0], 100 * rates.mean(axis=0), linewidth=2.2, label=reward)
        axes.plot(replies.T, 100 * rates.T, color=line.get_color(), linewidth=0.6, alpha=0.5)
    # docs/how-to/language-models.md says how this rate was measured.
    draw_ceilings(axes, {"least risk, in test games": 83.4})
    axes.set(xlabel="replies that it has learned from", ylabel="games won, per cent", ylim=(20, 90))
    axes.legend(loc="lower right", ncols=2)


def draw_sample_efficiency(figure: Figure) -> None:
    """Draws the win rates on 8x8/14 by environment steps: the mean of the seeds, with its 95 % interval."""
    steps = np.geomspace(1e4, 1e6, 61)
    axes = figure.subplots()
    algorithms = _read("sample-efficiency")["curves"].items()
    for name, curves in sorted(algorithms, key=lambda item: -np.mean([curve[-1][1] for curve in item[1]])):
        rates = np.array([100 * np.interp(steps, *np.transpose(curve), right=np.nan) for curve in curves])
        ends = [mean_interval(column) or (column[0], column[0]) for column in rates.T]
        (line,) = axes.plot(steps, rates.mean(axis=0), linewidth=2, label=f"{name}, {counted(len(curves), 'seed')}")
        axes.fill_between(steps, *np.transpose(ends), color=line.get_color(), alpha=0.2, linewidth=0)
    draw_ceilings(axes, ORACLES)
    axes.set(xscale="log", xlabel="environment steps", ylabel="games won, per cent", ylim=(0, 90))
    axes.set_xticks([1e4, 1e5, 1e6], ["10 000", "100 000", "1 million"])
    axes.grid()
    figure.legend(loc="outside lower center", ncols=2)


RULES = ("opening", "safe", "any", "corners")
GAMES, CENTRE = 20_000, (4, 4)


def frequencies(rule: str) -> NDArray[np.float64]:
    """Returns the share of `GAMES` layouts of 9x9/10 with a mine in each cell, (9, 9), after a click on `CENTRE`."""
    env = MinesweeperVectorEnv(GAMES, (9, 9), 10, rule, ("click",))
    env.reset(seed=0)
    env.step(np.full(GAMES, CENTRE[0] * 9 + CENTRE[1]))
    return env.get_state()["mines"].mean(axis=0)


def draw_first_clicks(figure: Figure) -> None:
    """Draws a heat map per first-click rule, around a click in the middle."""
    maps = {rule: 100 * frequencies(rule) for rule in RULES}
    highest = max(float(frequency.max()) for frequency in maps.values())
    for axes, (rule, values) in zip(figure.subplots(2, 2).ravel(), maps.items(), strict=True):
        _draw_heat(axes, values, ".0f", 0.0, highest)
        axes.plot(*CENTRE, "s", markersize=19, markerfacecolor="none", markeredgecolor="#D55E00", mew=2)
        axes.set_title(f'first_click="{rule}"', weight="bold")
    figure.suptitle(f"Games in per cent with a mine in each cell, 9x9 with 10 mines, {GAMES} games")


def _read(name: str) -> dict[str, Any]:
    return read_figures(DOCS / "results" / f"{name}.json")


def draw_learning(figure: Figure) -> None:
    """Draws the wins of the examples while they learn 8x8/14, a line per training seed."""
    axes = figure.subplots()
    for colour, name in (("C0", "dqn"), ("C1", "ppo_sb3")):
        for row in _read(f"example-{name}")["results"]:
            minutes, wins = np.transpose([(point["seconds"] / 60, 100 * point["wins"]) for point in row["curve"]])
            axes.plot(minutes, wins, color=colour, label=f"{name}.py" if row["training_seed"] == 1 else None)
    draw_ceilings(axes, ORACLES)
    axes.set(xlabel="minutes of processor time", ylabel="wins of 2000 training games, %", xlim=0, ylim=(0, 80))
    axes.grid()
    axes.legend()


def draw_leaderboard(figure: Figure) -> None:
    """Draws the win rates of benchmark 2026.1 with first click "opening": a row per policy, a colour per board."""
    results, curves = read_results(DOCS / "leaderboard" / PROTOCOL.version), dict[str, dict[str, float]]()
    for config in (config for config in PROTOCOL.boards if config.first_click == "opening"):
        for row in rows_of(results, title_of(config)):
            # An entry of several trainings is no policy of the package.
            if row["card"].name == row["card"].entry:
                curves.setdefault(row["policy"], {})[config.name] = 100 * row["win_rate"]
    names = sorted(curves, key=lambda name: np.mean([*curves[name].values()]))
    axes = figure.subplots()
    for marker, board in zip("ovs^D", curves["exact"], strict=True):
        points = [(curves[name][board], place) for place, name in enumerate(names) if board in curves[name]]
        axes.plot(*zip(*points, strict=True), marker, label=board)
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel=f"games won, per cent (benchmark {PROTOCOL.version})", xlim=(-2, 102))
    axes.grid()
    figure.legend(loc="outside upper center", ncols=5, handletextpad=0.1)


def draw_ladder(figure: Figure) -> None:
    """Draws the win rates of players of 8x8/14 as bars, the weakest first."""
    axes, rungs = figure.subplots(), _read("ladder")["rungs"]
    for place, rung in enumerate(rungs):
        low, high = (100 * end for end in rung["ci95"])
        rate = 100 * rung["win_rate"]
        axes.barh(place, rate, color="C4" if rung["games"] is None else "C0", height=0.68)
        axes.errorbar(rate, place, xerr=[[rate - low], [high - rate]], color=INK, capsize=3, linewidth=1.2)
        count = "an estimate" if rung["games"] is None else f"n = {spaced(rung['games'])}"
        axes.text(max(rate, high) + 2, place, f"{rate:.1f} %  ({count})", va="center", size=9)
    axes.set_yticks(range(len(rungs)), [rung["label"] for rung in rungs])
    axes.set(xlim=(0, 96), xlabel='games won of 8x8 with 14 mines, first click "opening", per cent')
    axes.invert_yaxis()


def draw_ceilings(axes: Axes, rates: dict[str, float]) -> None:
    """Draws a dashed line at the win rate of each policy, in per cent."""
    for (name, rate), style in zip(rates.items(), ("--", "-.")[: len(rates)], strict=True):
        axes.axhline(rate, color=INK, linestyle=style, linewidth=1, label=name, zorder=1)


def draw_risks(figure: Figure) -> None:
    """Draws the exact risks of the covered cells of an expert board, and its clues."""
    session = half_played((16, 30), 99, 4, 60)
    risks, codes, axes = 100 * session.probabilities(), session.config.codes, figure.subplots()
    covered = session.board > codes.max_count
    shades = axes.imshow(np.where(covered, risks, np.nan), cmap="YlOrRd", vmin=0, vmax=100)
    for (row, col), code in np.ndenumerate(session.board):
        if covered[row, col] and 0 < risks[row, col] < 100:
            continue
        certain = ("✓", "#00734f") if risks[row, col] == 0 else ("✕", "white")
        text, colour = certain if covered[row, col] else (f"{code or ''}", INK)
        axes.text(col, row, text, size=8, weight="bold", ha="center", va="center", color=colour)
    axes.set(xticks=[], yticks=[])
    figure.colorbar(shades, location="bottom", label="risk of a mine, per cent", aspect=40, shrink=0.8)


def draw_reliability(figure: Figure) -> None:
    """Draws a reliability diagram for each policy: the exact risk of cells by the risk that it believes.

    Each panel has a curve per board, of the bins of at least 100 cells, and above it the bits and the win rate.
    """
    boards = [_read(f"beliefs-{size}")["boards"][0] for size in ("8x8", "16x30")]
    kept = [{row["policy"]: row for row in board["results"]} for board in boards]
    names = sorted(kept[0].keys() - {"bayes:prior=count", "exact"}, key=lambda name: -kept[0][name]["beliefs"]["bits"])
    for axes, name in zip(figure.subplots(4, 3, sharex=True, sharey=True).flat, names, strict=True):
        axes.plot([0, 100], [0, 100], color=INK, linewidth=0.7)
        for rows, colour, height in zip(kept, ("C0", "C1"), (1.2, 1.05), strict=True):
            beliefs = rows[name]["beliefs"]
            curve = [(100 * believed, 100 * exact) for believed, exact, cells in beliefs["reliability"] if cells >= 100]
            axes.plot(*zip(*curve, strict=True), "o-", markersize=3, color=colour)
            text = f"{beliefs['bits']:.4f} bits, won {100 * rows[name]['win_rate']:.0f} %"
            axes.text(0, height, text, transform=axes.transAxes, size=8, color=colour)
        axes.set_title(LABELS.get(name, name), loc="left", weight="bold", pad=27)
        axes.set(xticks=[0, 50, 100], yticks=[0, 50, 100])
    figure.supxlabel("believed risk, per cent")
    figure.supylabel("exact risk, per cent")
    lines = [Line2D([], [], color=colour) for colour in ("C0", "C1")]
    figure.legend(lines, [board_title(board["config"]) for board in boards], loc="outside upper center", ncols=2)


def draw_first_cells(figure: Figure) -> None:
    """Draws the win rate of `exact` on 8x8/14 by its first cell; symmetric cells share the games of one of them."""
    for axes, (rule, wins) in zip(figure.subplots(1, 2), _read("first-cells")["wins"].items(), strict=True):
        representatives = [sorted(min(each, 7 - each) for each in cell) for cell in np.ndindex(8, 8)]
        values = np.reshape([wins[str(8 * low + high)] / 200 for low, high in representatives], (8, 8))
        _draw_heat(axes, values, ".1f", values.min(), values.max())
        axes.set_title(f'first_click="{rule}"', weight="bold")
    figure.suptitle("Win rate of exact in per cent by its first cell, 20 000 games per cell")


def _draw_heat(axes: Axes, values: NDArray[np.float64], number_format: str, least: float, most: float) -> None:
    """Draws a heat map of numbers, the higher the darker."""
    axes.imshow(values, cmap="Blues", vmin=least, vmax=most)
    for (row, col), value in np.ndenumerate(values):
        colour = "white" if value > least + 0.6 * (most - least) else "black"
        axes.text(col, row, f"{value:{number_format}}", ha="center", va="center", size=8, color=colour)
    axes.set(xticks=[], yticks=[])


def draw_agents(figure: Figure) -> None:
    """Draws the success of the agents of Antimatroid (2012) over the number of mines, the best first in the legend."""
    axes, curves = figure.subplots(), dict[str, list[tuple[int, float]]]()
    for board in _read("agents")["boards"]:
        for row in board["results"]:
            curves.setdefault(row["policy"], []).append((board["config"]["mines"], 100 * row["win_rate"]))
    for name, curve in sorted(curves.items(), key=lambda item: -sum(rate for _, rate in item[1])):
        axes.plot(*zip(*curve, strict=True), "o-", markersize=3.5, label=name)
    axes.set(xlabel="mines on 9x9", ylabel="games won, per cent", xticks=range(1, 11), ylim=(0, 101))
    axes.grid()
    figure.legend(loc="outside lower center", ncols=3)


def draw_times(figure: Figure) -> None:
    """Draws the processor time of a game of the Bayesian policies on each board of Antolín & de la Torre (2018)."""
    axes, curves = figure.subplots(), dict[str, list[tuple[str, float]]]()
    for row in _read("bayes-times")["results"]:
        board = "{}x{}/{}".format(*row["size"], row["mines"])
        curves.setdefault(row["policy"], []).append((board, row["ms_per_game"]))
    for name, curve in curves.items():
        axes.plot(*zip(*curve, strict=True), "o-", markersize=3.5, label=name)
    axes.set(yscale="log", xlabel="board", ylabel="milliseconds a game", ylim=(1, 1e5))
    axes.set_yticks([1, 10, 100, 1e3, 1e4, 1e5], ["1", "10", "100", "1000", "10 000", "100 000"])
    axes.tick_params(axis="x", labelrotation=30)
    axes.grid()
    axes.legend()


def draw_uniformity(figure: Figure, side: int = 9, mines: int = 10, games: int = 10_000) -> None:
    """Draws both uniformity tests of Antimatroid (2012): mines per cell, and random clicks before a mine.

    The games are those of the row "any" of `python benchmarks/uniformity.py`.
    """
    tests, cells = runpy.run_path(str(DOCS.parent / "benchmarks" / "uniformity.py")), side * side
    layouts, flooded, plain = tests["samples"](side, mines, "any", 0, games, 0)
    counts, expected, law = layouts.sum(axis=0), games * mines / cells, tests["law_of"](cells, mines)
    left, right = figure.subplots(2, 1)
    left.bar(range(1, cells + 1), counts, width=1, color="C5")
    left.axhline(expected, color=INK, label=f"expected: {expected:.0f}")
    left.set(xlabel="cell, in reading order", ylabel=f"mines in {games} layouts", ylim=(0, 1.4 * expected))
    left.set_title(_test_title(*tests["placement_test"](layouts, mines)))
    right.bar(range(len(law)), np.bincount(plain, minlength=len(law)), width=1, color="C5", label="no flood fill")
    right.plot(games * law, color=INK, label="negative hypergeometric law")
    right.step(range(41), np.bincount(flooded, minlength=41)[:41], where="mid", color="C1", label="flood fill")
    right.set(xlabel="random clicks before a mine", ylabel="games", xlim=(-1, 40))
    right.set_title(_test_title(*tests["clicks_test"](plain, law)))
    left.legend(loc="upper right")
    right.legend()


def _test_title(statistic: float, degrees: int) -> str:
    critical, p = chi2.isf(0.05, degrees), chi2.sf(statistic, degrees)
    return f"χ² = {statistic:.1f} < {critical:.1f} (5 %, {degrees} degrees), p = {p:.2f}"


def draw_network(figure: Figure) -> None:
    """Draws the Bayesian network of a 3x3 board: a mine per cell, and a clue that is the sum of its neighbours."""
    network = subnetwork(BoardConfig(3, 3, 2, "any"), range(9), range(9))
    names = ((node, *node.split("_")) for node in network.nodes())
    places = {node: (3.4 * int(row) + int(col), float(kind == "X")) for node, kind, row, col in names}
    axes = figure.subplots()
    for parent, child in sorted(network.edges(), key=lambda edge: edge[1] == "Y_1_1"):
        arrow = {"arrowstyle": "->", "color": "C1" if child == "Y_1_1" else INK, "shrinkA": 12, "shrinkB": 12}
        axes.annotate("", places[child], places[parent], arrowprops=arrow).set_in_layout(False)
    for node, place in places.items():
        axes.plot(*place, "o", markersize=24, color="C5" if node[0] == "X" else "C4", zorder=3)
        axes.text(*place, node.replace("_", ""), ha="center", va="center", size=8, zorder=4, color="black")
    axes.set(xlim=(-0.5, 9.3), ylim=(-0.3, 1.3))
    axes.set_axis_off()


def _png_of(draw: Callable[[Figure], object], height: float) -> bytes:
    """Returns as PNG what a function draws on a figure of a height in inches."""
    with styled_figure(WIDTH, height, SEE_THROUGH) as figure:
        draw(figure)
        return as_png(Image.open(io.BytesIO(image(figure))))


PICTURES: dict[str, Callable[[], bytes]] = {
    **games.PICTURES,
    "ladder.png": partial(_png_of, draw_ladder, 2.7),
    "first-clicks.png": partial(_png_of, draw_first_clicks, 5.9),
    "text-learning.png": partial(_png_of, draw_text_learning, 3.2),
    "learning.png": partial(_png_of, draw_learning, 3.4),
    "sample-efficiency.png": partial(_png_of, draw_sample_efficiency, 4.4),
    "leaderboard.png": partial(_png_of, draw_leaderboard, 5.4),
    "reliability.png": partial(_png_of, draw_reliability, 7.8),
    "risks.png": partial(_png_of, draw_risks, 3.5),
    "first-cells.png": partial(_png_of, draw_first_cells, 3.2),
    "agents.png": partial(_png_of, draw_agents, 3.8),
    "bayes-times.png": partial(_png_of, draw_times, 3.8),
    "uniformity.png": partial(_png_of, draw_uniformity, 5.4),
    "bayes-network.png": partial(_png_of, draw_network, 2.2),
    "policies.png": partial(_png_of, draw_clicks, 13.5),
}
"""Functions that draw the pictures, by the names of their files."""
