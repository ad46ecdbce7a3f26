"""Work that takes long: it runs in a thread, shows its progress in a dialog, and can be cancelled."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label, ProgressBar

from minesweeper_play.game.moves import Report
from minesweeper_play.terminal.dialogs.base import Dialog

PATIENCE_SECONDS = 0.3
"""Seconds after which work shows its progress."""


class CancelledError(Exception):
    """The user has cancelled the work."""


class LongWork(ABC):
    """Work in a thread of its own.

    Attributes:
        key: the text KEY_title of the catalogues names the work, and KEY_progress says how far it is.
        done: the number of finished steps.
        total: the number of steps; None while it is unknown.
        problem: the message that says why the work was in vain; its key is "" if it was not.
        error: an error of the program in `work`; None if there was none.
    """

    key: ClassVar[str]

    def __init__(self) -> None:
        """Prepares the work."""
        self.done = 0
        self.total: int | None = None
        self.problem = Report()
        self.error: Exception | None = None
        self._cancelled = threading.Event()

    @abstractmethod
    def work(self) -> None:
        """Does the work; it may set `problem`, and lets a `CancelledError` pass."""

    def start(self, finished: Callable[[], object]) -> None:
        """Begins to work in a thread, which calls `finished` at the end, also after a cancellation."""

        def run() -> None:
            try:
                self.work()
            except CancelledError:
                pass
            except Exception as error:
                self.error = error
            finished()

        threading.Thread(target=run, daemon=True).start()

    def cancel(self) -> None:
        """Ends the work at its next step."""
        self._cancelled.set()

    def report(self, done: int, total: int | None) -> None:
        """Notes the progress; raises a `CancelledError` if the user has cancelled the work."""
        self.done, self.total = done, total
        if self._cancelled.is_set():
            raise CancelledError


class LongWorkDialog(Dialog[None]):
    """Shows how work goes on; Escape and the button cancel it."""

    DEFAULT_CSS = """
    LongWorkDialog > #frame { width: 60; max-width: 96%; }
    LongWorkDialog ProgressBar { width: 1fr; margin-top: 1; }
    LongWorkDialog Bar { width: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "cancel", show=False)]

    def __init__(self, work: LongWork) -> None:
        """Shows work that somebody else starts; the same screen closes the dialog."""
        super().__init__()
        self._work = work

    def compose(self) -> ComposeResult:
        """Yields the number of steps, a bar and a button."""
        with Vertical(id="frame") as frame:
            frame.border_title = self.text(f"{self._work.key}_title")
            yield Label(markup=False)
            yield ProgressBar(show_eta=False)
            with Horizontal(id="buttons"):
                yield Button(self.text("cancel"), compact=True)

    def on_mount(self) -> None:
        """Begins to show the progress."""
        self._show()
        self.set_interval(0.1, self._show)

    def _show(self) -> None:
        done, total = self._work.done, self._work.total
        shown = "" if total is None else self.text(f"{self._work.key}_progress", done=done, total=total)
        self.query_one(Label).update(shown)
        self.query_one(ProgressBar).update(total=total, progress=done)

    @on(Button.Pressed)
    def action_cancel(self) -> None:
        """Cancels the work."""
        self._work.cancel()
        self.query_one(Button).disabled = True
