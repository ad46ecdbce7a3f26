"""Check that networks can play a board: their planes encode the codes of radius 1."""

from __future__ import annotations

from minesweeper_env.config import BoardConfig


def check_radius(config: BoardConfig) -> None:
    """Raises ValueError for a board of another radius than 1."""
    if config.radius != 1:
        raise ValueError(f"a learned agent plays boards of radius 1, not {config.radius}")
