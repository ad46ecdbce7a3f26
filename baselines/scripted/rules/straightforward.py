"""`straightforward`: the two rules that look at one count at a time."""

from __future__ import annotations

from baselines.scripted.knowledge import Knowledge, apply_local_rules
from baselines.scripted.player import ScriptedPolicy


class StraightforwardPolicy(ScriptedPolicy):
    """Applies the two local rules to their end; else clicks any cell that is not known to be a mine."""

    def deduce(self, knowledge: Knowledge) -> None:
        """Applies the two local rules."""
        apply_local_rules(knowledge)
