"""Reports on a terminal or in a pipe, laid out by rich: titles, tables that leave out columns, blocks and notes.

A number is never cut and never folded: where a table is too wide, columns are left out, the greatest
`Column.priority` first. Names and headings fold.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from textwrap import TextWrapper
from typing import Literal, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from baselines.support.processes import is_styled, output_width
from baselines.support.progress import console_on
from minesweeper_env.texts import html, printable

GAP = 2
"""Width between two columns."""

NAME_WIDTH, LEAST_NAME_WIDTH = 21, 12
"""Width to which longer names fold before columns are left out, and afterwards, if the rest is still too wide."""

NO_LIMIT = 1_000_000
"""Width of lines of any length."""


class _Folder(TextWrapper):
    """Breaks lines after the separators " :,/_", and after "." and "-" where no digit follows."""

    wordsep_re = re.compile(r"( +)|(?<=[:,/_])|(?<=[.-])(?!\d)")


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
        rows: one cell for each column.
        marked: indices of the rows to emphasise, such as the best one; a ">" stands before them.
        legend: explanation of its marks; "" for none.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    marked: Collection[int] = ()
    legend: str = ""

    def html(self) -> str:
        """Returns the table for a notebook."""
        table = self.filled()
        head = _html_row("th", [column.heading for column in table.columns])
        body = "".join(_html_row("td", row) for row in table.rows)
        return f"<table><caption>{html(self.title)}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"

    def part(self, numbers: Sequence[int]) -> Table:
        """Returns the table with some of its columns."""
        rows = [[row[number] for number in numbers] for row in self.rows]
        return replace(self, columns=[self.columns[number] for number in numbers], rows=rows)

    def filled(self) -> Table:
        """Returns the table without the columns whose cells are all empty."""
        return self.part([n for n in range(len(self.columns)) if not self.rows or any(row[n] for row in self.rows)])

    def fitted(self, width: int | None) -> Table:
        """Returns the table with the columns that fit into `width` characters; None for all that are filled."""
        table = self.filled()
        while width is not None and _total(table._widths(width)) > width:
            optional = [number for number, column in enumerate(table.columns) if column.priority]
            if not optional:
                break
            last = max(optional, key=lambda number: (table.columns[number].priority, number))
            table = table.part([number for number in range(len(table.columns)) if number != last])
        return table

    def draw(self, width: int | None = None) -> Grid:
        """Returns the columns that fit for rich, from their headings on, without the title."""
        table = self.fitted(width)
        widths = table._widths(width)
        if width is not None and _total(widths) > width:
            widths = table._widths(width, LEAST_NAME_WIDTH)
        headings, *rows = table._texts()
        drawn = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0), header_style="")
        # Without a width of its own, rich folds numbers where the terminal ends.
        drawn.width = _total(widths)
        for column, text, size in zip(table.columns, headings, widths, strict=True):
            drawn.add_column(_folded(text, size), justify=column.justify, width=size)
        for number, row in enumerate(rows):
            drawn.add_row(*map(_folded, row, widths), style="bold green" if number in self.marked else "")
        return drawn

    def _texts(self) -> list[list[str]]:
        """Returns the headings and the rows; the first column of a table with marked rows has a margin."""
        texts = [[printable(text) for text in row] for row in ([each.heading for each in self.columns], *self.rows)]
        for number, row in enumerate(texts if self.marked else [], -1):
            row[0] = f"{'>' if number in self.marked else ' '} {row[0]}"
        return texts

    def _widths(self, width: int | None, name_width: int = NAME_WIDTH) -> list[int]:
        """Returns the width of each column; headings and long names fold where the table is too wide."""
        headings, *rows = self._texts()
        cells = [max((cell_len(row[number]) for row in rows), default=0) for number in range(len(headings))]
        full = [max(size, cell_len(text)) for size, text in zip(cells, headings, strict=True)]
        if width is None or _total(full) <= width:
            return full
        widths = []
        for column, text, size in zip(self.columns, headings, cells, strict=True):
            word = max(map(len, re.findall(r"^ *[^ /]+/?|[^ /]+/?", text)), default=0)
            widths.append(max(word, min(size, name_width) if column.folds else size))
        for number, column in enumerate(self.columns):
            if column.folds:
                widths[number] += max(0, min(full[number] - widths[number], width - _total(widths)))
        return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _folded(text: str, width: int) -> Text:
    """Returns a text in lines of a width; further lines are indented as the first one."""
    margin = "  " if text.startswith(("> ", "  ")) else ""
    return Text(_Folder(max(width, 1), subsequent_indent=margin).fill(text) if cell_len(text) > width else text)


def _html_row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html(cell)}</{tag}>" for cell in cells) + "</tr>"


class Page:
    """A report that grows from top to bottom; rich can draw it.

    A `width` of None makes lines of any length. In a `wide` page, tables show all columns, whatever the width. A
    `styled` one emphasises titles and marked rows with escape sequences.
    """

    def __init__(self, width: int | None = None, *, wide: bool = False, styled: bool = False) -> None:
        """Begins an empty page."""
        self.width = width
        self._table_width = None if wide else width
        self._styled = styled
        self._parts: list[RenderableType] = []
        self._left_out: dict[str, None] = {}

    @classmethod
    def for_stdout(cls, wide: bool = False) -> Page:
        """Returns a page as wide as the terminal; unstyled lines of any length where stdout is no terminal."""
        return cls(output_width(), wide=wide, styled=is_styled(sys.stdout))

    def __rich__(self) -> Group:
        """Returns all parts; the last line names the columns that did not fit."""
        hint = f"Left out at {self.width} columns: {', '.join(self._left_out)}; --wide shows them."
        return Group(*self._parts, *([Text(printable(hint), "dim")] if self._left_out else []))

    def title(self, text: str) -> None:
        """Adds a title, with an empty line before it."""
        if self._parts:
            self.note("")
        self.note(text, "bold")

    def left_out(self, table: Table) -> list[str]:
        """Returns the headings of the columns of a table that do not fit."""
        shown = table.fitted(self._table_width).columns
        return [column.heading for column in table.filled().columns if column not in shown]

    def table(self, table: Table) -> None:
        """Adds a table below its title; the last line of the page names the columns that do not fit."""
        if table.title:
            self.title(table.title)
        self._left_out |= dict.fromkeys(self.left_out(table))
        self.add(table.draw(self._table_width))
        self.legend(table.legend)

    def stack(self, table: Table) -> None:
        """Adds a table as several tables below each other, so that every column fits; each has the first column."""
        rest = range(1, len(table.columns))
        while rest:
            counts = range(len(rest), 1, -1)
            count = next((count for count in counts if not self.left_out(table.part([0, *rest[:count]]))), 1)
            self.table(table.part([0, *rest[:count]]))
            rest = rest[count:]

    def block(self, name: str, rows: Sequence[tuple[str, str]]) -> None:
        """Adds a name with aligned lines of labels and values below it."""
        self.note(name, "bold")
        grid = Grid.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True)
        for row in rows:
            grid.add_row(*(Text(printable(text)) for text in row))
        self.add(Padding.indent(grid, 2))

    def note(self, text: str, style: str = "") -> None:
        """Adds a sentence, which wraps."""
        self.add(Text(printable(text), style))

    def legend(self, text: str) -> None:
        """Adds a faint sentence that explains the marks, unless it is empty."""
        if text:
            self.note(text, "dim")

    def line(self, text: str) -> None:
        """Adds a line that stays in one piece, such as a command to copy."""
        self.add(Text(printable(text), no_wrap=True, overflow="ignore"))

    def add(self, part: RenderableType) -> None:
        """Adds anything that rich draws."""
        self._parts.append(part)

    def text(self, encoding: str = "utf-8") -> str:
        """Returns the page without a newline at its end; what the encoding lacks becomes a "?"."""
        file = io.TextIOWrapper(io.BytesIO(), encoding, "replace", newline="\n")
        console = console_on(file, self._styled, NO_LIMIT if self.width is None else max(self.width, 20))
        console.print(self, crop=False)
        file.seek(0)
        return "\n".join(line.rstrip() for line in file.read().removesuffix("\n").split("\n"))

    def print(self) -> None:
        """Prints the page on stdout."""
        print(self.text(sys.stdout.encoding or "utf-8"), flush=True)
