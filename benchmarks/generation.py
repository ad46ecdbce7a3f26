"""Time to generate boards without guesses, and the bias of repairing boards in place of rejecting them.

    python benchmarks/generation.py
    python benchmarks/generation.py --bias

The first form generates boards with `generate` at both levels, proofs included, and prints processor time and attempts.
The second one compares boards of level "exact" by both methods, rejection and repair. Rejection makes every board that
logic wins equally likely, so each difference is the bias of the repair. The first cell is in the middle of the board,
and the first-click rule is "opening".
"""

import argparse
import time
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter
from scipy.stats import ks_2samp
from timing import machine, pin_to_one_core, print_table

import minesweeper_env
from baselines.cli.command import whole_number_from
from minesweeper_env.config import NO_GUESS_LEVELS as LEVELS
from minesweeper_env.config import BoardConfig
from minesweeper_env.generation import generate
from minesweeper_env.no_guess.search import Searcher
from minesweeper_play.game.records import board_value

BOARDS = [
    BoardConfig(*sizes, "opening", ("click",))
    for sizes in ((8, 8, 14), (10, 10, 20), (10, 10, 25), (16, 16, 40), (16, 16, 60), (16, 30, 99), (16, 30, 130))
]
MAX_ATTEMPTS = 1_000_000


def measure_speed(boards: int) -> None:
    """Prints the times and attempts of `boards` boards for each size and level."""
    lines = [(config.name, level, *_measure(config, level, boards)) for config in BOARDS for level in LEVELS]
    header = ("board", "level", "median ms", "mean ms", "90 % below", "attempts, median", "mean", "steps, median")
    print_table(f"{boards} boards each, processor time with proofs", header, lines)


def _measure(config: BoardConfig, level: Any, boards: int) -> list[str]:
    """Returns the figures in a line of `measure_speed`, as text."""
    first_cell = (config.rows // 2, config.cols // 2)
    generate(config, first_cell, level, seed=boards)  # Compiles the kernels.
    samples = []
    for seed in range(boards):
        begin = time.process_time_ns()
        board = generate(config, first_cell, level, seed=seed)
        samples.append(((time.process_time_ns() - begin) / 1e6, board.attempts, len(board.proof)))
    ms, attempts, proof_steps = np.array(samples).T
    times = f"{np.median(ms):.2f}", f"{ms.mean():.2f}", f"{np.quantile(ms, 0.9):.2f}"
    return [*times, f"{np.median(attempts):.1f}", f"{attempts.mean():.1f}", f"{np.median(proof_steps):g}"]


def measures(layouts: NDArray[np.bool_]) -> dict[str, NDArray[np.int64]]:
    """Returns measures of N layouts, (N, rows, cols), by name, (N,) int64 each, to compare rejection and repair by."""
    edge_mines = layouts.sum(axis=(1, 2)) - layouts[:, 1:-1, 1:-1].sum(axis=(1, 2))
    zeros = (~maximum_filter(layouts, (1, 3, 3))).sum(axis=(1, 2))  # cells with no mine in their 3x3 square
    values = np.array(list(map(board_value, layouts)))
    return {"mines on the edge": edge_mines, "3BV": values, "cells that show 0": zeros}


def measure_bias(boards: int) -> None:
    """Prints each measure's mean by both methods, their difference, and a two-sample Kolmogorov-Smirnov test."""
    lines = []
    # Rejection is too slow on the last board, and the mixing of a repaired 16x30/99 takes a third of a second.
    for config in BOARDS[:-1]:
        sample_size = boards if config.cells <= 256 else max(2, boards // 10)
        samples = [measures(_sample(config, sample_size, method)) for method in ("rejection", "repair")]
        for name in samples[0]:
            unbiased, repaired = (sample[name] for sample in samples)
            shift = (repaired.mean() - unbiased.mean()) / unbiased.std()
            error = (unbiased.var() / len(unbiased) + repaired.var() / len(repaired)) ** 0.5 / unbiased.std()
            ks_test = ks_2samp(unbiased, repaired, method="asymp")
            means = f"{unbiased.mean():.2f}", f"{repaired.mean():.2f}", f"{shift:+.3f} ± {1.96 * error:.3f}"
            tests = f"{ks_test.statistic:.3f}", f"{ks_test.pvalue:.2g}"
            lines.append((f"{config.name} (n = {sample_size})", name, *means, *tests))
    header = ("board", "", "rejection", "repair", "shift in SD (95 % CI)", "KS distance", "p")
    print_table("n boards of each method, level exact", header, lines)


def _sample(config: BoardConfig, boards: int, method: str) -> NDArray[np.bool_]:
    """Returns the layouts that a method finds, (N, rows, cols), with the first click in the middle; N <= boards."""
    first_cells = np.full(boards, config.cells // 2 + config.cols // 2)  # the middle, if the rows are even
    # The methods get different generators, so that their samples are independent.
    rng_states = np.random.default_rng(len(method)).integers(1 << 64, size=boards, dtype=np.uint64)
    result = Searcher(config).search(first_cells, rng_states, "exact", MAX_ATTEMPTS, method)
    return result.layouts[result.solved]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    count = whole_number_from(1)
    parser.add_argument("--boards", type=count, help="boards per row (default 200; with --bias 3000, a tenth on 16x30)")
    parser.add_argument("--bias", action="store_true", help="compare repair with rejection, not times")
    options = parser.parse_args()
    pin_to_one_core()
    print(f"minesweeper_env {minesweeper_env.__version__}, numba {version('numba')}, {machine()}")
    measure_bias(options.boards or 3000) if options.bias else measure_speed(options.boards or 200)


if __name__ == "__main__":
    main()
