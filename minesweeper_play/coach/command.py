"""`play.py --analyse FILE|-`: analysis of a position, or review of a saved game."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from baselines.cli.start import BAD_ARGUMENTS, FAILED, announce, explain
from baselines.terminal.streams import output_width
from minesweeper_env.inference import PositionTooHardError, Step
from minesweeper_env.notices import say
from minesweeper_play.coach.board_text import BoardTextError, read_board, write_board
from minesweeper_play.coach.position import Analysis, ContradictionError, analyse_position
from minesweeper_play.coach.review import Review, Verdict, reason_against, review_game
from minesweeper_play.coach.texts import contradiction_text, position_lines, review_lines
from minesweeper_play.game.saved import SavedGameError, decode
from minesweeper_play.game.session import Session
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.options import PlayOptions

STDIN = "-"
"""The path that stands for stdin."""

JSON = ("{", "[", '"')
"""The characters with which JSON begins, and no board."""


MOST_BITS = 14_000
"""Numbers of layouts with more bits are left out: Python reads and prints integers of at most 4300 digits."""


class _RefusedError(ValueError):
    """Bad input; the message is one line in the language of the user."""


def analyse(options: PlayOptions) -> int:
    """Prints the analysis of a position, or the review of a saved game.

    Args:
        options: `analyse` is the path of the file or "-"; `mines` and `first_click` belong to a position.

    Returns:
        The exit status: 0, 1 if the position is too hard or a file cannot be written, 2 for bad input.
    """
    try:
        _Command(options).run()
    except BrokenPipeError:
        raise
    except (_RefusedError, PositionTooHardError, OSError) as error:
        say(f"{options.program}: {explain(error)}")
        return BAD_ARGUMENTS if isinstance(error, _RefusedError) else FAILED
    return 0


class _Command:
    """Reads the input, and prints what the coach says of it."""

    def __init__(self, options: PlayOptions) -> None:
        self._options, self._catalogue = options, Catalogue(options.language)
        self._name = "stdin" if options.analyse == STDIN else str(options.analyse)
        self._width = output_width() or 80

    def run(self) -> None:
        """Runs the command."""
        if self._options.first_click == "corners":
            raise self._refusal("coach_corners")
        text = self._read()
        if text.lstrip("\ufeff \t\r\n")[:1] in JSON:
            self._review(text)
        else:
            self._analyse(text)

    def _read(self) -> str:
        path = str(self._options.analyse)
        announce(self._catalogue.text("coach_reading", file=self._name))
        if path == STDIN and sys.stdin.isatty():
            announce(self._catalogue.text("coach_stdin"))
        try:
            content = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
            return content.decode()
        except UnicodeDecodeError:
            raise self._refusal("coach_not_text") from None
        except OSError as error:
            raise _RefusedError(explain(error)) from error

    def _analyse(self, text: str) -> None:
        """Analyses a board as text."""
        try:
            board = read_board(text)
        except BoardTextError as error:
            raise self._refusal(f"coach_{error.problem}", **error.values) from None
        if self._options.mines is None:
            raise self._refusal("coach_needs_mines")
        self._print_position(self._position(board, self._options.mines, self._options.first_click))

    def _review(self, text: str) -> None:
        """Reviews a saved game, and analyses its position if it goes on."""
        session = self._session(text)
        review = review_game(session)
        position = None
        if session.status == "playing":
            position = self._position(session.board, session.config.mines, session.config.first_click)
        if self._options.as_json:
            now = position and position_content(position)
            self._print([json.dumps({**review_content(review), "position": now}, indent=2)])
            return
        self._print(review_lines(review, self._catalogue, self._width))
        if position is not None:
            self._print(["", self._catalogue.text("review_goes_on")])
            self._print_position(position)

    def _session(self, text: str) -> Session:
        if self._options.mines is not None:
            raise self._refusal("coach_surplus_mines")
        try:
            session = decode(text.lstrip("\ufeff \t\r\n").encode())
        except SavedGameError as error:
            raise self._refusal("coach_not_saved", file=self._name, reason=error) from None
        if (against := reason_against(session)).key:
            raise self._refusal(against.key, **against.values)
        return session

    def _position(self, board: Any, mines: int, first_click: str) -> Analysis:
        try:
            return analyse_position(board, mines, first_click)
        except ContradictionError as error:
            raise _RefusedError(contradiction_text(error, self._catalogue)) from None
        except PositionTooHardError:
            raise
        except ValueError as error:
            raise _RefusedError(str(error)) from error

    def _print_position(self, analysis: Analysis) -> None:
        if self._options.as_json:
            self._print([json.dumps(position_content(analysis), indent=2)])
        else:
            self._print(position_lines(analysis, self._catalogue, self._width))

    def _print(self, lines: list[str]) -> None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        for line in lines:
            print(line)

    def _refusal(self, key: str, **values: object) -> _RefusedError:
        return _RefusedError(self._catalogue.text(key, **values))


# JSON; docs/how-to/coach.md describes every key


def position_content(analysis: Analysis) -> dict[str, Any]:
    """Returns the content of an analysis; cells are [row, col] from 0."""
    return {
        "format": "minesweeper-coach",
        "version": 1,
        "kind": "position",
        "rows": analysis.board.shape[0],
        "cols": analysis.board.shape[1],
        "mines": analysis.mines,
        "board": write_board(analysis.board).splitlines(),
        "status": analysis.status,
        "layouts": analysis.layouts if analysis.layouts.bit_length() < MOST_BITS else None,
        "win": analysis.win._asdict(),
        "best": analysis.best,
        "choices": [each._asdict() for each in analysis.choices],
        "safe": analysis.safe,
        "certain_mines": analysis.mine,
        "wrong_flags": analysis.wrong_flags,
        "proof": _steps(analysis.steps),
        "probabilities": analysis.probabilities.tolist(),
    }


def review_content(review: Review) -> dict[str, Any]:
    """Returns the content of a review; cells are [row, col] from 0."""
    config, found = review.config, review.diagnosis
    return {
        "format": "minesweeper-coach",
        "version": 1,
        "kind": "review",
        "rows": config.rows,
        "cols": config.cols,
        "mines": config.mines,
        "first_click": config.first_click,
        "seed": review.seed,
        "status": review.status,
        "board": write_board(review.board, review.exploded).splitlines(),
        "curve": [each._asdict() for each in review.curve],
        "skill": review.skill,
        "luck": review.luck,
        "wrong_flags": review.wrong_flags,
        "practice": review.practice,
        "diagnosis": {**found._asdict(), "loss": found.loss and found.loss.value},
        "moves": [_verdict(each) for each in review.verdicts],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    own, move = verdict.judgement, verdict.turn.move
    return {
        "number": verdict.turn.number,
        "kind": move.kind,
        "cell": verdict.turn.cell,
        "opened": verdict.turn.opened,
        "wrong_flags": verdict.turn.wrong_flags,
        "seconds": move.seconds,
        "mark": verdict.mark.value,
        "is_judged": own.is_judged,
        "risk": own.risk if own.is_judged else None,
        "least_risk": own.least if own.is_judged else None,
        "excess_risk": own.excess if own.is_judged else None,
        "misses_safe": own.misses_safe,
        "is_certain_death": own.is_certain_death,
        "before": verdict.before._asdict(),
        "after": verdict.after._asdict(),
        "skill": verdict.skill,
        "luck": verdict.luck,
        "better": verdict.better and verdict.better._asdict(),
        "proof": _steps(verdict.steps),
    }


def _steps(steps: Sequence[Step]) -> list[dict[str, Any]]:
    return [
        {
            "rule": step.rule,
            "safe": step.safe,
            "mines": step.mine,
            "because": step.because,
            "uses_total": step.uses_total,
        }
        for step in steps
    ]
