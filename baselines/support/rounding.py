"""When two numbers count as equal that were computed in different ways."""

from __future__ import annotations

TIE = 1e-9
"""Chances, and expected rewards, that differ by less are equal: they are sums of fractions, taken in any order."""
