"""Entry point of the console script `minesweeper`."""

import sys
from importlib import import_module


def main() -> int:
    """Runs `minesweeper`, and returns its exit status.

    Raises:
        SystemExit: the package `baselines` that Python imports is another one, such as that of OpenAI.
    """
    package = import_module("baselines")
    if "make_policy" not in getattr(package, "__all__", ()):
        path = next(iter(getattr(package, "__path__", [package.__file__])))
        sys.exit(f"minesweeper-env: {path} is another package; uninstall or move it, then reinstall minesweeper-env")
    return int(import_module("baselines.__main__").main(None, "minesweeper"))
