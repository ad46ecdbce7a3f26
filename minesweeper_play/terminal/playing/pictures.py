"""Pictures of a session: codes, risks, hints, and what the end of a game shows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.rendering.probabilities import levels_of
from minesweeper_play.game.advice import Advice
from minesweeper_play.game.session import Session
from minesweeper_play.terminal.board.picture import Cell, Mark, Picture


def picture_of(
    session: Session,
    risks: NDArray[np.float64] | None = None,
    numbers: bool = True,
    advice: Advice | None = None,
) -> Picture:
    """Returns the picture of a session.

    A won game shows flags on all mines. A lost game shows its mines, wrong flags and the mine that was opened.

    Args:
        session: the game.
        risks: float64 (rows, cols), the probabilities to show on covered cells; None for none.
        numbers: whether they are written in per cent.
        advice: the hint to show.
    """
    codes, meaning = session.board, session.config.codes
    wrong = session.wrong_flags if session.is_over else None
    if session.status == "won" and session.layout is not None:
        codes[session.layout] = meaning.flagged
    levels = None
    if risks is not None and not session.is_over:
        levels = levels_of(np.where(codes > meaning.max_count, risks, np.nan))
    marks = {} if advice is None else marks_of(advice)
    return Picture(codes, meaning, wrong, session.exploded, levels, numbers, marks)


def marks_of(advice: Advice) -> Mapping[Cell, Mark]:
    """Returns the cells that advice names: the clues that force the move, the mines it rests on, the safe cells.

    A cell that the player has named, and that is not certain, has a mark of its own.
    """
    marks: dict[Cell, Mark] = {}
    for step in advice.steps:
        marks |= dict.fromkeys(step.because, "clue")
    for step in advice.steps:
        marks |= dict.fromkeys(step.mine, "mine")
        marks |= dict.fromkeys(step.safe, "safe")
    return marks or {advice.cell: "safe" if advice.is_safe or not advice.is_named else "choice"}
