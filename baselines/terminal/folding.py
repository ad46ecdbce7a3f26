"""Names that fold after their separators, and keep each number on one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import TextWrapper
from typing import Literal

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.text import Text


class _Folder(TextWrapper):
    """Breaks lines after the separators " :,/_", and after "." and "-" where no digit follows."""

    wordsep_re = re.compile(r"( +)|(?<=[:,/_])|(?<=[.-])(?!\d)")


def fold(text: str, width: int) -> list[str]:
    """Returns the lines of a name; a line is wider than `width` only where a part has no separator."""
    return _Folder(width, break_long_words=False).wrap(text) or [""]


def longest_part(text: str) -> int:
    """Returns the width of the longest part of a text between two separators."""
    return max(map(cell_len, fold(text, 1)))


@dataclass(frozen=True)
class Name:
    """A text that rich folds by `fold`.

    Attributes:
        text: the name, or the heading of a column.
        margin: text before the first line; the others are indented by its width.
        justify: side at which its lines are flush.
        vertical: place in a row of a table.
    """

    text: str
    margin: str = ""
    justify: Literal["left", "right"] = "left"
    vertical: Literal["top", "bottom"] = "top"

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Yields the lines; rich breaks a line that is still too long."""
        margin = self.margin
        for line in fold(self.text, max(options.max_width - len(margin), 1)):
            yield Text(margin + line, justify=self.justify, overflow="fold")
            margin = " " * len(margin)

    def __rich_measure__(self, _console: Console, _options: ConsoleOptions) -> Measurement:
        """Returns the widths of a folded and of a single line."""
        return Measurement(longest_part(self.text), len(self.margin) + cell_len(self.text))
