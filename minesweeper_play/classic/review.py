"""Review of a finished game in the line mode, as the coach writes it."""

from __future__ import annotations

from minesweeper_env.inference import PositionTooHardError
from minesweeper_play.classic.console import Console
from minesweeper_play.coach.limits import reason_against
from minesweeper_play.game.session import Session

NARROW = 80
"""The number of columns of a review where stdout is no terminal."""


def show_review(session: Session, console: Console) -> None:
    """Prints the review of a game, or why there is none; Ctrl-C cancels it.

    Args:
        session: the game.
        console: where to print.
    """
    against = reason_against(session)
    if against.key:
        console.say(against.key, **against.values)
    else:
        try:
            _show(session, console)
        except PositionTooHardError:
            console.say("too_hard")
        except KeyboardInterrupt:
            console.say("no_review")


def _show(session: Session, console: Console) -> None:
    # Both load kernels that a game without a review never needs.
    from minesweeper_play.coach.output.review_text import review_lines
    from minesweeper_play.coach.review import review_game

    review = review_game(session)
    console.tell("\n".join(review_lines(review, console.catalogue, console.width or NARROW)))
