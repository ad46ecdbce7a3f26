"""Boards as text and as pictures, with NumPy alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes

METADATA: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}
"""What an environment's metadata say of rendering."""

TILE = 32
"""The side of a cell in a picture, in pixels."""

TEXT = {"zero": ".", "flagged": "F", "question": "?", "hidden": "#", "mine": "*", "wrong_flag": "X"}
"""The characters of a board as text; counts are numbers."""

Colour = tuple[int, int, int]
_FACE, _LIGHT, _SHADE, _OPEN, _LINE = (
    (198, 202, 208),
    (232, 235, 239),
    (142, 148, 157),
    (222, 225, 229),
    (180, 185, 192),
)
_INK, _RED, _ALARM = (38, 42, 48), (211, 47, 47), (239, 154, 154)
_COUNT_INKS: tuple[Colour, ...] = (
    (25, 90, 214),
    (35, 125, 50),
    (208, 46, 46),
    (94, 40, 150),
    (140, 60, 16),
    (0, 121, 125),
    (38, 42, 48),
    (110, 115, 122),
)

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
}


def check_render_mode(mode: str | None, allowed: Sequence[str]) -> str | None:
    """Returns `mode`, or raises a ValueError unless it is None or one of `allowed`."""
    if mode is not None and mode not in allowed:
        raise ValueError(f"render_mode must be None or one of {', '.join(allowed)}, not {mode!r}")
    return mode


def render_board(
    mode: str | None, codes: NDArray[np.int8], meaning: Codes, mines: NDArray[np.bool_]
) -> str | NDArray[np.uint8] | None:
    """Returns a board as its render mode asks: text, a picture, or None for the mode None.

    Args:
        mode: "ansi", "rgb_array" or None.
        codes: (rows, cols) int8, what the player sees.
        meaning: what the codes stand for.
        mines: (rows, cols) bool, the mines of a game that is over, so that wrong flags show; else all False.
    """
    wrong_flags = (codes == meaning.flagged) & ~mines if mines.any() else np.zeros_like(mines)
    if mode == "ansi":
        return render_text(codes, meaning, wrong_flags)
    if mode == "rgb_array":
        return render_picture(codes, meaning, wrong_flags)
    return None


def render_text(codes: NDArray[np.int8], meaning: Codes, wrong_flags: NDArray[np.bool_]) -> str:
    """Returns a board as lines of text, with the numbers of the rows and columns at the edges."""
    symbols = {
        0: TEXT["zero"],
        meaning.flagged: TEXT["flagged"],
        meaning.question: TEXT["question"],
        meaning.hidden: TEXT["hidden"],
        meaning.mine: TEXT["mine"],
    }
    rows, cols = codes.shape
    width = max(len(str(meaning.max_count)), len(str(cols - 1)))
    margin = len(str(rows - 1))
    lines = [" " * margin + "".join(f" {col:>{width}}" for col in range(cols))]
    for row in range(rows):
        cells = [symbols.get(int(code), str(code)) for code in codes[row]]
        for col in np.flatnonzero(wrong_flags[row]):
            cells[col] = TEXT["wrong_flag"]
        lines.append(f"{row:>{margin}}" + "".join(f" {cell:>{width}}" for cell in cells))
    return "\n".join(lines)


def render_picture(codes: NDArray[np.int8], meaning: Codes, wrong_flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Returns a board as a (TILE * rows, TILE * cols, 3) uint8 picture."""
    tiles = _tiles(meaning)
    chosen = np.where(wrong_flags, meaning.mine + 1, codes)
    rows, cols = codes.shape
    picture = tiles[chosen].transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(picture).reshape(rows * TILE, cols * TILE, 3)


@cache
def _tiles(meaning: Codes) -> NDArray[np.uint8]:
    """Returns the (codes + 1, TILE, TILE, 3) tiles, the last one being a wrong flag."""
    tiles = [_open_tile()]
    tiles += [_write(_open_tile(), str(count), _count_ink(count, meaning)) for count in range(1, meaning.max_count + 1)]
    flagged = _draw_flag(_covered_tile())
    tiles += [flagged, _write(_covered_tile(), "?", _INK), _covered_tile(), _draw_mine(_open_tile(_ALARM))]
    tiles.append(_draw_cross(flagged.copy()))
    return np.stack(tiles)


def _count_ink(count: int, meaning: Codes) -> Colour:
    return _COUNT_INKS[(count - 1) * len(_COUNT_INKS) // meaning.max_count]


def _open_tile(face: Colour = _OPEN) -> NDArray[np.uint8]:
    tile = np.full((TILE, TILE, 3), face, np.uint8)
    tile[0, :] = tile[:, 0] = _LINE
    return tile


def _covered_tile() -> NDArray[np.uint8]:
    tile = np.full((TILE, TILE, 3), _FACE, np.uint8)
    for edge in range(3):
        tile[edge, edge : TILE - edge] = tile[edge : TILE - edge, edge] = _LIGHT
        tile[-1 - edge, edge : TILE - edge] = tile[edge : TILE - edge, -1 - edge] = _SHADE
    return tile


def _write(tile: NDArray[np.uint8], text: str, ink: Colour) -> NDArray[np.uint8]:
    """Writes up to three characters into the middle of a tile."""
    rows = ["0".join(_GLYPHS[char].split()[row] for char in text) for row in range(7)]
    pixels = np.array([[char == "1" for char in row] for row in rows])
    scale = (TILE - 6) // max(pixels.shape[1], 8)
    shape = np.kron(pixels, np.ones((scale, scale), bool))
    top, left = (TILE - shape.shape[0] + 1) // 2, (TILE - shape.shape[1] + 1) // 2
    tile[top : top + shape.shape[0], left : left + shape.shape[1]][shape] = ink
    return tile


def _paint(tile: NDArray[np.uint8], inside: NDArray[np.bool_], ink: Colour) -> NDArray[np.uint8]:
    """Blends `ink` in by the share of each pixel that a shape, drawn four times as large, covers."""
    share = inside.reshape(TILE, 4, TILE, 4).mean(axis=(1, 3))[..., None]
    tile[:] = np.rint(tile * (1 - share) + np.array(ink) * share).astype(np.uint8)
    return tile


def _grid() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the heights y and widths x, both 0 to 1, of a tile drawn four times as large."""
    y, x = (np.indices((4 * TILE, 4 * TILE)) + 0.5) / (4 * TILE)
    return y, x


def _draw_flag(tile: NDArray[np.uint8]) -> NDArray[np.uint8]:
    y, x = _grid()
    _paint(tile, (abs(x - 0.55) < 0.035) & (y > 0.2) & (y < 0.74), _INK)
    _paint(tile, (y > 0.72) & (y < 0.8) & (abs(x - 0.55) < 0.2), _INK)
    return _paint(tile, (x < 0.55) & (x > 0.24) & (abs(y - 0.35) < (x - 0.24) * 0.52), _RED)


def _draw_mine(tile: NDArray[np.uint8]) -> NDArray[np.uint8]:
    y, x = _grid()
    down, right = y - 0.5, x - 0.5
    distance = np.hypot(down, right)
    spikes = np.minimum.reduce([abs(down), abs(right), abs(down - right) / 2**0.5, abs(down + right) / 2**0.5])
    _paint(tile, (distance < 0.26) | ((spikes < 0.03) & (distance < 0.36)), _INK)
    return _paint(tile, np.hypot(y - 0.42, x - 0.42) < 0.06, _LIGHT)


def _draw_cross(tile: NDArray[np.uint8]) -> NDArray[np.uint8]:
    y, x = _grid()
    strokes = np.minimum(abs(y - x), abs(y + x - 1)) / 2**0.5
    return _paint(tile, (strokes < 0.04) & (np.maximum(abs(x - 0.5), abs(y - 0.5)) < 0.34), _INK)
