"""`random`: the floor under every other policy."""

from __future__ import annotations

from baselines.scripted.base import ScriptedPolicy


class RandomPolicy(ScriptedPolicy):
    """Clicks any covered cell, all being equally likely."""
