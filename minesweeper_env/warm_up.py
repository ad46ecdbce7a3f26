"""`python -m minesweeper_env.warm_up`: call each public function once, so that no later call waits for the compiler."""

import sys
import time
from collections.abc import Callable, Mapping

import numpy as np

from minesweeper_env.codes import HIDDEN
from minesweeper_env.config import BoardConfig
from minesweeper_env.console import show_compilations
from minesweeper_env.engine.games import compile_kernels
from minesweeper_env.generation import generate
from minesweeper_env.inference import count_layouts, deduce, mine_probabilities, sample_layouts, win_probability
from minesweeper_env.inference.kernels import WITH_TOTAL, known_cells
from minesweeper_env.inference.optimal import best_click
from minesweeper_env.no_luck import compile_redraw

_BOARD, _MINES = np.full((4, 4), HIDDEN, np.int8), 3
_BOARD[0, 0] = 1
# The two clues have both mines, so the middle cell is safe: only a packing of constraints proves that.
_TOTAL = np.array([[HIDDEN, 1, HIDDEN, HIDDEN, HIDDEN, 1, HIDDEN]], np.int8)

CORE: Mapping[str, Callable[[], object]] = {
    "engine": compile_kernels,
    "oracle": lambda: mine_probabilities(_BOARD, _MINES),
    "sampler": lambda: sample_layouts(_BOARD, _MINES, 1, np.random.default_rng(0)),
    "counts": lambda: count_layouts(_BOARD, _MINES),
    "deduction": lambda: deduce(_TOTAL, 2),
    "known-cells": lambda: known_cells(_BOARD[np.newaxis], _MINES, 1, WITH_TOTAL),
    "endgames": lambda: best_click(_BOARD, _MINES),
    "small-boards": lambda: win_probability(3, 3, 2, "safe"),
    "generation": lambda: generate(BoardConfig(4, 4, _MINES), (0, 0), seed=0),
    "no-luck": compile_redraw,
}
"""The parts of the environment and the inference: the name of each, and a short call that compiles its kernels."""


def warm_up(parts: Mapping[str, Callable[[], object]]) -> int:
    """Calls the functions, and prints the seconds of each; returns the exit status, 130 after Ctrl-C."""
    show_compilations(None)
    try:
        for name, work in parts.items():
            begin = time.perf_counter()
            work()
            print(f"{name}: {time.perf_counter() - begin:.1f} s", flush=True)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(warm_up(CORE))
