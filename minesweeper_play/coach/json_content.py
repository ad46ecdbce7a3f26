"""Analyses and reviews as JSON; docs/how-to/coach.md describes every key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minesweeper_env.inference import Step
from minesweeper_play.coach.board_text import write_board
from minesweeper_play.coach.position import Analysis
from minesweeper_play.coach.review import Review, Verdict

MOST_BITS = 14_000
"""Numbers of layouts with more bits are left out: Python reads and prints integers of at most 4300 digits."""

FORMAT, VERSION = "minesweeper-coach", 1


def position_content(analysis: Analysis) -> dict[str, Any]:
    """Returns the content of an analysis; cells are [row, col] from 0."""
    return {
        "format": FORMAT,
        "version": VERSION,
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
        "format": FORMAT,
        "version": VERSION,
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
