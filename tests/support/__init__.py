"""Shared helpers of the tests."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The root of the repository."""
