"""Pages of a report: titles, tables, blocks and notes at the width of a terminal, or as plain text."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from baselines.terminal.streams import console_on, is_styled, output_width
from baselines.terminal.tables import Table

NO_LIMIT = 1_000_000
"""Width of lines of any length."""


class Page:
    """A report that grows from top to bottom; rich can draw it.

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
        self._parts: list[RenderableType] = []
        self._left_out: dict[str, None] = {}

    @classmethod
    def for_stdout(cls, wide: bool = False) -> Page:
        """Returns a page as wide as the terminal; unstyled lines of any length where stdout is no terminal."""
        return cls(output_width(), wide=wide, styled=is_styled(sys.stdout))

    def __rich__(self) -> Group:
        """Returns all parts; the last line names the columns that did not fit."""
        if not self._left_out:
            return Group(*self._parts)
        hint = f"Left out at {self.width} columns: {', '.join(self._left_out)}; --wide shows them."
        return Group(*self._parts, Text(hint, "dim"))

    def title(self, text: str) -> None:
        """Adds a title, with an empty line before it."""
        if self._parts:
            self.add("")
        self.note(text, "bold")

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
        self.add(table.draw(self._table_width))

    def stack(self, table: Table) -> None:
        """Adds a table as several tables below each other, so that every column fits; each has the first column."""
        first, *rest = range(len(table.columns))
        while rest:
            count = next((n for n in range(len(rest), 1, -1) if self.fits(table.part([first, *rest[:n]]))), 1)
            self.table(table.part([first, *rest[:count]]))
            rest = rest[count:]

    def block(self, name: str, rows: Sequence[tuple[str, str]]) -> None:
        """Adds a name with aligned lines of labels and values below it."""
        self.note(name, "bold")
        grid = Grid.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column()
        for row in rows:
            grid.add_row(*row)
        self.add(Padding.indent(grid, 2))

    def note(self, text: str, style: str = "") -> None:
        """Adds a sentence, which wraps."""
        self.add(Text(text, style))

    def legend(self, text: str) -> None:
        """Adds a faint sentence that explains the marks, unless it is empty."""
        if text:
            self.note(text, "dim")

    def line(self, text: str) -> None:
        """Adds a line that stays in one piece, such as a command to copy."""
        self.add(Text(text, no_wrap=True, overflow="ignore"))

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
