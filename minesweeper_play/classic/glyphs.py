"""Characters and colours of cells in the line mode."""

from __future__ import annotations

from typing import NamedTuple, TextIO

from baselines.terminal.streams import is_styled
from minesweeper_env.rendering.board import TEXT


class Glyphs(NamedTuple):
    """The character of each kind of cell; counts other than 0 are digits."""

    blank: str
    hidden: str
    flag: str
    question: str
    mine: str
    exploded: str
    wrong: str


ASCII = Glyphs(TEXT["zero"], TEXT["hidden"], TEXT["flagged"], TEXT["question"], TEXT["mine"], "!", TEXT["wrong_flag"])
"""The characters of `render_mode="ansi"`, which `--analyse` reads; `!` is the mine that was opened."""

PLAIN = ASCII._replace(blank="\u00b7", hidden="\u25a0", flag="\u2691")
NERD = PLAIN._replace(hidden="\uf0c8", flag="\uf024", mine="\U000f0dda")

_COUNT_COLOURS = {
    "standard": (34, 32, 31, 35, 33, 36, 37, 90),
    "colour-blind": (94, 33, 36, 95, 93, 96, 37, 90),
}
"""SGR colours of the counts 1 to 8."""

_COLOURS = {
    "standard": {"flag": 32, "mine": 31, "exploded": 41, "wrong": 31, "question": 33},
    "colour-blind": {"flag": 94, "mine": 33, "exploded": 43, "wrong": 95, "question": 36},
}
"""SGR colours of the other cells, by the field of `Glyphs`."""


def choose_glyphs(icons: str, stream: TextIO) -> Glyphs:
    """Returns the glyphs of a stream: ASCII where it is no terminal, or cannot show the others.

    Args:
        icons: "plain" or "nerd".
        stream: where boards are printed.
    """
    glyphs = NERD if icons == "nerd" else PLAIN
    try:
        "".join(glyphs).encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return glyphs if stream.isatty() else ASCII


class Painter:
    """Colours cells, if the stream can show colours."""

    def __init__(self, palette: str, stream: TextIO) -> None:
        """Takes the colours of a palette.

        Args:
            palette: "standard" or "colour-blind".
            stream: where boards are printed.
        """
        self._counts = _COUNT_COLOURS[palette] if is_styled(stream) else ()
        self._others = _COLOURS[palette] if is_styled(stream) else {}

    def paint(self, text: str, kind: str) -> str:
        """Returns a text in the colour of a kind of cell: a field of `Glyphs`, or "count" for a number."""
        if kind == "count" and self._counts:
            colour = self._counts[(int(text) - 1) % len(self._counts)]
        elif kind in self._others:
            colour = self._others[kind]
        else:
            return text
        return f"\033[{colour}m{text}\033[0m"
