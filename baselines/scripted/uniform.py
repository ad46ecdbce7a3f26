"""`random`: uniform clicks, the lower bound for every policy; the random agent of Antimatroid (2012)."""

from __future__ import annotations

from baselines.scripted.base import ScriptedPolicy


class RandomPolicy(ScriptedPolicy):
    """Clicks a uniformly random covered cell."""
