"""`straightforward`: the two local rules, which look at one clue at a time; described by Sun, Chen & Yang."""

from __future__ import annotations

from baselines.scripted.base import ScriptedPolicy
from baselines.scripted.rules.batched_rules import Knowledge, apply_local_rules


class StraightforwardPolicy(ScriptedPolicy):
    """Repeats the local rules to their fixpoint; guesses a uniformly random cell not known to be a mine."""

    def deduce(self, knowledge: Knowledge) -> None:
        """Repeats the two local rules until they find nothing new."""
        apply_local_rules(knowledge)
