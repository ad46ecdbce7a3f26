"""A finished game to show to others: a GIF or SVG of its turns with their risks, and one line of text."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

from baselines.files import replace_file
from baselines.recording import RecordedGame, animated_gif, draw_board, scenes_of, slides_of, svg
from baselines.recording import Turn as RecordedTurn
from minesweeper_env.config import board_name
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.coach.review import Review, review_game
from minesweeper_play.coach.sentences import points
from minesweeper_play.game.moves import Report
from minesweeper_play.game.records import GameRecord
from minesweeper_play.game.session import Session

TURN_SECONDS = 0.6


def share(
    session: Session,
    catalogue: Catalogue,
    progress: Callable[[int, int], object] = lambda *_: None,
    *,
    quick: bool = False,
) -> Report:
    """Draws a finished game into a new GIF in the current folder; returns the message with its line and the path.

    `quick` and `progress` are those of `review_game`, whose errors are raised here, too.
    """
    review = review_game(session, quick=quick, progress=progress)
    # A game that was shared before keeps its own picture.
    suffixes = chain([""], (f"-{number}" for number in count(2)))
    path = next(path for suffix in suffixes if not (path := Path(f"minesweeper-{session.seed}{suffix}.gif")).exists())
    try:
        replace_file(path, draw_review(review))
    except OSError as error:
        return Report("save_failed", values={"path": path, "reason": error})
    return Report("shared", values={"line": describe_game(review, catalogue), "path": path.absolute()})


def describe_game(review: Review, catalogue: Catalogue) -> str:
    """Returns a finished game in a line, such as "16x30/99 won, 3BV 171, 182 s, skill -2.1" or "..., no mistake"."""
    game, config = GameRecord.of(review.session), review.session.config
    values = {"board": board_name(config.rows, config.cols, config.mines), "skill": points(review.skill, catalogue)}
    time = catalogue.number(game.seconds)
    key = f"share_{review.session.status}{'_clean' if values['skill'] == points(0.0, catalogue) else ''}"
    return catalogue.text(key, solved=game.solved, value=game.value, time=time, **values)


def draw_review(review: Review, suffix: str = ".gif") -> bytes:
    """Returns a .gif or .svg with the board before each turn, its clicks outlined, and at the end the mines."""
    game = recorded_game(review)
    slides = slides_of([[game]], TURN_SECONDS)
    if suffix == ".svg":
        return svg(slides, overlay=True, panel=False)
    return animated_gif(lambda frame: draw_board(game, frame, overlay=True), [slide.seconds for slide in slides])


def recorded_game(review: Review) -> RecordedGame:
    """Returns the record of a review of at least one turn: the turns, their risks, and boards with all risks."""
    session, turns = review.session, review.turns
    config = replace(session.config, no_guess=session.no_guess)
    recorded_turns = [RecordedTurn(turn.move.kind, *turn.move.cell, turn.risk, turn.least) for turn in turns]
    row, col = turns[-1].move.cell
    last_move = config.moves.index("click" if turns[-1].move.kind in ("open", "reveal") else "chord")
    action = last_move * config.cells + row * config.cols + col
    boards = [*(turn.board for turn in turns), session.board]
    scenes = scenes_of(config, boards, session.placed_mines, action, session.status)
    return RecordedGame("", session.seed, config, recorded_turns, scenes, session.status)
