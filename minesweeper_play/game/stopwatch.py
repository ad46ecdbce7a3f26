"""Clock of a game: it runs from the first opened cell to the end of the game."""

from __future__ import annotations

import time
from collections.abc import Callable


class Stopwatch:
    """Clock of the seconds of play, which can stop, continue and be set."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Shows 0 and stands still.

        Args:
            now: returns the seconds of a clock that never goes back.
        """
        self._now = now
        self._counted = 0.0
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """The seconds that the clock has run."""
        return self._counted + (0.0 if self._since is None else self._now() - self._since)

    @property
    def is_running(self) -> bool:
        """True while the clock runs."""
        return self._since is not None

    def start(self) -> None:
        """Runs on from where the clock stands."""
        if self._since is None:
            self._since = self._now()

    def stop(self) -> None:
        """Stands still."""
        self._counted, self._since = self.seconds, None

    def set(self, seconds: float) -> None:
        """Shows a number of seconds, and runs on if the clock ran."""
        self._counted = seconds
        if self._since is not None:
            self._since = self._now()
