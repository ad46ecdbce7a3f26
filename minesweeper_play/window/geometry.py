"""Places in the window: the header, the board with tiles as large as fit, and the lines of text below it."""

from __future__ import annotations

from typing import NamedTuple

from minesweeper_env.rendering.tiles import TILE
from minesweeper_env.rendering.window import SCREEN_PART, fitting_side

HEADER, FOOTER, MARGIN = 52, 66, 8
"""Heights of the header and of the lines below the board, and the space around the board, in pixels."""

LABEL = 20
"""Room for the numbers of rows and columns, left of the board and above it, in pixels."""

LEAST_WIDTH = 440
"""The width of a new window, at least: room for the header and for lines of text."""

Rect = tuple[int, int, int, int]
"""Left, top, width and height, in pixels."""


class Geometry(NamedTuple):
    """Places for one board in a window of one size.

    Attributes:
        width: width of the window, in pixels.
        height: height of the window, in pixels.
        rows: the number of rows of the board.
        cols: the number of columns of the board.
        side: the side of a tile, in pixels.
    """

    width: int
    height: int
    rows: int
    cols: int
    side: int

    @classmethod
    def of(cls, size: tuple[int, int], rows: int, cols: int) -> Geometry:
        """Returns the places in a window of (width, height)."""
        width, height = size
        free = (width - 2 * MARGIN - LABEL, height - HEADER - FOOTER - 2 * MARGIN - LABEL)
        return cls(width, height, rows, cols, fitting_side(*free, (rows, cols)))

    @property
    def board(self) -> Rect:
        """The board, in the middle of its part of the window."""
        width, height = self.cols * self.side, self.rows * self.side
        free = self.height - HEADER - FOOTER
        return (self.width + LABEL - width) // 2, HEADER + (free + LABEL - height) // 2, width, height

    @property
    def face(self) -> Rect:
        """The button that starts a new game."""
        side = HEADER - 2 * MARGIN
        return (self.width - side) // 2, MARGIN, side, side

    @property
    def footer(self) -> Rect:
        """The lines of text."""
        return MARGIN, self.height - FOOTER, self.width - 2 * MARGIN, FOOTER

    def cell_at(self, position: tuple[int, int]) -> tuple[int, int] | None:
        """Returns the (row, col) of the cell at a place in the window, or None beside the board."""
        left, top, _, _ = self.board
        row, col = (position[1] - top) // self.side, (position[0] - left) // self.side
        return (row, col) if 0 <= row < self.rows and 0 <= col < self.cols else None

    def cell(self, row: int, col: int) -> Rect:
        """Returns the place of a cell."""
        left, top, _, _ = self.board
        return left + col * self.side, top + row * self.side, self.side, self.side

    def is_on_face(self, position: tuple[int, int]) -> bool:
        """Returns whether a place in the window lies on the button."""
        left, top, width, height = self.face
        return left <= position[0] < left + width and top <= position[1] < top + height


def window_size(rows: int, cols: int, screen: tuple[int, int]) -> tuple[int, int]:
    """Returns the (width, height) of a new window: tiles of the usual side, or smaller ones if the screen is too small.

    Args:
        rows: the number of rows of the board.
        cols: the number of columns of the board.
        screen: width and height of the screen, in pixels.
    """
    most = [int(SCREEN_PART * length) for length in screen]
    around = (2 * MARGIN + LABEL, HEADER + FOOTER + 2 * MARGIN + LABEL)
    side = min(TILE, fitting_side(most[0] - around[0], most[1] - around[1], (rows, cols)))
    return max(LEAST_WIDTH, cols * side + around[0]), rows * side + around[1]


def place_on_screen(place: tuple[int, int], size: tuple[int, int], screen: tuple[int, int]) -> tuple[int, int]:
    """Returns the (left, top) of a window that lies on the screen, as near to a place as possible."""
    left, top = (max(0, min(at, most - length)) for at, length, most in zip(place, size, screen, strict=True))
    return left, top
