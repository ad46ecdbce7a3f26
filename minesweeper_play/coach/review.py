"""Analysis of a position: its best move and the reason; and review of a game: its turns, with a mark, skill and luck.

The turns are the moves that open cells. Let W be the probability of winning before a turn, and W' the probability
after it. Q is the probability after the choice of a cell and before its outcome. The skill of the turn is Q - W, which
is 0 for the best choice and negative for any other. Its luck is W' - Q. Over a game, skill and luck add up to the
difference between the last and the first probability. Where W is estimated, W' - Q also holds the estimates' errors.

Risks are those of `baselines.evaluation.judge`, which sees clicks only. A chord opens several cells at once: it counts
as one click, and its risk is the probability that one of them is a mine.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.games import GameDiagnosis, Loss
from baselines.scripted.oracle_play.exact import first_cell
from baselines.scripted.oracle_play.position_value import Choice, Estimate, Winning
from minesweeper_env import inference
from minesweeper_env.codes import FLAGGED, HIDDEN, MINE
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import Step
from minesweeper_env.inference.kernels import TIE, infer_posteriors
from minesweeper_play.game.advice import Advice, advise, find_proof, rank_guesses
from minesweeper_play.game.moves import Cell, Move, cells_of, neighbours
from minesweeper_play.game.session import Session, Status

GAMES, QUICK_GAMES = 5_000, 1_000
"""The number of playouts of one review, and of a quick one, divided among its positions."""

POSITIONS, QUICK_POSITIONS = 60, 24
"""Default number of positions whose probability of winning is computed; the others lie on a line between these."""

NOTICEABLE = 0.01
"""The probability of winning that a mistake costs at least; a tenth of it is enough where little is left."""


class Mark(StrEnum):
    """Verdict on a turn, as docs/how-to/coach.md explains it.

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


@dataclass
class Turn:
    """A move that opens cells; `replay` sets the fields up to `is_choice`, `judge_turns` risks, a review the rest."""

    number: int  # among the turns of the game, from 1
    move: Move
    board: NDArray[np.int8]  # (rows, cols), the codes that the player saw
    opened: tuple[Cell, ...]  # the covered cells that the move opens, before any flood
    lost: bool  # whether the move lost the game
    wrong_flags: tuple[Cell, ...] = ()  # the flags on safe cells by which a chord lost the game
    is_choice: bool = True  # whether the player chose the cell: it is neither the first click nor help
    is_judged: bool = False  # whether it is a choice, and the oracle could judge it
    risk: float = 0.0  # the probability that the turn loses the game
    least: float = 0.0  # the least probability of a mine among the covered cells
    excess: float = 0.0  # `risk` less `least`; 0.0 where they differ by rounding alone
    mark: Mark = Mark.NOT_JUDGED
    before: Estimate = field(init=False)  # the probability of winning
    after: Estimate = field(init=False)
    skill: float = 0.0  # the loss by the choice, at most 0
    luck: float = 0.0  # the gain or loss by the outcome
    better: Choice | None = None  # a click that was safer or wins more
    steps: tuple[Step, ...] = ()  # the proof of a safe cell that the turn missed

    @property
    def misses_safe(self) -> bool:
        """True if a certainly safe cell existed, and the turn took a risk."""
        return self.is_judged and self.risk > 0.0 and self.least == 0.0

    @property
    def is_certain_death(self) -> bool:
        return self.is_judged and self.risk == 1.0


@dataclass(frozen=True)
class Review:
    """A game, its turns (no moves that only mark), and the number of flags that it set on cells without a mine."""

    session: Session
    turns: tuple[Turn, ...]
    wrong_flags: int

    @property
    def curve(self) -> list[Estimate]:
        return [*(turn.before for turn in self.turns), *(turn.after for turn in self.turns[-1:])]

    @property
    def skill(self) -> float:
        return math.fsum(turn.skill for turn in self.turns)

    @property
    def luck(self) -> float:
        return math.fsum(turn.luck for turn in self.turns)


def review_game(
    session: Session, *, quick: bool = False, progress: Callable[[int, int], object] = lambda *_: None
) -> Review:
    """Reviews a game of any status, and does not change it.

    A `quick` review computes fewer probabilities of winning, with fewer playouts. The review calls `progress` with the
    numbers of finished steps and of all steps. Raises a PositionTooHardError, and a ValueError under the first-click
    rule "corners", which makes some layouts likelier than others.
    """
    turns, wrong_flags = replay(session)
    judge_turns(turns, session.config)
    chosen = _points_to_compute(turns, QUICK_POSITIONS if quick else POSITIONS)
    games = max(30, min(400, (QUICK_GAMES if quick else GAMES) // max(1, len(chosen))))
    winning = Winning(session.config, games, needs_no_guess=bool(session.no_guess))
    steps = len(chosen) + len(turns)
    curve = _curve(turns, session.board, winning, chosen, lambda done: progress(done, steps))
    for i, turn in enumerate(turns):
        turn.before, turn.after = curve[i : i + 2]
        _give_verdict(turn, winning)
        progress(len(chosen) + i + 1, steps)
    return Review(session, tuple(turns), wrong_flags)


def replay(session: Session) -> tuple[list[Turn], int]:
    """Plays a game again; returns its turns, not judged yet, and the number of flags set on safe cells."""
    layout = session.placed_mines
    replayed = Session(session.config, seed=session.seed, layout=layout if layout.any() else None)
    turns: list[Turn] = []
    wrong_flags = 0
    for move in session.moves:
        before = replayed.board
        replayed.repeat(move)
        after, around = replayed.board, neighbours(move.cell, before.shape)
        covered = before >= FLAGGED
        wrong_flags += int(((after == FLAGGED) & (before != FLAGGED) & ~layout).sum())
        opened: tuple[Cell, ...] = (move.cell,)
        if move.kind not in ("open", "reveal"):
            opened = tuple(cell for cell in around if covered[cell] and before[cell] != FLAGGED)
            if not (covered & ((after < FLAGGED) | (after == MINE))).any():
                continue  # The move opened nothing.
        lost = replayed.status == "lost"
        chord_neighbours = around if lost and move.kind in ("chord", "expand") else []
        fatal_flags = tuple(cell for cell in chord_neighbours if before[cell] == FLAGGED and not layout[cell])
        is_choice = move.kind != "reveal" and not covered.all()
        turns.append(Turn(len(turns) + 1, move, before, opened, lost, fatal_flags, is_choice))
    return turns, wrong_flags


def judge_turns(turns: Sequence[Turn], config: BoardConfig) -> None:
    """Sets the risks of the turns of a game; raises a ValueError under a rule that makes some layouts likelier."""
    boards = np.array([turn.board for turn in turns], np.int8).reshape(-1, config.rows, config.cols)
    answer = inference.Oracle(config).ask(boards)
    for turn, probabilities, exact in zip(turns, answer.probabilities, answer.exact, strict=True):
        if exact and turn.is_choice:
            turn.is_judged, turn.risk = True, _risk(turn, probabilities, config)
            turn.least = float(probabilities[turn.board >= FLAGGED].min())
            turn.excess = turn.risk - turn.least if turn.risk - turn.least > TIE else 0.0


def _risk(turn: Turn, probabilities: NDArray[np.float64], config: BoardConfig) -> float:
    """Returns the probability that one of the opened cells is a mine."""
    risks = [float(probabilities[cell]) for cell in turn.opened]
    if len(risks) == 1 or max(risks) in (0.0, 1.0):
        return max(risks)
    # A chord has as many flags as its number, so all opened cells are free exactly if all its flags are on mines.
    mined, buffer = turn.board.copy(), np.empty((1, *turn.board.shape))
    for cell in neighbours(turn.move.cell, mined.shape):
        if mined[cell] == FLAGGED:
            mined[cell] = MINE
    # The logarithms of the numbers of layouts; the probabilities go to `buffer`.
    try:
        log_safe, log_all = (infer_posteriors(board[None], config.mines, 1, buffer)[0] for board in (mined, turn.board))
    except inference.InconsistentBoardError:
        return 1.0
    return 1.0 - min(1.0, math.exp(log_safe - log_all))


def diagnose(turns: Sequence[Turn]) -> GameDiagnosis:
    """Returns the figures of `--diagnose` for one game from its judged turns."""
    judged, loss = [turn for turn in turns if turn.is_judged], None
    if turns and turns[-1].lost:
        last = turns[-1]
        loss = Loss.NOT_JUDGED if last.is_choice and not last.is_judged else Loss.FORCED
        loss = Loss.AVOIDABLE if last.excess else loss
    return GameDiagnosis(
        judged=len(judged),
        not_judged=sum(turn.is_choice for turn in turns) - len(judged),
        on_mines=sum(turn.is_certain_death for turn in judged),
        past_safe=sum(turn.misses_safe for turn in judged),
        guesses=sum(turn.risk > 0.0 for turn in judged),
        excess_risk=math.fsum(turn.excess for turn in judged),
        loss=loss,
    )


def _points_to_compute(turns: Sequence[Turn], max_points: int) -> list[int]:
    """Returns the points of the curve to compute: its ends, those around guesses, and others at equal distances.

    Point i lies before turn i, from 0; the last point lies after the last turn.
    """
    last = len(turns)
    chosen = {0, min(1, last), last}
    for i, turn in enumerate(turns):
        if not turn.is_judged or turn.risk > 0.0:
            chosen |= {i, i + 1}
    spare = max(max_points - len(chosen), 0)
    return sorted(chosen | {round(point) for point in np.linspace(0, last, spare + 2)})


def _curve(
    turns: Sequence[Turn],
    final_board: NDArray[np.int8],
    winning: Winning,
    chosen: Sequence[int],
    progress: Callable[[int], object],
) -> list[Estimate]:
    """Returns the points of the curve, those that were not chosen on lines between the others."""
    boards = [*(turn.board for turn in turns), final_board]
    estimates: dict[int, Estimate] = {}
    for done, point in enumerate(chosen, 1):
        is_first = point == 0 and turns and not (boards[0] < FLAGGED).any()
        # A point that is too hard is interpolated from its neighbours.
        with suppress(inference.PositionTooHardError):
            estimates[point] = winning.start(turns[0].move.cell) if is_first else winning.win(boards[point])
        progress(done)
    if not estimates:
        raise inference.PositionTooHardError("every position of this game is too hard to be estimated")
    values = np.interp(range(len(boards)), list(estimates), [estimate.probability for estimate in estimates.values()])
    return [estimates.get(point, Estimate(float(value), "between")) for point, value in enumerate(values)]


def _give_verdict(turn: Turn, winning: Winning) -> None:
    """Sets the skill and luck of a turn, its mark, and for a mistake the better click and its proof."""
    win_before = turn.before.probability
    threshold = min(NOTICEABLE, win_before / 10)
    if turn.misses_safe:
        turn.steps = find_proof(turn.board, winning.config.mines)
    if turn.is_judged and turn.risk > 0.0:
        win_by_choice = winning.win_after(turn.board, turn.opened, turn.risk)
        if not winning.config.luck:
            # Without luck the rule decides each outcome, so that all of the change is skill.
            win_by_choice = turn.after.probability
        turn.skill = win_by_choice - win_before
        best = Choice(turn.steps[-1].safe[0], 0.0, win_before) if turn.steps else rank_guesses(turn.board, winning)[0]
        if turn.steps or (turn.opened != (best.cell,) and best.win >= win_by_choice + threshold):
            turn.better = best
    turn.luck = turn.after.probability - win_before - turn.skill
    turn.mark = _mark(turn, turn.skill <= -threshold)


def _mark(turn: Turn, is_mistake: bool) -> Mark:
    """Returns the verdict on a turn; `is_mistake` says that its choice costs a noticeable part of the wins."""
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


@dataclass(frozen=True)
class Analysis:
    """The result of an analysis of a position: certain cells, probabilities, and the best moves."""

    board: NDArray[np.int8]  # (rows, cols) cell codes
    mines: int
    status: Status
    layouts: int  # the number of layouts that fit
    probabilities: NDArray[np.float64]  # (rows, cols), of a mine in each cell; 0.0 on open cells
    safe: tuple[Cell, ...]  # the covered cells that are certainly safe
    mine: tuple[Cell, ...]  # the covered cells that are certainly mines, shown ones left out
    wrong_flags: tuple[Cell, ...]  # the flags on cells that are certainly safe
    win: Estimate  # the probability of winning
    steps: tuple[Step, ...] = ()  # the easiest proof of a safe cell; empty if there is none, or if no cell is open
    choices: tuple[Choice, ...] = ()  # safe cells of the proof, or guesses, the best first; empty once the game is over
    has_flag: bool = False  # whether the best cell has a flag, which the player has to remove first
    survives: bool = False  # whether the best cell is a forced guess of a game without luck
    exploded: Cell | None = None  # of a lost game, if known
    before: "Analysis | None" = None  # of a lost game: the position with its mines covered

    @property
    def best(self) -> Cell | None:
        return self.choices[0].cell if self.choices else None


def analyse_position(
    board: NDArray[np.int8],
    mines: int,
    first_click: str = "opening",
    *,
    luck: bool = True,
    needs_no_guess: bool = False,
    games: int = 1000,
    exploded: Cell | None = None,
) -> Analysis:
    """Analyses (rows, cols) int8 codes with `games` playouts, at least 2, where nothing exact is known.

    `needs_no_guess` says that logic wins the board, and `luck=False` that a forced guess survives. Of a lost game
    `exploded` is judged by the position before, in which the mines are covered. The function raises
    an InconsistentBoardError, a PositionTooHardError, or a ValueError for mines or a first-click rule (it matters only
    before the first click) that the board forbids.
    """
    probabilities = inference.mine_probabilities(board, mines)
    is_open = bool((board < FLAGGED).any())
    config = BoardConfig.of_size(board.shape, mines, first_click="any" if is_open else first_click, luck=luck)
    winning = Winning(config, games, needs_no_guess=needs_no_guess)
    covered = board >= FLAGGED
    hidden = covered & (board != MINE)
    status: Status = "playing" if is_open else "ready"
    if (board == MINE).any() or covered.sum() == mines:
        status = "lost" if (board == MINE).any() else "won"
    safe, mine = hidden & (probabilities == 0.0), hidden & (probabilities == 1.0)
    wrong_flags = safe & (board == FLAGGED)
    layouts, win = inference.count_layouts(board, mines), winning.win(board)
    certain = cells_of(safe), cells_of(mine), cells_of(wrong_flags)
    analysis = Analysis(board, mines, status, layouts, probabilities, *certain, win)
    if status == "lost":
        covered_board = np.where(board == MINE, np.int8(HIDDEN), board)
        before = analyse_position(covered_board, mines, "any", luck=luck, needs_no_guess=needs_no_guess, games=games)
        return replace(analysis, before=before, exploded=exploded)
    if status == "won":
        return analysis
    is_protected = config.first_click != "any" or needs_no_guess
    advice = advise(board, config, is_protected=is_protected, winning=winning)
    choices = _choices(advice, analysis.win.probability, winning)
    shared = {name: getattr(advice, name) for name in ("steps", "has_flag", "survives")}
    return replace(analysis, choices=choices, **shared)


def _choices(advice: Advice, win: float, winning: Winning) -> tuple[Choice, ...]:
    """Returns the cells of advice with their probabilities of winning; the position has the probability `win`."""
    if advice.choices or advice.steps:
        return advice.choices or tuple(Choice(cell, 0.0, win) for cell in advice.steps[-1].safe)
    is_best = advice.survives or advice.cell == divmod(first_cell(winning.config), winning.config.cols)
    return (Choice(advice.cell, advice.risk, win if is_best else winning.start(advice.cell).probability),)
