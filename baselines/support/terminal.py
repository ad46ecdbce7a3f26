"""Terminals: their width, what they can draw, and the progress of games on them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TextIO


def output_width() -> int | None:
    """Returns the number of columns of the terminal on stdout; None where stdout is no terminal.

    The variable COLUMNS, where it is set, comes before both.
    """
    if os.environ.get("COLUMNS", "").isdecimal() or sys.stdout.isatty():
        return get_terminal_size().columns
    return None


def is_styled(stream: TextIO) -> bool:
    """Returns whether to emphasise text on a stream: it is a terminal that moves its cursor, and NO_COLOR is unset."""
    return is_live(stream) and not os.environ.get("NO_COLOR")


def is_live(stream: TextIO) -> bool:
    """Returns whether a stream is a terminal on which lines can be drawn again: TERM is neither unset nor "dumb"."""
    capable = os.name == "nt" or os.environ.get("TERM", "") not in ("", "dumb", "unknown")
    return capable and stream.isatty()


@contextmanager
def game_bar(verb: str, name: str, games: int) -> Generator[Callable[[int], object]]:
    """Shows the number of finished games: as a bar on a terminal, otherwise as one line on stderr at the beginning.

    Args:
        verb: the activity, such as "playing".
        name: its object, such as the name of a policy.
        games: number of games in all.

    Yields:
        A callback that takes the number of further finished games.
    """
    from tqdm import tqdm

    if not sys.stderr.isatty():
        print(f"{verb} {name}", file=sys.stderr, flush=True)
    with tqdm(total=games, desc=name, unit="game", disable=None, leave=False) as bar:
        yield bar.update
