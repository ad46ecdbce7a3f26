"""Judgement of each turn by exact mine probabilities, with the figures of `baselines.evaluation.judge`.

The judge of `evaluate.py --diagnose` sees clicks only. A chord opens several cells at once: its risk is the probability
that one of them is a mine. It is counted as a click with this risk.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.judge import GameDiagnosis, Loss
from baselines.support.rounding import TIE
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import InconsistentBoardError, Oracle
from minesweeper_env.inference.kernels import infer_posteriors
from minesweeper_play.coach.turns import Turn


@dataclass(frozen=True)
class Judgement:
    """The risk of a turn.

    Attributes:
        is_judged: whether the turn counts: it is not the first click, nor help, and the oracle could judge it.
        risk: the probability that the turn loses the game.
        least: the least probability of a mine among the covered cells.
        excess: `risk` less `least`; 0.0 where they differ by rounding alone.
        loss: the verdict on a turn that lost the game; None for the others.
    """

    is_judged: bool
    risk: float = 0.0
    least: float = 0.0
    excess: float = 0.0
    loss: Loss | None = None

    @property
    def misses_safe(self) -> bool:
        """True if a certainly safe cell existed, and the turn took a risk."""
        return self.is_judged and self.risk > 0.0 and self.least == 0.0

    @property
    def is_certain_death(self) -> bool:
        """True if the turn certainly opened a mine."""
        return self.is_judged and self.risk == 1.0


def judge_turns(turns: Sequence[Turn], config: BoardConfig) -> list[Judgement]:
    """Judges the turns of one game.

    Raises:
        ValueError: the first-click rule makes some layouts likelier than others.
    """
    oracle = Oracle(config)
    if not turns:
        return []
    answers = oracle.ask(np.stack([turn.before for turn in turns]))
    return [
        _judge(turn, probabilities, bool(exact), config)
        for turn, probabilities, exact in zip(turns, answers.probabilities, answers.exact, strict=True)
    ]


def diagnose(judgements: Sequence[Judgement], clicks: int) -> GameDiagnosis:
    """Returns the figures of `--diagnose` for one game.

    Args:
        judgements: the judgements of its turns.
        clicks: the number of turns that count, judged or not.
    """
    judged = [each for each in judgements if each.is_judged]
    return GameDiagnosis(
        judged=len(judged),
        not_judged=clicks - len(judged),
        on_mines=sum(each.is_certain_death for each in judged),
        past_safe=sum(each.misses_safe for each in judged),
        guesses=sum(each.risk > 0.0 for each in judged),
        excess_risk=math.fsum(each.excess for each in judged),
        loss=next((each.loss for each in judgements if each.loss), None),
    )


def counts(turn: Turn, config: BoardConfig) -> bool:
    """Returns whether a turn is the player's choice: not the first click, and no help."""
    return turn.move.kind != "reveal" and bool((turn.before <= config.codes.max_count).any())


def _judge(turn: Turn, probabilities: NDArray[np.float64], exact: bool, config: BoardConfig) -> Judgement:
    if not counts(turn, config):
        return Judgement(False, loss=Loss.FORCED if turn.lost else None)
    if not exact:
        return Judgement(False, loss=Loss.NOT_JUDGED if turn.lost else None)
    risk = _risk(turn, probabilities, config)
    least = float(probabilities[turn.before > config.codes.max_count].min())
    excess = risk - least if risk - least > TIE else 0.0
    verdict = Loss.AVOIDABLE if excess > 0.0 else Loss.FORCED
    return Judgement(True, risk, least, excess, verdict if turn.lost else None)


def _risk(turn: Turn, probabilities: NDArray[np.float64], config: BoardConfig) -> float:
    """Returns the probability that one of the opened cells is a mine."""
    risks = [float(probabilities[cell]) for cell in turn.opened]
    if len(risks) == 1 or max(risks) in (0.0, 1.0):
        return max(risks)
    return 1.0 - _safety_of_chord(turn, config)


def _safety_of_chord(turn: Turn, config: BoardConfig) -> float:
    """Returns the probability that all neighbours with flags are mines: then the chord opens free cells alone."""
    codes = config.codes
    row, col = turn.cell
    near = np.zeros(turn.before.shape, np.bool_)
    radius = config.radius
    near[max(row - radius, 0) : row + radius + 1, max(col - radius, 0) : col + radius + 1] = True
    sure = np.where(near & (turn.before == codes.flagged), codes.mine, turn.before).astype(np.int8)
    try:
        logs = [
            infer_posteriors(board[None], config.mines, radius, np.empty((1, *board.shape)))[0]
            for board in (sure, turn.before)
        ]
    except InconsistentBoardError:
        return 0.0
    return min(1.0, math.exp(logs[0] - logs[1]))
