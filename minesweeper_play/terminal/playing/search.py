"""Search for a board that needs no guess, in a thread, with its progress on the screen and a way to cancel it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label, ProgressBar

from minesweeper_play.game.moves import Cell, Report
from minesweeper_play.game.session import Session
from minesweeper_play.terminal.dialogs.base import Dialog

PATIENCE_SECONDS = 0.3
"""Seconds after which a search shows its progress."""


class CancelledError(Exception):
    """The player has cancelled the search."""


class Search:
    """The first move of a game without guesses, which searches for its board.

    Attributes:
        session: the game.
        cell: the cell of the first click.
        attempts: the number of layouts tried so far.
        report: what the move did; None while the search goes on, and if it was cancelled or in vain.
        problem: why the search was in vain; "" if it was not.
    """

    def __init__(self, session: Session, cell: Cell) -> None:
        """Prepares the search."""
        self.session, self.cell = session, cell
        self.attempts = 0
        self.report: Report | None = None
        self.problem = ""
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Ends the search soon."""
        self._cancelled.set()

    def start(self, finished: Callable[[], object]) -> None:
        """Searches in a thread of its own, which calls `finished` at the end."""

        def work() -> None:
            # Its import loads kernels.
            from minesweeper_env.generation import GenerationError

            self.session.on_attempts = self._count
            try:
                self.report = self.session.open(*self.cell)
            except CancelledError:
                pass
            except GenerationError as error:
                self.problem = " ".join(str(error).split())
            finally:
                self.session.on_attempts = None
            finished()

        threading.Thread(target=work, daemon=True).start()

    def _count(self, attempts: int) -> None:
        self.attempts = attempts
        if self._cancelled.is_set():
            raise CancelledError


class SearchDialog(Dialog[None]):
    """Shows how a search goes on; Escape and the button cancel it."""

    DEFAULT_CSS = """
    SearchDialog > #frame { width: 60; max-width: 96%; }
    SearchDialog ProgressBar { width: 1fr; margin-top: 1; }
    SearchDialog Bar { width: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "cancel", show=False)]

    def __init__(self, search: Search) -> None:
        """Shows a search."""
        super().__init__()
        self._search = search

    def compose(self) -> ComposeResult:
        """Yields the number of attempts, a bar and a button."""
        with Vertical(id="frame") as frame:
            frame.border_title = self.text("search_title")
            yield Label(id="attempts", markup=False)
            yield ProgressBar(show_eta=False, show_percentage=True)
            with Horizontal(id="buttons"):
                yield Button(self.text("cancel"), compact=True)

    def on_mount(self) -> None:
        """Begins to show the progress."""
        self._show()
        self.set_interval(0.1, self._show)

    def _show(self) -> None:
        from minesweeper_env.generation import MAX_ATTEMPTS

        attempts = self._search.attempts
        self.query_one(Label).update(self.text("search_attempts", count=attempts, most=MAX_ATTEMPTS))
        self.query_one(ProgressBar).update(total=MAX_ATTEMPTS, progress=attempts)

    @on(Button.Pressed)
    def action_cancel(self) -> None:
        """Cancels the search; the screen closes the dialog when it has ended."""
        self._search.cancel()
        self.query_one(Button).disabled = True
