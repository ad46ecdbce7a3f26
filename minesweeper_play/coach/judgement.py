"""Turns of a game, which are the moves that open cells, and their judgement by exact mine probabilities.

The figures are those of `baselines.evaluation.judge`. The judge of `evaluate.py --diagnose` sees clicks only. A chord
opens several cells at once: its risk is the probability that one of them is a mine. It is counted as a click with this
risk.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.judge import GameDiagnosis, Loss
from baselines.support.rounding import TIE
from minesweeper_env.codes import Codes
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import InconsistentBoardError, Oracle
from minesweeper_env.inference.kernels import infer_posteriors
from minesweeper_play.game.moves import Cell, Move, neighbours
from minesweeper_play.game.session import Session


@dataclass(frozen=True)
class Turn:
    """A move that opens cells.

    Attributes:
        number: its number among the turns of the game, from 1.
        move: the move.
        before: (rows, cols) int8 codes that the player saw.
        after: the codes after the move.
        opened: the covered cells that the move opens, before any flood.
        lost: whether it lost the game.
        wrong_flags: the flags on safe cells by which a chord lost the game.
    """

    number: int
    move: Move
    before: NDArray[np.int8]
    after: NDArray[np.int8]
    opened: tuple[Cell, ...]
    lost: bool
    wrong_flags: tuple[Cell, ...] = ()

    @property
    def cell(self) -> Cell:
        """The cell of the move, as (row, col)."""
        return self.move.cell


@dataclass(frozen=True)
class Replay:
    """A game that was played again.

    Attributes:
        turns: the moves that open cells, in order.
        board: the codes after the last move.
        wrong_flags: the number of moves that set a flag on a cell without a mine.
    """

    turns: tuple[Turn, ...]
    board: NDArray[np.int8]
    wrong_flags: int


def replay(session: Session) -> Replay:
    """Plays the moves of a session again, from the first one on; the session stays as it is."""
    codes, layout = session.config.codes, session.placed_mines
    again = Session(session.config, seed=session.seed, layout=layout if layout.any() else None)
    turns: list[Turn] = []
    wrong_flags = 0
    for move in session.moves:
        before = again.board
        again.repeat(move)
        after = again.board
        near = neighbours(move.cell, before.shape, session.config.radius)
        if opened := _opened(before, after, move, near, codes):
            lost = again.status == "lost"
            trusted = near if lost and move.kind in ("chord", "expand") else []
            wrong = tuple(cell for cell in trusted if before[cell] == codes.flagged and not layout[cell])
            turns.append(Turn(len(turns) + 1, move, before, after, opened, lost, wrong))
        wrong_flags += int(((after == codes.flagged) & (before != codes.flagged) & ~layout).sum())
    return Replay(tuple(turns), again.board, wrong_flags)


def _opened(
    before: NDArray[np.int8], after: NDArray[np.int8], move: Move, near: Sequence[Cell], codes: Codes
) -> tuple[Cell, ...]:
    """Returns the covered cells that a move opens; none if it changes marks alone."""
    if move.kind in ("open", "reveal"):
        return (move.cell,)
    shown = (after <= codes.max_count) | (after == codes.mine)
    if not (shown & (before > codes.max_count)).any():
        return ()
    return tuple(cell for cell in near if before[cell] > codes.max_count and before[cell] != codes.flagged)


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
    answers = oracle.ask(np.array([turn.before for turn in turns], np.int8).reshape(-1, config.rows, config.cols))
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
    sure = turn.before.copy()
    for cell in neighbours(turn.cell, sure.shape, config.radius):
        if sure[cell] == codes.flagged:
            sure[cell] = codes.mine
    try:
        logs = [
            infer_posteriors(board[None], config.mines, config.radius, np.empty((1, *board.shape)))[0]
            for board in (sure, turn.before)
        ]
    except InconsistentBoardError:
        return 0.0
    return min(1.0, math.exp(logs[0] - logs[1]))
