"""Lines at the bottom of a terminal that are drawn again and again, below whatever else is printed."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TextIO

from baselines.terminal.streams import stream_width

INTERVAL = 0.5
"""Seconds between two drawings."""

CLEAR_BELOW = "\033[J"


def _most_lines(stream: TextIO) -> int:
    """Returns the number of lines that stay on the screen: the cursor cannot move up to one that has left it."""
    with suppress(OSError, ValueError):
        return max(os.get_terminal_size(stream.fileno()).lines - 1, 1)
    return 23


class LiveArea:
    """Lines that a thread draws on stderr; use it as a context manager.

    While it is open, what others print on stdout and stderr appears above the lines.

    Args:
        draw: returns the lines that fit into a number of columns; the thread calls it.
        leave: whether the last state stays on the screen.
    """

    def __init__(self, draw: Callable[[int], Sequence[str]], leave: bool = False) -> None:
        """Draws nothing yet."""
        self._draw = draw
        self._leave = leave
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._height = 0
        self._is_inside_line = False
        self._process = os.getpid()

    def __enter__(self) -> LiveArea:
        """Draws the lines, and starts the thread."""
        self._stream, self._stdout = sys.stderr, sys.stdout
        sys.stderr = _Above(self, self._stream, False)
        if self._stdout.isatty():
            sys.stdout = _Above(self, self._stdout, True)
        self.refresh()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the thread, draws the last state or removes the lines, and restores the streams."""
        self._over.set()
        self._thread.join()
        with self._lock, suppress(OSError, ValueError):
            if self._is_inside_line:
                self.print_above(self._stream, "\n")
            if self._leave:
                self.refresh()
            else:
                self._write(self._erasure())
        sys.stderr, sys.stdout = self._stream, self._stdout

    def refresh(self) -> None:
        """Draws the lines again, unless somebody has begun a line and not ended it."""
        width, most = stream_width(self._stream), _most_lines(self._stream)
        with self._lock, suppress(OSError, ValueError):
            if self._is_inside_line:
                return
            lines = [line[: width - 1] for line in self._draw(width - 1)][:most]
            erasure, self._height = self._erasure(), len(lines)
            self._write(erasure + "".join(f"{line}\n" for line in lines))

    def print_above(self, stream: TextIO, text: str) -> None:
        """Writes a text on a stream; the lines come back below it once its last line is complete."""
        if os.getpid() != self._process:
            # A forked process inherits the lock, maybe taken, but not the thread that would release it.
            stream.write(text)
            return
        with self._lock:
            self._write(self._erasure())
            self._height = 0
            stream.write(text)
            stream.flush()
            self._is_inside_line = not text.endswith("\n")
            self.refresh()

    def _run(self) -> None:
        while not self._over.wait(INTERVAL):
            self.refresh()

    def _erasure(self) -> str:
        """Returns what moves the cursor to the first line, and clears from there."""
        return f"\033[{self._height}A\r{CLEAR_BELOW}" if self._height else ""

    def _write(self, text: str) -> None:
        if text:
            self._stream.write(text)
            self._stream.flush()


class _Above:
    """A stream whose text appears above a live area; it passes everything but `write` on to the stream."""

    def __init__(self, area: LiveArea, stream: TextIO, is_terminal: bool) -> None:
        self._area = area
        self._stream = stream
        self._is_terminal = is_terminal

    def write(self, text: str) -> int:
        """Writes a text above the area."""
        if text:
            self._area.print_above(self._stream, text)
        return len(text)

    def isatty(self) -> bool:
        """Returns False for stderr, so that nothing else draws bars there."""
        return self._is_terminal

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
