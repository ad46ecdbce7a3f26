"""Boards as text and as pictures, with NumPy alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes
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
    open_tile,
    write,
)

METADATA: dict[str, Any] = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 4}
"""The render modes and frame rate in the metadata of an environment."""

TEXT = {"zero": ".", "flagged": "F", "question": "?", "hidden": "#", "mine": "*", "wrong_flag": "X"}
"""The characters of cells in text; counts other than 0 are numbers."""

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
) -> str | NDArray[np.uint8] | None:
    """Returns a board as text, as a picture or, for any other mode, as None.

    Args:
        mode: "ansi", "rgb_array" or None.
        codes: (rows, cols) int8, the codes that the player sees.
        meaning: the meaning of the codes.
        mines: (rows, cols) bool, the mines of a finished game, which reveal wrong flags; all False otherwise.
        exploded: (rows, cols) bool, the mines that the last move opened, which a picture shows on strong red.
        side: the side of a cell in a picture, in pixels.
    """
    wrong_flags = find_wrong_flags(codes, meaning, mines)
    if mode == "ansi":
        return render_text(codes, meaning, wrong_flags)
    if mode == "rgb_array":
        return render_picture(codes, meaning, wrong_flags, exploded, side)
    return None


def find_wrong_flags(codes: NDArray[np.int8], meaning: Codes, mines: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Returns the flags on free cells of a finished game, (rows, cols) bool; `mines` as in `render_board`."""
    return (codes == meaning.flagged) & ~mines if mines.any() else np.zeros_like(mines)


def render_text(codes: NDArray[np.int8], meaning: Codes, wrong_flags: NDArray[np.bool_]) -> str:
    """Returns a board as lines of text, with row and column numbers at the edges."""
    return join_cells(text_cells(codes, meaning, wrong_flags), len(str(meaning.max_count)))


def text_cells(codes: NDArray[np.int8], meaning: Codes, wrong_flags: NDArray[np.bool_]) -> list[list[str]]:
    """Returns the text of each cell of a board, row by row."""
    symbols = {
        0: TEXT["zero"],
        meaning.flagged: TEXT["flagged"],
        meaning.question: TEXT["question"],
        meaning.hidden: TEXT["hidden"],
        meaning.mine: TEXT["mine"],
    }
    cells = [[symbols.get(code, str(code)) for code in row] for row in codes.tolist()]
    for row, col in np.argwhere(wrong_flags).tolist():
        cells[row][col] = TEXT["wrong_flag"]
    return cells


def join_cells(cells: Sequence[Sequence[str]], width: int) -> str:
    """Returns lines of cells, each at least `width` characters wide, with row and column numbers."""
    rows, cols = len(cells), len(cells[0])
    width = max(width, len(str(cols - 1)))
    margin = len(str(rows - 1))
    lines = [" " * margin + "".join(f" {col:>{width}}" for col in range(cols))]
    lines += [f"{row:>{margin}}" + "".join(f" {cell:>{width}}" for cell in cells[row]) for row in range(rows)]
    return "\n".join(lines)


def render_picture(
    codes: NDArray[np.int8],
    meaning: Codes,
    wrong_flags: NDArray[np.bool_],
    exploded: NDArray[np.bool_] | None = None,
    side: int = TILE,
) -> NDArray[np.uint8]:
    """Returns a board as a (side * rows, side * cols, 3) uint8 picture."""
    kinds = np.where(wrong_flags, meaning.mine + 1, codes)
    if exploded is not None:
        kinds = np.where(exploded, meaning.mine + 2, kinds)
    return join_tiles(_tiles(meaning, side)[kinds])


def join_tiles(tiles: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns the picture made of (rows, cols, side, side, 3) tiles."""
    rows, cols, side = tiles.shape[:3]
    return np.ascontiguousarray(tiles.swapaxes(1, 2)).reshape(rows * side, cols * side, 3)


@lru_cache(maxsize=16)
def _tiles(meaning: Codes, side: int) -> NDArray[np.uint8]:
    """Returns a tile per code, one for a wrong flag and one for an exploded mine, (codes + 2, side, side, 3)."""
    covered, opened = covered_tile(side=side), open_tile(side=side)
    tiles = [opened]
    tiles += [write(opened.copy(), str(count), count_ink(count, meaning)) for count in range(1, meaning.max_count + 1)]
    flagged = draw_flag(covered.copy())
    tiles += [flagged, write(covered.copy(), "?", INK), covered, draw_mine(open_tile(ALARM, side))]
    tiles += [draw_cross(flagged.copy()), draw_mine(open_tile(RED, side))]
    return np.stack(tiles)


def count_ink(count: int, meaning: Codes) -> Colour:
    """Returns the colour of a count above 0."""
    return _COUNT_INKS[(count - 1) * len(_COUNT_INKS) // meaning.max_count]
