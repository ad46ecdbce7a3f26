"""Time of boards without guesses, and the bias of their repair.

    python benchmarks/generation.py
    python benchmarks/generation.py --env
    python benchmarks/generation.py --bias

The first form generates boards with `generate` at both levels, proofs included, and prints processor time and attempts.
The second one steps 1024 games of 8x8/14 through `make_vec` with `no_guess="exact"` by random clicks; the time counts
the thread that makes boards ahead. The third one compares boards of both methods, rejection and repair. Rejection makes
every board that logic wins equally likely, so each difference is the bias of the repair. The first cell is in the
middle of the board, and the first-click rule is "opening".
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray
from timing import machine, pin_to_one_core, print_table

import minesweeper_env
from minesweeper_env import MinesweeperVectorEnv
from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.config import NO_GUESS_LEVELS as LEVELS
from minesweeper_env.config import BoardConfig
from minesweeper_env.generation import generate
from minesweeper_env.no_guess.search import Searcher

SPEED_BOARDS = (
    (8, 8, 14),
    (10, 10, 20),
    (10, 10, 25),
    (16, 16, 40),
    (16, 16, 60),
    (16, 30, 99),
    (16, 30, 130),
)
"""Rows, columns and mines."""

BIAS_BOARDS = ((8, 8, 14), (10, 10, 20), (10, 10, 25), (16, 16, 40), (16, 16, 60), (16, 30, 99))
"""Boards on which rejection is fast enough for a comparison."""

MAX_ATTEMPTS = 1_000_000

ENV_SECONDS = 5.0
"""Processor seconds of each measurement of a batch."""

GAMES, WARM_STEPS, FIRST_CELL = 1024, 30, 27
"""Games of the batch, its steps before the measurement, and the first cell that repeats."""


def config_of(rows: int, cols: int, mines: int) -> BoardConfig:
    """Returns the configuration of a board."""
    return BoardConfig(rows, cols, mines, "opening", ("click",))


def name_of(config: BoardConfig) -> str:
    """Returns a name such as "8x8/14"."""
    return f"{config.rows}x{config.cols}/{config.mines}"


def measure_speed(boards: int) -> None:
    """Prints the times and attempts of `boards` boards for each size and level."""
    kinds = [(config_of(*sizes), level) for sizes in SPEED_BOARDS for level in LEVELS]
    lines = [(name_of(config), level, *_measure(config, level, boards)) for config, level in kinds]
    header = ("board", "level", "median ms", "mean ms", "90 % below", "attempts, median", "mean", "steps, median")
    print_table(f"{boards} boards each, processor time with proofs", header, lines)


def _measure(config: BoardConfig, level: str, boards: int) -> list[str]:
    first = (config.rows // 2, config.cols // 2)
    generate(config, first, level, seed=boards)  # type: ignore[arg-type]
    times, attempts, steps = [], [], []
    for seed in range(boards):
        begin = time.process_time_ns()
        board = generate(config, first, level, seed=seed)  # type: ignore[arg-type]
        times.append((time.process_time_ns() - begin) / 1e6)
        attempts.append(board.attempts)
        steps.append(len(board.proof))
    found = (statistics.median(times), statistics.mean(times), float(np.quantile(times, 0.9)))
    played = (statistics.median(attempts), statistics.mean(attempts))
    return [
        *(f"{value:.2f}" for value in found),
        *(f"{value:.1f}" for value in played),
        f"{statistics.median(steps):g}",
    ]


def measure_env(seconds: float) -> None:
    """Prints the steps and games per second of a batch, by its first clicks."""
    lines = []
    for title, repeats in (("one first cell", True), ("random first cells", False)):
        env = MinesweeperVectorEnv(GAMES, 8, 14, moves=("click",), no_guess="exact")
        env.reset(seed=0)
        # The games get out of step before the measurement.
        for _ in range(WARM_STEPS):
            _step(env, repeats)
        steps, games, begin = 0, 0, time.process_time()
        while (passed := time.process_time() - begin) < seconds:
            steps, games = steps + GAMES, games + _step(env, repeats)
        lines.append((title, f"{steps / passed:,.0f}", f"{games / passed:,.0f}", f"{steps / games:.1f}"))
    header = ("first clicks", "steps per second", "games per second", "steps per game")
    print_table(f"{GAMES} games of 8x8/14, no_guess exact, processor time of all threads", header, lines)


def _step(env: MinesweeperVectorEnv, repeats: bool) -> int:
    """Takes a random step in each game; returns the number of games that it ended."""
    actions = env.sample_actions()
    if repeats:
        # Every click is legal only in a game that has not begun, or that is over and restarts now.
        actions[env.action_masks().all(axis=1)] = FIRST_CELL
    _, _, terminations, truncations, _ = env.step(actions)
    return int((terminations | truncations).sum())


def count_edge(layouts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Returns (N,), the number of mines on the edge of (N, rows, cols) layouts."""
    return layouts.sum(axis=(1, 2)) - layouts[:, 1:-1, 1:-1].sum(axis=(1, 2))


def count_zeros(layouts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Returns (N,), the number of cells that show 0."""
    return _is_zero(layouts).sum(axis=(1, 2))


def count_clicks(layouts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Returns (N,), the 3BV of layouts: the fewest clicks that open all safe cells without chords."""
    from scipy.ndimage import binary_dilation, label

    square = np.ones((3, 3))
    found = []
    for layout, zeros in zip(layouts, _is_zero(layouts), strict=True):
        openings = label(zeros, square)[1]
        found.append(openings + int((~layout & ~binary_dilation(zeros, square)).sum()))
    return np.array(found)


def _is_zero(layouts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    many, rows, cols = layouts.shape
    flat = np.pad(layouts.reshape(many, -1), ((0, 0), (0, 1)))
    near = flat[:, neighbour_table(rows, cols, 1)].any(axis=2) | flat[:, :-1]
    return ~near.reshape(layouts.shape)


MEASURES: dict[str, Callable[[NDArray[np.bool_]], NDArray[np.int64]]] = {
    "mines on the edge": count_edge,
    "3BV": count_clicks,
    "cells that show 0": count_zeros,
}


def measure_bias(boards: int, level: str) -> None:
    """Prints the means of both methods, and two-sample Kolmogorov-Smirnov tests."""
    from scipy.stats import ks_2samp

    lines = []
    for sizes in BIAS_BOARDS:
        config = config_of(*sizes)
        # The mixing of a repaired 16x30/99 takes a third of a second.
        many = boards if config.cells <= 256 else max(2, boards // 10)
        samples = [_sample(config, level, many, method) for method in ("rejection", "repair")]
        for name, count in MEASURES.items():
            exact, repaired = (count(sample) for sample in samples)
            shift = (repaired.mean() - exact.mean()) / exact.std()
            error = (exact.var() / len(exact) + repaired.var() / len(repaired)) ** 0.5 / exact.std()
            test = ks_2samp(exact, repaired, method="asymp")
            lines.append(
                (
                    f"{name_of(config)} (n = {many})",
                    name,
                    f"{exact.mean():.2f}",
                    f"{repaired.mean():.2f}",
                    f"{shift:+.3f} ± {1.96 * error:.3f}",
                    f"{test.statistic:.3f}",
                    f"{test.pvalue:.2g}",
                )
            )
    header = ("board", "", "rejection", "repair", "shift in SD (95 % CI)", "KS distance", "p")
    print_table(f"n boards of each method, level {level}", header, lines)


def _sample(config: BoardConfig, level: str, boards: int, method: str) -> NDArray[np.bool_]:
    """Returns (boards, rows, cols) layouts."""
    firsts = np.full(boards, config.cells // 2 + config.cols // 2)
    # The methods get different generators, so that their samples are independent.
    states = np.random.default_rng(len(method)).integers(1 << 64, size=boards, dtype=np.uint64)
    found = Searcher(config).search(firsts, states, level, MAX_ATTEMPTS, method)
    return found.layouts[found.solved]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description="Measure the generation of boards without guesses.")
    parser.add_argument(
        "--boards", type=int, help="number of boards per row (default 200; with --bias 3000, and a tenth on 16x30)"
    )
    parser.add_argument("--env", action="store_true", help="measure steps of a batch, not single boards")
    parser.add_argument("--bias", action="store_true", help="compare repair with rejection, not times")
    parser.add_argument("--level", choices=LEVELS, default="exact", help="level of the comparison (default exact)")
    options = parser.parse_args()
    boards = options.boards or (3000 if options.bias else 200)
    if boards < 2:
        parser.error("--boards must be at least 2")
    pin_to_one_core()
    print(f"minesweeper_env {minesweeper_env.__version__}, numba {version('numba')}, {machine()}")
    if options.bias:
        measure_bias(boards, options.level)
    elif options.env:
        measure_env(ENV_SECONDS)
    else:
        measure_speed(boards)


if __name__ == "__main__":
    main()
