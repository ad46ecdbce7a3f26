"""Colours of the board, for dark and light screens, each also for players who confuse red and green.

The colour-blind palettes follow Okabe and Ito (2008), "Color Universal Design".
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
from rich.color import Color
from rich.style import Style

from minesweeper_env.rendering import LEVEL_MINE, LEVEL_SAFE


class Palette(SimpleNamespace):
    """Colours as "#rrggbb", by the names in `_STANDARD`; two shades of one colour stand in turn, as on a chessboard."""

    def count(self, number: int) -> str:
        """Returns the colour of a number of at least 1."""
        return str(self.counts[(number - 1) % len(self.counts)])

    def risk(self, level: int, shade: int) -> str:
        """Returns the tint of a risk, as in `minesweeper_env.rendering.LEVEL_SAFE`, in shade 0 or 1."""
        if level in (LEVEL_SAFE, LEVEL_MINE):
            tint = self.sure_safe if level == LEVEL_SAFE else self.sure_mine
        else:
            tint = _between(self.stops, (level - 1) / 100)
        return _darker(tint) if shade else tint


Colour = str | tuple[str, ...]

_STANDARD: dict[str, tuple[Colour, Colour]] = {
    # Behind the board; row and column numbers, and those of the cursor.
    "screen": ("#14161b", "#f4f5f7"),
    "label": ("#7c8596", "#5f6673"),
    "label_strong": ("#ffffff", "#000000"),
    # A covered cell and its icon; an open one, and its icon where no mine is around.
    "covered": (("#4b5468", "#434b5e"), ("#b7c1d1", "#aab5c7")),
    "covered_ink": ("#69738a", "#8e99ad"),
    "open": (("#20242c", "#1b1f26"), ("#ffffff", "#f1f3f7")),
    "blank": ("#3d4450", "#c6ccd6"),
    # The numbers 1 to 8; larger ones, on boards of a larger radius, begin again.
    "counts": (
        ("#74b0ff", "#6fd08c", "#ff7f76", "#c9a2ff", "#ffb35c", "#54dada", "#f4f4f4", "#a9b1bd"),
        ("#1a56d6", "#1c6f2f", "#c62828", "#5a2a96", "#8a3c10", "#00696c", "#22262c", "#5d636b"),
    ),
    "flag": ("#ff968c", "#b3121d"),
    "question": ("#ffe08a", "#5b4300"),
    "mine": ("#f2f2f2", "#1c1f24"),
    # The cell that ended the game.
    "fatal": ("#d92d2d", "#d92d2d"),
    "fatal_ink": ("#ffffff", "#ffffff"),
    "wrong": ("#ff9d3c", "#9a4a00"),
    "cursor": ("#f5f5f5", "#111827"),
    "cursor_ink": ("#101216", "#ffffff"),
    # The cells of a hint.
    "hint_clue": ("#ffd23f", "#ffcf33"),
    "hint_safe": ("#37c871", "#4cd07f"),
    "hint_mine": ("#ff6b5f", "#ff8d83"),
    "hint_ink": ("#101216", "#101216"),
    # The tints of risks at 0, 25, 50 and 100 %, and the numbers on them; cells whose risk is exactly 0 or 1.
    "stops": (("#2b7449", "#77721f", "#a15b22", "#a83434"), ("#a5dcae", "#ece596", "#f5be78", "#ee8f87")),
    "risk_ink": ("#ffffff", "#15181d"),
    "sure_safe": ("#1fae5b", "#1c8a48"),
    "sure_mine": ("#c22222", "#c22222"),
    "sure_ink": ("#ffffff", "#ffffff"),
}
"""Each colour of `Palette` on a dark and on a light screen."""

_COLOUR_BLIND: dict[str, tuple[Colour, Colour]] = {
    "counts": (
        ("#56b4e9", "#e69f00", "#f0e442", "#cc79a7", "#3fc9a0", "#ff8a3d", "#ffffff", "#a9b1bd"),
        ("#0072b2", "#a35a00", "#00765a", "#a04a7c", "#b34700", "#4a4f57", "#000000", "#5d636b"),
    ),
    "flag": ("#f0e442", "#8a3d00"),
    "fatal": ("#d55e00", "#d55e00"),
    "wrong": ("#eab0d0", "#7d2f5c"),
    "hint_clue": ("#f0e442", "#f0e442"),
    "hint_safe": ("#56b4e9", "#8fcbee"),
    "hint_mine": ("#e69f00", "#f0b048"),
    "stops": (("#1d5a8a", "#53627a", "#7d6838", "#a65f00"), ("#a8d3ee", "#d9dde0", "#ecd09a", "#eba653")),
    "sure_safe": ("#0072b2", "#0072b2"),
    "sure_mine": ("#d55e00", "#c04f00"),
}
"""The colours that differ for players who confuse red and green."""


PALETTES = {
    (name, is_colour_blind): Palette(
        **{key: pair[brightness] for key, pair in (_STANDARD | (_COLOUR_BLIND if is_colour_blind else {})).items()}
    )
    for brightness, name in enumerate(("dark", "light"))
    for is_colour_blind in (False, True)
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
    channels = np.transpose([Color.parse(stop).get_truecolor() for stop in stops])
    mixed = (round(float(np.interp(risk, (0.0, 0.25, 0.5, 1.0), channel))) for channel in channels)
    return "#" + "".join(f"{channel:02x}" for channel in mixed)
