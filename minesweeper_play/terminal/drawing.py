"""Drawing of a board: its colours and characters, what its picture shows, and its lines for each size of the cells.

The colours for players who confuse red and green follow Okabe and Ito (2008), "Color Universal Design".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import SimpleNamespace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.segment import Segment
from rich.style import Style
from textual.color import BLACK, Color, Gradient

from minesweeper_env.codes import FLAGGED, HIDDEN, MINE, QUESTION
from minesweeper_env.rendering import LEVEL_MINE, LEVEL_SAFE, LEVEL_UNKNOWN, levels_of, with_mines_flagged
from minesweeper_play.coach.board_text import PLAIN
from minesweeper_play.game.advice import Mark
from minesweeper_play.game.moves import Cell
from minesweeper_play.game.session import Session
from minesweeper_play.game.watched_policy import WatchedPolicy


class Palette(SimpleNamespace):
    """Colours as "#rrggbb", by the names in `_COLOURS`; two shades of one colour stand in turn, as on a chessboard."""

    def risk(self, level: int, shade: int) -> str:
        """Returns the tint of a risk, as in `minesweeper_env.rendering.LEVEL_SAFE`, in shade 0 or 1."""
        if level in (LEVEL_SAFE, LEVEL_MINE):
            tint = Color.parse(self.sure_safe if level == LEVEL_SAFE else self.sure_mine)
        else:
            tint = _gradient(self.stops).get_color((level - 1) / 100)
        return (tint.blend(BLACK, 0.12) if shade else tint).hex


Colour = str | tuple[str, ...]

_COLOURS: dict[str, tuple[Colour, ...]] = {
    # Behind the board; row and column numbers, and those of the cursor.
    "screen": ("#14161b", "#f4f5f7"),
    "label": ("#7c8596", "#5f6673"),
    "label_strong": ("#ffffff", "#000000"),
    # A covered cell and its character; an open one, and its character where no mine is around.
    "covered": (("#4b5468", "#434b5e"), ("#b7c1d1", "#aab5c7")),
    "covered_ink": ("#69738a", "#8e99ad"),
    "open": (("#20242c", "#1b1f26"), ("#ffffff", "#f1f3f7")),
    "blank": ("#3d4450", "#c6ccd6"),
    "counts": (
        ("#74b0ff", "#6fd08c", "#ff7f76", "#c9a2ff", "#ffb35c", "#54dada", "#f4f4f4", "#a9b1bd"),
        ("#1a56d6", "#1c6f2f", "#c62828", "#5a2a96", "#8a3c10", "#00696c", "#22262c", "#5d636b"),
        ("#56b4e9", "#e69f00", "#f0e442", "#cc79a7", "#3fc9a0", "#ff8a3d", "#ffffff", "#a9b1bd"),
        ("#0072b2", "#a35a00", "#00765a", "#a04a7c", "#b34700", "#4a4f57", "#000000", "#5d636b"),
    ),
    "flag": ("#ff968c", "#b3121d", "#f0e442", "#8a3d00"),
    "question": ("#ffe08a", "#5b4300"),
    "mine": ("#f2f2f2", "#1c1f24"),
    "fatal": ("#d92d2d", "#d92d2d", "#d55e00", "#d55e00"),
    "fatal_ink": ("#ffffff", "#ffffff"),
    "wrong": ("#ff9d3c", "#9a4a00", "#eab0d0", "#7d2f5c"),
    "cursor": ("#f5f5f5", "#111827"),
    "cursor_ink": ("#101216", "#ffffff"),
    "hint_clue": ("#ffd23f", "#ffcf33", "#f0e442", "#f0e442"),
    "hint_safe": ("#37c871", "#4cd07f", "#56b4e9", "#8fcbee"),
    "hint_mine": ("#ff6b5f", "#ff8d83", "#e69f00", "#f0b048"),
    "hint_ink": ("#101216", "#101216"),
    # The tints of risks at 0, 25, 50 and 100 %, and the numbers on them; cells whose risk is exactly 0 or 1.
    "stops": (
        ("#2b7449", "#77721f", "#a15b22", "#a83434"),
        ("#a5dcae", "#ece596", "#f5be78", "#ee8f87"),
        ("#1d5a8a", "#53627a", "#7d6838", "#a65f00"),
        ("#a8d3ee", "#d9dde0", "#ecd09a", "#eba653"),
    ),
    "risk_ink": ("#ffffff", "#15181d"),
    "sure_safe": ("#1fae5b", "#1c8a48", "#0072b2", "#0072b2"),
    "sure_mine": ("#c22222", "#c22222", "#d55e00", "#c04f00"),
    "sure_ink": ("#ffffff", "#ffffff"),
}
"""Each colour of `Palette` on a dark and on a light screen; four values end with the two for colour-blind players."""

# The indices -2 and -1 take the last two of four values, and the only two of two.
PALETTES = {
    (name, is_colour_blind): Palette(**{key: row[brightness - 2 * is_colour_blind] for key, row in _COLOURS.items()})
    for brightness, name in enumerate(("dark", "light"))
    for is_colour_blind in (False, True)
}
"""The palettes, by the brightness of the screen and by whether they avoid red against green."""


@cache
def style_of(ink: str, face: str, bold: bool = False) -> Style:
    """Returns the style of a foreground and a background colour."""
    return Style(color=ink, bgcolor=face, bold=bold)


@cache
def _gradient(stops: tuple[str, str, str, str]) -> Gradient:
    return Gradient(*zip((0.0, 0.25, 0.5, 1.0), stops, strict=True), quality=101)


RiskStyle = Literal["off", "numbers", "shades"]
"""The ways to show risks: not at all, in per cent on a tint, or as a tint alone."""

NEXT_STYLE: dict[RiskStyle, RiskStyle] = {"off": "numbers", "numbers": "shades", "shades": "off"}


@dataclass(frozen=True)
class Picture:
    """A board as it is drawn."""

    codes: NDArray[np.int8]  # (rows, cols), the visible codes
    wrong: NDArray[np.bool_] | None = None  # (rows, cols), flags on cells without a mine; None while the game goes on
    fatal: Cell | None = None  # the cell whose mine ended the game
    levels: NDArray[np.int64] | None = None  # (rows, cols), risks by `levels_of`; None shows no risks
    numbers: bool = True  # whether risks are written as numbers
    marks: Mapping[Cell, Mark] = field(default_factory=dict)  # the cells that a hint names
    cursor: Cell | None = None

    @property
    def rows(self) -> int:
        return int(self.codes.shape[0])

    @property
    def cols(self) -> int:
        return int(self.codes.shape[1])


def picture_of(
    game: Session | WatchedPolicy,
    risks: NDArray[np.float64] | None = None,
    numbers: bool = True,
    marks: Mapping[Cell, Mark] | None = None,
) -> Picture:
    """Returns the picture of a game: a won one has flags on all mines, a lost one shows what was wrong.

    Its arguments are those of `Picture`, with `risks` as float64 (rows, cols) from 0 to 1 or NaN.
    """
    codes, levels = game.board, None
    wrong = (codes == FLAGGED) & ~game.placed_mines if game.is_over else None
    if game.status == "won":
        codes = with_mines_flagged(codes, game.config.codes, game.placed_mines)
    if risks is not None and not game.is_over:
        levels = levels_of(np.where(codes >= FLAGGED, risks, np.nan))
    return Picture(codes, wrong, game.exploded, levels, numbers, marks or {})


GLYPHS = PLAIN._replace(wrong="\u2717")

LABEL_STEP = 5
"""Distance of column numbers on boards where they do not fit above every column."""


class CellSize(NamedTuple):
    """Characters and lines of a cell."""

    width: int
    height: int


CELL_SIZES = tuple(CellSize(*size) for size in ((2, 1), (3, 1), (3, 2), (4, 2), (5, 3), (6, 3), (8, 4)))
"""The sizes of cells, from small to large: those of two lines can be hit with a finger."""


@dataclass(frozen=True)
class Pencil:
    """Draws the lines of pictures with cells of one size and one palette."""

    palette: Palette
    size: CellSize = CELL_SIZES[0]
    has_shades: bool = True  # whether equal risks have two shades; few colours would make them two hues

    def margin(self, picture: Picture) -> int:
        return len(str(picture.rows)) + 1

    def row(self, picture: Picture, line: int) -> list[Segment]:
        """Returns the cells of a line of the board, counted without the column numbers."""
        row, cell_line = divmod(line, self.size.height)
        looks = (self._look(picture, (row, col)) for col in range(picture.cols))
        is_middle = cell_line == self.size.height // 2
        return list(Segment.simplify(Segment(self._padded(text if is_middle else ""), style) for text, style in looks))

    def row_label(self, picture: Picture, line: int) -> Segment:
        """Returns the row number at the left of a line, with the blank after it."""
        row, cell_line = divmod(line, self.size.height)
        text = str(row + 1) if cell_line == self.size.height // 2 and row < picture.rows else ""
        is_here = picture.cursor is not None and picture.cursor[0] == row
        return Segment(f"{text:>{self.margin(picture) - 1}} ", self._label_style(is_here))

    def column_labels(self, picture: Picture) -> list[Segment]:
        """Returns the line of column numbers: all where they fit, or else every fifth, with that of the cursor."""
        width, cursor_number = self.size.width, None if picture.cursor is None else picture.cursor[1] + 1
        all_fit = len(str(picture.cols)) < width
        characters = [(" ", self._label_style(False))] * (picture.cols * width)
        fixed = (number for number in range(1, picture.cols + 1) if all_fit or number == 1 or number % LABEL_STEP == 0)
        # Where not all fit, the number of the cursor would touch those next to it.
        numbers = [number for number in fixed if all_fit or cursor_number is None or abs(number - cursor_number) > 1]
        for number in numbers if cursor_number is None else [*numbers, cursor_number]:
            padded = self._padded(str(number))
            start = max(0, number * width - len(padded))
            for column, character in enumerate(padded, start):
                if character != " ":
                    characters[column] = (character, self._label_style(number == cursor_number))
        return list(Segment.simplify(Segment(character, style) for character, style in characters))

    def _label_style(self, strong: bool) -> Style:
        return style_of(self.palette.label_strong if strong else self.palette.label, self.palette.screen, strong)

    def _padded(self, text: str) -> str:
        return text.rjust(2) if self.size.width == 2 else text.center(self.size.width)  # "1".center(2) is "1 ".

    def _look(self, picture: Picture, cell: Cell) -> tuple[str, Style]:
        """Returns the text and the style of a cell; the cursor goes before a hint, and a hint before risks."""
        code, palette, mark = int(picture.codes[cell]), self.palette, picture.marks.get(cell)
        is_covered = code >= FLAGGED
        look = self._covered_look if is_covered and code != MINE else self._open_look
        text, ink, face = look(picture, cell, code, sum(cell) % 2)
        if mark == "choice" or cell == picture.cursor != picture.fatal:
            ink, face = palette.cursor_ink, palette.cursor
        elif mark is not None:
            ink, face = palette.hint_ink, getattr(palette, f"hint_{mark}")
        return text, style_of(ink, face, not is_covered or mark is not None)

    def _open_look(self, picture: Picture, cell: Cell, code: int, shade: int) -> tuple[str, str, str]:
        """Returns the text and the two colours, of text and cell, of an open cell or a shown mine."""
        palette, face = self.palette, self.palette.open[shade]
        if code == MINE:
            if cell == picture.fatal:
                return GLYPHS.exploded, palette.fatal_ink, palette.fatal
            return GLYPHS.mine, palette.mine, face
        return (str(code), palette.counts[code - 1], face) if code else (GLYPHS.blank, palette.blank, face)

    def _covered_look(self, picture: Picture, cell: Cell, code: int, shade: int) -> tuple[str, str, str]:
        """Returns the text and the two colours, of text and cell, of a covered cell; a known risk tints the cell."""
        palette = self.palette
        if picture.wrong is not None and picture.wrong[cell]:
            return GLYPHS.wrong, palette.wrong, palette.covered[shade]
        marked = {FLAGGED: (GLYPHS.flag, palette.flag), QUESTION: (GLYPHS.question, palette.question)}
        text, ink = marked.get(code, (GLYPHS.hidden, palette.covered_ink))
        level = LEVEL_UNKNOWN if picture.levels is None else int(picture.levels[cell])
        if level == LEVEL_UNKNOWN:
            return text, ink, palette.covered[shade]
        if code == HIDDEN:
            text = self._risk_text(level) if picture.numbers else " "
        ink = palette.sure_ink if level in (LEVEL_SAFE, LEVEL_MINE) else palette.risk_ink
        return text, ink, palette.risk(level, shade if self.has_shades else 0)

    def _risk_text(self, level: int) -> str:
        if self.size.width == 2 and level not in (LEVEL_SAFE, LEVEL_MINE):
            # Two digits of a number in per cent would run into those of the next cell.
            return f".{min(round((level - 1) / 10), 9)}"
        # Levels 1 to 101 are 0 to 100 %.
        return {LEVEL_SAFE: "0", 1: "<1", 101: ">99", LEVEL_MINE: GLYPHS.mine}.get(level, str(level - 1))


def largest_size(columns: int, lines: int, rows: int, cols: int) -> CellSize:
    """Returns the largest size of cells with which rows x cols fit into columns x lines, or the smallest of all."""
    width, height = columns - len(str(rows)) - 1, lines - 1
    fitting = [size for size in CELL_SIZES if cols * size.width <= width and rows * size.height <= height]
    return fitting[-1] if fitting else CELL_SIZES[0]
