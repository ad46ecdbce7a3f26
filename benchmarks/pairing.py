"""Print how many mines two first cells share, and how much narrower paired seeds make the interval of a difference.

python benchmarks/pairing.py --games 4000 --seed 0
"""

from __future__ import annotations

import argparse
from math import hypot

import numpy as np
from numpy.typing import NDArray
from timing import print_table

import baselines
from baselines.evaluation.intervals import wilson_interval
from minesweeper_env import MinesweeperVectorEnv

SIZES = (((8, 8), 14), ((9, 9), 10), ((16, 16), 40), ((16, 30), 99))


def layouts(size: tuple[int, int], mines: int, rule: str, cell: int, games: int, seed: int) -> NDArray[np.bool_]:
    """Returns the (games, rows, cols) mines of game 1 of many seeds after a first click on a cell."""
    env = MinesweeperVectorEnv(games, size, mines, rule, ("click",))
    env.reset(seed=seed)
    env.step(np.full(games, cell))
    mined: NDArray[np.bool_] = env.get_state()["mines"]
    return mined


def print_common_mines(games: int, seed: int) -> None:
    """Prints the mean number of mines that the layouts of two first cells have in common."""
    lines = []
    for size, mines in SIZES:
        middle = (size[0] // 2 - 1) * size[1] + size[1] // 2 - 1
        for rule in ("opening", "safe"):
            base = layouts(size, mines, rule, middle, games, seed)
            others = (layouts(size, mines, rule, cell, games, seed) for cell in (middle + size[1] + 1, 0))
            shared = (f"{(base & other).sum() / games:.1f} of {mines}" for other in others)
            lines.append((f"{size[0]}x{size[1]}/{mines}", rule, *shared))
    header = ("board", "rule", "middle and the cell diagonal to it", "middle and corner")
    print_table("mines in common", header, lines)


def print_widths(games: int, seed: int) -> None:
    """Prints the widths of 95 % intervals of exact less lookahead on 8x8/14, with paired and with unpaired seeds."""
    lines = []
    for name, cell in (("equal", 27), ("different", 0)):
        policies = [f"exact:first={cell}", "lookahead:first=27"]
        results = baselines.evaluate(policies, games=games, seed=seed, against="lookahead:first=27", progress=False)
        row, other = results.rows()
        (low_a, high_a), (low_b, high_b) = (wilson_interval(each["wins"], games) for each in (row, other))
        a, b = row["win_rate"], other["win_rate"]
        # Newcombe (1998), method 10 without correlation
        unpaired = hypot(a - low_a, high_b - b) + hypot(high_a - a, b - low_b)
        lines.append((name, f"{row['difference_high'] - row['difference_low']:.2f}", f"{100 * unpaired:.2f}"))
    print_table("width of the 95 % interval, percentage points", ("first cells", "paired", "unpaired"), lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=4000, help="games per policy and boards per rule (default: 4000)")
    parser.add_argument("--seed", type=int, default=0, help="first seed (default: 0)")
    given = parser.parse_args()
    print_common_mines(given.games, given.seed)
    print_widths(given.games, given.seed)
