"""Search for a board that needs no guess: the first move of a game, in a thread."""

from __future__ import annotations

from typing import ClassVar

from minesweeper_play.game.moves import Cell, Report
from minesweeper_play.game.session import Session
from minesweeper_play.terminal.dialogs.long_work import LongWork


class Search(LongWork):
    """The first move of a game without guesses, which searches for its board.

    Attributes:
        session: the game.
        cell: the cell of the first click.
        move: what the move did; None while the search goes on, and if it was cancelled.
    """

    key: ClassVar[str] = "search"

    def __init__(self, session: Session, cell: Cell) -> None:
        """Prepares the search."""
        super().__init__()
        self.session, self.cell = session, cell
        self.move: Report | None = None

    def work(self) -> None:
        """Makes the move."""
        # Its import loads kernels.
        from minesweeper_env.generation import MAX_ATTEMPTS

        self.session.on_attempts = lambda attempts: self.report(attempts, MAX_ATTEMPTS)
        try:
            self.move = self.session.open(*self.cell)
        finally:
            self.session.on_attempts = None
