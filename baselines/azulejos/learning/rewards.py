"""Reward schemes of a training."""

from __future__ import annotations

LEAD = "lead"
REWARDS = (LEAD, "win_loss", "difference")
"""`LEAD` is the change of tanh(lead / `LEAD_SCALE`) in a step; `AzulejosEnv` has the other ones."""

LEAD_SCALE = 8.0
"""Points of a final lead whose rewards add up to tanh(1)."""
