"""Review of a game: a mark for each turn, the probability of winning along the game, and what of it was luck.

Let W be the probability of winning before a turn, and W' the probability after it. Q is the probability after the
choice of a cell and before its outcome. The skill of the turn is Q - W, which is 0 for the best choice and negative
for any other. Its luck is W' - Q. Over a game, skill and luck add up to the difference between the last and the first
probability. Where W is no exact figure, W' - Q also holds the difference between two estimates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.inference import PositionTooHardError, Step, hint
from minesweeper_play.coach.turns import Turn, judge_turns, replay
from minesweeper_play.game.moves import Cell, Report
from minesweeper_play.game.session import Session
from minesweeper_play.winning import Choice, Estimate, Winning

GAMES, QUICK_GAMES = 5_000, 1_000
"""Playouts of one review, and of a quick one."""

POSITIONS, QUICK_POSITIONS = 60, 24
"""Default number of positions whose probability of winning is computed; the others lie on a line between these."""

NOTICEABLE = 0.01
"""The probability of winning that a mistake costs at least; a tenth of it is enough where little is left."""


class Mark(Enum):
    """Verdict on a turn.

    | mark | turn |
    |---|---|
    | first | the first click, which nothing can guide |
    | help | a cell that the program opened at the player's request |
    | safe | a cell that is certainly safe |
    | best | a guess with the least risk that is no mistake |
    | calculated | a guess beyond the least risk that is no mistake |
    | inaccurate | a guess that is a mistake |
    | avoidable | a mistake that lost the game |
    | unlucky | a guess that lost the game and is no mistake |
    | not judged | a position that is too hard for exact probabilities |

    A guess is a mistake if its skill is at most -`NOTICEABLE`, or costs a tenth of the probability of winning.
    """

    FIRST = "first"
    HELP = "help"
    SAFE = "safe"
    BEST = "best"
    CALCULATED = "calculated"
    INACCURATE = "inaccurate"
    AVOIDABLE = "avoidable"
    UNLUCKY = "unlucky"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class Verdict:
    """The review of one turn.

    Attributes:
        before, after: the probability of winning; its `kind` is "between" on a line between two other turns.
        skill: the loss by the choice, at most 0.
        luck: the gain or loss by the outcome.
        better: a click that was safer or wins more; None if there is none.
        steps: the proof of a safe cell that the turn missed; empty if there was none.
    """

    turn: Turn
    mark: Mark
    before: Estimate
    after: Estimate
    skill: float
    luck: float
    better: Choice | None
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Review:
    """The review of a game.

    Attributes:
        session: the game.
        verdicts: the turns in order; moves that only set or remove marks are no turns.
        board: (rows, cols) int8 codes after the last turn.
        wrong_flags: the number of flags that were set on cells without a mine.
    """

    session: Session
    verdicts: tuple[Verdict, ...]
    board: NDArray[np.int8]
    wrong_flags: int

    @property
    def exploded(self) -> tuple[Cell, ...]:
        """The mines that the last turn opened."""
        opened = self.verdicts[-1].turn.opened if self.verdicts else ()
        return tuple(cell for cell in opened if self.session.placed_mines[cell])

    @property
    def curve(self) -> list[Estimate]:
        """The probability of winning before each turn, and after the last one."""
        return [*(verdict.before for verdict in self.verdicts), *(verdict.after for verdict in self.verdicts[-1:])]

    @property
    def skill(self) -> float:
        """The sum of the skill of all turns."""
        return math.fsum(verdict.skill for verdict in self.verdicts)

    @property
    def luck(self) -> float:
        """The sum of the luck of all turns."""
        return math.fsum(verdict.luck for verdict in self.verdicts)

    def count(self, mark: Mark) -> int:
        """Returns the number of turns with a mark."""
        return sum(verdict.mark is mark for verdict in self.verdicts)


def reason_against(session: Session) -> Report:
    """Returns the message that says why a game has no review; its key is "" if the coach reviews it.

    The coach plays out games of radius 1, with layouts that are equally probable.
    """
    if session.config.radius != 1:
        return Report("review_radius", values={"radius": session.config.radius})
    return Report("review_corners" if session.config.first_click == "corners" else "")


def review_game(
    session: Session, *, quick: bool = False, progress: Callable[[int, int], object] = lambda *_: None
) -> Review:
    """Reviews a game of any status, of radius 1; it stays as it is.

    A `quick` review computes fewer probabilities of winning, with fewer playouts. `progress` is called with the number
    of finished steps, and the number of steps in all.

    Raises:
        ValueError: the first-click rule makes some layouts likelier than others; see `reason_against`.
        PositionTooHardError: a position is too hard to estimate.
    """
    turns, board, wrong_flags = replay(session)
    turns = judge_turns(turns, session.config)
    chosen = _positions_to_compute(turns, QUICK_POSITIONS if quick else POSITIONS)
    games = max(30, min(400, (QUICK_GAMES if quick else GAMES) // max(1, len(chosen))))
    winning = Winning(session.config, games, needs_no_guess=bool(session.no_guess))
    steps = len(chosen) + len(turns)
    curve = _curve(turns, board, winning, chosen, lambda done: progress(done, steps))
    verdicts = []
    for i, turn in enumerate(turns):
        verdicts.append(_verdict(winning, turn, curve[i], curve[i + 1]))
        progress(len(chosen) + i + 1, steps)
    return Review(session, tuple(verdicts), board, wrong_flags)


def _positions_to_compute(turns: Sequence[Turn], most: int) -> list[int]:
    """Returns which points of the curve to compute: the ends, those around guesses, and others at equal distances.

    Point i lies before turn i, from 0; the last point lies after the last turn.
    """
    last = len(turns)
    chosen = {0, min(1, last), last}
    for i, turn in enumerate(turns):
        if not turn.is_judged or turn.risk > 0.0:
            chosen |= {i, i + 1}
    spare = max(most - len(chosen), 0)
    return sorted(chosen | {round(point) for point in np.linspace(0, last, spare + 2)})


def _curve(
    turns: Sequence[Turn],
    last: NDArray[np.int8],
    winning: Winning,
    chosen: Sequence[int],
    progress: Callable[[int], object],
) -> list[Estimate]:
    """Returns the points of the curve, those that were not chosen on lines between the others."""
    boards = [*(turn.before for turn in turns), last]
    found: dict[int, Estimate] = {}
    for done, point in enumerate(chosen, 1):
        is_first = point == 0 and turns and not (boards[0] <= winning.config.codes.max_count).any()
        # A point that is too hard is left to its neighbours.
        with suppress(PositionTooHardError):
            found[point] = winning.start(turns[0].cell) if is_first else winning.win(boards[point])
        progress(done)
    if not found:
        raise PositionTooHardError("every position of this game is too hard to be estimated")
    values = np.interp(range(len(boards)), list(found), [estimate.probability for estimate in found.values()])
    return [found.get(point, Estimate(float(value), "between")) for point, value in enumerate(values)]


def _verdict(winning: Winning, turn: Turn, before: Estimate, after: Estimate) -> Verdict:
    """Returns the verdict on one turn."""
    skill, better = 0.0, None
    mistake = min(NOTICEABLE, before.probability / 10)
    steps = tuple(hint(turn.before, winning.config.mines)) if turn.misses_safe else ()
    if turn.is_judged and turn.risk > 0.0:
        worth = winning.win_after(turn.before, turn.opened, turn.risk)
        skill = worth - before.probability
        best = Choice(steps[-1].safe[0], 0.0, before.probability) if steps else winning.choices(turn.before)[0]
        if steps or (turn.opened != (best.cell,) and best.win >= worth + mistake):
            better = best
    luck = after.probability - before.probability - skill
    return Verdict(turn, _mark(turn, skill <= -mistake), before, after, skill, luck, better, steps)


def _mark(turn: Turn, is_mistake: bool) -> Mark:
    if turn.move.kind == "reveal":
        return Mark.HELP
    if not turn.is_choice:
        return Mark.UNLUCKY if turn.lost else Mark.FIRST
    if not turn.is_judged:
        return Mark.NOT_JUDGED
    if turn.risk == 0.0:
        return Mark.SAFE
    if is_mistake:
        return Mark.AVOIDABLE if turn.lost else Mark.INACCURATE
    if turn.lost:
        return Mark.UNLUCKY
    return Mark.CALCULATED if turn.excess else Mark.BEST
