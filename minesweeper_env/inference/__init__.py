"""Inference from a visible board and its number of mines; the layout is never an input.

This package and its modules `kernels` and `optimal` are public; the other modules are internal.
"""

from typing import TYPE_CHECKING

from minesweeper_env.inference.boards import InconsistentBoardError, PositionTooHardError
from minesweeper_env.lazy import lazy_exports

if TYPE_CHECKING:
    from minesweeper_env.inference.deduction.proofs import hint
    from minesweeper_env.inference.deduction.steps import Step, deduce
    from minesweeper_env.inference.layout_counts import count_distribution, count_layouts
    from minesweeper_env.inference.optimal import BestClick, OptimalPlay, best_click, first_cell_values, win_probability
    from minesweeper_env.inference.oracle import (
        Answers,
        CertainCells,
        Oracle,
        certain_cells,
        mine_probabilities,
        mine_probabilities_batch,
    )
    from minesweeper_env.inference.sampling import sample_layouts

__all__ = [
    "Answers",
    "BestClick",
    "CertainCells",
    "InconsistentBoardError",
    "OptimalPlay",
    "Oracle",
    "PositionTooHardError",
    "Step",
    "best_click",
    "certain_cells",
    "count_distribution",
    "count_layouts",
    "deduce",
    "first_cell_values",
    "hint",
    "mine_probabilities",
    "mine_probabilities_batch",
    "sample_layouts",
    "win_probability",
]

_MODULES = {
    "deduction.proofs": ("hint",),
    "deduction.steps": ("Step", "deduce"),
    "layout_counts": ("count_distribution", "count_layouts"),
    "optimal": ("BestClick", "OptimalPlay", "best_click", "first_cell_values", "win_probability"),
    "oracle": ("Answers", "CertainCells", "Oracle", "certain_cells", "mine_probabilities", "mine_probabilities_batch"),
    "sampling": ("sample_layouts",),
}
__getattr__, __dir__ = lazy_exports(__name__, _MODULES)
