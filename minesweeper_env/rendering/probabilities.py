"""Boards with the mine probability of each covered cell, as text and as pictures."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.rendering.board import find_wrong_flags, join_cells, join_tiles, render_picture, text_cells
from minesweeper_env.rendering.tiles import INK, RED, TILE, Colour, covered_tile, draw_flag, draw_mine, draw_tick, write

LEVEL_SAFE, LEVEL_MINE, LEVEL_UNKNOWN = 0, 102, 103
"""Levels of the cells that `levels_of` does not round to per cent.

| level         | the cell                         |
|---------------|----------------------------------|
| LEVEL_SAFE    | is certainly free                |
| 1             | is a mine by less than 1 %       |
| 2 to 100      | is a mine by `level - 1` per cent |
| 101           | is a mine by more than 99 %      |
| LEVEL_MINE    | is certainly a mine              |
| LEVEL_UNKNOWN | has an unknown probability       |
"""

_STOPS = (0.0, 0.25, 0.5, 1.0)
_WHITE: Colour = (255, 255, 255)


class Tints(NamedTuple):
    """Colours of covered cells by their probability.

    Attributes:
        stops: the colours at 0, 25, 50 and 100 per cent, between which others lie.
        safe: the colour of a certainly free cell.
        mine: the colour of a certain mine.
    """

    stops: tuple[Colour, Colour, Colour, Colour]
    safe: Colour
    mine: Colour


STANDARD = Tints(((138, 207, 132), (236, 229, 150), (245, 190, 120), (233, 120, 110)), (46, 150, 70), (200, 45, 45))
"""From green to red."""

COLOUR_BLIND = Tints(((150, 205, 240), (240, 232, 140), (235, 180, 60), (222, 125, 50)), (0, 114, 178), (176, 70, 0))
"""From blue to orange, after Okabe and Ito (2008), "Color Universal Design"."""


def render_overlay(
    mode: str | None,
    codes: NDArray[np.int8],
    meaning: Codes,
    mines: NDArray[np.bool_],
    probabilities: NDArray[np.float64],
    exploded: NDArray[np.bool_] | None = None,
    side: int = TILE,
    tints: Tints = STANDARD,
) -> str | NDArray[np.uint8] | None:
    """Returns a board as `rendering.render_board` does, with the probabilities in its covered cells.

    Text shows per cent: "0%" and "100%" are certain, "<1%" and ">99%" are not. A mark, F or ?, stands before the
    number. A picture colours the cells from green to red: a tick on green is certainly free, a mine on red is
    certainly a mine. Cells of unknown probability look as in `render_board`. Wrong flags have no number, since they
    already show that the cell is free.

    Args:
        mode: "ansi", "rgb_array" or None.
        codes: (rows, cols) int8, the codes that the player sees.
        meaning: the meaning of the codes.
        mines: (rows, cols) bool, the mines of a finished game, which reveal wrong flags; all False otherwise.
        probabilities: (rows, cols) float64, NaN where unknown; open cells are ignored.
        exploded: (rows, cols) bool, the mines that the last move opened; none by default.
        side: the side of a cell in a picture, in pixels.
        tints: the colours of covered cells in a picture.
    """
    wrong_flags = find_wrong_flags(codes, meaning, mines)
    levels = levels_of(probabilities)
    covered = (codes > meaning.max_count) & (codes != meaning.mine)
    written = covered & ~wrong_flags & (levels != LEVEL_UNKNOWN)
    if mode == "ansi":
        return _render_text(codes, meaning, wrong_flags, levels, written)
    if mode == "rgb_array":
        picture = render_picture(codes, meaning, wrong_flags, exploded, side)
        return _write_levels(picture, codes, meaning, levels, written, tints)
    return None


def levels_of(probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """Returns the level of each probability, as the table of `LEVEL_SAFE` lists them."""
    known = np.nan_to_num(probabilities, nan=0.5)
    per_cent = np.where(known < 0.01, 0, np.where(known > 0.99, 100, np.rint(100 * known))).astype(np.int64)
    levels = np.where(known <= 0, LEVEL_SAFE, np.where(known >= 1, LEVEL_MINE, 1 + per_cent))
    return np.where(np.isnan(probabilities), LEVEL_UNKNOWN, levels)


def level_text(level: int) -> str:
    """Returns the per cent of a level, without the sign."""
    special = {LEVEL_SAFE: "0", 1: "<1", 101: ">99", LEVEL_MINE: "100"}
    return special.get(level, str(level - 1))


def _render_text(
    codes: NDArray[np.int8],
    meaning: Codes,
    wrong_flags: NDArray[np.bool_],
    levels: NDArray[np.int64],
    written: NDArray[np.bool_],
) -> str:
    cells = text_cells(codes, meaning, wrong_flags)
    for row, col in np.argwhere(written).tolist():
        mark = "" if codes[row, col] == meaning.hidden else cells[row][col]
        cells[row][col] = f"{mark}{level_text(int(levels[row, col]))}%"
    return join_cells(cells, max(len(cell) for line in cells for cell in line))


def _write_levels(
    picture: NDArray[np.uint8],
    codes: NDArray[np.int8],
    meaning: Codes,
    levels: NDArray[np.int64],
    written: NDArray[np.bool_],
    tints: Tints,
) -> NDArray[np.uint8]:
    """Returns a picture whose `written` cells show their levels."""
    rows, cols = codes.shape
    side = len(picture) // rows
    tiles = picture.reshape(rows, side, cols, side, 3).swapaxes(1, 2)
    for row, col in np.argwhere(written).tolist():
        tiles[row, col] = _tile(int(levels[row, col]), int(codes[row, col]), meaning, side, tints)
    return join_tiles(tiles)


@lru_cache(maxsize=1024)
def _tile(level: int, code: int, meaning: Codes, side: int, tints: Tints) -> NDArray[np.uint8]:
    """Returns the tile of a covered cell with this level and code."""
    certain = level in (LEVEL_SAFE, LEVEL_MINE)
    tile, ink = covered_tile(level_face(level, tints), side), _WHITE if certain else INK
    if code != meaning.hidden:
        write(tile, level_text(level), ink, scale=1, middle=0.8)
    if code == meaning.flagged:
        return draw_flag(tile, 0.72, cloth=_WHITE if level == LEVEL_MINE else RED)
    if code == meaning.question:
        return write(tile, "?", ink, scale=2, middle=0.4)
    if certain:
        return draw_tick(tile, ink) if level == LEVEL_SAFE else draw_mine(tile)
    text = level_text(level)
    return write(tile, text, ink, scale=2 if len(text) < 3 else 1)


def level_face(level: int, tints: Tints = STANDARD) -> Colour:
    """Returns the colour of a covered cell of a level."""
    if level in (LEVEL_SAFE, LEVEL_MINE):
        return tints.safe if level == LEVEL_SAFE else tints.mine
    red, green, blue = (round(np.interp((level - 1) / 100, _STOPS, tint)) for tint in zip(*tints.stops, strict=True))
    return red, green, blue
