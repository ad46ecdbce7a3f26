"""A thread that works on the latest request alone, so that slow answers never pile up."""

from __future__ import annotations

import threading
from collections.abc import Callable


class LatestOnly:
    """Does work in a thread of its own; a request replaces the one that waits before it.

    The thread is a daemon: work that never ends keeps no program alive.
    """

    def __init__(self, fail: Callable[[Exception], object]) -> None:
        """Starts no thread yet; `fail` takes, in the thread, an error that work raises."""
        self._fail = fail
        self._changed = threading.Condition()
        self._waiting: Callable[[], object] | None = None
        self._thread: threading.Thread | None = None
        self._busy = False

    @property
    def is_busy(self) -> bool:
        """Whether a request is worked on or waits."""
        return self._busy or self._waiting is not None

    def ask(self, work: Callable[[], object]) -> None:
        """Requests work; what it returns is dropped, so it reports for itself."""
        with self._changed:
            self._waiting = work
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
            self._changed.notify()

    def forget(self) -> None:
        """Drops the request that waits."""
        with self._changed:
            self._waiting = None

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                while self._waiting is None:
                    self._changed.wait()
                work, self._waiting, self._busy = self._waiting, None, True
            try:
                work()
            except Exception as error:
                self._fail(error)
