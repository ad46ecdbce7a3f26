"""Tiles of a picture, uint8 (side, side, 3), and the characters and symbols on them; each side has its own drawing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

TILE = 32
"""The usual side of a cell in a picture, in pixels."""

LEAST_TILE = 4
"""The least side of a cell, in pixels; characters need 7."""

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

INK: Colour = (38, 42, 48)
FACE: Colour = (198, 202, 208)
RED: Colour = (211, 47, 47)
ALARM: Colour = (239, 154, 154)
_LIGHT, _SHADE, _OPEN, _LINE = (232, 235, 239), (142, 148, 157), (222, 225, 229), (180, 185, 192)

_GLYPHS = {
    "0": "01110 10001 10001 10001 10001 10001 01110",
    "1": "00100 01100 10100 00100 00100 00100 11111",
    "2": "01110 10001 00001 00110 01000 10000 11111",
    "3": "01110 10001 00001 00110 00001 10001 01110",
    "4": "00010 00110 01010 10010 11111 00010 00010",
    "5": "11111 10000 11110 00001 00001 10001 01110",
    "6": "00110 01000 10000 11110 10001 10001 01110",
    "7": "11111 00001 00010 00100 01000 01000 01000",
    "8": "01110 10001 10001 01110 10001 10001 01110",
    "9": "01110 10001 10001 01111 00001 00010 01100",
    "?": "01110 10001 00001 00110 00100 00000 00100",
    "<": "00000 00011 01100 10000 01100 00011 00000",
    ">": "00000 11000 00110 00001 00110 11000 00000",
}


def open_tile(face: Colour = _OPEN, side: int = TILE) -> NDArray[np.uint8]:
    """Returns the tile of an open cell without a count."""
    tile = np.full((side, side, 3), face, np.uint8)
    tile[0, :] = tile[:, 0] = _LINE
    return tile


def covered_tile(face: Colour = FACE, side: int = TILE) -> NDArray[np.uint8]:
    """Returns the tile of a covered cell, with raised edges."""
    tile = np.full((side, side, 3), face, np.uint8)
    light, shade = (np.add(face, step).clip(0, 255) for step in (_RISE, _FALL))
    for edge in range(max(1, round(3 * side / TILE))):
        tile[edge, edge : side - edge] = tile[edge : side - edge, edge] = light
        tile[-1 - edge, edge : side - edge] = tile[edge : side - edge, -1 - edge] = shade
    return tile


_RISE, _FALL = np.subtract(_LIGHT, FACE), np.subtract(_SHADE, FACE)
"""Differences between the edges of a covered tile and its face."""


def write(
    tile: NDArray[np.uint8], text: str, ink: Colour, scale: int | None = None, middle: float = 0.5
) -> NDArray[np.uint8]:
    """Writes up to three characters into a tile; a text that does not fit is left out.

    Args:
        tile: the tile, changed in place.
        text: digits, "?", "<" and ">".
        ink: the colour.
        scale: pixels per dot of a character in a tile of side `TILE`; None means as many as fit.
        middle: vertical position of the middle of the text, from 0 at the top to 1 at the bottom.

    Returns:
        The same tile.
    """
    rows = ["0".join(_GLYPHS[char].split()[row] for char in text) for row in range(7)]
    pixels = np.array([[char == "1" for char in row] for row in rows])
    side = len(tile)
    scale = (side - 6 * side // TILE) // max(pixels.shape[1], 8) if scale is None else scale * side // TILE
    shape = np.kron(pixels, np.ones((max(scale, 1),) * 2, bool))
    top, left = int(2 * middle * side - shape.shape[0] + 1) // 2, (side - shape.shape[1] + 1) // 2
    if min(top, left) >= 0 and top + shape.shape[0] <= side:
        tile[top : top + shape.shape[0], left : left + shape.shape[1]][shape] = ink
    return tile


def draw_flag(tile: NDArray[np.uint8], size: float = 1.0, cloth: Colour = RED) -> NDArray[np.uint8]:
    """Draws a flag, scaled by `size`, at the top of a tile; returns the tile."""
    y, x = _grid(tile)
    y, x = y / size, (x - 0.5) / size + 0.5
    _paint(tile, (abs(x - 0.55) < 0.035) & (y > 0.2) & (y < 0.74), INK)
    _paint(tile, (y > 0.72) & (y < 0.8) & (abs(x - 0.55) < 0.2), INK)
    return _paint(tile, (x < 0.55) & (x > 0.24) & (abs(y - 0.35) < (x - 0.24) * 0.52), cloth)


def draw_mine(tile: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Draws a mine on a tile; returns the tile."""
    y, x = _grid(tile)
    down, right = y - 0.5, x - 0.5
    distance = np.hypot(down, right)
    spikes = np.minimum.reduce([abs(down), abs(right), abs(down - right) / 2**0.5, abs(down + right) / 2**0.5])
    _paint(tile, (distance < 0.26) | ((spikes < 0.03) & (distance < 0.36)), INK)
    return _paint(tile, np.hypot(y - 0.42, x - 0.42) < 0.06, _LIGHT)


def draw_cross(tile: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Crosses a tile out; returns the tile."""
    y, x = _grid(tile)
    strokes = np.minimum(abs(y - x), abs(y + x - 1)) / 2**0.5
    return _paint(tile, (strokes < 0.04) & (np.maximum(abs(x - 0.5), abs(y - 0.5)) < 0.34), INK)


def draw_tick(tile: NDArray[np.uint8], ink: Colour) -> NDArray[np.uint8]:
    """Draws a tick on a tile; returns the tile."""
    y, x = _grid(tile)
    short = (abs((y - 0.66) - (x - 0.42)) < 0.09) & (x > 0.24) & (x < 0.42 + 0.045)
    long = (abs((y - 0.66) + (x - 0.42)) < 0.09) & (x > 0.42 - 0.045) & (x < 0.78)
    return _paint(tile, short | long, ink)


def _grid(tile: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the coordinates y and x, 0 to 1, of the pixels of a tile at four times its resolution."""
    fine = 4 * len(tile)
    y, x = (np.indices((fine, fine)) + 0.5) / fine
    return y, x


def _paint(tile: NDArray[np.uint8], inside: NDArray[np.bool_], ink: Colour) -> NDArray[np.uint8]:
    """Paints a shape, given at four times the resolution; each pixel takes `ink` by the fraction that is covered."""
    side = len(tile)
    covered = inside.reshape(side, 4, side, 4).mean(axis=(1, 3))[..., None]
    tile[:] = np.rint(tile * (1 - covered) + np.array(ink) * covered).astype(np.uint8)
    return tile
