"""Searches of Azulejos with and without pruning, on boards of seed 0 with 3 colours, on one core.

python benchmarks/azulejos.py
"""

from __future__ import annotations

from timing import machine, pin_to_one_core, print_table

from azulejos_env.config import GameConfig
from azulejos_env.position import Position, random_board
from azulejos_env.search import SearchResult, search

SEARCHES = ((10, 6, "57 / 890"), (15, 4, "27 / 265"), (20, 4, "never ended"), (50, 2, "254 / -"))
"""Side, depth, and the seconds of the source's program (2014) on other boards, with and without pruning."""


def fastest(position: Position, depth: int, prune: bool) -> SearchResult:
    """Returns the fastest of three searches."""
    return min((search(position, depth=depth, prune=prune) for _ in range(3)), key=lambda result: result.seconds)


def main() -> None:
    """Measures, and prints a row for each board."""
    pin_to_one_core()
    print(machine())
    lines = []
    for side, depth, source in SEARCHES:
        config = GameConfig(side, side, 3)
        position = Position(config, random_board(config, 0))
        pruned, plain = (fastest(position, depth, prune) for prune in (True, False))
        assert plain.value == pruned.value
        counts = f"{pruned.nodes:,}", f"{plain.nodes:,}", f"{plain.nodes / pruned.nodes:.0f}"
        lines.append((f"{side}x{side}, {depth}", *counts, f"{pruned.seconds:.3f}", f"{plain.seconds:.3f}", source))
    header = ("board, depth", "positions", "plain", "fewer", "seconds", "plain", "2014, s")
    print_table("Alpha-beta and plain minimax", header, lines)


if __name__ == "__main__":
    main()
