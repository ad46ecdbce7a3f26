"""A question with the answers yes and no."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label

from minesweeper_play.terminal.dialogs.base import Dialog


class Question(Dialog[bool]):
    """Asks a question; the result is True for yes."""

    DEFAULT_CSS = "Question > #frame { width: 52; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,s", "answer(True)", show=False),
        Binding("n", "answer(False)", show=False),
    ]

    def __init__(self, question: str) -> None:
        """Asks a question, a text of the catalogue."""
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """Yields the question and its answers."""
        with Vertical(id="frame"):
            yield Label(self._question, markup=False)
            with Horizontal(id="buttons"):
                yield Button(self.text("yes"), id="yes", variant="primary", compact=True)
                yield Button(self.text("no"), id="no", compact=True)

    @on(Button.Pressed)
    def _press(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_answer(self, is_yes: bool) -> None:
        """Answers by a key."""
        self.dismiss(is_yes)
