"""Drawing of a board: what its picture shows, its icons, and its lines of characters for each size of the cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray
from rich.segment import Segment
from rich.style import Style

from minesweeper_env.codes import Codes
from minesweeper_env.rendering import LEVEL_MINE, LEVEL_SAFE, LEVEL_UNKNOWN, levels_of, with_mines_flagged
from minesweeper_play.coach.board_text import NERD, PLAIN, Glyphs
from minesweeper_play.game.advice import Mark
from minesweeper_play.game.moves import Cell
from minesweeper_play.game.session import Session
from minesweeper_play.terminal.palette import Palette, style_of
from minesweeper_play.terminal.player import Player

RiskStyle = Literal["off", "numbers", "shades"]
"""The ways to show risks: not at all, in per cent on a tint, or as a tint alone."""


def next_style(style: RiskStyle) -> RiskStyle:
    """Returns the way that comes after another."""
    styles = get_args(RiskStyle)
    return cast(RiskStyle, styles[(styles.index(style) + 1) % len(styles)])


@dataclass(frozen=True)
class Picture:
    """A board as it is drawn.

    Attributes:
        codes: int8 (rows, cols), the visible codes, and their meaning.
        wrong: bool (rows, cols), flags on cells without a mine; None while the game goes on.
        fatal: the cell whose mine ended the game.
        levels: int64 (rows, cols), risks by `minesweeper_env.rendering.levels_of`; None shows no risks.
        numbers: whether risks are written in per cent.
        marks: the cells that a hint names.
        cursor: the cell of the cursor; None hides it.
    """

    codes: NDArray[np.int8]
    meaning: Codes = field(default_factory=lambda: Codes.of_radius(1))
    wrong: NDArray[np.bool_] | None = None
    fatal: Cell | None = None
    levels: NDArray[np.int64] | None = None
    numbers: bool = True
    marks: Mapping[Cell, Mark] = field(default_factory=dict)
    cursor: Cell | None = None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.codes.shape[0])

    @property
    def cols(self) -> int:
        """The number of columns."""
        return int(self.codes.shape[1])


def picture_of(
    game: Session | Player,
    risks: NDArray[np.float64] | None = None,
    numbers: bool = True,
    marks: Mapping[Cell, Mark] | None = None,
) -> Picture:
    """Returns the picture of a game: a won one has flags on all mines, a lost one shows what was wrong.

    Its arguments are those of `Picture`, with `risks` as float64 (rows, cols) from 0 to 1 or NaN.
    """
    codes, meaning, levels = game.board, game.config.codes, None
    wrong = (codes == meaning.flagged) & ~game.placed_mines if game.is_over else None
    if game.status == "won":
        codes = with_mines_flagged(codes, meaning, game.placed_mines)
    if risks is not None and not game.is_over:
        levels = levels_of(np.where(codes > meaning.max_count, risks, np.nan))
    return Picture(codes, meaning, wrong, game.exploded, levels, numbers, marks or {})


ICONS: dict[str, Glyphs] = {name: each._replace(wrong="\u2717") for name, each in (("plain", PLAIN), ("nerd", NERD))}
"""The sets of icons by name; "nerd" needs a font of https://www.nerdfonts.com."""


LABEL_STEP = 5
"""Distance of column numbers on boards where they do not fit above every column."""


class CellSize(NamedTuple):
    """Characters and lines of a cell."""

    width: int
    height: int


CELL_SIZES: tuple[CellSize, ...] = (CellSize(2, 1), CellSize(3, 1), CellSize(5, 3))
"""The sizes of cells, from small to large."""


@dataclass(frozen=True)
class Pencil:
    """Draws the lines of pictures with cells of one size and one set of colours."""

    palette: Palette
    icons: Glyphs
    size: CellSize = CELL_SIZES[0]

    def margin(self, picture: Picture) -> int:
        """Returns the width of the row numbers with the blank after them."""
        return len(str(picture.rows)) + 1

    def extent(self, picture: Picture) -> tuple[int, int]:
        """Returns the columns and lines of the whole board, with row and column numbers."""
        return self.margin(picture) + picture.cols * self.size.width, 1 + picture.rows * self.size.height

    def row(self, picture: Picture, line: int, first: int, last: int) -> list[Segment]:
        """Returns the cells first..last-1 of a line of the board, counted without the column numbers."""
        row, inner = divmod(line, self.size.height)
        looks = (self._look(picture, row, col) for col in range(first, last))
        is_middle = inner == self.size.height // 2
        cells = (Segment(self._placed(text if is_middle else ""), style) for text, style in looks)
        return list(Segment.simplify(cells))

    def row_label(self, picture: Picture, line: int) -> Segment:
        """Returns the row number at the left of a line, with the blank after it."""
        row, inner = divmod(line, self.size.height)
        text = str(row + 1) if inner == self.size.height // 2 and row < picture.rows else ""
        width = self.margin(picture)
        return Segment(
            f"{text:>{width - 1}} ", self._label_style(picture.cursor is not None and picture.cursor[0] == row)
        )

    def column_labels(self, picture: Picture, first: int, last: int) -> list[Segment]:
        """Returns the column numbers above the cells first..last-1."""
        width = self.size.width
        plain, strong = self._label_style(False), self._label_style(True)
        every = len(str(picture.cols)) < width
        characters = [(" ", plain)] * ((last - first) * width)
        here = picture.cursor[1] + 1 if picture.cursor is not None else 0
        shown = (number for number in range(first + 1, last + 1) if every or number == 1 or number % LABEL_STEP == 0)
        numbers = [number for number in shown if every or abs(number - here) != 1]
        # The number of the cursor comes last, and covers what stands next to it.
        for number in (each for each in [*numbers, here] if first < each <= last):
            placed = self._placed(str(number))
            begin = max(0, (number - first) * width - len(placed))
            for place, character in enumerate(placed, begin):
                if character != " ":
                    characters[place] = (character, strong if number == here else plain)
        return list(Segment.simplify(Segment(*each) for each in characters))

    def _label_style(self, strong: bool) -> Style:
        return style_of(self.palette.label_strong if strong else self.palette.label, self.palette.screen, strong)

    def _placed(self, text: str) -> str:
        return text.rjust(2) if self.size.width == 2 else text.center(self.size.width)

    def _look(self, picture: Picture, row: int, col: int) -> tuple[str, Style]:
        """Returns the text and the style of a cell: its own, under risks, under a hint, under the cursor."""
        code, shade = int(picture.codes[row, col]), (row + col) % 2
        text, ink, face = self._own_look(picture, row, col, code, shade)
        palette = self.palette
        mark = picture.marks.get((row, col))
        if mark is not None:
            is_choice = mark == "choice"
            face = palette.cursor if is_choice else getattr(palette, f"hint_{mark}")
            ink = palette.cursor_ink if is_choice else palette.hint_ink
        if (row, col) == picture.cursor != picture.fatal:
            ink, face = palette.cursor_ink, palette.cursor
        return text, style_of(ink, face, code <= picture.meaning.max_count or mark is not None)

    def _own_look(self, picture: Picture, row: int, col: int, code: int, shade: int) -> tuple[str, str, str]:
        palette, meaning = self.palette, picture.meaning
        if code <= meaning.max_count:
            face = palette.open[shade]
            return (str(code), palette.count(code), face) if code else (self.icons.blank, palette.blank, face)
        if code == meaning.mine:
            fatal = (row, col) == picture.fatal
            ink, face = (palette.fatal_ink, palette.fatal) if fatal else (palette.mine, palette.open[shade])
            return self.icons.mine, ink, face
        return self._covered_look(picture, row, col, code, shade)

    def _covered_look(self, picture: Picture, row: int, col: int, code: int, shade: int) -> tuple[str, str, str]:
        palette, icons, meaning = self.palette, self.icons, picture.meaning
        if picture.wrong is not None and picture.wrong[row, col]:
            return icons.wrong, palette.wrong, palette.covered[shade]
        face = palette.covered[shade]
        marked = {meaning.flagged: (icons.flag, palette.flag), meaning.question: (icons.question, palette.question)}
        text, ink = marked.get(code, (icons.hidden, palette.covered_ink))
        level = LEVEL_UNKNOWN if picture.levels is None else int(picture.levels[row, col])
        if level == LEVEL_UNKNOWN:
            return text, ink, face
        sure = level in (LEVEL_SAFE, LEVEL_MINE)
        ink = palette.sure_ink if sure else palette.risk_ink
        if code == meaning.hidden:
            text = self._risk_text(level) if picture.numbers else " "
        return text, ink, palette.risk(level, shade)

    def _risk_text(self, level: int) -> str:
        narrow = self.size.width == 2
        special = {LEVEL_SAFE: "0", 1: "<1", 101: "99" if narrow else ">99", LEVEL_MINE: self.icons.mine}
        return special.get(level, str(level - 1))


def largest_size(columns: int, lines: int, rows: int, cols: int, widest_text: int = 2) -> CellSize:
    """Returns the largest size of cells with which a board of rows x cols fits into columns x lines of the screen.

    It is the smallest one with room for the widest text of a cell where none fits.
    """
    width, height = columns - len(str(rows)) - 1, lines - 1
    wide = [size for size in CELL_SIZES if size.width >= widest_text]
    fitting = [size for size in wide if cols * size.width <= width and rows * size.height <= height]
    return (fitting or wide[:1])[-1]
