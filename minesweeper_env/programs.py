"""Installed programs `minesweeper-evaluate` and `minesweeper-train`, and the check of the package that they import.

The name `baselines` is not unique: a distribution of OpenAI has a package of that name, and a folder `baselines` on
the path of modules hides an installed package.
"""

from __future__ import annotations

import sys
from importlib import import_module


def check_baselines() -> None:
    """Check that the package `baselines` which Python imports is ours.

    Raises:
        SystemExit: the package is another one; the message is one line that names its place.
    """
    package = import_module("baselines")
    if "make_policy" not in getattr(package, "__all__", ()):
        place = next(iter(getattr(package, "__path__", [package.__file__])))
        sys.exit(f"minesweeper-env: {place} is another package; uninstall or move it, then reinstall minesweeper-env")


def evaluate() -> int:
    """Run `minesweeper-evaluate`, and return its exit status."""
    return _run("evaluate")


def train() -> int:
    """Run `minesweeper-train`, and return its exit status."""
    return _run("train")


def _run(name: str) -> int:
    check_baselines()
    return int(getattr(import_module("baselines.__main__"), name)())
