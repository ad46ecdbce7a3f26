"""Search for a board that needs no guess, as the line mode shows it: attempts on one line, cancelled by Ctrl-C."""

from __future__ import annotations

import sys

from minesweeper_env.generation import MAX_ATTEMPTS, AttemptsExceededError, ImpossibleBoardError
from minesweeper_play.classic.console import Console
from minesweeper_play.game.moves import Cell, Report
from minesweeper_play.game.session import Session

_CLEAR = "\r\033[K"


def open_first(session: Session, cell: Cell, console: Console) -> Report:
    """Opens the first cell of a game without guesses, which searches for its board.

    Args:
        session: the game.
        cell: the cell.
        console: shows the attempts, and says that a board was found.

    Returns:
        What the move did; after a search that was cancelled or in vain nothing has changed, and the message says so.
    """
    session.on_attempts = lambda count: _show(count, console)
    try:
        _show(0, console)
        report = session.open(*cell)
    except ImpossibleBoardError:
        report = Report("search_impossible")
    except AttemptsExceededError:
        report = Report("search_failed", values={"most": MAX_ATTEMPTS})
    except KeyboardInterrupt:
        report = Report("search_cancelled")
    _clear(console)
    if report.accepted:
        console.say("solvable")
    return report


def _show(count: int, console: Console) -> None:
    """Draws the number of attempts so far, on a terminal."""
    if console.is_live:
        part = console.catalogue.per_cent(min(count / MAX_ATTEMPTS, 1.0))
        text = console.catalogue.text("searching", count=count, part=part)
        # A line that wraps could not be cleared.
        sys.stdout.write(f"{_CLEAR}{text[: (console.width or 80) - 1]}")
        sys.stdout.flush()


def _clear(console: Console) -> None:
    if console.is_live:
        sys.stdout.write(_CLEAR)
        sys.stdout.flush()
