"""The widget of a board that a person plays on: the cursor, the keys that move it, and the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from minesweeper_play.terminal.board.canvas import Appearance, BoardCanvas
from minesweeper_play.terminal.board.picture import Cell, Picture

Action = Literal["click", "flag", "chord"]

LEFT, MIDDLE, RIGHT = 1, 2, 3
"""Buttons of the mouse."""


class BoardView(BoardCanvas, can_focus=True):
    """A board with a cursor, on which clicks mean moves.

    Attributes:
        cursor: the cell of the cursor.
    """

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

    def __init__(self, picture: Picture, appearance: Appearance, *, id: str | None = None) -> None:  # noqa: A002
        """Shows a picture; its cursor and pressed cells are not used. See `BoardCanvas`."""
        super().__init__(picture, appearance, id=id)
        self.cursor: Cell = _middle(picture)
        self._buttons: set[int] = set()
        self._chording = self._settled = False
        self._drawn = self._composed()

    def show(self, picture: Picture, layers: Sequence[Sequence[Cell]] = ()) -> None:
        """Shows another picture; a board of another size moves the cursor to its middle. See `BoardCanvas`."""
        if picture.codes.shape != self._picture.codes.shape:
            self.cursor = _middle(picture)
        super().show(picture, layers)

    def _composed(self) -> Picture:
        """Returns the picture with the cursor, the pressed cells and the state of the animation."""
        return replace(super()._composed(), cursor=self.cursor, pressed=self._pressed_cells())

    def _fit(self) -> None:
        super()._fit()
        self.call_after_refresh(self.look_at, self.cursor)

    # The cursor

    def action_move(self, down: int, right: int) -> None:
        """Moves the cursor, up to the edges."""
        row, col = self.cursor[0] + down, self.cursor[1] + right
        self.move_to((min(max(row, 0), self._picture.rows - 1), min(max(col, 0), self._picture.cols - 1)))

    def move_to(self, cell: Cell) -> None:
        """Moves the cursor to a cell, and scrolls to it."""
        self.finish_animation()
        self.cursor = cell
        self.look_at(cell)
        self._draw()
        self.post_message(self.Moved(self, cell))

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Presses a button: the right one flags at once, the others wait until they are released."""
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
            self.post_message(self.Chosen(self, "chord" if self._chording else "click", cell))
            # The second of two buttons does nothing more.
            self._settled = True
        self._draw()

    def on_mouse_release(self) -> None:
        """Forgets pressed buttons where another widget takes the mouse."""
        self._buttons.clear()
        self._draw()

    def _pressed_cells(self) -> frozenset[Cell]:
        if not self._buttons or self._settled or not (self._chording or LEFT in self._buttons):
            return frozenset()
        reach = range(-1, 2) if self._chording else range(1)
        return frozenset((self.cursor[0] + down, self.cursor[1] + right) for down in reach for right in reach)


def _middle(picture: Picture) -> Cell:
    return picture.rows // 2, picture.cols // 2
