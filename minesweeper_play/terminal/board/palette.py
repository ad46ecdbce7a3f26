"""Colours of the board, for dark and light screens, each also for players who confuse red and green.

The colour-blind palettes follow Okabe and Ito (2008), "Color Universal Design".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from rich.color import Color
from rich.style import Style

from minesweeper_env.rendering.probabilities import LEVEL_MINE, LEVEL_SAFE

Shades = tuple[str, str]
"""Two shades of one colour, which neighbouring cells take in turn, as on a chessboard."""


@dataclass(frozen=True)
class Palette:
    """Colours as "#rrggbb".

    Attributes:
        screen: behind the board.
        label, label_strong: row and column numbers; the numbers of the cursor.
        covered, covered_ink: a covered cell and its icon.
        open, blank: an open cell, and its icon where no mine is around.
        counts: the numbers 1 to 8; larger numbers, on boards of a larger radius, begin again.
        flag, question: the icons of marks.
        mine: the icon of a mine.
        fatal, fatal_ink: the cell that ended the game.
        wrong: a wrong flag.
        cursor, cursor_ink: the cell of the cursor.
        pressed: a cell under the pressed button.
        hint_clue, hint_safe, hint_mine, hint_ink: the cells of a hint.
        stops: the tints of risks at 0, 25, 50 and 100 %.
        risk_ink: numbers on these tints.
        sure_safe, sure_mine, sure_ink: cells whose risk is exactly 0 or 1.
    """

    screen: str
    label: str
    label_strong: str
    covered: Shades
    covered_ink: str
    open: Shades
    blank: str
    counts: tuple[str, ...]
    flag: str
    question: str
    mine: str
    fatal: str
    fatal_ink: str
    wrong: str
    cursor: str
    cursor_ink: str
    pressed: str
    hint_clue: str
    hint_safe: str
    hint_mine: str
    hint_ink: str
    stops: tuple[str, str, str, str]
    risk_ink: str
    sure_safe: str
    sure_mine: str
    sure_ink: str

    def count(self, number: int) -> str:
        """Returns the colour of a number of at least 1."""
        return self.counts[(number - 1) % len(self.counts)]

    def risk(self, level: int, shade: int) -> str:
        """Returns the tint of a risk in one of two shades.

        Args:
            level: the risk; see `minesweeper_env.rendering.probabilities.LEVEL_SAFE`.
            shade: 0 or 1.
        """
        if level in (LEVEL_SAFE, LEVEL_MINE):
            tint = self.sure_safe if level == LEVEL_SAFE else self.sure_mine
        else:
            tint = _between(self.stops, (level - 1) / 100)
        return _darker(tint) if shade else tint


_DARK = Palette(
    screen="#14161b",
    label="#7c8596",
    label_strong="#ffffff",
    covered=("#4b5468", "#434b5e"),
    covered_ink="#69738a",
    open=("#20242c", "#1b1f26"),
    blank="#3d4450",
    counts=("#74b0ff", "#6fd08c", "#ff7f76", "#c9a2ff", "#ffb35c", "#54dada", "#f4f4f4", "#a9b1bd"),
    flag="#ff968c",
    question="#ffe08a",
    mine="#f2f2f2",
    fatal="#d92d2d",
    fatal_ink="#ffffff",
    wrong="#ff9d3c",
    cursor="#f5f5f5",
    cursor_ink="#101216",
    pressed="#2f3542",
    hint_clue="#ffd23f",
    hint_safe="#37c871",
    hint_mine="#ff6b5f",
    hint_ink="#101216",
    stops=("#2b7449", "#77721f", "#a15b22", "#a83434"),
    risk_ink="#ffffff",
    sure_safe="#1fae5b",
    sure_mine="#c22222",
    sure_ink="#ffffff",
)

_LIGHT = Palette(
    screen="#f4f5f7",
    label="#5f6673",
    label_strong="#000000",
    covered=("#b7c1d1", "#aab5c7"),
    covered_ink="#8e99ad",
    open=("#ffffff", "#f1f3f7"),
    blank="#c6ccd6",
    counts=("#1a56d6", "#1c6f2f", "#c62828", "#5a2a96", "#8a3c10", "#00696c", "#22262c", "#5d636b"),
    flag="#b3121d",
    question="#5b4300",
    mine="#1c1f24",
    fatal="#d92d2d",
    fatal_ink="#ffffff",
    wrong="#9a4a00",
    cursor="#111827",
    cursor_ink="#ffffff",
    pressed="#d9dee7",
    hint_clue="#ffcf33",
    hint_safe="#4cd07f",
    hint_mine="#ff8d83",
    hint_ink="#101216",
    stops=("#a5dcae", "#ece596", "#f5be78", "#ee8f87"),
    risk_ink="#15181d",
    sure_safe="#1c8a48",
    sure_mine="#c22222",
    sure_ink="#ffffff",
)

_BLIND_DARK = replace(
    _DARK,
    counts=("#56b4e9", "#e69f00", "#f0e442", "#cc79a7", "#3fc9a0", "#ff8a3d", "#ffffff", "#a9b1bd"),
    flag="#f0e442",
    wrong="#eab0d0",
    fatal="#d55e00",
    hint_clue="#f0e442",
    hint_safe="#56b4e9",
    hint_mine="#e69f00",
    stops=("#1d5a8a", "#53627a", "#7d6838", "#a65f00"),
    sure_safe="#0072b2",
    sure_mine="#d55e00",
)

_BLIND_LIGHT = replace(
    _LIGHT,
    counts=("#0072b2", "#a35a00", "#00765a", "#a04a7c", "#b34700", "#4a4f57", "#000000", "#5d636b"),
    flag="#8a3d00",
    wrong="#7d2f5c",
    fatal="#d55e00",
    hint_clue="#f0e442",
    hint_safe="#8fcbee",
    hint_mine="#f0b048",
    stops=("#a8d3ee", "#d9dde0", "#ecd09a", "#eba653"),
    sure_safe="#0072b2",
    sure_mine="#c04f00",
)

PALETTES: dict[tuple[str, bool], Palette] = {
    ("dark", False): _DARK,
    ("light", False): _LIGHT,
    ("dark", True): _BLIND_DARK,
    ("light", True): _BLIND_LIGHT,
}
"""The palettes, by the brightness of the screen and by whether they avoid red against green."""


@cache
def style_of(ink: str, face: str, bold: bool = False) -> Style:
    """Returns the style of a foreground and a background colour."""
    return Style(color=Color.parse(ink), bgcolor=Color.parse(face), bold=bold)


@cache
def _darker(colour: str) -> str:
    """Returns a colour a little darker, so that neighbours of one colour can be told apart."""
    return "#" + "".join(f"{round(0.88 * channel):02x}" for channel in Color.parse(colour).get_truecolor())


@cache
def _between(stops: tuple[str, str, str, str], risk: float) -> str:
    places = (0.0, 0.25, 0.5, 1.0)
    upper = next(i for i in (1, 2, 3) if risk <= places[i])
    part = (risk - places[upper - 1]) / (places[upper] - places[upper - 1])
    low, high = (Color.parse(stops[i]).get_truecolor() for i in (upper - 1, upper))
    mixed = (round(a + part * (b - a)) for a, b in zip(low, high, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)
