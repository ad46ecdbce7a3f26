"""How the commands show themselves: as wide as the terminal on one, and in plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

FILE_WIDTH = 250
"""The most characters in a line of a table where stdout is a file; tables take no more than they need."""


def table_console() -> Console:
    """Returns what prints tables on stdout."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else FILE_WIDTH)


@contextmanager
def game_bar(verb: str, name: str, games: int) -> Generator[Callable[[int], object]]:
    """Shows how many games are done, as a bar on a terminal, and elsewhere as one line on stderr at the beginning.

    Args:
        verb: what is done, such as "playing".
        name: with what.
        games: their number.

    Yields:
        What is told of each few games that are finished.
    """
    from tqdm import tqdm

    if not sys.stderr.isatty():
        print(f"{verb} {name}", file=sys.stderr, flush=True)
    with tqdm(total=games, desc=name, unit="game", disable=None, leave=False) as bar:
        yield bar.update
