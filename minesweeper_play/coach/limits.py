"""Games that the coach does not review."""

from __future__ import annotations

from minesweeper_play.game.moves import Report
from minesweeper_play.game.session import Session


def reason_against(session: Session) -> Report:
    """Returns the message that says why a game has no review; its key is "" if the coach reviews it.

    The coach counts layouts as equally probable, and plays out games of radius 1. Under the rule "corners" layouts
    are not equally probable.
    """
    if session.config.radius != 1:
        return Report("review_radius", values={"radius": session.config.radius})
    return Report("review_corners" if session.config.first_click == "corners" else "")
