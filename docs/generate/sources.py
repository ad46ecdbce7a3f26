"""Pictures of docs/studies/replicas.md: what the sources drew, from games of their policies here.

`OMP_NUM_THREADS=1 python docs/generate/sources.py` measures the times of `draw_times` anew, in half an hour.
"""

from __future__ import annotations

import json
import runpy
import time
from collections.abc import Iterator
from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import chi2

from baselines.benchmark.run import Task
from baselines.benchmark.suites import SUITES
from baselines.evaluation.columns import board_title
from baselines.evaluation.results import config_row, versions
from baselines.registry import build_policy, find_policy
from baselines.scripted.bayes_network import subnetwork
from baselines.support.figures import image, styled_figure
from minesweeper_env import BoardConfig, MinesweeperVectorEnv

DOCS = Path(__file__).parents[1]
TIMES = DOCS / "results" / "bayes-times.json"
MACHINE = "one core of a 2-core x86-64 cloud machine"
CAP = 1000
"""Most games of a policy on a board whose time is measured."""


def read(path: Path) -> dict[str, Any]:
    """Returns the content of a file of results."""
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content


def draw_agents() -> bytes:
    """Returns the success of the agents of Antimatroid (2012) over the number of mines, with 95 % intervals."""
    boards = read(DOCS / "results" / "agents.json")["boards"]
    mines = [board["config"]["mines"] for board in boards]
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in (row for board in boards for row in board["results"]):
        rows.setdefault(row["policy"], []).append(row)
    with styled_figure(8, 4.2) as figure:
        axes = figure.subplots()
        for name, found in sorted(rows.items(), key=lambda each: -sum(row["wins"] for row in each[1])):
            (line,) = axes.plot(mines, [100 * row["win_rate"] for row in found], "o-", markersize=3.5, label=name)
            ends = 100 * np.array([row["ci95"] for row in found])
            axes.fill_between(mines, *ends.T, color=line.get_color(), alpha=0.25, linewidth=0)
        axes.set(xlabel="mines on 9x9", ylabel="games won, per cent", xticks=mines, ylim=(0, 101))
        axes.grid()
        axes.legend()
        return image(figure)


def draw_uniformity(side: int = 9, mines: int = 10, games: int = 10_000) -> bytes:
    """Returns both tests of Antimatroid (2012): mines of each cell, and clicks before a mine.

    The games are those of the row "any" of `python benchmarks/uniformity.py`.
    """
    tests, cells = runpy.run_path(str(DOCS.parent / "benchmarks" / "uniformity.py")), side * side
    env = MinesweeperVectorEnv(games, side, mines, "any", ("click",))
    env.reset(seed=games)
    flooded = tests["random_game_clicks"](env, cells // 2, "any")
    env.reset(seed=0)
    env.step(np.full(games, cells // 2))
    layouts = env.get_state()["mines"].reshape(games, cells)
    counts, expected = layouts.sum(axis=0), games * mines / cells
    order = np.argsort(np.random.default_rng(0).random(layouts.shape), axis=1)
    plain = np.take_along_axis(layouts, order, axis=1).argmax(axis=1)
    law = np.array([comb(cells - k - 1, mines - 1) / comb(cells, mines) for k in range(cells - mines + 1)])
    # Mines are drawn without replacement, so the statistic is multiplied by (n - 1) / (n - M).
    placement = ((counts - expected) ** 2).sum() / expected * (cells - 1) / (cells - mines)
    with styled_figure(8, 3.6) as figure:
        left, right = figure.subplots(1, 2)
        left.bar(range(1, cells + 1), counts, width=1, color="C5")
        left.axhline(expected, color="0", label=f"expected: {expected:.0f}")
        left.set(xlabel="cell, in reading order", ylabel=f"mines in {games} layouts", title=_test(placement, cells - 1))
        right.bar(range(len(law)), np.bincount(plain, minlength=len(law)), width=1, color="C5", label="no flood fill")
        right.plot(games * law, color="0", label="negative hypergeometric law")
        right.step(range(41), np.bincount(flooded, minlength=41)[:41], where="mid", color="C1", label="flood fill")
        right.set(xlabel="random clicks before a mine", ylabel="games", xlim=(-1, 40))
        right.set_title(_test(*tests["clicks_test"](plain, law)))
        for axes in (left, right):
            axes.legend(loc="lower right" if axes is left else "upper right")
        return image(figure)


def _test(statistic: float, degrees: int) -> str:
    critical, p = chi2.isf(0.05, degrees), chi2.sf(statistic, degrees)
    return f"χ² = {statistic:.1f} < {critical:.1f} (5 %, {degrees} degrees), p = {p:.2f}"


def times() -> Iterator[dict[str, Any]]:
    """Measures the processor time of a game of each policy on each board of Antolín & de la Torre (2018)."""
    (group,) = (group for group in SUITES["sources"].groups if group.name == "bayes")
    for board in group.boards:
        for entry in group.entries:
            moves = ("click", "flag") if entry.policy == "bayes_source" else ("click",)
            config, games = replace(board, moves=moves), entry.cap or CAP
            size = entry.batch_size or find_policy(entry.policy)(config).batch_size
            assignment = Task(group.name, entry, board, games, False, config, size).assignment(0)
            policy = build_policy(entry.policy, config)
            assignment.play(policy, 0, 1)
            policy, begin = build_policy(entry.policy, config), time.process_time()
            assignment.play(policy, 0, games)
            seconds = time.process_time() - begin
            yield {"config": config_row(board), "policy": entry.policy, "games": games, "ms": 1000 * seconds / games}


def draw_times() -> bytes:
    """Returns the processor time of a game on the boards of Antolín & de la Torre (2018)."""
    rows = read(TIMES)["results"]
    boards = list(dict.fromkeys(board_title(row["config"]) for row in rows))
    with styled_figure(8, 4.2) as figure:
        axes = figure.subplots()
        for name in dict.fromkeys(row["policy"] for row in sorted(rows, key=lambda row: -row["ms"])):
            own = [row for row in rows if row["policy"] == name]
            axes.plot(boards, [row["ms"] for row in own], "o-", label=f"{name}, n = {own[0]['games']}")
        axes.set(yscale="log", ylabel="milliseconds of processor time per game")
        axes.grid()
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        return image(figure)


def draw_network() -> bytes:
    """Returns the Bayesian network of a 3x3 board: a mine per cell, and a clue that is the sum of its neighbours."""
    network = subnetwork(BoardConfig(3, 3, 2, "any"), range(9), range(9))
    places = {}
    for node in network.nodes():
        kind, row, col = node.split("_")
        places[node] = (3.4 * int(row) + int(col), float(kind == "X"))
    with styled_figure(8, 2.8) as figure:
        axes = figure.subplots()
        for parent, child in network.edges():
            middle = child == "Y_1_1"
            arrow = {"arrowstyle": "->", "color": "C1" if middle else "0.75", "shrinkA": 12, "shrinkB": 12}
            line = axes.annotate("", places[child], places[parent], arrowprops=arrow, zorder=2 if middle else 1)
            line.set_in_layout(False)
        for node, place in places.items():
            face = "C5" if node[0] == "X" else "C4"
            axes.plot(*place, "o", markersize=24, color=face, zorder=3)
            axes.text(*place, node.replace("_", ""), ha="center", va="center", size=8, zorder=4)
        axes.margins(0.05, 0.25)
        axes.set_axis_off()
        return image(figure)


PICTURES = {
    "agents.png": draw_agents,
    "uniformity.png": draw_uniformity,
    "bayes-times.png": draw_times,
    "bayes-network.png": draw_network,
}
"""Functions that draw the pictures, by the names of their files."""


if __name__ == "__main__":
    results = []
    for row in times():
        results.append(row)
        print(board_title(row["config"]), row["policy"], f"{row['ms']:.3f} ms", flush=True)
    content = {"command": "OMP_NUM_THREADS=1 python docs/generate/sources.py", "machine": MACHINE}
    TIMES.write_text(json.dumps(content | {"seed": 0, "versions": versions(), "results": results}, indent=1) + "\n")
