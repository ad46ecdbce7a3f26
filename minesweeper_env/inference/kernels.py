"""Inference for compiled kernels outside `minesweeper_env.inference`.

Kernels elsewhere take names from this module only; every other module of the package may change without notice.
A kernel receives the fields of a `Workspace` as its last arguments, and rebuilds the tuple by `Workspace(*arrays)`.
`run_with_workspace` calls such a kernel from Python, and repeats the call with a larger workspace if one was too small;
`run_boards` does the same for many boards.

Outcomes of the functions below:

    OK                  the board is done
    1, 2, 3             the workspace is too small; the kernel returns this outcome to `run_with_workspace`
    c + CONTRADICTION   no layout fits the board, and cell c is at fault
    negative            the weights of all layouts underflow

`failure` returns the error for one of the last two.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined
from minesweeper_env.inference.counting.forward_pass import FIXED_TOTAL
from minesweeper_env.inference.counting.frontier import CONTRADICTION, read_board
from minesweeper_env.inference.counting.posterior import (
    failure,
    finish_posterior,
    infer,
    run_boards,
    run_with_workspace,
)
from minesweeper_env.inference.counting.posterior import posterior as mode_posterior
from minesweeper_env.inference.counting.workspace import OK, Floats, Workspace, frontier_of
from minesweeper_env.inference.reading import MINE, SAFE
from minesweeper_env.lazy import lazy_exports

if TYPE_CHECKING:
    from minesweeper_env.inference.deduction.kernels import SEVERAL, WITH_TOTAL, known_cells
    from minesweeper_env.inference.search.endgame import EndgameSearcher
    from minesweeper_env.inference.search.layouts import consistent_layouts

__all__ = [
    "CONTRADICTION",
    "MINE",
    "OK",
    "SAFE",
    "SEVERAL",
    "TIE",
    "WITH_TOTAL",
    "EndgameSearcher",
    "Workspace",
    "consistent_layouts",
    "failure",
    "infer_posteriors",
    "is_known_safe",
    "known_cells",
    "posterior",
    "posterior_after_propagation",
    "propagate",
    "run_boards",
    "run_with_workspace",
]

TIE = 1e-9
"""Probabilities and expected rewards that differ by less count as equal: rounding depends on the order of sums."""

# Only Python calls these; the kernels above do without their modules.
_MODULES = {
    "deduction.kernels": ("SEVERAL", "WITH_TOTAL", "known_cells"),
    "search.endgame": ("EndgameSearcher",),
    "search.layouts": ("consistent_layouts",),
}
__getattr__, _ = lazy_exports("minesweeper_env.inference", _MODULES)


def infer_posteriors(
    boards: NDArray[np.int8], mines: int, radius: int, probabilities: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns (N,) float64, the natural logarithms of the numbers of layouts that fit N boards; for Python code.

    The boards are contiguous (N, rows, cols) int8, valid cell codes. `probabilities`, float64 of that shape, is filled
    with the probability of a mine in each cell.

    Raises:
        InconsistentBoardError: no layout fits one of the boards.
        PositionTooHardError: one of the boards is too hard.
    """
    return infer(boards, mines, radius, FIXED_TOTAL, 0.0, probabilities)


@inlined
def propagate(board: NDArray[np.int8], workspace: Workspace) -> int:
    """Reads a board, (n,) int8 cell codes, and applies single clues until nothing new follows; returns the outcome."""
    return read_board(workspace, board)


@inlined
def is_known_safe(cell: int, workspace: Workspace) -> bool:
    """Returns whether `propagate` found that single clues prove a cell safe."""
    return bool(frontier_of(workspace).known[cell] == SAFE)


@inlined
def posterior_after_propagation(workspace: Workspace, mines: int, probabilities: Floats) -> tuple[int, float]:
    """Computes and returns what `posterior` does, for the board that `propagate` has read."""
    return finish_posterior(workspace, mines, 0.0, FIXED_TOTAL, probabilities)


@inlined
def posterior(board: NDArray[np.int8], mines: int, probabilities: Floats, workspace: Workspace) -> tuple[int, float]:
    """Computes the exact posterior of one board, (n,) int8 cell codes, into `probabilities`, (n,) float64.

    Returns the outcome, and the natural logarithm of the number of layouts.
    """
    return mode_posterior(board, mines, 0.0, FIXED_TOTAL, probabilities, workspace)
