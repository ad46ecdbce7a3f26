"""Widgets of a board: one that draws it, fits the size of its cells and animates openings, and one to play on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from minesweeper_env.config import MAX_CELLS
from minesweeper_play.game.moves import LAYER_SECONDS, LEFT, Cell, MouseButtons
from minesweeper_play.terminal.drawing import CELL_SIZES, Pencil, Picture, largest_size, style_of

CURSOR_KEYS = {
    **{"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)},
    **{"pageup": (-MAX_CELLS, 0), "pagedown": (MAX_CELLS, 0), "home": (0, -MAX_CELLS), "end": (0, MAX_CELLS)},
}
"""The rows and columns by which keys move the cursor, up to the edges."""


class BoardCanvas(ScrollView):
    """A board of any size, with row and column numbers that stay in sight; the arrow keys scroll it."""

    DEFAULT_CSS = "BoardCanvas { width: 1fr; height: 1fr; }"

    def __init__(self, picture: Picture, pencil: Pencil, *, id: str | None = None) -> None:  # noqa: A002
        """Shows a picture in colours; the widget chooses the size of the cells."""
        super().__init__(id=id)
        self.picture, self._pencil = picture, pencil
        self._curtain: NDArray[np.int8] | None = None  # the codes that an animation shows; None without one
        self._layers: list[Sequence[Cell]] = []
        self._timer: Timer | None = None

    def show(self, picture: Picture, layers: Sequence[Sequence[Cell]] = ()) -> None:
        """Shows another picture, in which the cells of `layers` appear one layer after the other."""
        self.finish_animation()
        before, self.picture = self.picture, picture
        if layers:
            self._curtain, self._layers = before.codes.copy(), list(layers)
            self._timer = self.set_interval(LAYER_SECONDS, self._show_layer)
        if before.codes.shape != picture.codes.shape:
            self._fit()
        self.refresh()

    def restyle(self, pencil: Pencil) -> None:
        self._pencil = pencil
        self._fit()

    def finish_animation(self) -> None:
        """Shows at once what an animation has not shown yet."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._curtain = None
        self.refresh()

    def _show_layer(self) -> None:
        """Shows the next layer of an animation, or ends it after the last one."""
        if self._curtain is None or not self._layers:
            self.finish_animation()
            return
        for cell in self._layers.pop(0):
            self._curtain[cell] = self.picture.codes[cell]
        self.refresh()

    @property
    def is_narrow(self) -> bool:
        """True if a cell has room for one digit alone, so that risks are in tenths instead of per cent."""
        return self._pencil.size == CELL_SIZES[0]

    def _composed(self) -> Picture:
        return self.picture if self._curtain is None else replace(self.picture, codes=self._curtain, levels=None)

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Chooses the largest cells with which the board fits, and sets the size of what can be scrolled."""
        picture = self.picture
        # The outer size: whether there are scrollbars must not decide whether they are needed.
        size = largest_size(*self.outer_size, picture.rows, picture.cols)
        self._pencil = replace(self._pencil, size=size, has_shades=self.app.console.color_system == "truecolor")
        columns = self._pencil.margin(picture) + picture.cols * size.width
        self.virtual_size = Size(columns, 1 + picture.rows * size.height)
        self.refresh()

    @property
    def _room(self) -> Size:
        return self.scrollable_content_region.size

    @property
    def _padding(self) -> tuple[int, int]:
        """The columns at the left of the board and the lines above it that centre a board smaller than the widget."""
        room, size = self._room, self.virtual_size
        return max(0, (room.width - size.width) // 2), max(0, (room.height - size.height) // 2)

    def render_line(self, y: int) -> Strip:
        """Returns a line of the widget: column numbers above, row numbers at the left, cells."""
        width, pencil, picture, (left, top) = self._room.width, self._pencil, self._composed(), self._padding
        screen = style_of(pencil.palette.label, pencil.palette.screen)
        line = y - top
        board_line = line - 1 + self.scroll_offset.y
        if line < 0 or board_line >= picture.rows * pencil.size.height:
            return Strip([Segment(" " * width, screen)], width)
        if line == 0:
            label, segments = Segment(" " * pencil.margin(picture), screen), pencil.column_labels(picture)
        else:
            label, segments = pencil.row_label(picture, board_line), pencil.row(picture, board_line)
        strip = Strip([Segment(" " * left, screen), label, *Strip(segments).crop(self.scroll_offset.x)])
        return strip.adjust_cell_length(width, screen)

    def cell_at(self, x: int, y: int) -> Cell | None:
        size, (left, top) = self._pencil.size, self._padding
        column, line = x - left - self._pencil.margin(self.picture), y - top - 1
        if column < 0 or line < 0:
            return None
        row, col = (line + self.scroll_offset.y) // size.height, (column + self.scroll_offset.x) // size.width
        return (row, col) if row < self.picture.rows and col < self.picture.cols else None

    def look_at(self, cell: Cell) -> None:
        """Scrolls until a cell and its neighbours are in sight."""
        size, margin = self._pencil.size, self._pencil.margin(self.picture)
        x = _shifted(self.scroll_offset.x, cell[1], size.width, self._room.width - margin)
        y = _shifted(self.scroll_offset.y, cell[0], size.height, self._room.height - 1)
        if (x, y) != self.scroll_offset:
            self.scroll_to(x, y, animate=False, force=True)


def _shifted(scroll: int, index: int, size: int, room: int) -> int:
    """Returns the nearest offset that shows cell `index` and, if they fit, both neighbours; in characters or lines."""
    context = size if room >= 3 * size else 0
    return min(max(scroll, (index + 1) * size + context - room), max(0, index * size - context))


class BoardView(BoardCanvas, can_focus=True):
    """A board with a cursor, on which clicks mean moves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, f"move{step}", show=False) for key, step in CURSOR_KEYS.items()
    ]

    @dataclass
    class Chosen(Message):
        """The player clicked a cell."""

        action: Literal["click", "flag", "chord"]
        cell: Cell

    def __init__(self, picture: Picture, pencil: Pencil, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(picture, pencil, id=id)
        self.cursor: Cell = _middle(picture)
        self._mouse = MouseButtons()

    def show(self, picture: Picture, layers: Sequence[Sequence[Cell]] = ()) -> None:
        """Shows another picture; a board of another size moves the cursor to its middle. See `BoardCanvas`."""
        if picture.codes.shape != self.picture.codes.shape:
            self.cursor = _middle(picture)
        super().show(picture, layers)

    def _composed(self) -> Picture:
        return replace(super()._composed(), cursor=self.cursor)

    def _fit(self) -> None:
        super()._fit()
        self.call_after_refresh(self.look_at, self.cursor)

    def action_move(self, down: int, right: int) -> None:
        row, col = self.cursor[0] + down, self.cursor[1] + right
        self.move_to((min(max(row, 0), self.picture.rows - 1), min(max(col, 0), self.picture.cols - 1)))

    def move_to(self, cell: Cell) -> None:
        self.finish_animation()
        self.cursor = cell
        self.look_at(cell)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Presses a button: the right one flags at once, the others wait until they are released."""
        self.finish_animation()
        self.capture_mouse()
        cell = self.cell_at(event.x, event.y)
        if cell is not None:
            self.move_to(cell)
        is_flag = self._mouse.press(event.button, flags=event.ctrl and event.button == LEFT and cell is not None)
        if is_flag and cell is not None:
            self.post_message(self.Chosen("flag", cell))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Releases a button: opens the cell or chords, if the mouse is still on the board."""
        cell = self.cell_at(event.x, event.y)
        move = self._mouse.release(event.button, cell)
        if not self._mouse.down:
            self.release_mouse()
        if cell is not None and move:
            self.move_to(cell)
            self.post_message(self.Chosen(move, cell))

    def on_mouse_release(self) -> None:
        self._mouse.down.clear()


def _middle(picture: Picture) -> Cell:
    return picture.rows // 2, picture.cols // 2
