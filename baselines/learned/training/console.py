"""Live panel of a training: progress, speed, win rates beside the ones of scripted policies, and the kept agent."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from baselines.evaluation.columns import table_of
from baselines.learned.training.selection import REFERENCES, References, Score
from baselines.learned.training.state import EVALUATIONS, Training
from baselines.progress import Progress, format_seconds, progress_line
from baselines.tables import Column, Page, Table

LINE_SECONDS = 10.0
"""Time between two lines where stderr is no terminal."""


@contextmanager
def show(training: Training, shown: bool) -> Generator[Callable[[], None]]:
    """Shows the panel on a terminal, or lines elsewhere, if `shown`; yields what to call after each round."""
    if not shown:
        yield lambda: None
        return
    score = training.score

    def after_round() -> None:
        nonlocal score
        progress.show(at_once=training.score is not score)
        score = training.score

    with Progress(lambda width: panel(training, width), lambda: line(training), LINE_SECONDS, leave=True) as progress:
        yield after_round


def line(training: Training) -> str:
    """Returns the state of a training in one line."""
    steps, left = _pace(training)
    parts = [f"{100 * training.budget.progress(training.steps):.0f}%", steps, left]
    if (score := training.score) is not None:
        scores = _scores(training.progress.references or {}, score.games)
        rates = ", ".join(f"{name} {each}" for name, each in scores.items())
        low, high = score.interval
        parts.append(f"wins {score.win_rate:.1%} ({low:.1%} to {high:.1%}{'; ' if rates else ''}{rates})")
    return ", ".join(parts)


def panel(training: Training, width: int) -> Page:
    """Returns the panel in lines of at most `width` characters."""
    page, budget, progress = Page(width), training.budget, training.progress
    steps, left = _pace(training)
    page.note(f"{training.settings.title}: {steps}")
    elapsed = format_seconds(budget.elapsed())
    page.parts.append(progress_line("", budget.progress(training.steps), f"{elapsed}, {left}", width))
    if training.score is not None:
        page.table(_table(training.score, progress.references or {}))
    games = f"{training.settings.eval_games} selection games on each board"
    if training.player:
        page.note(f"{games}: {training.player} plays")
    elif training.done < len(EVALUATIONS):
        page.note(f"{games}; next evaluation at {EVALUATIONS[training.done]:.0%}")
    if progress.kept is not None:
        page.note(f"kept: the agent of step {progress.kept['steps']}, which won {progress.kept['win_rate']:.1%}")
    return page


def _pace(training: Training) -> tuple[str, str]:
    """Returns the steps with the mean speed of all sessions, and the time that is left."""
    budget, steps, seconds = training.budget, training.steps, training.budget.elapsed()
    done = f"step {steps}" + ("" if budget.steps is None else f" of {budget.steps}")
    speed = steps / seconds if seconds >= 1 else 0.0
    if speed:
        done += f", {speed:.0f} steps a second"
    if budget.steps is None:
        return done, f"{format_seconds((1 - budget.progress(steps)) * (budget.seconds or 0))} left"
    left = max(0, budget.steps - steps)
    return done, f"{format_seconds(left / speed)} left" if speed else "time left not known yet"


def _table(score: Score, references: References) -> Table:
    columns = [
        Column("board", "board"),
        Column("win rate", "win_rate", ".1%"),
        Column("95 % interval", "ci95", ".1%", 1),
        *(Column(name, name, "s", 3 if name == "random" else 2) for name in REFERENCES),
    ]
    parts = [
        (board, Score({board: rate}, score.games), {board: references[board]} if board in references else {})
        for board, rate in score.win_rates.items()
    ]
    if len(parts) > 1:
        parts.append(("mean", score, references))
    rows = []
    for name, part, played in parts:
        others = {each: str(found) for each, found in _scores(played, score.games).items()}
        rows.append({"board": name, "win_rate": part.win_rate, "ci95": part.interval, **others})
    return table_of("", columns, rows)


def _scores(references: References, games: int) -> dict[str, Score]:
    """Returns the scores of the scripted policies in so many games of each board; empty before they have played."""
    names = REFERENCES if references else ()
    return {name: Score({board: rates[name] for board, rates in references.items()}, games) for name in names}
