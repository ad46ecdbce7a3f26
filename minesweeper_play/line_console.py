"""Console of the line mode: it reads lines, and prints texts, boards and animated openings."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from baselines.support.processes import is_styled, output_width
from minesweeper_env.notices import is_live
from minesweeper_env.texts import printable
from minesweeper_play.catalogue import Catalogue, wrapped_lines
from minesweeper_play.coach.board_text import ASCII, NERD, PLAIN, Drawn, Glyphs, board_lines, risk_text
from minesweeper_play.game.moves import LAYER_SECONDS, Cell, Report
from minesweeper_play.game.session import Session
from minesweeper_play.options import PlayOptions

COUNT_COLOURS = {
    "standard": (34, 32, 31, 35, 33, 36, 37, 90),
    "colour-blind": (94, 33, 36, 95, 93, 96, 37, 90),
}
"""SGR colours of the counts 1 to 8."""

COLOURS = {
    "standard": {"flag": 32, "mine": 31, "exploded": 41, "wrong": 31, "question": 33},
    "colour-blind": {"flag": 94, "mine": 33, "exploded": 43, "wrong": 95, "question": 36},
}
"""SGR colours of the other cells, by the field of `Glyphs`."""

HIDE_CURSOR, SHOW_CURSOR = "\033[?25l", "\033[?25h"


class LeaveError(Exception):
    """The player leaves, or the input ends."""


class Console:
    """Asks and prints in one language.

    Attributes:
        is_interactive: whether a person types on a terminal and sees the answers there.
        is_live: whether lines on that terminal can be drawn again.
    """

    def __init__(self, options: PlayOptions) -> None:
        """Looks at what stdin and stdout can do; what they cannot encode or decode becomes a "?"."""
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        self.catalogue = Catalogue(options.language)
        self.glyphs = choose_glyphs(options.icons, sys.stdout)
        self._palette = options.palette if is_styled(sys.stdout) else ""
        self.is_interactive = sys.stdin.isatty() and sys.stdout.isatty()
        self.is_live = self.is_interactive and is_live(sys.stdout)
        self.is_animated = options.animation and self.is_live
        if self.is_interactive:
            with suppress(ImportError):
                # Its import gives `input` the arrow keys and a history.
                import readline  # noqa: F401

    def ask(self, key: str, **values: object) -> str:
        """Prints a question, and returns the line that answers it; raises a LeaveError where the input has ended."""
        try:
            line = input(self.catalogue.text(key, **values))
        except EOFError as error:
            print()
            raise LeaveError from error
        if not sys.stdin.isatty():
            # Nobody has typed it, so the transcript would lack it.
            print(printable(line))
        return line

    def ask_number(self, least: int, most: int, key: str, **values: object) -> int:
        """Asks until the answer is a whole number between two bounds, and returns it."""
        while True:
            text = self.ask(key, least=least, most=most, **values).strip()
            digits = text.removeprefix("-").removeprefix("+")
            if not (digits.isascii() and digits.isdecimal()):
                self.say("not_a_number")
            elif len(digits) < 10 and least <= int(text) <= most:
                return int(text)
            else:
                self.say("not_in_range", least=least, most=most)

    def say(self, key: str, **values: object) -> None:
        """Prints a text of the catalogue; the empty key prints nothing."""
        if key:
            self.tell(self.catalogue.text(key, **values))

    def tell(self, text: str) -> None:
        """Prints a text whose lines break between words, if stdout is a terminal."""
        print("\n".join(self._lines(text)), flush=True)

    def page(self, text: str) -> None:
        """Prints a long text, and waits wherever the screen is full, if a person reads it there."""
        lines, room = self._lines(text), screen_lines() - 1
        while self.is_interactive and len(lines) > room:
            # An item that continues below stays on one page.
            end = next((number for number in range(room, 0, -1) if not lines[number].startswith("   ")), room)
            print("\n".join(lines[:end]), flush=True)
            lines = lines[end:]
            self.ask("manual_more")
        print("\n".join(lines), flush=True)

    def _lines(self, text: str) -> list[str]:
        width = output_width()
        return text.splitlines() if width is None else wrapped_lines(text, width)

    def show(self, session: Session, risks: NDArray[np.float64] | None = None) -> None:
        """Prints the board of a game, with the risks of covered cells if they are given."""
        cells = draw_session(session, self.glyphs)
        if risks is not None:
            for row, col in np.argwhere(session.board > session.config.codes.max_count).tolist():
                cells[row][col] = Drawn(risk_text(risks[row, col]), "risk")
        print("\n".join(board_lines(cells, output_width(), self._paint)), flush=True)

    def animate(self, session: Session, report: Report, origin: Cell) -> None:
        """Draws the opening of a move on the cell `origin` layer by layer, and erases it, so that the board can follow.

        It draws nothing where animation is switched off, stdout is no terminal, or the board is higher than the screen.
        """
        layers = session.opening_layers(report, origin)
        if not self.is_animated or len(layers) < 2:
            return
        frames = [self._frame(session, layers[number:]) for number in range(1, len(layers))]
        if len(frames[0]) >= screen_lines():
            return
        try:
            sys.stdout.write(HIDE_CURSOR)
            for frame in frames:
                sys.stdout.write("\n".join([*frame, ""]))
                sys.stdout.flush()
                time.sleep(LAYER_SECONDS)
                sys.stdout.write(f"\033[{len(frame)}A\r\033[J")
        finally:
            # Also after Ctrl-C, which must not leave a terminal without its cursor.
            sys.stdout.write(SHOW_CURSOR)
            sys.stdout.flush()

    def _frame(self, session: Session, later: Sequence[Sequence[Cell]]) -> list[str]:
        """Returns the lines of a board on which the cells of later layers are still covered."""
        cells = draw_session(session, self.glyphs)
        for row, col in (cell for layer in later for cell in layer):
            cells[row][col] = Drawn(self.glyphs.hidden, "hidden")
        return board_lines(cells, output_width(), self._paint)

    def _paint(self, text: str, kind: str) -> str:
        """Returns a text in the colour of a kind of cell: a field of `Glyphs`, or "count" for a number."""
        colour = COLOURS.get(self._palette, {}).get(kind)
        if kind == "count" and self._palette:
            counts = COUNT_COLOURS[self._palette]
            colour = counts[(int(text) - 1) % len(counts)]
        return text if colour is None else f"\033[{colour}m{text}\033[0m"


def draw_session(session: Session, glyphs: Glyphs) -> list[list[Drawn]]:
    """Returns the cells of a game; mines, wrong flags and the explosion are shown once it is over."""
    codes = session.config.codes
    drawn = [Drawn(glyphs.blank, "blank"), *(Drawn(str(count), "count") for count in range(1, codes.max_count + 1))]
    drawn += [Drawn(getattr(glyphs, kind), kind) for kind in ("flag", "question", "hidden", "mine")]
    cells = [[drawn[code] for code in row] for row in session.board.tolist()]
    if session.is_over:
        flags, mines = session.board == codes.flagged, session.placed_mines
        for where, kind in ((mines & ~flags, "mine"), (flags & ~mines, "wrong")):
            for row, col in np.argwhere(where).tolist():
                cells[row][col] = Drawn(getattr(glyphs, kind), kind)
    if session.exploded is not None:
        row, col = session.exploded
        cells[row][col] = Drawn(glyphs.exploded, "exploded")
    return cells


def choose_glyphs(icons: str, stream: TextIO) -> Glyphs:
    """Returns the glyphs of the icons "plain" or "nerd"; ASCII where a stream is no terminal, or cannot show them."""
    glyphs = NERD if icons == "nerd" else PLAIN
    try:
        "".join(glyphs).encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return glyphs if stream.isatty() else ASCII


def screen_lines() -> int:
    """Returns the number of lines of the terminal; 24 where stdout is none."""
    with suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stdout.fileno()).lines
    return 24
