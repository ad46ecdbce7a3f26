"""Signals that end a training: the first one asks for its end, a second Ctrl-C ends it at once."""

from __future__ import annotations

import signal
import threading
from contextlib import suppress
from typing import Any

from minesweeper_env.notices import say

ANNOUNCEMENT = "stopping: the newest weights are evaluated first; Ctrl-C again ends at once"


class StopSignals:
    """Turns the first SIGINT or SIGTERM into a request to stop; a second one of its kind acts as it did before.

    Use it as a context manager. Only the main thread can receive signals: in any other thread it does nothing.

    Attributes:
        requested: whether a signal arrived.
        is_quick: whether SIGTERM arrived: what sends it waits only some seconds.
        is_last: whether the last evaluation runs, which SIGTERM ends with a KeyboardInterrupt: all else is saved.
    """

    def __init__(self, announces: bool = True) -> None:
        """Installs nothing yet; `announces` is whether the first Ctrl-C prints what it does."""
        self.requested = self.is_quick = self.is_last = False
        self._announces = announces
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopSignals:
        """Installs the handlers."""
        if threading.current_thread() is threading.main_thread():
            self._before = {int(number): signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        for number in self._before:
            signal.signal(number, self._stop)
        return self

    def _stop(self, number: int, _frame: Any) -> None:
        first, self.requested = not self.requested, True
        before = self._before[number]
        # Shells let background processes ignore SIGINT; one that is sent to such a process is meant all the same.
        signal.signal(number, signal.default_int_handler if before == signal.SIG_IGN else before)
        if number == signal.SIGTERM:
            self.is_quick = True
            if self.is_last:
                raise KeyboardInterrupt
        elif first and self._announces:
            # The signal may have interrupted another print to stderr.
            with suppress(RuntimeError, OSError, ValueError, AttributeError):
                say(f"\n{ANNOUNCEMENT}")

    def __exit__(self, *_: object) -> None:
        """Restores the handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
