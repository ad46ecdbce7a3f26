"""Animation of openings in the line mode: the board is drawn again for each layer, on a terminal that can do it."""

from __future__ import annotations

import sys
import time

from minesweeper_play.classic.console import Console, screen_lines
from minesweeper_play.classic.drawing import Drawn, board_lines, cover, draw_session
from minesweeper_play.game.moves import Cell, Report
from minesweeper_play.game.opening import LAYER_SECONDS, opening_layers
from minesweeper_play.game.session import Session

_HIDE_CURSOR, _SHOW_CURSOR = "\033[?25l", "\033[?25h"


def animate(session: Session, report: Report, origin: Cell, console: Console) -> None:
    """Draws an opening layer by layer, and erases it again, so that the board can be printed below.

    It draws nothing where animation is switched off, stdout is no terminal, or the board is higher than the screen.

    Args:
        session: the game after the move.
        report: what the move did.
        origin: the cell of the move.
        console: where to draw.
    """
    board, most = session.board, session.config.codes.max_count
    opened = [cell for cell in report.cells if board[cell] <= most]
    layers = opening_layers(board, opened, origin, session.config.radius)
    if not console.is_animated or len(layers) < 2:
        return
    cells = draw_session(session, console.glyphs)
    later = [[cell for layer in layers[number:] for cell in layer] for number in range(1, len(layers))]
    frames = [_frame(cells, covered, console) for covered in later]
    if len(frames[0]) >= screen_lines():
        return
    try:
        sys.stdout.write(_HIDE_CURSOR)
        for frame in frames:
            sys.stdout.write("\n".join([*frame, ""]))
            sys.stdout.flush()
            time.sleep(LAYER_SECONDS)
            sys.stdout.write(f"\033[{len(frame)}A\r\033[J")
    finally:
        # Also after Ctrl-C, which must not leave a terminal without its cursor.
        sys.stdout.write(_SHOW_CURSOR)
        sys.stdout.flush()


def _frame(cells: list[list[Drawn]], hidden: list[Cell], console: Console) -> list[str]:
    return board_lines(cover(cells, hidden, console.glyphs), console.painter.paint, console.width)
