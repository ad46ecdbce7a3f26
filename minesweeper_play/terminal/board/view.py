"""The widget of a board: it draws and scrolls lines, moves the cursor, and reads the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from minesweeper_play.game.opening import LAYER_SECONDS
from minesweeper_play.terminal.board.icons import ICONS
from minesweeper_play.terminal.board.lines import CELL_SIZES, CellSize, Pencil, largest_size
from minesweeper_play.terminal.board.palette import PALETTES, Palette, style_of
from minesweeper_play.terminal.board.picture import Cell, Picture, changed_rows

Action = Literal["open", "flag", "chord"]

LEFT, MIDDLE, RIGHT = 1, 2, 3
"""Buttons of the mouse."""


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


class BoardView(ScrollView, can_focus=True):
    """A board of any size, with row and column numbers that stay in sight.

    Attributes:
        cursor: the cell of the cursor.
    """

    DEFAULT_CSS = "BoardView { width: 1fr; height: 1fr; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1, 0)", show=False),
        Binding("down", "move(1, 0)", show=False),
        Binding("left", "move(0, -1)", show=False),
        Binding("right", "move(0, 1)", show=False),
        Binding("home", "move(0, -1000000)", show=False),
        Binding("end", "move(0, 1000000)", show=False),
        Binding("pageup", "move(-1000000, 0)", show=False),
        Binding("pagedown", "move(1000000, 0)", show=False),
    ]

    class Chosen(Message):
        """The player clicked a cell.

        Attributes:
            view: the board.
            action: what the click means.
            cell: the cell.
        """

        def __init__(self, view: BoardView, action: Action, cell: Cell) -> None:
            """Stores what was clicked."""
            super().__init__()
            self.view, self.action, self.cell = view, action, cell

    class Moved(Message):
        """The cursor moved.

        Attributes:
            view: the board.
            cell: the cell of the cursor.
        """

        def __init__(self, view: BoardView, cell: Cell) -> None:
            """Stores where the cursor is."""
            super().__init__()
            self.view, self.cell = view, cell

    def __init__(
        self,
        picture: Picture,
        appearance: Appearance,
        *,
        interactive: bool = True,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """Shows a picture.

        Args:
            picture: the board; its cursor and pressed cells are not used.
            appearance: how it looks.
            interactive: whether there is a cursor and the mouse plays.
            id: the id of the widget.
        """
        super().__init__(id=id)
        self.cursor: Cell = (picture.rows // 2, picture.cols // 2)
        self._interactive = interactive
        self._picture, self._appearance = picture, appearance
        self._pencil = self._new_pencil(CELL_SIZES[0])
        self._drawn = self._composed()
        self._buttons: set[int] = set()
        self._chording = self._settled = False
        self._curtain: NDArray[np.int8] | None = None
        self._layers: list[Sequence[Cell]] = []
        self._timer: Timer | None = None

    # What is shown

    @property
    def picture(self) -> Picture:
        """The picture that is shown, without cursor and animation."""
        return self._picture

    def show(self, picture: Picture, layers: Sequence[Sequence[Cell]] = ()) -> None:
        """Shows another picture.

        Args:
            picture: the picture; a board of another size moves the cursor to its middle.
            layers: cells that appear in layers, in an animation; until then they look as before.
        """
        self.finish_animation()
        if picture.codes.shape != self._picture.codes.shape:
            self.cursor = (picture.rows // 2, picture.cols // 2)
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
        """Returns the picture with the cursor, the pressed cells and the state of the animation."""
        picture = self._picture
        if getattr(self, "_curtain", None) is not None:
            assert self._curtain is not None
            picture = replace(picture, codes=self._curtain.copy(), levels=None)
        if not self._interactive:
            return picture
        return replace(picture, cursor=self.cursor, pressed=self._pressed_cells())

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
        """Chooses the size of the cells anew."""
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
        self.call_after_refresh(self._follow_cursor)

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

    # The cursor

    def action_move(self, down: int, right: int) -> None:
        """Moves the cursor, up to the edges."""
        if self._interactive:
            row, col = self.cursor[0] + down, self.cursor[1] + right
            self.move_to((min(max(row, 0), self._picture.rows - 1), min(max(col, 0), self._picture.cols - 1)))
        else:
            self.scroll_relative(right * self._pencil.size.width, down * self._pencil.size.height, animate=False)

    def move_to(self, cell: Cell) -> None:
        """Moves the cursor to a cell, and scrolls to it."""
        self.finish_animation()
        self.cursor = cell
        self._follow_cursor()
        self._draw()
        self.post_message(self.Moved(self, cell))

    def look_at(self, cell: Cell) -> None:
        """Scrolls until a cell and its neighbours are in sight."""
        size, margin = self._pencil.size, self._pencil.margin(self._picture)
        x = _shifted(self.scroll_offset.x, cell[1], size.width, self._room.width - margin)
        y = _shifted(self.scroll_offset.y, cell[0], size.height, self._room.height - 1)
        if (x, y) != self.scroll_offset:
            self.scroll_to(x, y, animate=False, force=True)

    def _follow_cursor(self) -> None:
        if self._interactive:
            self.look_at(self.cursor)

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Presses a button: the right one flags at once, the others wait until they are released."""
        if not self._interactive:
            return
        self.finish_animation()
        self.capture_mouse()
        if not self._buttons:
            self._chording = self._settled = False
        self._buttons.add(event.button)
        cell = self.cell_at(event.x, event.y)
        if cell is not None and cell != self.cursor:
            self.move_to(cell)
        self._chording |= event.button == MIDDLE or {LEFT, RIGHT} <= self._buttons
        flags = event.button == RIGHT or (event.button == LEFT and event.ctrl)
        if flags and not self._chording and cell is not None:
            self._settled = event.button == LEFT
            self.post_message(self.Chosen(self, "flag", cell))
        self._draw()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drags the pressed cell along."""
        cell = self.cell_at(event.x, event.y)
        if self._buttons & {LEFT, MIDDLE} and cell is not None and cell != self.cursor:
            self.move_to(cell)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Releases a button: opens the cell or chords, if the mouse is still on the board."""
        if event.button not in self._buttons:
            return
        self._buttons.discard(event.button)
        cell = self.cell_at(event.x, event.y)
        if not self._buttons:
            self.release_mouse()
        if cell is not None and not self._settled and (self._chording or event.button == LEFT):
            self.post_message(self.Chosen(self, "chord" if self._chording else "open", cell))
            # The second of two buttons does nothing more.
            self._settled = True
        self._draw()

    def on_mouse_release(self) -> None:
        """Forgets pressed buttons where another widget takes the mouse."""
        self._buttons.clear()
        self._draw()

    def _pressed_cells(self) -> frozenset[Cell]:
        if not getattr(self, "_buttons", None) or self._settled or not (self._chording or LEFT in self._buttons):
            return frozenset()
        reach = range(-1, 2) if self._chording else range(1)
        return frozenset((self.cursor[0] + down, self.cursor[1] + right) for down in reach for right in reach)


def _shifted(scroll: int, index: int, size: int, room: int) -> int:
    """Returns the least changed scroll offset that shows a cell and a neighbour at each side, where there is room."""
    context = size if room >= 3 * size else 0
    return min(max(scroll, (index + 1) * size + context - room), max(0, index * size - context))
