"""Modes of `play.py`, and the module of each; a mode without its module is not offered."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from minesweeper_play.options import PlayOptions


class Mode(NamedTuple):
    """A module that `play.py` runs.

    Attributes:
        module: the name of the module, which is imported when it is needed.
        function: its function; it takes `PlayOptions`, and returns the exit status.
    """

    module: str
    function: str

    @property
    def is_there(self) -> bool:
        """True if the module exists; only its packages are imported."""
        package = self.module.rpartition(".")[0]
        return find_spec(package) is not None and find_spec(self.module) is not None

    def load(self) -> Callable[[PlayOptions], int]:
        """Imports the module, and returns the function."""
        function: Callable[[PlayOptions], int] = getattr(import_module(self.module), self.function)
        return function


MODES = {
    "terminal": Mode("minesweeper_play.terminal.command", "run"),
    "serve": Mode("minesweeper_play.terminal.serving", "serve"),
    "classic": Mode("minesweeper_play.classic.command", "run"),
    "window": Mode("minesweeper_play.window.command", "run"),
    "analyse": Mode("minesweeper_play.coach.command", "analyse"),
    "stats": Mode("minesweeper_play.classic.statistics_table", "run"),
}
"""The modes by the option that chooses them; "terminal" needs none."""
