"""`play.py --analyse FILE|-`: analysis of a position, or review of a saved game."""

import io
import json
import math
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from baselines.checks import MissingExtraError
from baselines.files import read_bounded, replace_file
from baselines.policy import PolicyError
from baselines.process import BAD_ARGUMENTS, FAILED, explain, output_width
from baselines.registry import find_policy
from minesweeper_env.console import say
from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError, Step
from minesweeper_play.catalogue import Catalogue, wrapped_lines
from minesweeper_play.coach.board_text import read_position, write_board
from minesweeper_play.coach.review import Analysis, Review, Turn, analyse_position, diagnose, review_game
from minesweeper_play.coach.sentences import compare, position_lines, review_lines
from minesweeper_play.coach.sharing import describe_game, draw_review
from minesweeper_play.explanations import name_cell
from minesweeper_play.game.moves import TextError
from minesweeper_play.game.records import SavedGameError, decode
from minesweeper_play.game.watched_policy import replay_with
from minesweeper_play.options import PlayOptions


def analyse(options: PlayOptions) -> int:
    """Prints the analysis of a position, or the review of a saved game; returns 0, 1 if it fails, 2 for bad input."""
    catalogue, name = Catalogue(options.language), "stdin" if options.analyse == "-" else str(options.analyse)
    try:
        if options.first_click == "corners":
            raise ValueError(catalogue.text("coach_corners"))
        say(catalogue.text("coach_reading", file=name))
        text = _read(str(options.analyse), catalogue).lstrip("\ufeff")
        is_saved = text.lstrip()[:1] == "{" and '"covered"' not in text
        output = (_reviewed if is_saved else _analysed)(text, options, catalogue)
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        print(output)
    except BrokenPipeError:
        raise
    except (PositionTooHardError, PolicyError, MissingExtraError, OSError) as error:
        reason = catalogue.text("too_hard") if isinstance(error, PositionTooHardError) else explain(error)
        say(f"{options.program}: {reason}")
        return FAILED
    except ValueError as error:
        say(f"{options.program}: {_reason(error, name, catalogue)}")
        return BAD_ARGUMENTS
    return 0


def _read(path: str, catalogue: Catalogue) -> str:
    opened: Callable[..., Any] = (lambda *_: nullcontext(sys.stdin.buffer)) if path == "-" else open
    try:
        return read_bounded(Path(path), opened=opened).decode()
    except OSError as error:
        raise ValueError(catalogue.text("load_failed", path=path, reason=error)) from error


def _reason(error: ValueError, name: str, catalogue: Catalogue) -> str:
    """Returns the reason why an input is refused, as one line in the language of the user."""
    if isinstance(error, UnicodeDecodeError):
        return catalogue.text("coach_not_text")
    if isinstance(error, SavedGameError):
        return f"{catalogue.text('coach_not_saved', file=name, reason=error)}; {catalogue.text('coach_json')}"
    if isinstance(error, TextError):
        return catalogue.text(error.key, **error.values)
    if isinstance(error, InconsistentBoardError):
        return catalogue.text("contradiction", cell=name_cell(error.cell, catalogue))
    return str(error)


def _check_finished(options: PlayOptions, is_over: bool, catalogue: Catalogue) -> None:
    """Raises a ValueError for --record or --policy with a position, or with a game under way."""
    option = next((name for name in ("record", "policy") if getattr(options, name) is not None), None)
    if option and not is_over:
        raise ValueError(catalogue.text(f"{option}_later"))


def _analysed(text: str, options: PlayOptions, catalogue: Catalogue) -> str:
    """Returns the analysis of the position in a text; raises a ValueError unless the mines are stated consistently."""
    board, mine_counts, exploded = read_position(text)
    if options.mines is not None:
        mine_counts.add(options.mines)
    _check_finished(options, False, catalogue)
    if len(mine_counts) != 1:
        numbers = catalogue.listing([str(number) for number in sorted(mine_counts)])
        raise ValueError(catalogue.text("coach_mines_differ" if mine_counts else "coach_needs_mines", numbers=numbers))
    rules: dict[str, Any] = {"luck": options.luck, "needs_no_guess": bool(options.no_guess), "exploded": exploded}
    analysis = analyse_position(board, mine_counts.pop(), options.first_click, **rules)
    if options.as_json:
        return json.dumps(position_content(analysis), indent=2)
    return "\n".join(position_lines(analysis, catalogue, output_width() or 80))


def _reviewed(text: str, options: PlayOptions, catalogue: Catalogue) -> str:
    """Returns the review of a saved game, and the analysis of its position if the game is under way."""
    if options.mines is not None or options.given & {"first_click", "luck", "no_guess"}:
        raise ValueError(catalogue.text("coach_surplus_board"))
    session = decode(text.lstrip().encode())
    if session.config.first_click == "corners":
        raise ValueError(catalogue.text("review_corners"))
    _check_finished(options, session.is_over, catalogue)
    policy_review = options.policy and review_game(replay_with(find_policy(options.policy), session))
    review, position, width = review_game(session), None, output_width() or 80
    if options.record is not None:
        replace_file(options.record, draw_review(review, options.record.suffix.lower()), follow=True)
        say(catalogue.text("shared", line=describe_game(review, catalogue), path=options.record))
    if session.status == "playing":
        rules: dict[str, Any] = {"luck": session.config.luck, "needs_no_guess": bool(session.no_guess)}
        position = analyse_position(session.board, session.config.mines, session.config.first_click, **rules)
    if options.as_json:
        content = {**review_content(review), "position": position and position_content(position)}
        return json.dumps({**content, "policy": review_content(policy_review)} if policy_review else content, indent=2)
    lines = review_lines(review, catalogue, width)
    if policy_review:
        lines += ["", *wrapped_lines(compare(review, policy_review, str(options.policy), catalogue), width)]
    if position is not None:
        lines += ["", catalogue.text("review_goes_on"), *position_lines(position, catalogue, width)]
    return "\n".join(lines)


def position_content(analysis: Analysis) -> dict[str, Any]:
    """Returns the JSON of an analysis (main fields: docs/how-to/coach.md); cells are [row, col] from 0."""
    return {
        **_head("position"),
        "rows": analysis.board.shape[0],
        "cols": analysis.board.shape[1],
        "mines": analysis.mines,
        "board": write_board(analysis.board, analysis.exploded).splitlines(),
        "status": analysis.status,
        # Programs refuse to read, and Python to write, whole numbers of thousands of digits.
        "layouts": analysis.layouts if analysis.layouts < 10**4000 else None,
        "log10_layouts": math.log10(analysis.layouts) if analysis.layouts else None,
        "win": analysis.win._asdict(),
        "best": analysis.best,
        "choices": [each._asdict() for each in analysis.choices],
        "safe": analysis.safe,
        "certain_mines": analysis.mine,
        "wrong_flags": analysis.wrong_flags,
        "proof": _steps(analysis.steps),
        "probabilities": analysis.probabilities.tolist(),
        "before": analysis.before and position_content(analysis.before),
    }


def review_content(review: Review) -> dict[str, Any]:
    """Returns the JSON of a review (main fields: docs/how-to/coach.md); cells are [row, col] from 0."""
    session, diagnosis = review.session, diagnose(review.turns)
    return {
        **_head("review"),
        **{name: getattr(session.config, name) for name in ("rows", "cols", "mines", "first_click")},
        "seed": session.seed,
        "status": session.status,
        "board": write_board(session.board, session.exploded).splitlines(),
        "curve": [each._asdict() for each in review.curve],
        "skill": review.skill,
        "luck": review.luck,
        "wrong_flags": review.wrong_flags,
        "practice": session.practice,
        "diagnosis": {**diagnosis._asdict(), "loss": diagnosis.loss and diagnosis.loss.value},
        "moves": [_move(turn) for turn in review.turns],
    }


def _move(turn: Turn) -> dict[str, Any]:
    return {
        "number": turn.number,
        "kind": turn.move.kind,
        "cell": turn.move.cell,
        "opened": turn.opened,
        "wrong_flags": turn.wrong_flags,
        "seconds": turn.move.seconds,
        "mark": turn.mark,
        "is_judged": turn.is_judged,
        "risk": turn.risk if turn.is_judged else None,
        "least_risk": turn.least if turn.is_judged else None,
        "excess_risk": turn.excess if turn.is_judged else None,
        "misses_safe": turn.misses_safe,
        "is_certain_death": turn.is_certain_death,
        "before": turn.before._asdict(),
        "after": turn.after._asdict(),
        "skill": turn.skill,
        "luck": turn.luck,
        "better": turn.better and turn.better._asdict(),
        "proof": _steps(turn.steps),
    }


def _head(kind: str) -> dict[str, Any]:
    return {"format": "minesweeper-coach", "version": 1, "kind": kind}


def _steps(steps: Sequence[Step]) -> list[dict[str, Any]]:
    json_keys = {"rule": "rule", "safe": "safe", "mine": "mines", "because": "because", "uses_total": "uses_total"}
    return [{key: getattr(step, name) for name, key in json_keys.items()} for step in steps]
