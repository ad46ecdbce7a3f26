"""Tables of text at any width: the choice of their columns, which rich then lays out.

A cell with numbers is never cut and never folded: where a table is too wide, it leaves columns out, the greatest
`Column.priority` first. Names fold into several lines, and so do headings.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table as RichTable
from rich.text import Text

from baselines.terminal.folding import Name, longest_part

GAP = 2
"""Width between two columns."""

MARGIN = {True: "> ", False: "  "}
"""The text before a row, by whether the row is marked."""

NAME_WIDTH = 21
"""Width that a column of names gets before other columns are left out; a longer name folds."""

LEAST_NAME_WIDTH = 12
"""Width below which the table becomes wider than the terminal."""


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        heading: text above the column; it folds after spaces and slashes.
        justify: "right" for numbers, "left" for texts.
        priority: 0 for a column that is always shown; of the others the greatest is left out first.
        folds: whether the cells are names or sentences, which may fold.
    """

    heading: str
    justify: Literal["left", "right"] = "right"
    priority: int = 0
    folds: bool = False


@dataclass(frozen=True)
class Table:
    """A table of strings.

    Attributes:
        title: text above it; "" for none.
        columns: its columns. A column whose cells are all empty is not shown.
        rows: one cell for each column; a number may carry a mark, as `marked_numbers` makes.
        marked: indices of the rows to emphasise, such as the best one; a ">" stands before them.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    marked: Collection[int] = field(default_factory=tuple)

    def part(self, numbers: Sequence[int]) -> Table:
        """Returns the table with some of its columns."""
        rows = [[row[number] for number in numbers] for row in self.rows]
        return replace(self, columns=[self.columns[number] for number in numbers], rows=rows)

    def left_out(self, width: int | None) -> list[str]:
        """Returns the headings of the columns that do not fit into `width` columns of text."""
        chosen = self._chosen(width)
        return [self.columns[number].heading for number in self._filled() if number not in chosen]

    def draw(self, width: int | None = None) -> RichTable:
        """Returns the table from its headings on, without the title; None for `width` shows every column."""
        return self.part(self._chosen(width))._draw(width)

    def _filled(self) -> list[int]:
        numbers = range(len(self.columns))
        return [number for number in numbers if not self.rows or any(row[number] for row in self.rows)]

    def _chosen(self, width: int | None) -> list[int]:
        """Returns the indices of the columns to show, in their order."""
        chosen = self._filled()
        while width is not None and self.part(chosen)._total(NAME_WIDTH) > width:
            optional = [number for number in chosen if self.columns[number].priority]
            if not optional:
                break
            chosen.remove(max(optional, key=lambda number: (self.columns[number].priority, number)))
        return chosen

    def _draw(self, width: int | None) -> RichTable:
        """Returns the table with all of its columns; headings and names fold where it is too wide."""
        full, least = self._total(), self._total(LEAST_NAME_WIDTH)
        names = NAME_WIDTH if width is not None and width < full else None
        drawn = RichTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0), header_style="")
        # Without a width of its own, rich fits the names into the terminal.
        drawn.width = full if names is None else least if width is not None and width < least else None
        for number, column in enumerate(self.columns):
            heading = Name(column.heading, self._margin(number, False), column.justify, "bottom")
            drawn.add_column(heading, width=None if column.folds else self._width(number, names))
        for at, row in enumerate(self.rows):
            marked = at in self.marked
            cells = [self._cell(number, text, marked, names) for number, text in enumerate(row)]
            drawn.add_row(*cells, style="bold green" if marked else "")
        return drawn

    def _cell(self, number: int, text: str, marked: bool, names: int | None) -> Name | Text:
        margin, column = self._margin(number, marked), self.columns[number]
        if column.folds:
            return Name(text, margin)
        padding = " " * (self._width(number, names) - cell_len(margin + text))
        return Text(margin + (text if column.justify == "left" else padding + text), no_wrap=True)

    def _margin(self, number: int, marked: bool) -> str:
        """Returns the text before a cell, which the first column of a table with marked rows has."""
        return MARGIN[marked] if self.marked and not number else ""

    def _total(self, names: int | None = None) -> int:
        widths = [self._width(number, names) for number in range(len(self.columns))]
        return sum(widths) + GAP * (len(widths) - 1)

    def _width(self, number: int, names: int | None) -> int:
        """Returns the width of a column; None for `names` folds neither its names nor its heading."""
        column, cells = self.columns[number], [row[number] for row in self.rows]
        heading = cell_len(column.heading) if names is None else longest_part(column.heading)
        width = max(map(cell_len, cells), default=0)
        if names is not None and column.folds:
            width = min(width, max([names, *map(longest_part, cells)]))
        return len(self._margin(number, False)) + max(width, heading)


def marked_numbers(texts: Sequence[str], marks: Sequence[bool], mark: str = "*") -> list[str]:
    """Returns right-justified cells with a mark after some; the digits of the others stay in their column."""
    room = " " * (len(mark) + 1) if any(marks) else ""
    return [text and text + (f" {mark}" if marked else room) for text, marked in zip(texts, marks, strict=True)]
