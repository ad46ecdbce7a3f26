"""Positions as pictures: a line for each player, and the board with the last move outlined."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from azulejos_env.rendering.view import View
from minesweeper_env.rendering.tiles import INK, TILE, Colour, covered_tile, draw_tick, open_tile, write

COLOURS: tuple[Colour, ...] = (
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

PAPER: Colour = (58, 62, 69)
LIGHT: Colour = (232, 235, 239)
LEAST_COLS = 8
"""The least number of tiles from left to right, so that the scores have room."""

_MARKS = 3
"""The tiles of a player's line before its score: the mark, the number of the player, and a space."""


def picture_size(view: View) -> tuple[int, int]:
    """Returns the number of tiles from top to bottom, and from left to right."""
    rows, cols = view.board.shape
    digits = max(len(str(score)) for score in view.scores)
    return rows + len(view.scores), max(cols, LEAST_COLS, _MARKS + digits)


def render_picture(view: View, side: int = TILE, size: tuple[int, int] | None = None) -> NDArray[np.uint8]:
    """Returns a position as a picture, (side * height, side * width, 3) uint8; `size` is (height, width) in tiles.

    Each player has a line: ">" for the player to move or a tick for the winner, its number, and its score. A tie has
    two ticks. An outline shows the cells that the last move emptied, before tiles fell.
    """
    height, width = size or picture_size(view)
    picture = np.empty((side * height, side * width, 3), np.uint8)
    picture[:] = PAPER
    for player in range(len(view.scores)):
        _draw_line(picture[side * player : side * (player + 1)], view, player, side)
    rows, cols = view.board.shape
    top = side * len(view.scores)
    board = picture[top : top + side * rows, : side * cols]
    tiles = _tiles(side)[view.board]
    board[:] = tiles.swapaxes(1, 2).reshape(side * rows, side * cols, 3)
    _outline(board, view.last, side)
    return picture


@lru_cache(maxsize=16)
def _tiles(side: int) -> NDArray[np.uint8]:
    """Returns the empty tile, and a tile of each colour, (10, side, side, 3)."""
    coloured = [
        write(covered_tile(colour, side), str(digit), ink_on(colour)) for digit, colour in enumerate(COLOURS, start=1)
    ]
    return np.stack([open_tile(side=side), *coloured])


def ink_on(colour: Colour) -> Colour:
    """Returns the ink, dark or light, of a digit on a tile."""
    return INK if np.dot(colour, (0.299, 0.587, 0.114)) > 110 else LIGHT


def _draw_line(line: NDArray[np.uint8], view: View, player: int, side: int) -> None:
    """Draws the line of a player into a row of dark tiles."""
    if view.turn == player:
        write(line[:, :side], ">", LIGHT)
    elif view.turn is None and player in view.leaders and (len(view.scores) > 1 or not view.board.any()):
        draw_tick(line[:, :side], LIGHT)
    write(line[:, side : 2 * side], str(player + 1), LIGHT)
    for place, digit in enumerate(str(view.scores[player]), start=_MARKS):
        write(line[:, side * place : side * (place + 1)], digit, COLOURS[3])


def _outline(board: NDArray[np.uint8], cells: NDArray[np.bool_], side: int) -> None:
    """Draws a dark line with a light rim around a set of cells."""
    inside = np.kron(np.pad(cells, 1), np.ones((side, side), np.bool_))
    dark = max(1, side // 10)
    core = _shrunk(inside, dark)
    light = core & ~_shrunk(core, max(1, side // 16))
    crop = (slice(side, -side), slice(side, -side))
    board[(inside & ~core)[crop]] = INK
    board[light[crop]] = (255, 255, 255)


def _shrunk(area: NDArray[np.bool_], pixels: int) -> NDArray[np.bool_]:
    """Returns the pixels of an area whose distance to its edge is greater than `pixels`."""
    for _ in range(pixels):
        inner = area.copy()
        for axis in (0, 1):
            for step in (-1, 1):
                inner &= np.roll(area, step, axis)
        area = inner
    return area
