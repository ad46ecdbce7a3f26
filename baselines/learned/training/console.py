"""Live panel of a training: progress, speed, win rates beside the ones of scripted policies, and the kept agent."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from baselines.evaluation.intervals import wilson_interval
from baselines.learned.common.budget import Budget
from baselines.learned.training.evaluation import REFERENCES, References, Score
from baselines.support.progress import Progress, format_seconds, progress_line
from baselines.support.tables import Column, Page, Table

LINE_SECONDS = 10.0
"""Time between two lines where stderr is no terminal."""

SOON = 0.5
"""Seconds before an evaluation under which it waits for the end of the round alone."""


class View(NamedTuple):
    """State of a training, for the panel.

    Attributes:
        title: algorithm and boards.
        budget: of the training.
        steps: number of steps in all sessions.
        score: result of the last evaluation; None before the first one of this session.
        references: win rates of the scripted policies; empty before they have played.
        kept: facts about the agent in the run folder; None before the first one.
        next_evaluation: fraction of the budget at which the next evaluation comes.
        time_fractions: fractions of this session's time, by activity.
        evaluating: seconds since the running evaluation began; None if there is none.
        evaluated: seconds that all evaluations of this session have taken.
        player: the scripted policy that plays the selection games now, for comparison; "" for none.
    """

    title: str
    budget: Budget
    steps: int
    score: Score | None
    references: References
    kept: Mapping[str, Any] | None
    next_evaluation: float
    time_fractions: Mapping[str, float]
    evaluating: float | None
    evaluated: float
    player: str = ""


class TrainingPanel:
    """The panel on a terminal, a line from time to time elsewhere; use it as a context manager.

    Args:
        read: returns the present state; another thread calls it.
        shown: False for a panel that writes nothing.
    """

    def __init__(self, read: Callable[[], View], shown: bool) -> None:
        """Shows nothing yet."""
        self._read = read
        self._progress = Progress(self._draw, self._line, LINE_SECONDS, leave=True) if shown else None
        self._score: Score | None = None
        self._start: tuple[int, float] | None = None
        self._is_over = False

    def __enter__(self) -> TrainingPanel:
        """Draws the panel, which a thread keeps up to date."""
        if self._progress is not None:
            self._progress.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """Leaves the last state on the screen."""
        self._is_over = True
        if self._progress is not None:
            self._progress.close()

    def show(self) -> None:
        """Takes note of a finished round; prints a line if one is due and there is no terminal."""
        view = self._read()
        if self._start is None:
            self._start = view.steps, time.monotonic() - view.evaluated
        if self._progress is not None:
            self._progress.show(at_once=view.score is not self._score)
        self._score = view.score

    def speed(self, view: View) -> float | None:
        """Returns steps a second without the evaluations and the first round, which compiles; None in the beginning."""
        if self._start is None:
            return None
        steps, begun_at = self._start
        seconds = time.monotonic() - view.evaluated - begun_at
        return (view.steps - steps) / seconds if seconds >= 1.0 and view.steps > steps else None

    def _line(self) -> str:
        view = self._read()
        return plain_line(view, self.speed(view))

    def _draw(self, width: int) -> Page:
        view = self._read()
        return panel(view._replace(next_evaluation=math.inf) if self._is_over else view, self.speed(view), width)


def plain_line(view: View, speed: float | None) -> str:
    """Returns the state of a training in one line."""
    parts = [f"{100 * view.budget.progress(view.steps):.0f}%", _steps(view, speed), _time_left(view, speed)]
    if view.score is not None:
        low, high = _interval(view.score)
        rates = ", ".join(f"{name} {rate:.1%}" for name, rate in _mean_references(view.references).items())
        parts.append(f"wins {view.score.win_rate:.1%} ({low:.1%} to {high:.1%}{'; ' if rates else ''}{rates})")
    return ", ".join(parts)


def panel(view: View, speed: float | None, width: int) -> Page:
    """Returns the panel.

    Args:
        view: state of the training.
        speed: steps a second; None while it is unknown.
        width: maximum width of a line, in characters.
    """
    page = Page(width)
    page.note(f"{view.title}: {_steps(view, speed)}")
    done = format_seconds(view.budget.elapsed())
    page.add(progress_line("", view.budget.progress(view.steps), f"{done}, {_time_left(view, speed)}", width))
    if view.score is not None:
        page.add(_table(view.score, view.references).draw(width))
    page.note(_evaluations(view, speed))
    if view.kept is not None:
        page.note(f"kept: the agent of step {view.kept['steps']}, which won {view.kept['win_rate']:.1%}")
    if view.time_fractions:
        page.note("time: " + ", ".join(f"{name} {part:.0%}" for name, part in view.time_fractions.items()))
    return page


def _steps(view: View, speed: float | None) -> str:
    steps = f"step {view.steps}" + ("" if view.budget.steps is None else f" of {view.budget.steps}")
    return steps if speed is None else f"{steps}, {speed:.0f} steps a second"


def _time_left(view: View, speed: float | None) -> str:
    seconds = _seconds_until(1.0, view, speed)
    return "time left not known yet" if seconds is None else f"{format_seconds(seconds)} left"


def _seconds_until(progress: float, view: View, speed: float | None) -> float | None:
    """Returns the time until a fraction of the budget is spent, without evaluations; None while it is unknown."""
    if view.budget.steps is None:
        assert view.budget.seconds is not None
        return max(0.0, progress * view.budget.seconds - view.budget.elapsed())
    left = max(0.0, progress * view.budget.steps - view.steps)
    return left / speed if speed else None


def _evaluations(view: View, speed: float | None) -> str:
    """Returns a line about the running evaluation, or about the next one."""
    games = "" if view.score is None else f"{view.score.games} selection games on each board; "
    if view.evaluating is not None:
        player = f"{view.player} plays the selection games for comparison," if view.player else "evaluating"
        return f"{games}{player} since {format_seconds(view.evaluating)}"
    if view.budget.is_spent(view.steps) or view.next_evaluation > 1:
        return games.removesuffix("; ")
    seconds = _seconds_until(view.next_evaluation, view, speed)
    if seconds is None:
        assert view.budget.steps is not None
        place = f"at step {math.ceil(view.next_evaluation * view.budget.steps)}"
    else:
        place = f"in {format_seconds(seconds)}" if seconds >= SOON else "after this round"
    return f"{games}{'next' if games else 'first'} evaluation {place}"


def _table(score: Score, references: References) -> Table:
    columns = [
        Column("board", "left", folds=True),
        Column("win rate"),
        Column("95 % interval", priority=1),
        *(Column(name, priority=3 if name == "random" else 2) for name in REFERENCES),
    ]
    parts = [
        (board, Score({board: rate}, score.games), references.get(board, {})) for board, rate in score.win_rates.items()
    ]
    if len(parts) > 1:
        parts.append(("mean", score, _mean_references(references)))
    rows = []
    for name, part, rates in parts:
        low, high = _interval(part)
        others = [f"{rates[each]:.1%}" if each in rates else "" for each in REFERENCES]
        rows.append([name, f"{part.win_rate:.1%}", f"{low:.1%} to {high:.1%}", *others])
    return Table("", columns, rows)


def _interval(score: Score) -> tuple[float, float]:
    """Returns the 95 % interval of the mean win rate: Wilson's on one board, the normal approximation on several."""
    if len(score.win_rates) == 1:
        return wilson_interval(round(score.win_rate * score.games), score.games)
    reach = 1.96 * score.standard_error
    return max(0.0, score.win_rate - reach), min(1.0, score.win_rate + reach)


def _mean_references(references: References) -> dict[str, float]:
    boards = list(references.values())
    return {name: sum(rates[name] for rates in boards) / len(boards) for name in REFERENCES} if boards else {}
