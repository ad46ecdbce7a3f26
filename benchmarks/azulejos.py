"""Speed of Azulejos on one core: steps of the environments, searches with and without pruning, limits in seconds.

The boards lie in benchmarks/boards, in the format of game files; `random_board` with seed 0 and 3 colours made them.

    python benchmarks/azulejos.py --plot docs/images/azulejos-pruning.png
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from timing import Work, machine, pin_to_one_core, print_table, rates, rows

from azulejos_env import AzulejosEnv, AzulejosVectorEnv
from azulejos_env.files import read_game
from azulejos_env.position import Position
from azulejos_env.search import SearchResult, search

BOARDS = Path(__file__).parent / "boards"
SEARCHES = {"10x10": (6, "57 / 890"), "15x15": (4, "27 / 265"), "20x20": (4, "never ended"), "50x50": (2, "254 / -")}
"""The depth of the search of each board, and the seconds of the source's program (2014) with and without pruning."""

LONGEST = 60.0
"""Seconds after which a search without pruning is given up."""

LIMITS = (0.1, 0.5, 2.0)
GAMES = 1024


class Pair(NamedTuple):
    """A search with pruning, and the same without it; None if that takes longer than `LONGEST`."""

    board: str
    depth: int
    pruned: SearchResult
    plain: SearchResult | None


def batch_steps(**options: Any) -> Work:
    """Returns work that takes steps in a batch."""
    envs = AzulejosVectorEnv(GAMES, **options)
    envs.reset(seed=0)

    def work() -> int:
        for _ in range(10):
            envs.step(envs.sample_actions())
        return 10 * GAMES

    return work


def single_steps(**options: Any) -> Work:
    """Returns work that plays one game, its reset included."""
    env = AzulejosEnv(**options)
    env.reset(seed=0)

    def work() -> int:
        _, info = env.reset()
        steps, over = 0, False
        while not over:
            _, _, over, _, info = env.step(info["action_mask"].argmax())
            steps += 1
        return steps

    return work


def measure_steps(seconds: float, repeats: int) -> None:
    """Prints the steps per second of the environments."""
    works = {f"batch of {GAMES}, {name}": batch_steps(opponent=name) for name in ("greedy", "random", None)}
    works |= {f"batch of {GAMES} on 20x20, greedy": batch_steps(size=20), "one game, greedy": single_steps()}
    table = rows(rates(works, seconds, repeats))
    print_table("8x8, 3 colours: steps per second", ("environment", "median", "best"), table)


def median_of(position: Position, repeats: int, **limits: Any) -> SearchResult:
    """Returns the search of median time."""
    results = sorted((search(position, **limits) for _ in range(repeats)), key=lambda result: result.seconds)
    return results[len(results) // 2]


def measure_searches(repeats: int) -> list[Pair]:
    """Returns the searches of all boards to all depths up to that of the board."""
    pairs = []
    for board, (deepest, _) in SEARCHES.items():
        position = read_game(BOARDS / f"{board}.txt")
        search(position, depth=1)
        for depth in range(1, deepest + 1):
            plain = median_of(position, repeats if depth < deepest else 1, depth=depth, seconds=LONGEST, prune=False)
            pruned = median_of(position, repeats, depth=depth)
            pairs.append(Pair(board, depth, pruned, plain if plain.depth == depth else None))
    return pairs


def print_searches(pairs: Sequence[Pair]) -> None:
    """Prints a row per board and depth."""
    header = ("board, depth", "nodes", "plain", "fewer", "seconds", "plain", "faster", "source, s")
    lines = []
    for board, depth, pruned, plain in pairs:
        source = SEARCHES[board][1] if depth == SEARCHES[board][0] else ""
        left = (f"{board}, {depth}", f"{pruned.nodes:,}")
        if plain is None:
            lines.append((*left, "-", "-", f"{pruned.seconds:.3f}", f"over {LONGEST:g}", "-", source))
            continue
        assert plain.value == pruned.value
        fewer, faster = plain.nodes / pruned.nodes, plain.seconds / pruned.seconds
        middle = (f"{plain.nodes:,}", f"{fewer:.1f}", f"{pruned.seconds:.3f}", f"{plain.seconds:.3f}", f"{faster:.1f}")
        lines.append((*left, *middle, source))
    print_table("Alpha-beta with a transposition table, and plain minimax", header, lines)


def measure_limits(repeats: int) -> None:
    """Prints how long searches with a limit in seconds take."""
    lines = []
    for board in SEARCHES:
        position = read_game(BOARDS / f"{board}.txt")
        for limit in LIMITS:
            results = [search(position, seconds=limit) for _ in range(repeats)]
            taken = [result.seconds for result in results]
            depth = statistics.median(result.depth for result in results)
            final = "whole game" if all(result.final for result in results) else f"{depth:g}"
            lines.append((board, f"{limit:g}", f"{statistics.median(taken):.3f}", f"{max(taken):.3f}", final))
    print_table("Limits in seconds", ("board", "limit", "median", "longest", "depth"), lines)


def draw(pairs: Sequence[Pair], path: Path) -> None:
    """Draws nodes and seconds over the depth, with and without pruning."""
    from matplotlib.ticker import MaxNLocator

    from baselines.support.figures import image, styled_figure

    with styled_figure(9.0, 4.2) as figure:
        for axes, value in zip(figure.subplots(1, 2), ("nodes", "seconds"), strict=True):
            for number, board in enumerate(SEARCHES):
                own = [pair for pair in pairs if pair.board == board]
                pruned = [(pair.depth, getattr(pair.pruned, value)) for pair in own]
                plain = [(pair.depth, getattr(pair.plain, value)) for pair in own if pair.plain is not None]
                axes.plot(*zip(*pruned, strict=True), marker="o", color=f"C{number}", label=board)
                axes.plot(*zip(*plain, strict=True), marker="o", linestyle="--", color=f"C{number}", mfc="white")
            axes.set(yscale="log", xlabel="depth", title=f"{value} (dashed: without pruning)")
            axes.yaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.legend()
        path.write_bytes(image(figure, path.suffix))


def main() -> None:
    """Measures, and prints the tables."""
    parser = argparse.ArgumentParser(description="Speed of Azulejos: environments and search.")
    parser.add_argument("--seconds", type=float, default=1.0, help="processor seconds per measurement (default 1)")
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each kind (default 5)")
    parser.add_argument("--plot", type=Path, help="write the effect of pruning to this picture (.png, .pdf, .svg)")
    options = parser.parse_args()
    if options.seconds <= 0 or options.repeats < 1:
        parser.error("--seconds must be more than 0 and --repeats at least 1")
    pin_to_one_core()
    print(machine())
    measure_steps(options.seconds, options.repeats)
    pairs = measure_searches(options.repeats)
    print_searches(pairs)
    if options.plot is not None:
        draw(pairs, options.plot)
    measure_limits(options.repeats)


if __name__ == "__main__":
    main()
