"""Tolerance for numbers that were computed in different ways."""

from __future__ import annotations

TIE = 1e-9
"""Probabilities and expected rewards that differ by less count as equal: rounding depends on the order of sums."""
