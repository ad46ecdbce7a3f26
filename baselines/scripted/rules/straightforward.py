"""`straightforward`: the two rules that look at one count at a time."""

from __future__ import annotations

from baselines.scripted.base import ScriptedPolicy
from baselines.scripted.rules.batched_rules import Knowledge, apply_local_rules


class StraightforwardPolicy(ScriptedPolicy):
    """Applies the two local rules to their end; else clicks any cell that is not known to be a mine."""

    def deduce(self, knowledge: Knowledge) -> None:
        """Applies the two local rules."""
        apply_local_rules(knowledge)
