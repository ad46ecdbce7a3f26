"""Pictures of the documentation: clicks of policies, curves, suites, a pair of games, and the terminal."""

from __future__ import annotations

import asyncio
import json
import re
import runpy
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from baselines.benchmark.leaderboard import read_results, rows_of
from baselines.benchmark.protocol import PROTOCOL
from baselines.benchmark.report import plot
from baselines.benchmark.result_files import title_of
from baselines.evaluation.columns import spaced
from baselines.evaluation.evaluate import evaluate_policy
from baselines.evaluation.intervals import mean_interval
from baselines.evaluation.results import config_row
from baselines.plot_style import image, styled_figure
from baselines.recording import gif, replay, slides_of
from baselines.registry import SCRIPTED, find_policy
from baselines.scripted.bayes_network import subnetwork
from minesweeper_env import HIDDEN, BoardConfig, MinesweeperVectorEnv
from minesweeper_env.escape import counted
from minesweeper_env.inference import mine_probabilities
from minesweeper_play.game.records import Statistics
from minesweeper_play.game.session import Session
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.app import MinesweeperApp

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOCS = Path(__file__).parents[1]
BOARD = BoardConfig(5, 5, 5, moves=("click",))
DRAWS = 400
"""The actions that each policy draws on a board."""

H = HIDDEN
POSITIONS = (
    [
        [H, H, 1, H, H],
        [2, 2, 1, 1, 1],
        [H, 1, 0, 0, 0],
        [H, 3, 1, 0, 0],
        [H, H, 1, 0, 0],
    ],
    [
        [H, 1, 0, 1, H],
        [H, 2, 0, 1, H],
        [H, 2, 0, 1, 1],
        [H, 2, 1, 1, H],
        [H, H, 1, H, H],
    ],
)
"""A board with one safe cell, by the number of mines, and one without."""


def actions(policy: str, board: NDArray[np.int8]) -> Counter[tuple[tuple[int, int], bool]]:
    """Returns how many of `DRAWS` actions of a policy choose each cell, with whether the action is a flag."""
    moves = ("click", "flag") if policy == "bayes_source" else ("click",)
    player = find_policy(policy)(BoardConfig(BOARD.rows, BOARD.cols, BOARD.mines, moves=moves))
    player.reset(0)
    boards = np.repeat(board[None], DRAWS, 0)
    legal = np.tile((boards == H).reshape(DRAWS, -1).astype(np.int8), len(moves))
    chosen = player.act(boards, legal).tolist()
    return Counter((divmod(action % board.size, BOARD.cols), action >= board.size) for action in chosen)


def draw_clicks(figure: Figure) -> None:
    """Draws the clicks of each scripted policy on both positions, two policies in a row."""
    places = figure.subplots(-(-len(SCRIPTED) // 2), 2 * len(POSITIONS)).reshape(-1, len(POSITIONS))
    for policy, row in zip(SCRIPTED, places, strict=False):
        row[0].set_title(policy, loc="left", weight="bold")
        for axes, rows in zip(row, POSITIONS, strict=True):
            board = np.array(rows, np.int8)
            _draw(axes, board, actions(policy, board))


def _draw(axes: Axes, board: NDArray[np.int8], counts: Counter[tuple[tuple[int, int], bool]]) -> None:
    risks = mine_probabilities(board, BOARD.mines)
    shares = np.array([(counts[cell, False] + counts[cell, True]) / DRAWS for cell in np.ndindex(board.shape)])
    dark = shares.reshape(*board.shape, 1)
    acted = (1 - dark) * (0.78, 0.87, 0.95) + dark * (0.0, 0.27, 0.54)
    faces = np.where(dark > 0, acted, np.where(board == H, 0.88, 0.96)[..., None])
    axes.pcolormesh(faces, edgecolors="#8e949d", linewidth=0.8)
    for (row, col), share in zip(np.ndindex(board.shape), shares, strict=True):
        risk, code = 100 * risks[row, col], board[row, col]
        text = (f"{risk:.0f}" if risk in (0, 100) or 1 <= risk < 99 else "<1") if code == H else f"{code or ''}"
        style = {"ha": "center", "va": "center", "color": "white" if share > 0.5 else "#26292e"}
        weight = "normal" if code == H else "bold"
        axes.text(col + 0.5, row + (0.35 if share else 0.5), text, size=9, weight=weight, **style)
        if share:
            done = "flag" if counts[(row, col), True] else f"{100 * share:.0f} %"
            axes.text(col + 0.5, row + 0.76, done, size=6.5, **style)
    axes.invert_yaxis()
    axes.set_aspect("equal")
    axes.set_axis_off()


ORACLES = {"lookahead": 70.2, "exact": 68.0}
"""Win rates on 8x8/14 in per cent, of 100 000 games; see docs/policies/oracle.md."""


def draw_text_learning(figure: Figure) -> None:
    """Draws the win rates of the transformer of the examples while it learns from each reward."""
    content = _read("text-transformer")
    axes = figure.subplots()
    for reward, curves in content["curves"].items():
        rates = 100 * np.array(curves).reshape(len(curves), -1, 10).mean(axis=2)
        games = content["batch"] * 10 * (np.arange(rates.shape[1]) + 1)
        (line,) = axes.plot(games, rates.mean(axis=0), linewidth=2.2, label=f"reward {reward}, mean of seeds")
        axes.plot(games, rates.T, color=line.get_color(), linewidth=0.7, alpha=0.6)
    # Seeds 0 to 499: `python evaluate.py --policy exact lookahead --size 5 --mines 3 --games 500`
    draw_ceilings(axes, {"lookahead": 91.2, "exact": 90.0})
    axes.set(xlabel="games of policy gradient", ylabel="games won, per cent", ylim=(0, 100))
    axes.legend(loc="lower right")


def draw_sample_efficiency(figure: Figure) -> None:
    """Draws the win rates on 8x8/14 by environment steps: the mean of the seeds, with its 95 % interval."""
    steps = np.geomspace(1e4, 1e6, 61)
    axes = figure.subplots()
    algorithms = _read("sample-efficiency")["curves"].items()
    for name, curves in sorted(algorithms, key=lambda each: -np.mean([curve[-1][1] for curve in each[1]])):
        rates = np.array([100 * np.interp(steps, *np.transpose(curve), right=np.nan) for curve in curves])
        ends = [mean_interval(column) or (column[0], column[0]) for column in rates.T]
        (line,) = axes.plot(steps, rates.mean(axis=0), linewidth=2, label=f"{name}, {counted(len(curves), 'seed')}")
        axes.fill_between(steps, *np.transpose(ends), color=line.get_color(), alpha=0.2, linewidth=0)
    draw_ceilings(axes, ORACLES)
    axes.set(xscale="log", xlabel="environment steps", ylabel="games won, per cent", ylim=(0, 90))
    axes.set_xticks([1e4, 1e5, 1e6], ["10 000", "100 000", "1 million"])
    axes.grid()
    axes.legend(loc="upper left", ncols=4)


RULES = ("opening", "safe", "any", "corners")
GAMES, CENTRE = 20_000, (4, 4)


def frequencies(rule: str) -> NDArray[np.float64]:
    """Returns the fraction of layouts of 9x9/10 with a mine in each cell, (9, 9), for the games of seeds from 0."""
    env = MinesweeperVectorEnv(GAMES, (9, 9), 10, rule, ("click",))
    env.reset(seed=0)
    env.step(np.full(GAMES, CENTRE[0] * 9 + CENTRE[1]))
    return env.get_state()["mines"].mean(axis=0)


def draw_first_clicks(figure: Figure) -> None:
    """Draws a heat map per first-click rule, around a click in the middle."""
    maps = {rule: 100 * frequencies(rule) for rule in RULES}
    top = max(float(each.max()) for each in maps.values())
    for axes, (rule, values) in zip(figure.subplots(2, 2).ravel(), maps.items(), strict=True):
        axes.imshow(values, cmap="Blues", vmin=0, vmax=top)
        for (row, col), value in np.ndenumerate(values):
            colour = "white" if value > 0.6 * top else "black"
            axes.text(col, row, f"{value:.0f}", ha="center", va="center", size=8.5, color=colour)
        axes.plot(*CENTRE, "s", markersize=19, markerfacecolor="none", markeredgecolor="#D55E00", mew=2)
        axes.set_title(f'first_click="{rule}"', weight="bold")
        axes.set(xticks=[], yticks=[])
    figure.suptitle(f"Games in per cent with a mine in each cell, 9x9 with 10 mines, {GAMES} games")


def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((DOCS / "results" / f"{name}.json").read_bytes())
    return content


def draw_learning(figure: Figure) -> None:
    """Draws the wins of the examples while they learn 8x8/14, a line per training seed."""
    axes = figure.subplots()
    for colour, name in (("C0", "dqn"), ("C1", "ppo_sb3")):
        for row in _read(f"example-{name}")["results"]:
            minutes, wins = np.transpose([(each["seconds"] / 60, 100 * each["wins"]) for each in row["curve"]])
            axes.plot(minutes, wins, color=colour, label=f"{name}.py" if row["training_seed"] == 1 else None)
    draw_ceilings(axes, ORACLES)
    axes.set(xlabel="minutes of processor time", ylabel="wins of 2000 training games, %", xlim=0, ylim=(0, 80))
    axes.grid()
    axes.legend()


def draw_leaderboard() -> bytes:
    """Returns the win rates of benchmark 2026.1 with first click "opening", a panel per board."""
    results = read_results(DOCS / "leaderboard" / PROTOCOL.version)
    boards = []
    for config in PROTOCOL.boards:
        if config.first_click == "opening":
            rows = rows_of(results, title_of(config))
            # An entry of several trainings is no policy of the package.
            rows = [row for row in rows if row["card"].name == row["card"].entry]
            boards.append({"config": config_row(config), "results": rows})
    title = f'Benchmark {PROTOCOL.version}, first click "opening"'
    return plot({"title": title, "games": len(PROTOCOL.seeds), "seed": PROTOCOL.seeds.start, "boards": boards})


def draw_pair() -> bytes:
    """Returns a game of `dqn` beside one of `exact` on the same board, with the mine probabilities.

    `dqn` loses it by a click of risk 1/4 beside a safe cell.
    """
    config, seed, games = BoardConfig.of_size(8, moves=("click",)), 1_500_000_048, []
    for name in ("dqn", "exact:first=middle"):
        played = evaluate_policy(partial(find_policy(name), config), config, [seed], record=True)
        actions = np.frombuffer(played.records[0].actions, "<u2").tolist()
        games.append(replay(name.partition(":")[0], config, seed, actions))
    return gif(slides_of([games], 0.8), True)


def draw_ladder(figure: Figure) -> None:
    """Draws who wins how many games of 8x8/14, the weakest first."""
    axes, rungs = figure.subplots(), _read("ladder")["rungs"]
    for at, rung in enumerate(rungs):
        low, high = (100 * end for end in rung["ci95"])
        rate = 100 * rung["win_rate"]
        axes.barh(at, rate, color="C4" if rung["games"] is None else "C0", height=0.68)
        axes.errorbar(rate, at, xerr=[[rate - low], [high - rate]], color="0.2", capsize=3, linewidth=1.2)
        count = "an estimate" if rung["games"] is None else f"n = {spaced(rung['games'])}"
        axes.text(max(rate, high) + 1, at, f"{rate:.1f} %  ({count})", va="center", size=9)
    axes.set_yticks(range(len(rungs)), [rung["label"] for rung in rungs])
    axes.set(xlim=(0, 92), xlabel='games won of 8x8 with 14 mines, first click "opening", per cent')
    axes.invert_yaxis()


def draw_ceilings(axes: Axes, rates: dict[str, float]) -> None:
    """Draws a dashed line at the win rate of each policy, in per cent."""
    for (name, rate), style in zip(rates.items(), ("--", "-."), strict=True):
        axes.axhline(rate, color="0.35", linestyle=style, linewidth=1, label=name, zorder=1)


def _half_played() -> Session:
    """Returns a game in which each move follows the hint, and some mines have flags; the clock shows a fixed time."""
    ticks = [0.0]
    session = Session(BoardConfig.of_size((16, 30), 99), seed=5, now=lambda: ticks[0])
    for move in range(20):
        ticks[0] = 3.0 * move
        advice = session.hint()
        for cell in advice.steps[0].mine if advice.steps else ():
            if session.board[cell] == session.config.codes.hidden:
                session.flag(*cell)
        session.open(*advice.cell)
    return session


async def draw_terminal() -> bytes:
    """Returns the terminal game with exact risks and a hint."""
    with tempfile.TemporaryDirectory() as folder:
        statistics = Statistics(Path(folder))
        app = MinesweeperApp(PlayOptions(animation=False), session=_half_played(), statistics=statistics)
        async with app.run_test(size=(96, 25)) as pilot:
            await pilot.press("p", "h")
            # Risks and hint come from other threads.
            while not app.screen.board.picture.marks or app.screen.board.picture.levels is None:
                await pilot.pause(0.1)
            await pilot.pause()
            picture = app.export_screenshot(title="python play.py --preset expert")
    # The viewer's own font does: the picture then asks no other computer for anything.
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL).encode()


def draw_agents(figure: Figure) -> None:
    """Draws the success of the agents of Antimatroid (2012) over the number of mines, the best first in the legend."""
    axes, curves = figure.subplots(), dict[str, list[tuple[int, float]]]()
    for board in _read("agents")["boards"]:
        for row in board["results"]:
            curves.setdefault(row["policy"], []).append((board["config"]["mines"], 100 * row["win_rate"]))
    for name, curve in sorted(curves.items(), key=lambda each: -sum(rate for _, rate in each[1])):
        axes.plot(*zip(*curve, strict=True), "o-", markersize=3.5, label=name)
    axes.set(xlabel="mines on 9x9", ylabel="games won, per cent", xticks=range(1, 11), ylim=(0, 101))
    axes.grid()
    axes.legend()


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
    """Draws both tests of Antimatroid (2012): mines of each cell, and clicks before a mine.

    The games are those of the row "any" of `python benchmarks/uniformity.py`.
    """
    tests, cells = runpy.run_path(str(DOCS.parent / "benchmarks" / "uniformity.py")), side * side
    layouts, flooded, plain = tests["samples"](side, mines, "any", 0, games, 0)
    counts, expected, law = layouts.sum(axis=0), games * mines / cells, tests["law_of"](cells, mines)
    left, right = figure.subplots(1, 2)
    left.bar(range(1, cells + 1), counts, width=1, color="C5")
    left.axhline(expected, color="0", label=f"expected: {expected:.0f}")
    left.set(xlabel="cell, in reading order", ylabel=f"mines in {games} layouts")
    left.set_title(_test(*tests["placement_test"](layouts, mines)))
    right.bar(range(len(law)), np.bincount(plain, minlength=len(law)), width=1, color="C5", label="no flood fill")
    right.plot(games * law, color="0", label="negative hypergeometric law")
    right.step(range(41), np.bincount(flooded, minlength=41)[:41], where="mid", color="C1", label="flood fill")
    right.set(xlabel="random clicks before a mine", ylabel="games", xlim=(-1, 40))
    right.set_title(_test(*tests["clicks_test"](plain, law)))
    left.legend(loc="lower right")
    right.legend()


def _test(statistic: float, degrees: int) -> str:
    critical, p = chi2.isf(0.05, degrees), chi2.sf(statistic, degrees)
    return f"χ² = {statistic:.1f} < {critical:.1f} (5 %, {degrees} degrees), p = {p:.2f}"


def draw_network(figure: Figure) -> None:
    """Draws the Bayesian network of a 3x3 board: a mine per cell, and a clue that is the sum of its neighbours."""
    network = subnetwork(BoardConfig(3, 3, 2, "any"), range(9), range(9))
    names = ((node, *node.split("_")) for node in network.nodes())
    places = {node: (3.4 * int(row) + int(col), float(kind == "X")) for node, kind, row, col in names}
    axes = figure.subplots()
    for parent, child in sorted(network.edges(), key=lambda edge: edge[1] == "Y_1_1"):
        arrow = {"arrowstyle": "->", "color": "C1" if child == "Y_1_1" else "0.75", "shrinkA": 12, "shrinkB": 12}
        axes.annotate("", places[child], places[parent], arrowprops=arrow).set_in_layout(False)
    for node, place in places.items():
        axes.plot(*place, "o", markersize=24, color="C5" if node[0] == "X" else "C4", zorder=3)
        axes.text(*place, node.replace("_", ""), ha="center", va="center", size=8, zorder=4)
    axes.set(xlim=(-0.5, 9.3), ylim=(-0.3, 1.3))
    axes.set_axis_off()


def _drawn(draw: Callable[[Figure], object], height: float) -> bytes:
    """Returns what a function draws on a figure of a height in inches."""
    with styled_figure(height=height) as figure:
        draw(figure)
        return image(figure)


PICTURES: dict[str, Callable[[], bytes]] = {
    "pair.gif": draw_pair,
    "ladder.png": partial(_drawn, draw_ladder, 3.2),
    "first-clicks.png": partial(_drawn, draw_first_clicks, 8.4),
    "text-learning.png": partial(_drawn, draw_text_learning, 3.6),
    "learning.png": partial(_drawn, draw_learning, 4.0),
    "sample-efficiency.png": partial(_drawn, draw_sample_efficiency, 4.2),
    "leaderboard.png": draw_leaderboard,
    "terminal.svg": lambda: asyncio.run(draw_terminal()),
    "agents.png": partial(_drawn, draw_agents, 4.2),
    "bayes-times.png": partial(_drawn, draw_times, 4.2),
    "uniformity.png": partial(_drawn, draw_uniformity, 3.6),
    "bayes-network.png": partial(_drawn, draw_network, 2.8),
    "policies.png": partial(_drawn, draw_clicks, 17.2),
}
"""Functions that draw the pictures, by the names of their files."""
