"""The surface of a board: it draws lines, scrolls them, fits the size of the cells, and animates openings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from rich.segment import Segment
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from minesweeper_play.game.opening import LAYER_SECONDS
from minesweeper_play.terminal.board.icons import ICONS
from minesweeper_play.terminal.board.lines import CELL_SIZES, CellSize, Pencil, largest_size
from minesweeper_play.terminal.board.palette import PALETTES, Palette, style_of
from minesweeper_play.terminal.board.picture import Cell, Picture, changed_rows


@dataclass(frozen=True)
class Appearance:
    """How boards look.

    Attributes:
        palette: the colours.
        icons: the name of the icons.
        zoom: the index of the size of the cells in `CELL_SIZES`; None takes the largest size that fits.
    """

    palette: Palette = PALETTES["dark", False]
    icons: str = "plain"
    zoom: int | None = None


class BoardCanvas(ScrollView):
    """A board of any size, with row and column numbers that stay in sight; the arrow keys scroll it."""

    DEFAULT_CSS = "BoardCanvas { width: 1fr; height: 1fr; }"

    def __init__(self, picture: Picture, appearance: Appearance, *, id: str | None = None) -> None:  # noqa: A002
        """Shows a picture.

        Args:
            picture: the board.
            appearance: how it looks.
            id: the id of the widget.
        """
        super().__init__(id=id)
        self._picture, self._appearance = picture, appearance
        self._curtain: NDArray[np.int8] | None = None
        self._layers: list[Sequence[Cell]] = []
        self._timer: Timer | None = None
        self._pencil = self._new_pencil(CELL_SIZES[0])
        self._drawn = picture

    # What is shown

    @property
    def picture(self) -> Picture:
        """The picture that is shown, without cursor and animation."""
        return self._picture

    def show(self, picture: Picture, layers: Sequence[Sequence[Cell]] = ()) -> None:
        """Shows another picture.

        Args:
            picture: the picture.
            layers: cells that appear in layers, in an animation; until then they look as before.
        """
        self.finish_animation()
        if picture.codes.shape != self._picture.codes.shape:
            layers = ()
        if layers:
            self._begin_animation(layers)
        self._picture = picture
        self._draw()

    def dress(self, appearance: Appearance) -> None:
        """Changes how the board looks."""
        self._appearance = appearance
        self._fit()
        self.refresh()

    def finish_animation(self) -> None:
        """Shows at once what an animation has not shown yet."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._curtain is not None:
            self._curtain = None
            self._layers = []
            self._draw()

    @property
    def is_animating(self) -> bool:
        """Whether an animation runs."""
        return self._curtain is not None

    def _begin_animation(self, layers: Sequence[Sequence[Cell]]) -> None:
        self._curtain = self._picture.codes.copy()
        self._layers = list(layers)
        self._timer = self.set_interval(LAYER_SECONDS, self._lift)

    def _lift(self) -> None:
        """Lets the next layer appear."""
        if self._curtain is None:
            return
        for cell in self._layers.pop(0):
            self._curtain[cell] = self._picture.codes[cell]
        if self._layers:
            self._draw()
        else:
            self.finish_animation()

    def _composed(self) -> Picture:
        """Returns the picture with the state of the animation."""
        if self._curtain is None:
            return self._picture
        return replace(self._picture, codes=self._curtain.copy(), levels=None)

    def _draw(self) -> None:
        """Draws the lines that changed."""
        before, self._drawn = self._drawn, self._composed()
        rows = changed_rows(before, self._drawn)
        if rows is None:
            self._fit()
            self.refresh()
            return
        width, height = self._room.width, self._pencil.size.height
        if before.cursor != self._drawn.cursor:
            self.refresh(Region(0, self._top, width, 1))
        for row in rows:
            first = self._top + 1 + row * height - self.scroll_offset.y
            if -height < first < self._room.height:
                self.refresh(Region(0, max(first, 0), width, height))

    # Sizes and lines

    def on_resize(self) -> None:
        """Chooses the size of the cells for the new size of the widget."""
        self._fit()

    def _new_pencil(self, size: CellSize) -> Pencil:
        return Pencil(self._appearance.palette, ICONS[self._appearance.icons], size)

    def _fit(self) -> None:
        picture, zoom = self._picture, self._appearance.zoom
        widest = 3 if picture.meaning.max_count > 9 else 2
        # The outer size: whether there are scrollbars must not decide whether they are needed.
        columns, lines = self.outer_size
        size = largest_size(columns, lines, picture.rows, picture.cols, widest)
        if zoom is not None:
            size = CELL_SIZES[max(zoom, CELL_SIZES.index(largest_size(0, 0, 1, 1, widest)))]
        self._pencil = self._new_pencil(size)
        self.virtual_size = Size(*self._pencil.extent(picture))
        self._drawn = self._composed()
        self.refresh()

    @property
    def cell_size(self) -> CellSize:
        """The size of the cells on the screen."""
        return self._pencil.size

    @property
    def _room(self) -> Size:
        """The columns and lines of the widget without its scroll bars."""
        return self.scrollable_content_region.size

    @property
    def _left(self) -> int:
        """The free columns at the left of a board that is narrower than the widget."""
        return max(0, (self._room.width - self.virtual_size.width) // 2)

    @property
    def _top(self) -> int:
        """The free lines above a board that is lower than the widget."""
        return max(0, (self._room.height - self.virtual_size.height) // 2)

    def render_line(self, y: int) -> Strip:
        """Returns a line of the widget: column numbers above, row numbers at the left, cells."""
        width, screen = self._room.width, style_of(self._appearance.palette.label, self._appearance.palette.screen)
        pencil, picture = self._pencil, self._drawn
        line = y - self._top
        height = picture.rows * pencil.size.height
        inner = line - 1 + self.scroll_offset.y
        if line < 0 or inner >= height:
            return Strip([Segment(" " * width, screen)], width)
        margin = pencil.margin(picture)
        cells, first, last = self._visible_columns(width - margin - self._left)
        if line == 0:
            label, drawn = Segment(" " * margin, screen), pencil.column_labels(picture, first, last)
        else:
            label, drawn = pencil.row_label(picture, inner), pencil.row(picture, inner, first, last)
        skipped = self.scroll_offset.x - first * pencil.size.width
        board = Strip(drawn).crop(skipped, skipped + cells)
        strip = Strip([Segment(" " * self._left, screen), label, *board])
        return strip.adjust_cell_length(width, screen)

    def _visible_columns(self, columns: int) -> tuple[int, int, int]:
        """Returns the columns of the screen that show cells, and the first and the end of the visible cells."""
        width, start = self._pencil.size.width, self.scroll_offset.x
        shown = max(0, min(columns, self._picture.cols * width - start))
        return shown, start // width, min(self._picture.cols, -(-(start + shown) // width))

    def cell_at(self, x: int, y: int) -> Cell | None:
        """Returns the cell at a place of the widget, or None if there is none."""
        margin, size = self._pencil.margin(self._picture), self._pencil.size
        column, line = x - self._left - margin, y - self._top - 1
        if column < 0 or line < 0:
            return None
        cell = ((line + self.scroll_offset.y) // size.height, (column + self.scroll_offset.x) // size.width)
        return cell if self._picture.holds(cell) else None

    def place_of(self, cell: Cell) -> tuple[int, int]:
        """Returns the column and line of the widget where the middle of a cell is, in sight or not."""
        size = self._pencil.size
        column = cell[1] * size.width + size.width // 2 - self.scroll_offset.x
        line = cell[0] * size.height + size.height // 2 - self.scroll_offset.y
        return self._left + self._pencil.margin(self._picture) + column, self._top + 1 + line

    def look_at(self, cell: Cell) -> None:
        """Scrolls until a cell and its neighbours are in sight."""
        size, margin = self._pencil.size, self._pencil.margin(self._picture)
        x = _shifted(self.scroll_offset.x, cell[1], size.width, self._room.width - margin)
        y = _shifted(self.scroll_offset.y, cell[0], size.height, self._room.height - 1)
        if (x, y) != self.scroll_offset:
            self.scroll_to(x, y, animate=False, force=True)


def _shifted(scroll: int, index: int, size: int, room: int) -> int:
    """Returns the least changed scroll offset that shows a cell and a neighbour at each side, where there is room."""
    context = size if room >= 3 * size else 0
    return min(max(scroll, (index + 1) * size + context - room), max(0, index * size - context))
