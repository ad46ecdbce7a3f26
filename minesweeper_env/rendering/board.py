"""Boards as text and as pictures, with NumPy alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.config import BoardConfig
from minesweeper_env.rendering.tiles import (
    ALARM,
    INK,
    RED,
    TILE,
    Colour,
    covered_tile,
    draw_cross,
    draw_flag,
    draw_mine,
    draw_tick,
    open_tile,
    write,
)

METADATA: dict[str, Any] = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 4}
"""The render modes and frame rate in the metadata of an environment."""

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


TEXT = {"zero": ".", "flagged": "F", "question": "?", "hidden": "#", "mine": "*", "wrong_flag": "X"}
"""The characters of cells in text; counts other than 0 are numbers."""

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


def check_render_mode(mode: str | None, allowed: Sequence[str]) -> str | None:
    """Returns `mode`, or raises a ValueError unless it is None or one of `allowed`."""
    if mode is not None and mode not in allowed:
        raise ValueError(f"render_mode must be None or one of {', '.join(allowed)}, not {mode!r}")
    return mode


def render_board(
    mode: str | None,
    codes: NDArray[np.int8],
    meaning: Codes,
    mines: NDArray[np.bool_],
    exploded: NDArray[np.bool_] | None = None,
    side: int = TILE,
    probabilities: NDArray[np.float64] | None = None,
    tints: Tints = STANDARD,
) -> str | NDArray[np.uint8] | None:
    """Returns a board as text, as a picture or, for any other mode, as None.

    Covered cells may show their probabilities. Text has per cent: "0%" and "100%" are certain, "<1%" and ">99%" are
    not. A mark, F or ?, stands before the number. A picture colours the cells from green to red: a tick on green is
    certainly free, a mine on red is certainly a mine. Wrong flags have no number, since they already show that the cell
    is free.

    Args:
        mode: "ansi", "rgb_array" or None.
        codes: (rows, cols) int8, the codes that the player sees.
        meaning: the meaning of the codes.
        mines: (rows, cols) bool, the mines of a finished game, which reveal wrong flags; all False otherwise.
        exploded: (rows, cols) bool, the mines that the last move opened, which a picture shows on strong red.
        side: the side of a cell in a picture, in pixels.
        probabilities: (rows, cols) float64, NaN where unknown; open cells are ignored. None writes none.
        tints: the colours of covered cells with a probability in a picture.
    """
    wrong_flags = (codes == meaning.flagged) & ~mines if mines.any() else np.zeros_like(mines)
    levels = levels_of(np.full(codes.shape, np.nan) if probabilities is None else probabilities)
    covered = (codes > meaning.max_count) & (codes != meaning.mine)
    levels = np.where(covered & ~wrong_flags, levels, LEVEL_UNKNOWN)
    if mode == "ansi":
        return _render_text(codes, meaning, wrong_flags, levels)
    if mode == "rgb_array":
        return _render_picture(codes, meaning, wrong_flags, exploded, side, levels, tints)
    return None


class Scene(NamedTuple):
    """A board as a picture shows it.

    Attributes:
        codes: (rows, cols) int8, the codes that the player sees.
        meaning: the meaning of the codes.
        mines: (rows, cols) bool, the mines of a finished game; all False otherwise.
        exploded: (rows, cols) bool, the mines that the last move opened.
        probabilities: (rows, cols) float64, the mine probabilities to write on covered cells; None writes none.
        tints: the colours of cells with a probability.
    """

    codes: NDArray[np.int8]
    meaning: Codes
    mines: NDArray[np.bool_]
    exploded: NDArray[np.bool_]
    probabilities: NDArray[np.float64] | None = None
    tints: Tints = STANDARD

    def picture(self, side: int = TILE) -> NDArray[np.uint8]:
        """Returns a (side * rows, side * cols, 3) uint8 picture."""
        codes, meaning, mines, exploded, probabilities, tints = self
        drawn = render_board("rgb_array", codes, meaning, mines, exploded, side, probabilities, tints)
        assert isinstance(drawn, np.ndarray)
        return drawn


def _render_text(
    codes: NDArray[np.int8], meaning: Codes, wrong_flags: NDArray[np.bool_], levels: NDArray[np.int64]
) -> str:
    marks = {getattr(meaning, name): TEXT[name] for name in ("flagged", "question", "hidden", "mine")}
    symbols = {0: TEXT["zero"], **marks}
    cells = [[symbols.get(code, str(code)) for code in row] for row in codes.tolist()]
    for row, col in np.argwhere(wrong_flags).tolist():
        cells[row][col] = TEXT["wrong_flag"]
    for row, col in np.argwhere(levels != LEVEL_UNKNOWN).tolist():
        mark = "" if codes[row, col] == meaning.hidden else cells[row][col]
        cells[row][col] = f"{mark}{level_text(int(levels[row, col]))}%"
    return join_cells(cells, max(len(str(meaning.max_count)), *(len(cell) for line in cells for cell in line)))


def join_cells(cells: Sequence[Sequence[str]], width: int) -> str:
    """Returns lines of cells, each at least `width` characters wide, with row and column numbers."""
    rows, cols = len(cells), len(cells[0])
    width = max(width, len(str(cols - 1)))
    margin = len(str(rows - 1))
    lines = [" " * margin + "".join(f" {col:>{width}}" for col in range(cols))]
    lines += [f"{row:>{margin}}" + "".join(f" {cell:>{width}}" for cell in cells[row]) for row in range(rows)]
    return "\n".join(lines)


def _render_picture(
    codes: NDArray[np.int8],
    meaning: Codes,
    wrong_flags: NDArray[np.bool_],
    exploded: NDArray[np.bool_] | None,
    side: int,
    levels: NDArray[np.int64],
    tints: Tints,
) -> NDArray[np.uint8]:
    """Returns a board as a (side * rows, side * cols, 3) uint8 picture."""
    kinds = np.where(wrong_flags, meaning.mine + 1, codes)
    if exploded is not None:
        kinds = np.where(exploded, meaning.mine + 2, kinds)
    tiles = _tiles(meaning, side)[kinds]
    for row, col in np.argwhere(levels != LEVEL_UNKNOWN).tolist():
        tiles[row, col] = _tile(int(levels[row, col]), int(codes[row, col]), meaning, side, tints)
    return join_tiles(tiles)


def join_tiles(tiles: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns the picture made of (rows, cols, side, side, 3) tiles."""
    rows, cols, side = tiles.shape[:3]
    return np.ascontiguousarray(tiles.swapaxes(1, 2)).reshape(rows * side, cols * side, 3)


@lru_cache(maxsize=16)
def _tiles(meaning: Codes, side: int) -> NDArray[np.uint8]:
    """Returns a tile per code, one for a wrong flag and one for an exploded mine, (codes + 2, side, side, 3)."""
    covered, opened = covered_tile(side=side), open_tile(side=side)
    tiles = [opened]
    for count in range(1, meaning.max_count + 1):
        ink = _COUNT_INKS[(count - 1) * len(_COUNT_INKS) // meaning.max_count]
        tiles.append(write(opened.copy(), str(count), ink))
    flagged = draw_flag(covered.copy())
    tiles += [flagged, write(covered.copy(), "?", INK), covered, draw_mine(open_tile(ALARM, side))]
    tiles += [draw_cross(flagged.copy()), draw_mine(open_tile(RED, side))]
    return np.stack(tiles)


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


def exploded_cells(codes: NDArray[np.int8], config: BoardConfig, action: int | None) -> NDArray[np.bool_]:
    """Returns the mines that the last action of a lost game opened, (rows, cols) bool: one, or by a chord several.

    Args:
        codes: (rows, cols) int8, the board after the action; only a lost game shows mines.
        config: the board and the moves of the game.
        action: the action, move_index * cells + row * cols + col; None where it is unknown, and no cell is returned.
    """
    if action is None:
        return np.zeros(codes.shape, np.bool_)
    move, cell = divmod(action, config.cells)
    row, col = divmod(cell, config.cols)
    reach = config.radius if config.moves[move] == "chord" else 0
    near = np.zeros(codes.shape, np.bool_)
    near[max(0, row - reach) : row + reach + 1, max(0, col - reach) : col + reach + 1] = True
    return near & (codes == config.codes.mine)


def with_mines_flagged(codes: NDArray[np.int8], meaning: Codes, mines: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Returns the board of a won game with a flag on every mine."""
    return np.where(mines & (codes > meaning.max_count), np.int8(meaning.flagged), codes)
