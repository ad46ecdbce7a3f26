"""Live panel of a training: progress, speed, win rates beside the ones of scripted policies, and the kept agent."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from baselines.learned.training.state import EVALUATIONS, Training
from baselines.progress import Progress, format_seconds, progress_line
from baselines.tables import Page

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
    if training.score is not None:
        parts.append(f"wins {training.score.beside(training.progress.references or {})}")
    return ", ".join(parts)


def panel(training: Training, width: int) -> Page:
    """Returns the panel in lines of at most `width` characters."""
    page, budget, progress = Page(width), training.budget, training.progress
    steps, left = _pace(training)
    page.note(f"{training.settings.title}: {steps}")
    elapsed = format_seconds(budget.elapsed())
    page.parts.append(progress_line("", budget.progress(training.steps), f"{elapsed}, {left}", width))
    for text in training.score.lines(progress.references or {}) if training.score else ():
        page.note(text)
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
