"""Pages of a report: titles, tables, blocks and notes at the width of a terminal, or as plain text."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Collection, Sequence

from baselines.terminal.folding import text_width
from baselines.terminal.streams import is_styled, output_width
from baselines.terminal.tables import Column, Table

BOLD, BEST, FAINT, PLAIN = "\033[1m", "\033[1;32m", "\033[2m", "\033[0m"
INDENT = "  "


class Page:
    """A report that grows from top to bottom.

    Args:
        width: number of columns of the terminal; None for lines of any length.
        wide: whether tables show all columns, whatever the width.
        styled: whether to emphasise titles and marked rows with escape sequences.
    """

    def __init__(self, width: int | None = None, *, wide: bool = False, styled: bool = False) -> None:
        """Begins an empty page."""
        self.width = width
        self.wide = wide
        self._styled = styled
        self._lines: list[str] = []
        self._left_out: dict[str, None] = {}

    @classmethod
    def for_stdout(cls, wide: bool = False) -> Page:
        """Returns a page as wide as the terminal; unstyled lines of any length where stdout is no terminal."""
        return cls(output_width(), wide=wide, styled=is_styled(sys.stdout))

    def title(self, text: str) -> None:
        """Adds a title, with an empty line before it."""
        if self._lines:
            self._lines.append("")
        self._lines += [self._style(line, BOLD) for line in self._wrap(text)]

    @property
    def _table_width(self) -> int | None:
        return None if self.wide else self.width

    def fits(self, table: Table) -> bool:
        """Returns whether a table needs to leave out no column."""
        return not table.left_out(self._table_width)

    def table(self, table: Table) -> None:
        """Adds a table below its title; the last line of the page names the columns that do not fit."""
        if table.title:
            self.title(table.title)
        self._left_out |= dict.fromkeys(table.left_out(self._table_width))
        lines = table.lines(self._table_width)
        self._lines += [self._style(line, BEST if marked else "") for line, marked in lines]

    def stack(self, table: Table) -> None:
        """Adds a table as several tables below each other, so that every column fits; each has the first column."""
        first, *rest = range(len(table.columns))
        while rest:
            count = next((n for n in range(len(rest), 1, -1) if self.fits(_part(table, first, rest[:n]))), 1)
            self.table(_part(table, first, rest[:count]))
            rest = rest[count:]

    def block(self, name: str, rows: Sequence[tuple[str, str]]) -> None:
        """Adds a name with aligned lines of labels and values below it."""
        self._lines += [self._style(line, BOLD) for line in self._wrap(name)]
        label_width = max((text_width(label) for label, _ in rows), default=0)
        for label, value in rows:
            head = INDENT + label + " " * (label_width - text_width(label)) + INDENT
            self._lines += self._wrap(value, head, " " * text_width(head))

    def note(self, text: str) -> None:
        """Adds a sentence, which wraps."""
        self._lines += self._wrap(text)

    def legend(self, text: str) -> None:
        """Adds a faint sentence that explains the marks, unless it is empty."""
        if not text:
            return
        self._lines += [self._style(line, FAINT) for line in self._wrap(text)]

    def line(self, text: str) -> None:
        """Adds a line that stays in one piece, such as a command to copy."""
        self._lines.append(text)

    def text(self) -> str:
        """Returns the page without a newline at its end; its last line names the columns that did not fit."""
        lines = list(self._lines)
        if self._left_out:
            hint = f"Left out at {self.width} columns: {', '.join(self._left_out)}; --wide shows them."
            lines += [self._style(line, FAINT) for line in self._wrap(hint)]
        return "\n".join(lines)

    def print(self) -> None:
        """Prints the page on stdout; a character that stdout cannot encode becomes a "?"."""
        encoding = sys.stdout.encoding or "utf-8"
        print(self.text().encode(encoding, "replace").decode(encoding), flush=True)

    def _wrap(self, text: str, first: str = "", later: str = "") -> list[str]:
        if self.width is None:
            return [first + text]
        return textwrap.wrap(
            text,
            max(self.width, 20),
            initial_indent=first,
            subsequent_indent=later,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [first.rstrip()]

    def _style(self, line: str, code: str) -> str:
        return f"{code}{line}{PLAIN}" if self._styled and code and line else line


def _part(table: Table, first: int, others: Sequence[int]) -> Table:
    """Returns a table of the first column, which is always shown, and some others."""
    chosen = (first, *others)
    columns = [table.columns[number] for number in chosen]
    return Table(table.title, columns, [[row[number] for number in chosen] for row in table.rows], table.marked)


def render(
    title: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    width: int | None = None,
    notes: Sequence[str] = (),
    marked: Collection[int] = (),
) -> str:
    """Returns a table with its notes as plain text.

    Args:
        title: text above the table.
        columns: its columns.
        rows: one cell for each column.
        width: maximum width in characters; None for all columns, unfolded.
        notes: sentences below the table.
        marked: indices of the rows with a ">" before them.
    """
    page = Page(width)
    page.table(Table(title, columns, rows, marked))
    for note in notes:
        page.note(note)
    return page.text()
