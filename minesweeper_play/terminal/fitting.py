"""Screens that say so where the terminal is too small for them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, cast

from textual import events
from textual.screen import Screen
from textual.widgets import Static

if TYPE_CHECKING:
    from minesweeper_play.terminal.app import MinesweeperApp

LEAST_COLUMNS, LEAST_LINES = 40, 12
"""Size of the smallest terminal that has room for a game."""


class FittingScreen(Screen[None]):
    """A screen that covers itself with one message while the terminal is too small."""

    DEFAULT_CSS = """
    FittingScreen #too-small { display: none; width: 1fr; height: 1fr; content-align: center middle;
                               text-align: center; }
    FittingScreen.-too-small > * { display: none; }
    FittingScreen.-too-small > #too-small { display: block; }
    FittingScreen #message { height: 2; padding: 0 1; }
    FittingScreen.-low #message { height: 1; }
    FittingScreen.-high #message { height: 3; }
    FittingScreen.-higher #message { height: 5; }
    """

    def on_mount(self) -> None:
        """Adds the message, which stays hidden."""
        self.mount(Static(id="too-small", markup=False))

    def on_resize(self, event: events.Resize) -> None:
        """Shows or hides the message."""
        width, height = event.size
        text = cast("MinesweeperApp", self.app).text
        self.set_class(width < LEAST_COLUMNS or height < LEAST_LINES, "-too-small")
        for name, is_so in (("-low", height < 20), ("-high", 24 <= height < 32), ("-higher", height >= 32)):
            self.set_class(is_so, name)
        for message in self.query("#too-small").results(Static):
            message.update(text("too_small", columns=LEAST_COLUMNS, lines=LEAST_LINES, width=width, height=height))
        self.fit(width, height)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Returns whether an action may happen; nobody sees what others do while the terminal is too small."""
        return action == "leave" if self.has_class("-too-small") else super().check_action(action, parameters)

    def fit(self, width: int, height: int) -> None:
        """Arranges the screen for a size of the terminal."""

    @abstractmethod
    def translate(self) -> None:
        """Writes all texts of the screen in the language of the settings."""
