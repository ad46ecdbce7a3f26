"""Turns of a game, which are the moves that open cells, with their risk by exact mine probabilities.

The figures are those of `baselines.evaluation.judge`, which sees clicks only. A chord opens several cells at once: it
counts as one click, and its risk is the probability that one of them is a mine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.judge import GameDiagnosis, Loss
from baselines.support.act_inputs import TIE
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
        before: (rows, cols) int8 codes that the player saw.
        opened: the covered cells that the move opens, before any flood.
        lost: whether it lost the game.
        wrong_flags: the flags on safe cells by which a chord lost the game.
        is_choice: whether the player chose the cell: it is neither the first click nor help.
        is_judged: whether it is a choice, and the oracle could judge it.
        risk: the probability that the turn loses the game.
        least: the least probability of a mine among the covered cells.
        excess: `risk` less `least`; 0.0 where they differ by rounding alone.
    """

    number: int
    move: Move
    before: NDArray[np.int8]
    opened: tuple[Cell, ...]
    lost: bool
    wrong_flags: tuple[Cell, ...] = ()
    is_choice: bool = True
    is_judged: bool = False
    risk: float = 0.0
    least: float = 0.0
    excess: float = 0.0

    @property
    def cell(self) -> Cell:
        """The cell of the move, as (row, col)."""
        return self.move.cell

    @property
    def misses_safe(self) -> bool:
        """True if a certainly safe cell existed, and the turn took a risk."""
        return self.is_judged and self.risk > 0.0 and self.least == 0.0

    @property
    def is_certain_death(self) -> bool:
        """True if the turn certainly opened a mine."""
        return self.is_judged and self.risk == 1.0


def replay(session: Session) -> tuple[list[Turn], NDArray[np.int8], int]:
    """Plays the moves of a session again; the session stays as it is.

    Returns:
        The turns, not judged yet; the int8 codes after the last move; the number of flags set on cells without a mine.
    """
    codes, layout = session.config.codes, session.placed_mines
    again = Session(session.config, seed=session.seed, layout=layout if layout.any() else None)
    turns: list[Turn] = []
    wrong_flags = 0
    for move in session.moves:
        before = again.board
        again.repeat(move)
        after, near = again.board, neighbours(move.cell, before.shape, session.config.radius)
        covered = before > codes.max_count
        wrong_flags += int(((after == codes.flagged) & (before != codes.flagged) & ~layout).sum())
        opened: tuple[Cell, ...] = (move.cell,)
        if move.kind not in ("open", "reveal"):
            opened = tuple(cell for cell in near if covered[cell] and before[cell] != codes.flagged)
            if not (covered & ((after <= codes.max_count) | (after == codes.mine))).any():
                continue
        lost = again.status == "lost"
        trusted = near if lost and move.kind in ("chord", "expand") else []
        wrong = tuple(cell for cell in trusted if before[cell] == codes.flagged and not layout[cell])
        is_choice = move.kind != "reveal" and not covered.all()
        turns.append(Turn(len(turns) + 1, move, before, opened, lost, wrong, is_choice))
    return turns, again.board, wrong_flags


def judge_turns(turns: Sequence[Turn], config: BoardConfig) -> list[Turn]:
    """Returns the turns of a game with their risks; raises a ValueError under a rule that makes layouts unequal."""
    boards = np.array([turn.before for turn in turns], np.int8).reshape(-1, config.rows, config.cols)
    found = Oracle(config).ask(boards)
    judged = []
    for turn, probabilities, exact in zip(turns, found.probabilities, found.exact, strict=True):
        if exact and turn.is_choice:
            risk, least = (
                _risk(turn, probabilities, config),
                float(probabilities[turn.before > config.codes.max_count].min()),
            )
            excess = risk - least if risk - least > TIE else 0.0
            judged.append(replace(turn, is_judged=True, risk=risk, least=least, excess=excess))
        else:
            judged.append(turn)
    return judged


def diagnose(turns: Sequence[Turn]) -> GameDiagnosis:
    """Returns the figures of `--diagnose` for one game from its judged turns."""
    judged = [turn for turn in turns if turn.is_judged]
    loss = None
    for turn in (turn for turn in turns if turn.lost):
        loss = Loss.NOT_JUDGED if turn.is_choice and not turn.is_judged else Loss.FORCED
        loss = Loss.AVOIDABLE if turn.excess else loss
    return GameDiagnosis(
        judged=len(judged),
        not_judged=sum(turn.is_choice for turn in turns) - len(judged),
        on_mines=sum(turn.is_certain_death for turn in judged),
        past_safe=sum(turn.misses_safe for turn in judged),
        guesses=sum(turn.risk > 0.0 for turn in judged),
        excess_risk=math.fsum(turn.excess for turn in judged),
        loss=loss,
    )


def _risk(turn: Turn, probabilities: NDArray[np.float64], config: BoardConfig) -> float:
    """Returns the probability that one of the opened cells is a mine."""
    risks = [float(probabilities[cell]) for cell in turn.opened]
    if len(risks) == 1 or max(risks) in (0.0, 1.0):
        return max(risks)
    # All opened cells are free if all neighbours with flags are mines.
    codes, sure = config.codes, turn.before.copy()
    for cell in neighbours(turn.cell, sure.shape, config.radius):
        if sure[cell] == codes.flagged:
            sure[cell] = codes.mine
    space = np.empty((1, *sure.shape))
    try:
        flags, all_layouts = (
            infer_posteriors(board[None], config.mines, config.radius, space)[0] for board in (sure, turn.before)
        )
    except InconsistentBoardError:
        return 1.0
    return 1.0 - min(1.0, math.exp(flags - all_layouts))
