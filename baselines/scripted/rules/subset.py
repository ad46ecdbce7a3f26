"""`subset`: closure of all clues and of the number of mines under subset differences.

The method is the knowledge base of CS50's project "Minesweeper", on which Sun, Chen & Yang build.
"""

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
"""Deductions by name: the closure, the closure without the number of mines, and that of Sun, Chen & Yang's program."""


class SubsetPolicy(ScriptedPolicy):
    """Deduces by subset differences; guesses a uniformly random cell not known to be a mine."""

    def __init__(self, config: BoardConfig, deduction: str = "closure") -> None:
        """Prepares to play games of a configuration.

        Args:
            config: the games.
            deduction: one of `DEDUCTIONS`.

        Raises:
            ValueError: `deduction` is unknown.
        """
        super().__init__(config)
        if deduction not in DEDUCTIONS:
            raise ValueError(f"deduction must be one of {', '.join(DEDUCTIONS)}, not {deduction!r}")
        self._make_deduction = partial(DEDUCTIONS[deduction], config)
        self._deduction = self._make_deduction()

    def reset(self, seed: int) -> None:
        """Seeds the random choices, and drops all deductions."""
        super().reset(seed)
        self._deduction = self._make_deduction()

    def deduce(self, knowledge: Knowledge) -> None:
        """Deduces by subset differences."""
        self._deduction.apply(knowledge)
