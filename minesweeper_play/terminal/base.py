"""Base of the screens: texts in the language of the settings, keys in the footer, and work in the background."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from textual.binding import ActiveBinding
from textual.content import Content
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widgets import Static

from minesweeper_play.catalogue import Catalogue
from minesweeper_play.terminal.services import Services

Answer = TypeVar("Answer")


class GameAppScreen(Screen[None]):
    """A screen of the game; the descriptions of its keys are keys of the catalogues."""

    DEFAULT_CSS = """
    GameAppScreen #figures { height: 1; background: $panel; text-align: center; text-wrap: nowrap; }
    GameAppScreen #message { height: 2; padding: 0 1; }
    GameAppScreen.-low #message { height: 1; }
    GameAppScreen.-high #message { height: 3; }
    GameAppScreen.-top #message { height: 5; }
    """

    def __init__(self, services: Services) -> None:
        """Shares the settings with the other screens."""
        super().__init__()
        self.services = services

    @property
    def catalogue(self) -> Catalogue:
        """The texts in the language of the settings."""
        return self.services.catalogue

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """The keys that the footer shows, described in the language of the settings."""
        found = super().active_bindings
        for key, active in found.items():
            if active.binding.description in self.catalogue.texts:
                shown = replace(active.binding, description=self.catalogue.text(active.binding.description))
                found[key] = active._replace(binding=shown)
        return found

    def show_figures(self, figures: Sequence[tuple[str, str]]) -> None:
        """Shows labels and values in the first line of the screen, the most important first."""
        pairs = (Content.from_markup("$label [b]$value[/]", label=label, value=value) for label, value in figures)
        self.query_one("#figures", Static).update(Content("   ").join(pairs))

    @abstractmethod
    def translate(self) -> None:
        """Writes all texts of the screen in the language of the settings."""


class Background:
    """Works on the latest request alone, one after the other.

    The end of a program waits for the threads of textual's workers, but not for these: a slow answer delays nothing.
    """

    def __init__(self, owner: MessagePump, fail: Callable[[Exception], object]) -> None:
        """Takes answers in the thread of the owner, and hands errors of the work to `fail` there."""
        self._owner, self._fail = owner, fail
        self._lock = threading.Lock()
        self._ticket: object = None

    @property
    def is_busy(self) -> bool:
        """Whether the answer to a request is awaited."""
        return self._ticket is not None

    def ask(self, work: Callable[[], Answer], take: Callable[[Answer], object]) -> None:
        """Requests work; `take` takes the answer, unless another request or `forget` comes before it."""
        ticket = self._ticket = object()

        def run() -> None:
            answer: Any = None
            deliver: Callable[[Any], object] = take
            with self._lock:
                if ticket is not self._ticket:
                    return
                try:
                    answer = work()
                except Exception as error:
                    answer, deliver = error, self._fail
            # The program may have ended meanwhile.
            with suppress(RuntimeError):
                self._owner.call_later(self._take, ticket, answer, deliver)

        threading.Thread(target=run, daemon=True).start()

    def forget(self) -> None:
        """Lets no answer that is still on its way be taken."""
        self._ticket = None

    def _take(self, ticket: object, answer: Any, deliver: Callable[[Any], object]) -> None:
        if ticket is self._ticket:
            self._ticket = None
            deliver(answer)
