"""Texts of the game screen: figures, hints and endings, in the language of the player."""

from __future__ import annotations

from minesweeper_play.game.metrics import measure
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import Finish
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.terminal.playing.figures import Figure


def figures_of(session: Session, catalogue: Catalogue) -> list[Figure]:
    """Returns the figures above the board, the most important first; 3BV and efficiency once the game is over."""
    text, config = catalogue.text, session.config
    figures = [
        (text("figure_mines"), str(session.mines_left)),
        (text("figure_time"), catalogue.clock(session.seconds)),
        (text("figure_moves"), str(len(session.moves))),
    ]
    if session.practice:
        figures.append(("", text("figure_practice")))
    if session.is_over:
        found = measure(session)
        figures.append((text("figure_3bv"), f"{found.solved}/{found.value}"))
        figures.append((text("figure_efficiency"), catalogue.per_cent(found.efficiency)))
    figures.append((text("figure_board"), f"{config.rows}\u00d7{config.cols}, {config.mines}"))
    if session.no_guess:
        figures.append(("", text("figure_no_guess")))
    figures.append((text("figure_seed"), str(session.seed)))
    return figures


def ending(session: Session, finish: Finish, catalogue: Catalogue) -> str:
    """Returns how a game ended, in words: the time, 3BV, efficiency, and whether it is a best time.

    Args:
        session: the game.
        finish: what the statistics say about it.
        catalogue: the texts.
    """
    text, found = catalogue.text, measure(session)
    parts = [
        text(session.status),
        text(
            "ending_figures",
            seconds=catalogue.number(found.seconds, 1),
            solved=found.solved,
            value=found.value,
            efficiency=catalogue.per_cent(found.efficiency),
        ),
    ]
    if finish.is_best:
        parts.append(text("ending_best"))
    if session.practice:
        parts.append(text("ending_practice"))
    elif session.status == "lost":
        parts.append(text("ending_undo"))
    if finish.problem.key:
        parts.append(text(finish.problem.key, **finish.problem.values))
    return " ".join(parts)
