"""The review of a game, computed in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from minesweeper_env.inference import PositionTooHardError
from minesweeper_play.coach.limits import reason_against
from minesweeper_play.game.moves import Report
from minesweeper_play.game.session import Session
from minesweeper_play.terminal.dialogs.long_work import LongWork

if TYPE_CHECKING:
    from minesweeper_play.coach.review import Review


class Reviewing(LongWork):
    """The review of a session.

    Attributes:
        review: the review; None while it is computed, and if that was cancelled or in vain.
    """

    key: ClassVar[str] = "reviewing"

    def __init__(self, session: Session) -> None:
        """Prepares the review."""
        super().__init__()
        self._session = session
        self.review: Review | None = None

    def work(self) -> None:
        """Computes the review, or notes why there is none."""
        self.problem = reason_against(self._session)
        if self.problem.key:
            return
        # Its import loads kernels.
        from minesweeper_play.coach.review import review_game

        try:
            self.review = review_game(self._session, quick=True, progress=self.report)
        except PositionTooHardError:
            self.problem = Report("too_hard")
