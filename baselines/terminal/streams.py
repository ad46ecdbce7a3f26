"""Streams of a command: their width, and the styles that they can show."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

from minesweeper_env.compilation.live_line import is_live


def stream_width(stream: TextIO) -> int:
    """Returns the number of columns of the terminal of a stream, or 80; the variable COLUMNS comes first."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    with suppress(OSError, ValueError):
        return os.get_terminal_size(stream.fileno()).columns or 80
    return 80


def output_width() -> int | None:
    """Returns the number of columns of the terminal on stdout; None where stdout is no terminal.

    The variable COLUMNS, where it is set, comes before both.
    """
    if os.environ.get("COLUMNS", "").isdecimal() or sys.stdout.isatty():
        return stream_width(sys.stdout)
    return None


def is_styled(stream: TextIO) -> bool:
    """Returns whether to emphasise text on a stream: it is a terminal that moves its cursor, and NO_COLOR is unset."""
    return is_live(stream) and not os.environ.get("NO_COLOR")
