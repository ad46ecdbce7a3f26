"""`subset`: the closure of all counts, and of the number of mines, under subset differences."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from baselines.scripted.base import ScriptedPolicy
from baselines.scripted.rules.batched_rules import Knowledge
from baselines.scripted.rules.single_pass import SinglePassDeduction
from baselines.scripted.rules.subset_deduction import Deduction, SubsetDeduction
from minesweeper_env.config import BoardConfig

DEDUCTIONS: dict[str, Callable[[BoardConfig], Deduction]] = {
    "closure": SubsetDeduction,
    "counts": partial(SubsetDeduction, use_mines=False),
    "source": SinglePassDeduction,
}
"""What can be deduced with: all that subset differences yield; the same without the number of mines; what the
program of Sun, Chen & Yang deduces."""


class SubsetPolicy(ScriptedPolicy):
    """Deduces by subset differences; else clicks any cell that is not known to be a mine."""

    def __init__(self, config: BoardConfig, deduction: str = "closure") -> None:
        """Prepares to play games of this configuration.

        Args:
            config: the games.
            deduction: one of `DEDUCTIONS`.

        Raises:
            ValueError: there is no such deduction.
        """
        super().__init__(config)
        if deduction not in DEDUCTIONS:
            raise ValueError(f"deduction must be one of {', '.join(DEDUCTIONS)}, not {deduction!r}")
        self._make_deduction = partial(DEDUCTIONS[deduction], config)
        self._deduction = self._make_deduction()

    def reset(self, seed: int) -> None:
        """Begins the random choices anew, and forgets what has been deduced."""
        super().reset(seed)
        self._deduction = self._make_deduction()

    def deduce(self, knowledge: Knowledge) -> None:
        """Deduces by subset differences."""
        self._deduction.apply(knowledge)
