"""`subset`: the closure of all counts, and of the number of mines, under subset differences."""

from __future__ import annotations

from baselines.scripted.deduction import SubsetDeduction
from baselines.scripted.knowledge import Knowledge
from baselines.scripted.player import ScriptedPolicy
from minesweeper_env.config import BoardConfig


class SubsetPolicy(ScriptedPolicy):
    """Deduces by subset differences; else clicks any cell that is not known to be a mine."""

    def __init__(self, config: BoardConfig) -> None:
        """Prepares to play games of this configuration."""
        super().__init__(config)
        self._deduction = SubsetDeduction(config)

    def deduce(self, knowledge: Knowledge) -> None:
        """Deduces by subset differences."""
        self._deduction.apply(knowledge)
