"""Cells of a board as SVG: one definition per kind of cell, drawn once and used by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.rendering.board import count_ink, find_wrong_flags
from minesweeper_env.rendering.probabilities import LEVEL_MINE, LEVEL_SAFE, level_face, level_text, levels_of
from minesweeper_env.rendering.scene import Scene
from minesweeper_env.rendering.tiles import ALARM, FACE, INK, RED, Colour

SIDE = 32
"""The side of a cell, in units of the picture."""

FONT = "font-family='Helvetica,Arial,sans-serif'"
_LIGHT, _SHADE, _OPEN, _LINE = "#e8ebef", "#8e949d", "#dee1e5", "#b4b9c0"
_FLAG = (
    "<path d='M16.5 6.4h2.2v17.3h-2.2z'/><path d='M11.2 23h12.8v2.6H11.2z'/><path fill='{}' d='M17.6 6v11L7.7 11.2z'/>"
)
_MINE = (
    "<circle cx='16' cy='16' r='8.3'/>"
    "<path stroke='currentColor' stroke-width='2' d='M16 4.5v23M4.5 16h23M7.9 7.9l16.2 16.2M24.1 7.9L7.9 24.1'/>"
    "<circle cx='13.4' cy='13.4' r='2' fill='#e8ebef'/>"
)
_CROSS = "<path stroke='currentColor' stroke-width='2.6' d='M5 5l22 22M27 5L5 27'/>"
_TICK = "<path fill='none' stroke='#fff' stroke-width='4.2' d='M8 17l5.5 5.5L25 10'/>"


class Kind(NamedTuple):
    """Content of a cell.

    Attributes:
        look: "open", "covered", "flag", "question", "mine", "wrong" or "exploded".
        number: the count of an open cell, or the level of the probability on a covered one; -1 for none.
    """

    look: str
    number: int = -1

    @property
    def name(self) -> str:
        """The name of the definition."""
        return self.look + ("" if self.number < 0 else str(self.number))


def kinds_of(scene: Scene) -> list[list[Kind]]:
    """Returns the kind of each cell of a board, row by row."""
    codes, meaning = scene.codes, scene.meaning
    wrong = find_wrong_flags(codes, meaning, scene.mines)
    levels: NDArray[np.int64] = np.full(codes.shape, -1)
    if scene.probabilities is not None:
        covered = (codes > meaning.max_count) & (codes != meaning.mine) & ~np.isnan(scene.probabilities)
        levels = np.where(covered, levels_of(scene.probabilities), -1)
    looks = {meaning.flagged: "flag", meaning.question: "question", meaning.hidden: "covered", meaning.mine: "mine"}
    kinds = [
        [Kind(looks[code], level) if code in looks else Kind("open", code) for code, level in zip(*lines, strict=True)]
        for lines in zip(codes.tolist(), levels.tolist(), strict=True)
    ]
    for marked, look in ((wrong, "wrong"), (scene.exploded, "exploded")):
        for row, col in np.argwhere(marked).tolist():
            kinds[row][col] = Kind(look)
    return kinds


def define(kinds: Iterable[Kind], meaning: Codes) -> str:
    """Returns the definitions of kinds of cells, each a group at the origin."""
    return "".join(f"<g id='{kind.name}'>{_shape(kind, meaning)}</g>" for kind in sorted(set(kinds)))


def use(kind: Kind, row: int, col: int) -> str:
    """Returns a cell of this kind at a place of the board."""
    return f"<use href='#{kind.name}' x='{col * SIDE}' y='{row * SIDE}'/>"


def hexadecimal(colour: Colour) -> str:
    """Returns a colour as SVG writes it."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _shape(kind: Kind, meaning: Codes) -> str:
    return SHAPES[kind.look](kind.number, meaning)


def _open(count: int, meaning: Codes) -> str:
    written = "" if count == 0 else _write(str(count), hexadecimal(count_ink(count, meaning)))
    return _flat(_OPEN) + written


def _covered(level: int, _meaning: Codes) -> str:
    if level < 0:
        return _raised(hexadecimal(FACE))
    tile = _raised(hexadecimal(level_face(level)), level)
    if level in (LEVEL_SAFE, LEVEL_MINE):
        return tile + (_TICK if level == LEVEL_SAFE else _MINE)
    text = level_text(level)
    return tile + _write(text, hexadecimal(INK), 16 if len(text) < 3 else 12)


def _marked(mark: str, level: int, _meaning: Codes) -> str:
    cloth = "#fff" if level == LEVEL_MINE else hexadecimal(RED)
    symbol = _FLAG.format(cloth) if mark == "flag" else _write("?", hexadecimal(INK))
    if level < 0:
        return _raised(hexadecimal(FACE)) + symbol
    ink = "#fff" if level in (LEVEL_SAFE, LEVEL_MINE) else hexadecimal(INK)
    per_cent = _write(level_text(level), ink, 10, 0.82)
    return (
        _raised(hexadecimal(level_face(level)), level)
        + f"<g transform='translate(5 1) scale(.68)'>{symbol}</g>{per_cent}"
    )


def _fixed(shape: str, _level: int, _meaning: Codes) -> str:
    return shape


def _flat(face: str) -> str:
    return f"<path fill='{face}' d='M0 0h32v32H0z'/><path fill='{_LINE}' d='M0 0h32v1H1v31H0z'/>"


def _raised(face: str, level: int = -1) -> str:
    """Returns a covered cell; on a tinted face the edges lighten and darken it."""
    light, shade = (_LIGHT, _SHADE) if level < 0 else ("rgba(255,255,255,.45)", "rgba(0,0,0,.3)")
    return (
        f"<path fill='{face}' d='M0 0h32v32H0z'/><path fill='{light}' d='M0 0h32l-3 3H3v26l-3 3z'/>"
        f"<path fill='{shade}' d='M32 0v32H0l3-3h26V3z'/>"
    )


def _write(text: str, ink: str, size: int = 22, middle: float = 0.5) -> str:
    """Returns a text whose digits have their middle at a height, from 0 at the top to 1 at the bottom."""
    escaped = text.replace("<", "&lt;").replace(">", "&gt;")
    return (
        f"<text x='16' y='{SIDE * middle + 0.36 * size:.1f}' font-size='{size}' font-weight='bold' "
        f"text-anchor='middle' fill='{ink}'>{escaped}</text>"
    )


_ALARMED, _BURNT = hexadecimal(ALARM), hexadecimal(RED)
SHAPES: dict[str, Callable[[int, Codes], str]] = {
    "open": _open,
    "covered": _covered,
    "flag": partial(_marked, "flag"),
    "question": partial(_marked, "question"),
    "mine": partial(_fixed, _flat(_ALARMED) + _MINE),
    "wrong": partial(_fixed, _raised(hexadecimal(FACE)) + _FLAG.format(_BURNT) + _CROSS),
    "exploded": partial(_fixed, _flat(_BURNT) + _MINE),
}
"""The shape of each look, from its number and the meaning of the codes."""
