"""One line at the bottom of a terminal that shows the elapsed seconds, so that long work is seen to go on."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

DELAY, INTERVAL = 0.7, 0.5
"""Seconds before the line appears first, and between two updates."""

_CLEAR = "\r\x1b[K"
_lock = threading.RLock()
_shown: list[LiveLine] = []


def is_live(stream: TextIO) -> bool:
    """Returns whether a stream is a terminal on which lines can be drawn again: TERM is neither unset nor "dumb"."""
    capable = os.name == "nt" or os.environ.get("TERM", "") not in ("", "dumb", "unknown")
    return capable and stream.isatty()


def say(line: str) -> None:
    """Prints a line on stderr, above the live line that is there."""
    with _lock, suppress(OSError, ValueError):
        print(f"{_CLEAR}{line}" if _shown else line, file=sys.stderr, flush=True)


@contextmanager
def live_line() -> Iterator[None]:
    """Shows the elapsed seconds on stderr, if it is a terminal where nothing else is drawn."""
    if _shown or not is_live(sys.stderr):
        yield
        return
    line = LiveLine()
    _shown.append(line)
    try:
        with line:
            yield
    finally:
        _shown.remove(line)


class LiveLine:
    """A thread that draws the line; use it as a context manager."""

    def __init__(self) -> None:
        """Starts nothing yet."""
        self._begun_at = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> LiveLine:
        """Starts the thread."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the thread, and removes the line."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        drawn = False
        wait = DELAY
        while not self._over.wait(wait):
            wait = INTERVAL
            with suppress(OSError, ValueError):
                self._draw()
                drawn = True
        if drawn:
            with _lock, suppress(OSError, ValueError):
                _write(_CLEAR)

    def _draw(self) -> None:
        """Draws the line."""
        with _lock:
            _write(f"{_CLEAR}  {time.monotonic() - self._begun_at:.0f} s")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
