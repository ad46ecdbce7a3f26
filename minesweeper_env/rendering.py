"""Boards as text and as pictures, with NumPy alone; tiles are drawn for each size, and never scaled."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.config import BoardConfig

__all__ = [
    "COLOUR_BLIND",
    "INK",
    "LEVEL_MINE",
    "LEVEL_SAFE",
    "LEVEL_UNKNOWN",
    "METADATA",
    "STANDARD",
    "TEXT",
    "TILE",
    "Colour",
    "Scene",
    "Tints",
    "covered_tile",
    "draw_tick",
    "exploded_cells",
    "join_cells",
    "join_tiles",
    "level_face",
    "levels_of",
    "open_tile",
    "render_board",
    "with_mines_flagged",
    "write",
]

METADATA: dict[str, Any] = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 4}
"""The render modes and frame rate in the metadata of an environment."""

TEXT = {"zero": ".", "flagged": "F", "question": "?", "hidden": "#", "mine": "*", "wrong_flag": "X"}
"""The characters of cells in text; counts other than 0 are numbers."""

TILE = 32
"""The usual side of a cell in a picture, in pixels."""

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

INK: Colour = (38, 42, 48)
_FACE: Colour = (198, 202, 208)
_RED: Colour = (211, 47, 47)
_ALARM: Colour = (239, 154, 154)
_LIGHT, _SHADE, _OPEN, _LINE = (232, 235, 239), (142, 148, 157), (222, 225, 229), (180, 185, 192)
_RISE, _FALL = np.subtract(_LIGHT, _FACE), np.subtract(_SHADE, _FACE)
"""Differences between the edges of a covered tile and its face."""

_WHITE: Colour = (255, 255, 255)
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

LEVEL_SAFE, LEVEL_MINE, LEVEL_UNKNOWN = 0, 102, 103
"""Levels of a certainly free cell, a certain mine, and a cell with an unknown probability.

1 is a mine by less than 1 %, 2 to 100 by `level - 1` per cent, and 101 by more than 99 %.
"""

_STOPS = (0.0, 0.25, 0.5, 1.0)


class Tints(NamedTuple):
    """Colours of covered cells: mines by 0, 25, 50 and 100 per cent, certainly free cells, and certain mines."""

    stops: tuple[Colour, Colour, Colour, Colour]
    safe: Colour
    mine: Colour


STANDARD = Tints(((138, 207, 132), (236, 229, 150), (245, 190, 120), (233, 120, 110)), (46, 150, 70), (200, 45, 45))
"""From green to red."""

COLOUR_BLIND = Tints(((150, 205, 240), (240, 232, 140), (235, 180, 60), (222, 125, 50)), (0, 114, 178), (176, 70, 0))
"""From blue to orange, after Okabe and Ito (2008), "Color Universal Design"."""

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


def render_board(
    mode: str | None,
    codes: NDArray[np.int8],
    meaning: Codes,
    mines: NDArray[np.bool_],
    exploded: NDArray[np.bool_] | None = None,
    side: int = TILE,
    probabilities: NDArray[np.float64] | None = None,
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
    """
    no_cells = np.zeros_like(mines)
    scene = Scene(codes, meaning, mines, no_cells if exploded is None else exploded, probabilities)
    if mode == "ansi":
        return scene.text()
    return scene.picture(side) if mode == "rgb_array" else None


class Scene(NamedTuple):
    """A board as it is drawn; `render_board` explains the fields. A picture colours probabilities with the tints."""

    codes: NDArray[np.int8]
    meaning: Codes
    mines: NDArray[np.bool_]
    exploded: NDArray[np.bool_]
    probabilities: NDArray[np.float64] | None = None
    tints: Tints = STANDARD

    def _wrong_flags_and_levels(self) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Returns the wrong flags, (rows, cols) bool, and the levels to show, LEVEL_UNKNOWN where a cell shows none."""
        codes, meaning = self.codes, self.meaning
        wrong_flags = (codes == meaning.flagged) & ~self.mines & self.mines.any()  # none before the mines are known
        all_unknown = np.full(codes.shape, np.nan)
        levels = levels_of(all_unknown if self.probabilities is None else self.probabilities)
        covered = (codes > meaning.max_count) & (codes != meaning.mine)
        return wrong_flags, np.where(covered & ~wrong_flags, levels, LEVEL_UNKNOWN)

    def text(self) -> str:
        """Returns lines of text with row and column numbers."""
        codes, meaning = self.codes, self.meaning
        wrong_flags, levels = self._wrong_flags_and_levels()
        marks = {getattr(meaning, name): TEXT[name] for name in ("flagged", "question", "hidden", "mine")}
        symbols = {0: TEXT["zero"], **marks}
        cells = [[symbols.get(code, str(code)) for code in row] for row in codes.tolist()]
        for row, col in np.argwhere(wrong_flags).tolist():
            cells[row][col] = TEXT["wrong_flag"]
        for row, col in np.argwhere(levels != LEVEL_UNKNOWN).tolist():
            mark = "" if codes[row, col] == meaning.hidden else cells[row][col]
            cells[row][col] = f"{mark}{_level_text(int(levels[row, col]))}%"  # such as "35%", or "F35%" on a flag
        return join_cells(cells, max(len(str(meaning.max_count)), *(len(cell) for line in cells for cell in line)))

    def picture(self, side: int = TILE) -> NDArray[np.uint8]:
        """Returns a (side * rows, side * cols, 3) uint8 picture."""
        wrong_flags, levels = self._wrong_flags_and_levels()
        kinds = np.where(wrong_flags, self.meaning.mine + 1, self.codes)  # `_tile` explains both numbers
        kinds = np.where(self.exploded, self.meaning.mine + 2, kinds)
        cells = zip(kinds.ravel().tolist(), levels.ravel().tolist(), strict=True)
        tiles = np.stack([_tile(kind, level, self.meaning, side, self.tints) for kind, level in cells])
        return join_tiles(tiles.reshape(*kinds.shape, side, side, 3))


def join_cells(cells: Sequence[Sequence[str]], width: int, mark: str = "") -> str:
    """Returns lines of cells, at least `width` characters wide, under column numbers; `mark` ends row numbers."""
    rows, cols = len(cells), len(cells[0])
    width = max(width, len(str(cols - 1)))
    margin = len(str(rows - 1))
    lines = [" " * (margin + len(mark)) + "".join(f" {col:>{width}}" for col in range(cols))]
    lines += [f"{row:>{margin}}{mark}" + "".join(f" {cell:>{width}}" for cell in cells[row]) for row in range(rows)]
    return "\n".join(lines)


def join_tiles(tiles: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns the picture made of (rows, cols, side, side, 3) tiles."""
    rows, cols, side = tiles.shape[:3]
    return np.ascontiguousarray(tiles.swapaxes(1, 2)).reshape(rows * side, cols * side, 3)


def levels_of(probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """Returns the level, as `LEVEL_SAFE` explains, of each probability, NaN where unknown."""
    risks = np.nan_to_num(probabilities, nan=0.5)
    per_cent = np.where(risks < 0.01, 0, np.where(risks > 0.99, 100, np.rint(100 * risks))).astype(np.int64)
    levels = np.where(risks <= 0, LEVEL_SAFE, np.where(risks >= 1, LEVEL_MINE, 1 + per_cent))
    return np.where(np.isnan(probabilities), LEVEL_UNKNOWN, levels)


def _level_text(level: int) -> str:
    """Returns the mine probability of a level in per cent, without the sign, such as "<1"."""
    special = {LEVEL_SAFE: "0", 1: "<1", 101: ">99", LEVEL_MINE: "100"}
    return special.get(level, str(level - 1))


@lru_cache(maxsize=1024)
def _tile(kind: int, level: int, meaning: Codes, side: int, tints: Tints) -> NDArray[np.uint8]:
    """Returns the tile of a kind at a level; kinds are codes, `mine` + 1 for a wrong flag, + 2 for an exploded mine."""
    if kind <= meaning.max_count:
        ink = _COUNT_INKS[(kind - 1) * len(_COUNT_INKS) // meaning.max_count]  # with a larger radius, counts share inks
        return write(open_tile(side=side), str(kind), ink) if kind else open_tile(side=side)
    if kind in (meaning.mine, meaning.mine + 2):
        return _draw_mine(open_tile(_ALARM if kind == meaning.mine else _RED, side))
    if level != LEVEL_UNKNOWN:
        return _level_tile(kind, level, meaning, side, tints)
    tile = covered_tile(side=side)
    if kind == meaning.question:
        return write(tile, "?", INK)
    if kind != meaning.hidden:
        _draw_flag(tile)
    return _draw_cross(tile) if kind == meaning.mine + 1 else tile


def _level_tile(code: int, level: int, meaning: Codes, side: int, tints: Tints) -> NDArray[np.uint8]:
    """Returns the tile of a covered cell with a probability; on a marked cell the number is small, below the mark."""
    is_certain, text = level in (LEVEL_SAFE, LEVEL_MINE), _level_text(level)
    tile, ink = covered_tile(level_face(level, tints), side), _WHITE if is_certain else INK
    if code != meaning.hidden:
        write(tile, text, ink, scale=1, middle=0.8)
    if code == meaning.flagged:
        return _draw_flag(tile, 0.72, cloth=_WHITE if level == LEVEL_MINE else _RED)
    if code == meaning.question:
        return write(tile, "?", ink, scale=2, middle=0.4)
    if is_certain:
        return draw_tick(tile, ink) if level == LEVEL_SAFE else _draw_mine(tile)
    return write(tile, text, ink, scale=2 if len(text) < 3 else 1)


def level_face(level: int, tints: Tints = STANDARD) -> Colour:
    """Returns the colour of a covered cell whose probability has this level."""
    if level in (LEVEL_SAFE, LEVEL_MINE):
        return tints.safe if level == LEVEL_SAFE else tints.mine
    channels = zip(*tints.stops, strict=True)  # the reds of the stops, then their greens, then their blues
    red, green, blue = (round(np.interp((level - 1) / 100, _STOPS, values)) for values in channels)
    return red, green, blue


def exploded_cells(codes: NDArray[np.int8], config: BoardConfig, action: int | None) -> NDArray[np.bool_]:
    """Returns the mines that the last action of a lost game opened, (rows, cols) bool: one, or by a chord several.

    `codes` is the board after the action, (rows, cols) int8. Without an action, all are False.
    """
    if action is None:
        return np.zeros(codes.shape, np.bool_)
    move, cell = divmod(action, config.cells)
    row, col = divmod(cell, config.cols)
    reach = config.radius if config.moves[move] == "chord" else 0
    in_reach = np.zeros(codes.shape, np.bool_)
    in_reach[max(0, row - reach) : row + reach + 1, max(0, col - reach) : col + reach + 1] = True
    return in_reach & (codes == config.codes.mine)


def with_mines_flagged(codes: NDArray[np.int8], meaning: Codes, mines: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Returns the board of a won game with a flag on every mine."""
    return np.where(mines & (codes > meaning.max_count), np.int8(meaning.flagged), codes)


def open_tile(face: Colour = _OPEN, side: int = TILE) -> NDArray[np.uint8]:
    """Returns the tile of an open cell without a count."""
    tile = np.full((side, side, 3), face, np.uint8)
    tile[0, :] = tile[:, 0] = _LINE
    return tile


def covered_tile(face: Colour = _FACE, side: int = TILE) -> NDArray[np.uint8]:
    """Returns the tile of a covered cell, with raised edges."""
    tile = np.full((side, side, 3), face, np.uint8)
    light, shade = (np.add(face, step).clip(0, 255) for step in (_RISE, _FALL))
    for edge in range(max(1, round(3 * side / TILE))):
        tile[edge, edge : side - edge] = tile[edge : side - edge, edge] = light
        tile[-1 - edge, edge : side - edge] = tile[edge : side - edge, -1 - edge] = shade
    return tile


def write(
    tile: NDArray[np.uint8], text: str, ink: Colour, scale: int | None = None, middle: float = 0.5
) -> NDArray[np.uint8]:
    """Writes up to three of 0 to 9, "?", "<" and ">" into a tile, (side, side, 3) uint8, if they fit; returns the tile.

    `scale` is the number of pixels per dot of a character in a tile of side `TILE`, by default as many as fit. `middle`
    is where the middle of the text stands, from 0 at the top of the tile to 1 at the bottom.
    """
    rows = ["0".join(_GLYPHS[char].split()[row] for char in text) for row in range(7)]  # a blank column between two
    dots, side = np.array([[dot == "1" for dot in row] for row in rows]), len(tile)
    # The margin is 3 pixels of `TILE`. One character counts as 8 dots wide: it has 5 x 7 dots, and must fit in height.
    scale = (side - 6 * side // TILE) // max(dots.shape[1], 8) if scale is None else scale * side // TILE
    mask = np.kron(dots, np.ones((max(scale, 1),) * 2, bool))  # each dot becomes a square of `scale` pixels
    height, width = mask.shape
    top, left = int(2 * middle * side - height + 1) // 2, (side - width + 1) // 2
    if min(top, left) >= 0 and top + height <= side:
        tile[top : top + height, left : left + width][mask] = ink
    return tile


def _draw_flag(tile: NDArray[np.uint8], size: float = 1.0, cloth: Colour = _RED) -> NDArray[np.uint8]:
    """Draws a flag, scaled by `size`, at the top of a tile; returns the tile."""
    y, x = _grid(tile)
    y, x = y / size, (x - 0.5) / size + 0.5
    _paint(tile, (abs(x - 0.55) < 0.035) & (y > 0.2) & (y < 0.74), INK)
    _paint(tile, (y > 0.72) & (y < 0.8) & (abs(x - 0.55) < 0.2), INK)
    return _paint(tile, (x < 0.55) & (x > 0.24) & (abs(y - 0.35) < (x - 0.24) * 0.52), cloth)


def _draw_mine(tile: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Draws a disk with eight spikes and a highlight; returns the tile."""
    y, x = _grid(tile)
    down, right = y - 0.5, x - 0.5
    radius = np.hypot(down, right)
    to_axis = np.minimum.reduce([abs(down), abs(right), abs(down - right) / 2**0.5, abs(down + right) / 2**0.5])
    _paint(tile, (radius < 0.26) | ((to_axis < 0.03) & (radius < 0.36)), INK)
    return _paint(tile, np.hypot(y - 0.42, x - 0.42) < 0.06, _LIGHT)


def _draw_cross(tile: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Crosses a tile out; returns the tile."""
    y, x = _grid(tile)
    to_diagonal = np.minimum(abs(y - x), abs(y + x - 1)) / 2**0.5
    return _paint(tile, (to_diagonal < 0.04) & (np.maximum(abs(x - 0.5), abs(y - 0.5)) < 0.34), INK)


def draw_tick(tile: NDArray[np.uint8], ink: Colour) -> NDArray[np.uint8]:
    """Draws a tick on a tile; returns the tile."""
    y, x = _grid(tile)
    short = (abs((y - 0.66) - (x - 0.42)) < 0.09) & (x > 0.24) & (x < 0.42 + 0.045)
    long = (abs((y - 0.66) + (x - 0.42)) < 0.09) & (x > 0.42 - 0.045) & (x < 0.78)
    return _paint(tile, short | long, ink)


def _grid(tile: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns y and x, 0 to 1, of the subpixels of a tile, (4 * side, 4 * side) each: four by four a pixel."""
    fine = 4 * len(tile)
    y, x = (np.indices((fine, fine)) + 0.5) / fine
    return y, x


def _paint(tile: NDArray[np.uint8], shape: NDArray[np.bool_], ink: Colour) -> NDArray[np.uint8]:
    """Paints a shape, a (4 * side, 4 * side) bool mask of subpixels, on a tile; returns the tile."""
    side = len(tile)
    coverage = shape.reshape(side, 4, side, 4).mean(axis=(1, 3))[..., None]  # (side, side, 1), 0 to 1, of each pixel
    tile[:] = np.rint(tile * (1 - coverage) + np.array(ink) * coverage).astype(np.uint8)
    return tile
