"""Positions as text and as pictures: a line for each player, and the board with the last move outlined."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env import rendering as drawing

COLOURS: tuple[drawing.Colour, ...] = (
    (230, 159, 0),
    (86, 180, 233),
    (0, 133, 96),
    (245, 233, 80),
    (0, 80, 160),
    (200, 70, 0),
    (225, 150, 200),
    (62, 62, 68),
    (242, 242, 242),
)
"""The colours of the tiles, after Okabe and Ito (2008), "Color universal design": the usual kinds of colour blindness
leave them apart. Each tile also carries its digit."""

PAPER: drawing.Colour = (58, 62, 69)
LIGHT: drawing.Colour = (232, 235, 239)
LEAST_COLS = 8
"""The least width of a picture in tiles, so that the scores have room."""

_SCORE_PLACE = 3
"""The tile at which the score begins in a player's line, after the mark, the number of the player, and a space."""


class View(NamedTuple):
    """A position as it is drawn."""

    board: NDArray[np.int8]  # (rows, cols), 0 for an empty cell
    last: NDArray[np.bool_]  # (rows, cols), the cells that the last move emptied before tiles fell
    names: tuple[str, ...]  # of the first and the second player; one name for a game alone
    scores: tuple[int, ...]
    turn: int | None  # the player to move; None once the game is over

    @property
    def leaders(self) -> list[int]:
        """The players with most points."""
        return [player for player, score in enumerate(self.scores) if score == max(self.scores)]

    def status_line(self) -> str:
        """Returns the scores, and whose turn it is or how the game has ended."""
        scores = ", ".join(f"{name} {score}" for name, score in zip(self.names, self.scores, strict=True))
        if self.turn is not None:
            return f"{scores}: {self.names[self.turn]} to move"
        if len(self.names) == 1:
            return f"{scores}: {'over' if self.board.any() else 'board cleared'}"
        if len(self.leaders) > 1:
            return f"{scores}: a tie"
        winner = self.names[self.leaders[0]]
        return f"{scores}: {winner} {'win' if winner == 'you' else 'wins'}"


def render_text(view: View) -> str:
    """Returns a position as lines of text: the board with row and column numbers, the scores, and the last move."""
    cells = [[str(colour) if colour else "." for colour in row] for row in view.board.tolist()]
    last = np.argwhere(view.last).tolist()
    move = f"last move: {len(last)} tiles at ({last[0][0]},{last[0][1]})" if last else "no move yet"
    return "\n".join([drawing.join_cells(cells, 1), view.status_line(), move])


def picture_size(view: View) -> tuple[int, int]:
    """Returns the height and the width of a picture in tiles: the board below a line for each player."""
    rows, cols = view.board.shape
    digits = max(len(str(score)) for score in view.scores)
    return rows + len(view.scores), max(cols, LEAST_COLS, _SCORE_PLACE + digits)


def render_picture(view: View, side: int = drawing.TILE) -> NDArray[np.uint8]:
    """Returns a picture of a position, (side * height, side * width, 3) uint8, with the size of `picture_size`.

    Each player has a line: ">" for the player to move or a tick for the winner, its number, and its score. A tie has
    two ticks. An outline shows the cells that the last move emptied, before tiles fell.
    """
    height, width = picture_size(view)
    picture = np.empty((side * height, side * width, 3), np.uint8)
    picture[:] = PAPER
    for player in range(len(view.scores)):
        _draw_player_line(picture[side * player : side * (player + 1)], view, player, side)
    rows, cols = view.board.shape
    top = side * len(view.scores)
    board = picture[top : top + side * rows, : side * cols]
    board[:] = drawing.join_tiles(_tiles(side)[view.board])
    _outline(board, view.last, side)
    return picture


@lru_cache(maxsize=16)
def _tiles(side: int) -> NDArray[np.uint8]:
    """Returns the tiles by cell code, (10, side, side, 3): the empty one, and one of each colour."""
    tiles = [drawing.open_tile(side=side)]
    for digit, colour in enumerate(COLOURS, start=1):
        ink = drawing.INK if np.dot(colour, (0.299, 0.587, 0.114)) > 110 else LIGHT
        tiles.append(drawing.write(drawing.covered_tile(colour, side), str(digit), ink))
    return np.stack(tiles)


def _draw_player_line(line: NDArray[np.uint8], view: View, player: int, side: int) -> None:
    """Draws the line of a player into a row of dark tiles, (side, side * width, 3)."""
    if view.turn == player:
        drawing.write(line[:, :side], ">", LIGHT)
    # A player alone wins only by clearing the board.
    elif view.turn is None and player in view.leaders and (len(view.scores) > 1 or not view.board.any()):
        drawing.draw_tick(line[:, :side], LIGHT)
    drawing.write(line[:, side : 2 * side], str(player + 1), LIGHT)
    for place, digit in enumerate(str(view.scores[player]), start=_SCORE_PLACE):
        drawing.write(line[:, side * place : side * (place + 1)], digit, COLOURS[3])


def _outline(picture: NDArray[np.uint8], cells: NDArray[np.bool_], side: int) -> None:
    """Draws a dark line along the inner edge of a set of cells, (rows, cols) bool, and a light line inside it.

    `picture` is that of the board, (side * rows, side * cols, 3).
    """
    # A margin of one tile, so that `np.roll` carries no pixel of the set from one side to the other.
    area = np.kron(np.pad(cells, 1), np.ones((side, side), np.bool_))  # each cell becomes (side, side) pixels
    inner = _eroded(area, max(1, side // 10))
    light_line = inner & ~_eroded(inner, max(1, side // 16))
    without_margin = (slice(side, -side), slice(side, -side))
    picture[(area & ~inner)[without_margin]] = drawing.INK
    picture[light_line[without_margin]] = (255, 255, 255)


def _eroded(area: NDArray[np.bool_], pixels: int) -> NDArray[np.bool_]:
    """Returns an area, a bool mask, without the pixels that lie within `pixels` of its edge."""
    for _ in range(pixels):
        area = area & np.logical_and.reduce([np.roll(area, step, axis) for axis in (0, 1) for step in (-1, 1)])
    return area
