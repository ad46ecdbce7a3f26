"""Copies of files that stand in for the paths of another machine, in a worker on a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_COPIES: dict[str, Path] = {}


def forward(copies: Mapping[str, Path]) -> None:
    """Makes `local_path` return a copy in place of each named path, in this process.

    Args:
        copies: the copy of each file or folder, by its path as the other machine names it.
    """
    _COPIES.update(copies)


def local_path(name: str) -> Path:
    """Returns the copy that stands in for a path, or the path itself."""
    return _COPIES.get(name) or Path(name)
