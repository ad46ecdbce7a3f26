"""Exact mine probabilities and hints, computed behind the screen for its latest position."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError
from minesweeper_play.game.advice import Advice
from minesweeper_play.game.moves import Cell
from minesweeper_play.game.session import Session
from minesweeper_play.terminal.background import LatestOnly

Risks = NDArray[np.float64]

Deliver = Callable[[object, object], object]
"""Takes the ticket of a request and its answer, in another thread; None answers a position that is too hard."""


class Thinker:
    """Answers the latest request alone; answers to older ones can be told by their tickets.

    Attributes:
        ticket: the ticket of the latest request.
    """

    def __init__(self, deliver: Deliver) -> None:
        """Prepares to think; `deliver` is called in another thread."""
        self.ticket: object = None
        self._deliver = deliver
        self._background = LatestOnly(lambda error: deliver(self.ticket, error))

    def ask(self, question: Callable[[], Risks | Advice]) -> None:
        """Requests an answer; the request before it is forgotten."""
        ticket = self.ticket = object()

        def work() -> None:
            answer: Risks | Advice | None = None
            try:
                answer = question()
            except (PositionTooHardError, InconsistentBoardError):
                pass
            except ValueError:
                # The game ended between the request and the answer.
                return
            self._deliver(ticket, answer)

        self._background.ask(work)

    def ask_for_risks(self, session: Session) -> None:
        """Requests the probabilities of the present position, float64 (rows, cols)."""
        self.ask(session.probabilities)

    def ask_for_advice(self, session: Session, cell: Cell | None = None) -> None:
        """Requests a hint, on a cell if one is given."""
        self.ask(lambda: session.hint(cell))

    def forget(self) -> None:
        """Lets no answer that is still on its way be taken."""
        self.ticket = None
        self._background.forget()
