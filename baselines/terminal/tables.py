"""Tables of text at any width: the choice of their columns, and their layout.

A cell with numbers is never cut and never folded: where a table is too wide, it leaves columns out, the greatest
`Column.priority` first. Names fold into several lines, and so do headings.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal, NamedTuple

from baselines.terminal.folding import fold, longest_number, longest_piece, text_width

GAP = "  "
MARGIN = {True: "> ", False: "  "}
"""The text before a row, by whether the row is marked."""

NAME_WIDTH = 21
"""Width that a column of names gets before other columns are left out; a longer name folds."""

LEAST_NAME_WIDTH = 12

Line = tuple[str, bool]
"""A line of a table, and whether it is emphasised."""


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

    def lines(self, width: int | None = None) -> list[Line]:
        """Returns the lines from the headings on, without the title; None for `width` shows everything."""
        chosen = self._chosen(width)
        return _Layout(self, chosen, self._widths(chosen, width)).lines()

    def left_out(self, width: int | None) -> list[str]:
        """Returns the headings of the columns that do not fit into `width` columns of text."""
        chosen = self._chosen(width)
        return [self.columns[number].heading for number in self._filled() if number not in chosen]

    def _filled(self) -> list[int]:
        numbers = range(len(self.columns))
        return [number for number in numbers if not self.rows or any(row[number] for row in self.rows)]

    def _chosen(self, width: int | None) -> list[int]:
        """Returns the indices of the columns to show, in their order."""
        chosen = self._filled()
        while width is not None and self._least_width(chosen) > width:
            optional = [number for number in chosen if self.columns[number].priority]
            if not optional:
                break
            chosen.remove(max(optional, key=lambda number: (self.columns[number].priority, number)))
        return chosen

    def _least_width(self, chosen: Sequence[int]) -> int:
        return self._overhead(chosen) + sum(min(self._cells_width(n), self._fair_width(n)) for n in chosen)

    def _overhead(self, chosen: Sequence[int]) -> int:
        """Returns the width of the margin and the gaps."""
        return (len(MARGIN[True]) if self.marked else 0) + len(GAP) * (len(chosen) - 1)

    def _cells_width(self, number: int) -> int:
        """Returns the width of a column with unfolded cells and a folded heading."""
        heading = longest_piece(self.columns[number].heading)
        return max([heading, *(text_width(row[number]) for row in self.rows)])

    def _fair_width(self, number: int) -> int:
        """Returns the width of a column that folds before other columns are left out."""
        return max(NAME_WIDTH, self._folded_width(number)) if self.columns[number].folds else self._cells_width(number)

    def _folded_width(self, number: int) -> int:
        heading = longest_piece(self.columns[number].heading)
        return max([LEAST_NAME_WIDTH, heading, *(longest_number(row[number]) for row in self.rows)])

    def _widths(self, chosen: Sequence[int], width: int | None) -> list[int]:
        """Returns the width of each chosen column: names get the room that is left first, then headings."""
        full = [max(self._cells_width(n), text_width(self.columns[n].heading)) for n in chosen]
        if width is None:
            return full
        widths = [min(self._cells_width(n), self._fair_width(n)) for n in chosen]
        room = width - self._overhead(chosen) - sum(widths)
        for at in sorted(range(len(chosen)), key=lambda at: not self.columns[chosen[at]].folds):
            folds = self.columns[chosen[at]].folds
            more = full[at] - widths[at]
            if room < 0:
                more = max(room, min(0, self._folded_width(chosen[at]) - widths[at])) if folds else 0
            elif more > room:
                # A heading that stays folded gains nothing from a wider column.
                more = room if folds else 0
            widths[at] += more
            room -= more
        return widths


@dataclass(frozen=True)
class _Layout:
    """A table with the indices and the widths of the columns that it shows."""

    table: Table
    chosen: Sequence[int]
    widths: Sequence[int]

    def lines(self) -> list[Line]:
        headings = [fold(self._column(at).heading, width) for at, width in enumerate(self.widths)]
        most = max(map(len, headings), default=0)
        lowered = [[""] * (most - len(lines)) + lines for lines in headings]
        rule = GAP.join("-" * width for width in self.widths)
        lines = [(line, False) for line in self._place(lowered, False)]
        lines.append((self._margin(False) + rule, False))
        for number, row in enumerate(self.table.rows):
            marked = number in self.table.marked
            lines += [(line, marked) for line in self._place(self._cells(row), marked)]
        return lines

    def _column(self, at: int) -> Column:
        return self.table.columns[self.chosen[at]]

    def _cells(self, row: Sequence[str]) -> list[list[str]]:
        return [
            fold(row[number], width) if self.table.columns[number].folds else [row[number]]
            for number, width in zip(self.chosen, self.widths, strict=True)
        ]

    def _margin(self, marked: bool) -> str:
        return MARGIN[marked] if self.table.marked else ""

    def _place(self, cells: Sequence[Sequence[str]], marked: bool) -> list[str]:
        """Returns the lines of cells that stand side by side."""
        lines = []
        for number, texts in enumerate(zip_longest(*cells, fillvalue="")):
            placed = GAP.join(self._justify(at, text) for at, text in enumerate(texts))
            lines.append((self._margin(marked and number == 0) + placed).rstrip())
        return lines

    def _justify(self, at: int, text: str) -> str:
        padding = " " * (self.widths[at] - text_width(text))
        return text + padding if self._column(at).justify == "left" else padding + text


def marked_numbers(texts: Sequence[str], marks: Sequence[bool], mark: str = "*") -> list[str]:
    """Returns right-justified cells with a mark after some; the digits of the others stay in their column."""
    if not any(marks):
        return list(texts)
    return [
        f"{text} {mark if marked else ' ' * len(mark)}" if text else ""
        for text, marked in zip(texts, marks, strict=True)
    ]
