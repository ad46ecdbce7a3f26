"""The review of a game, computed in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from baselines.support.extras import MissingExtraError, check_extra
from minesweeper_env.inference import PositionTooHardError
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
        """Computes the review; a missing package, a position that is too hard and other rules are problems."""
        try:
            check_extra("torch")
            # Its import loads kernels and PyTorch.
            from minesweeper_play.coach.review import review_game

            self.review = review_game(self._session, quick=True, progress=self.report)
        except (PositionTooHardError, MissingExtraError, ValueError) as error:
            self.problem = " ".join(str(error).split())
