"""Streams of a command: their width, the styles that they can show, and rich's view of them."""

from __future__ import annotations

import os
import sys
from shutil import get_terminal_size
from typing import TYPE_CHECKING, TextIO

from minesweeper_env.notices import is_live

if TYPE_CHECKING:
    from rich.console import Console


def output_width() -> int | None:
    """Returns the number of columns of the terminal on stdout, or the variable COLUMNS; None where there is neither."""
    is_wanted = os.environ.get("COLUMNS", "").isdecimal() or sys.stdout.isatty()
    return get_terminal_size().columns if is_wanted else None


def is_styled(stream: TextIO) -> bool:
    """Returns whether to emphasise text on a stream: it is a terminal that moves its cursor, and NO_COLOR is unset."""
    return is_live(stream) and not os.environ.get("NO_COLOR")


def console_on(stream: TextIO, styled: bool, width: int | None = None) -> Console:
    """Returns rich's view of a stream, with or without styles; None is the width of the terminal."""
    from rich.console import Console

    return Console(
        file=stream,
        width=width,
        force_terminal=styled,
        force_jupyter=False,
        color_system="auto" if styled else None,
        markup=False,
        emoji=False,
        highlight=False,
    )
