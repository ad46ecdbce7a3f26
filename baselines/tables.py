"""Reports on a terminal or in a pipe, laid out by rich: titles, tables, blocks and notes.

A number is never cut and never folded: from a table that is too wide, columns are left out, the greatest
`Column.priority` first. Names and headings fold.
"""

import io
import re
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from textwrap import TextWrapper
from typing import Any, NamedTuple, Self

from baselines import checks, process, progress
from minesweeper_env.escape import html, printable

try:
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Group, RenderableType
    from rich.padding import Padding
    from rich.table import Table as Grid
    from rich.text import Text
except ModuleNotFoundError as error:
    raise checks.missing_extra("rich") from error

GAP = 2
"""Width between two columns."""

NAME_WIDTH, LEAST_NAME_WIDTH = 21, 12
"""Width to which names fold before any column is left out, and the least width if the rest is still too wide."""

NO_LIMIT = 1_000_000
"""The width that allows lines of any length."""

_BREAKS = re.compile(r"( +)|(?<=[:,/_])|(?<=[.-])(?!\d)")
"""Where a cell folds: after the separators " :,/_", and after "." and "-" where no digit follows."""

Row = dict[str, Any]
"""Values by name; see `baselines.evaluation.results.PolicyResult.row`, the result of a policy on a board."""

P_VALUE = "p"
"""The `Column.form` of p-values."""


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        heading: text above the column; it folds after spaces and slashes.
        name: key of the column's value in a row, or a function of the row that returns the value.
        form: format of a number or of the ends of an interval; "" for text, which is aligned left and may fold.
        priority: 0 for a column that is always shown; of the others the greatest is left out first.
        ends: key of the interval that stands in brackets after the value; "" for none.
        width: width in characters, once `Table.fitted` has set it.
    """

    heading: str
    name: str | Callable[[Row], Any] = ""
    form: str = ""
    priority: int = 0
    ends: str = ""
    width: int = 0

    def text(self, row: Row) -> str:
        """Returns the text of the column's cell in a row."""
        value = self.name(row) if callable(self.name) else row.get(self.name)
        return shown(value, self.form, row.get(self.ends))


def shown(value: Any, form: str = ".1%", ends: Sequence[float] | None = None) -> str:
    """Returns a value or an interval as the text of a cell, such as "58.0% (38.7% to 78.1%)"; "" for None."""
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return " to ".join(shown(end, form) for end in value)
    if form == P_VALUE:
        return "< 1e-99" if value < 1e-99 else f"{value:.2g}"
    text = format(value, form)
    return f"{text} ({shown(ends, form)})" if ends else text


@dataclass(frozen=True)
class Table:
    """A table of strings.

    Attributes:
        title: text above it; "" for none.
        columns: its columns. `fitted` drops a column whose cells are all empty.
        rows: for each row, one cell per column.
        marked: indices of the rows to emphasise, such as the best one; a ">" stands before them.
        legend: explanation below the table; "" for none.
        left_out: headings of the columns that `fitted` dropped because they did not fit.
        empty: headings of the columns that `fitted` dropped because they have no value.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    marked: Collection[int] = ()
    legend: str = ""
    left_out: Collection[str] = ()
    empty: Collection[str] = ()

    def html(self) -> str:
        """Returns the table as HTML, for a notebook."""
        table = self.fitted()
        head = _html_row("th", [column.heading for column in table.columns])
        body = "".join(_html_row("td", row) for row in table.rows)
        return f"<table><caption>{html(self.title)}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"

    def fitted(self, width: int = NO_LIMIT) -> Self:
        """Returns the table with the non-empty columns that fit into `width` characters, and with their widths."""
        nonempty = [n for n in range(len(self.columns)) if not self.rows or any(row[n] for row in self.rows)]
        sizes, left_out = {number: self._least_and_full_width(number) for number in nonempty}, []
        priorities = {number: self.columns[number].priority for number in nonempty}
        # Sizes include the gap after each column; no gap is needed after the last one.
        while sum(least for least, _ in sizes.values()) > width + GAP and any(priorities.values()):
            dropped = max(priorities, key=lambda number: (priorities[number], number))
            left_out.append(dropped)
            del sizes[dropped], priorities[dropped]
        widths = {number: full for number, (_, full) in sizes.items()}
        if sum(widths.values()) > width + GAP:
            # Start from the least widths, and give the spare characters to text columns, from left to right.
            widths = {number: least for number, (least, _) in sizes.items()}
            for number, (least, full) in sizes.items():
                if not self.columns[number].form:
                    spare = width + GAP - sum(widths.values())
                    widths[number] = max(min(least, LEAST_NAME_WIDTH + GAP), min(full, least + spare))
        columns = [self.columns[number]._replace(width=size - GAP) for number, size in widths.items()]
        headings = [self.columns[number].heading for number in sorted(left_out)]
        rows = [[row[number] for number in widths] for row in self.rows]
        empty = [column.heading for number, column in enumerate(self.columns) if number not in nonempty]
        return replace(self, columns=columns, rows=rows, left_out=headings, empty=empty)

    def _least_and_full_width(self, number: int) -> tuple[int, int]:
        """Returns (least, full), a column's widths plus `GAP`: with its heading and long names folded, and unfolded."""
        column, margin = self.columns[number], 2 if self.marked and number == 0 else 0
        heading = printable(column.heading)
        longest_cell = margin + max((cell_len(printable(row[number])) for row in self.rows), default=0)
        longest_word = margin + max(map(cell_len, re.findall("[^ /]+/?", heading)), default=0)
        least = max(longest_word, longest_cell if column.form else min(longest_cell, NAME_WIDTH))
        return least + GAP, max(longest_cell, margin + cell_len(heading)) + GAP

    def draw(self) -> Grid:
        """Returns a fitted table as a table of rich, without title and legend."""
        grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0), header_style="")
        # Without a width of its own, rich folds numbers where the terminal ends.
        grid.width = sum(column.width + GAP for column in self.columns) - GAP
        for number, column in enumerate(self.columns):
            heading = _folded(column.heading, column.width, "  " if self.marked and number == 0 else "")
            grid.add_column(heading, justify="right" if column.form else "left", width=column.width)
        for number, (name, *others) in enumerate(self.rows):
            is_marked = number in self.marked
            mark = "> " if is_marked else "  " if self.marked else ""
            cells = [_folded(text, column.width) for text, column in zip(others, self.columns[1:], strict=True)]
            grid.add_row(_folded(name, self.columns[0].width, mark), *cells, style="bold green" if is_marked else "")
        return grid


def _folded(text: str, width: int, mark: str = "") -> Text:
    """Returns a mark and a text, folded to `width` characters; further lines are indented by the mark's width."""
    text = printable(text)
    wrapper = TextWrapper(max(width, 1), initial_indent=mark, subsequent_indent=" " * len(mark))
    wrapper.wordsep_re = _BREAKS
    return Text(wrapper.fill(text) if cell_len(mark + text) > width else mark + text)


def _html_row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html(cell)}</{tag}>" for cell in cells) + "</tr>"


class Page:
    """A report that grows from top to bottom; rich can draw it.

    `width` is in characters; None allows lines of any length. In a `wide` page, tables show all columns, whatever the
    width. A `styled` page emphasises titles and marked rows with escape sequences.
    """

    def __init__(self, width: int | None = None, *, wide: bool = False, styled: bool = False) -> None:
        self.width = width
        self.parts: list[RenderableType] = []
        self._table_width = NO_LIMIT if wide or width is None else width
        self._styled, self._wide = styled, wide
        self._left_out, self._empty = dict[str, None](), dict[str, None]()

    @classmethod
    def for_stdout(cls, wide: bool = False) -> Self:
        """Returns a page as wide as the terminal; without a terminal, an unstyled page with lines of any length."""
        return cls(process.output_width(), wide=wide, styled=process.is_styled(sys.stdout))

    def __rich__(self) -> Group:
        return Group(*self.parts)

    def title(self, text: str) -> None:
        """Adds a title, with an empty line before it."""
        if self.parts:
            self.note("")
        self.note(text, "bold")

    def table(self, table: Table) -> None:
        """Adds a table below its title. The end of the page names the columns that did not fit.

        The end of a wide page also names the columns without a value.
        """
        fitted = table.fitted(self._table_width)
        self._left_out |= dict.fromkeys(fitted.left_out)
        self._empty |= dict.fromkeys(fitted.empty if self._wide else ())
        if table.title:
            self.title(table.title)
        self.parts.append(fitted.draw())
        if table.legend:
            self.note(table.legend, "dim")

    def block(self, name: str, rows: Sequence[tuple[str, str]]) -> None:
        """Adds a name, and below it aligned lines, one for each (label, value) of `rows`."""
        self.note(name, "bold")
        grid = Grid.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True)
        for row in rows:
            grid.add_row(*(Text(printable(text)) for text in row))
        self.parts.append(Padding.indent(grid, 2))

    def note(self, text: str, style: str = "") -> None:
        """Adds a text that wraps at the width of the page."""
        self.parts.append(Text(printable(text), style))

    def line(self, text: str) -> None:
        """Adds a line that never wraps, such as a command to copy."""
        self.parts.append(Text(printable(text), no_wrap=True, overflow="ignore"))

    def text(self, encoding: str = "utf-8") -> str:
        """Returns the page without a final newline; characters that the encoding lacks become "?"."""
        if self._left_out:
            self.note(f"Left out at {self.width} columns: {', '.join(self._left_out)}; --wide shows them.", "dim")
            self._left_out.clear()
        if self._empty:
            self.note(f"Columns without a value: {', '.join(self._empty)}.", "dim")
            self._empty.clear()
        file = io.TextIOWrapper(io.BytesIO(), encoding, "replace", newline="\n")
        console = progress.console_on(file, self._styled, NO_LIMIT if self.width is None else max(self.width, 20))
        console.print(self, crop=False)
        file.seek(0)
        return "\n".join(line.rstrip() for line in file.read().removesuffix("\n").split("\n"))

    def print(self) -> None:
        """Prints the page on stdout."""
        print(self.text(sys.stdout.encoding or "utf-8"), flush=True)
