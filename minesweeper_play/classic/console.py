"""Console of the line mode: it reads lines, and prints texts and boards."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress

from baselines.terminal.streams import output_width
from minesweeper_env.notices import is_live
from minesweeper_env.texts import printable
from minesweeper_play.classic.glyphs import Painter, choose_glyphs
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.language.wrapping import wrapped_lines
from minesweeper_play.options import PlayOptions


def screen_lines() -> int:
    """Returns the number of lines of the terminal; 24 where stdout is none."""
    with suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stdout.fileno()).lines
    return 24


class LeaveError(Exception):
    """The player leaves, or the input ends."""


class Console:
    """Asks and prints in one language.

    Attributes:
        catalogue: the texts.
        glyphs: the characters of cells.
        painter: the colours of cells.
        is_interactive: whether a person types on a terminal and sees the answers there.
        is_live: whether lines on that terminal can be drawn again.
        is_animated: whether openings are animated.
        is_source: whether `help` opens cells, as in the Spanish source, whose game `--classic` is.
    """

    def __init__(self, options: PlayOptions) -> None:
        """Looks at what stdin and stdout can do; what they cannot encode or decode becomes a "?"."""
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        self.catalogue = Catalogue(options.language)
        self.glyphs = choose_glyphs(options.icons, sys.stdout)
        self.painter = Painter(options.palette, sys.stdout)
        self.is_interactive = sys.stdin.isatty() and sys.stdout.isatty()
        self.is_live = self.is_interactive and is_live(sys.stdout)
        self.is_animated = options.animation and self.is_live
        self.is_source = "classic" in options.given
        if self.is_interactive:
            with suppress(ImportError):
                # Its import gives `input` the arrow keys and a history.
                import readline  # noqa: F401

    @property
    def width(self) -> int | None:
        """The number of columns of the terminal; None where stdout is no terminal."""
        return output_width()

    def ask(self, key: str, **values: object) -> str:
        """Prints a question, and returns the line that answers it.

        Raises:
            LeaveError: the input has ended.
        """
        try:
            line = input(self.catalogue.text(key, **values))
        except EOFError as error:
            print()
            raise LeaveError from error
        if not sys.stdin.isatty():
            # Nobody has typed it, so the transcript would lack it.
            print(printable(line))
        return line

    def say(self, key: str, **values: object) -> None:
        """Prints a text of the catalogue; the empty key prints nothing."""
        if key:
            self.explain(self.catalogue.text(key, **values))

    def explain(self, text: str) -> None:
        """Prints a text whose lines break between words, if stdout is a terminal."""
        self.tell("\n".join(self._lines(text)))

    def page(self, text: str) -> None:
        """Prints a long text, and waits wherever the screen is full, if a person reads it there."""
        lines, room = self._lines(text), screen_lines() - 1
        while self.is_interactive and len(lines) > room:
            # An item that continues below stays on one page.
            end = next((number for number in range(room, 0, -1) if not lines[number].startswith("   ")), room)
            self.tell("\n".join(lines[:end]))
            lines = lines[end:]
            self.ask("manual_more")
        self.tell("\n".join(lines))

    def _lines(self, text: str) -> list[str]:
        width = self.width
        return text.splitlines() if width is None else wrapped_lines(text, width)

    def tell(self, text: str) -> None:
        """Prints a text."""
        print(text, flush=True)

    def ask_number(self, least: int, most: int, key: str, **values: object) -> int:
        """Asks until the answer is a whole number between two bounds, and returns it.

        Raises:
            LeaveError: the input has ended.
        """
        while True:
            text = self.ask(key, least=least, most=most, **values).strip()
            digits = text.removeprefix("-").removeprefix("+")
            if not (digits.isascii() and digits.isdecimal()):
                self.say("not_a_number")
            elif len(digits) < 10 and least <= int(text) <= most:
                return int(text)
            else:
                self.say("not_in_range", least=least, most=most)
