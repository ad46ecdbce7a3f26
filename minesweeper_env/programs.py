"""Installed program `minesweeper`, and the check of the package that it imports.

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


def main() -> int:
    """Run `minesweeper`, and return its exit status."""
    check_baselines()
    return int(import_module("baselines.__main__").main(None, "minesweeper"))
