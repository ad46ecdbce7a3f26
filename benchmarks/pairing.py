"""Print how many mines two first cells share, and how much narrower paired seeds make the interval of a difference.

python benchmarks/pairing.py --games 4000 --seed 0
"""

from __future__ import annotations

import argparse
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from baselines import make_policy
from baselines.evaluation.games import play_games
from baselines.evaluation.intervals import paired_difference, wilson_interval
from minesweeper_env import MinesweeperVectorEnv
from minesweeper_env.config import BoardConfig

SIZES = (((8, 8), 14), ((9, 9), 10), ((16, 16), 40), ((16, 30), 99))


def layouts(size: tuple[int, int], mines: int, rule: str, cell: int, games: int, seed: int) -> NDArray[np.bool_]:
    """Returns the (games, rows, cols) mines of game 1 of many seeds after a first click on a cell."""
    env = MinesweeperVectorEnv(games, size, mines, rule, ("click",))
    env.reset(seed=seed)
    env.step(np.full(games, cell))
    mined: NDArray[np.bool_] = env.get_state()["mines"]
    return mined


def print_common_mines(games: int, seed: int) -> None:
    """Prints the mean number of common mines for first cells in the middle, next to it, and in a corner."""
    print("board      rule     middle and the cell diagonal to it   middle and corner")
    for size, mines in SIZES:
        middle = (size[0] // 2 - 1) * size[1] + size[1] // 2 - 1
        for rule in ("opening", "safe"):
            base = layouts(size, mines, rule, middle, games, seed)
            shared = [
                (base & layouts(size, mines, rule, other, games, seed)).sum() / games
                for other in (middle + size[1] + 1, 0)
            ]
            board = f"{size[0]}x{size[1]}/{mines}"
            print(f"{board:<10} {rule:<8} {shared[0]:.1f} of {mines} {shared[1]:>30.1f} of {mines}")


def wins(policy: str, first: int, games: int, seed: int) -> NDArray[np.bool_]:
    """Returns (games,) bool: the games of 8x8/14 that a policy wins after a first click on a cell."""
    config = BoardConfig(8, 8, 14, moves=("click",))
    player = make_policy(policy, size=8, mines=14, first=first)
    return np.array([record.won for record in play_games(player, config, range(seed, seed + games))])


def print_widths(games: int, seed: int) -> None:
    """Prints the widths of 95 % intervals of exact less lookahead, with paired and with unpaired seeds."""
    lookahead = wins("lookahead", 27, games, seed)
    print("first cells   paired   unpaired   (width of the 95 % interval, percentage points)")
    for name, cell in (("equal", 27), ("different", 0)):
        exact = wins("exact", cell, games, seed)
        both = [int((exact == a)[lookahead == b].sum()) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
        _, low, high = paired_difference(*both)
        (low_a, high_a), (low_b, high_b) = (wilson_interval(int(each.sum()), games) for each in (exact, lookahead))
        rate, other = exact.mean(), lookahead.mean()
        # Newcombe (1998), method 10 without correlation
        below = sqrt((rate - low_a) ** 2 + (high_b - other) ** 2)
        above = sqrt((high_a - rate) ** 2 + (other - low_b) ** 2)
        print(f"{name:<13} {100 * (high - low):6.2f} {100 * (below + above):10.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=4000, help="games per policy and boards per rule (default: 4000)")
    parser.add_argument("--seed", type=int, default=0, help="first seed (default: 0)")
    given = parser.parse_args()
    print_common_mines(given.games, given.seed)
    print_widths(given.games, given.seed)
