"""Training loop: from settings to an agent in a run folder, and the display of its progress; read `run` first."""

import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from baselines.hub import pinned_name
from baselines.learned.agents import load_network
from baselines.learned.configurations import folder_to_start_from, record_session, training_of
from baselines.learned.networks import chosen_device, single_precision
from baselines.learned.settings import Budget, TrainingSettings
from baselines.learned.training.curves import Log, start_tracking
from baselines.learned.training.state import EVALUATIONS, Learner, Training, TrainingState, lasting, restore
from baselines.progress import format_seconds, progress_display, progress_line
from baselines.registry import CHECKPOINT_FILE
from baselines.tables import Page
from minesweeper_env.console import say
from minesweeper_env.engine.games import keep_freed_memory

CHECKPOINT_SECONDS = 30.0
"""Time between two checkpoints."""

LOG_ROWS = 200
"""Rows of the log over the whole budget, in addition to the rows of the evaluations."""

LINE_SECONDS = 10.0
"""Time between two lines of progress where stderr is no terminal."""

ANNOUNCEMENT = "stopping: the newest weights are evaluated first; Ctrl-C again ends at once"


def train(
    settings: TrainingSettings, folder: Path, command: str = "", *, resume: bool = False, **run_options: Any
) -> Training:
    """Trains an agent in an existing run folder, and returns the training; see `prepare` and `run`.

    The training may run in any thread; it handles signals in the main thread alone.
    """
    return run(prepare(settings, folder, resume), command, **run_options)


@single_precision()
def prepare(settings: TrainingSettings, folder: Path, resume: bool = False) -> Training:
    """Returns a training that is ready to run; it writes nothing.

    With `resume` it continues from the checkpoint in the folder, if there is one. Raises ValueError if the checkpoint
    is damaged, if the agent to start from does not fit, or if there is no such device.
    """
    device = chosen_device(settings.device)
    torch.set_num_threads(settings.threads)
    keep_freed_memory()
    settings = replace(settings, device=device, start=settings.start and pinned_name(settings.start))
    learner, start = settings.make_learner(), None
    progress = TrainingState(seconds=0, evaluation_seconds=0, kept=None, highest=0, references=None)
    if resume and (folder / CHECKPOINT_FILE).exists():
        progress = restore(learner, folder / CHECKPOINT_FILE, lasting(settings))
    elif settings.start is not None:  # A training that ended before its first checkpoint starts again.
        start = _start_from(learner, settings.start)
    budget = Budget(settings.steps, None if settings.minutes is None else 60 * settings.minutes, progress.seconds)
    training = Training(settings, folder, learner, budget, progress, start)
    # Without a kept agent the first evaluation was cut off, and is due again.
    training.evaluations_done = 0 if progress.kept is None else training.evaluations_due
    return training


def _start_from(learner: Learner, agent: str) -> dict[str, Any]:
    """Copies the weights of an agent into the learner, and returns the `training_of` that agent."""
    folder = folder_to_start_from(agent)
    try:
        learner.begin_with(load_network(folder))
    except ValueError as error:
        raise ValueError(f"the training cannot start from {agent}; --channels and --algo must suit: {error}") from error
    return training_of(folder)


@single_precision()
def run(
    training: Training,
    command: str = "",
    *,
    bar: bool = True,
    on_evaluation: Callable[[Training], bool] = lambda _training: True,
    track: bool = False,
) -> Training:
    """Runs a training until its budget is spent or a signal arrives; the run folder then has a checkpoint and an agent.

    Args:
        training: what `prepare` returned; `run` returns it, too.
        command: recorded in `run.json`.
        bar: whether to show the progress on stderr.
        on_evaluation: called once after each evaluation, when its agent and a checkpoint are written. If it returns
            False, the training ends: its run folder is complete, and it can be resumed.
        track: whether Weights & Biases gets the settings and every row of the log.
    """
    learner, budget, folder = training.learner, training.budget, training.folder
    record_session(folder, training.settings, command, learner.num_timesteps, training.start)
    logged_rows = int(LOG_ROWS * budget.progress(learner.num_timesteps))
    saved_at, cancelled = time.monotonic(), False
    with ExitStack() as stack:
        if track:
            stack.enter_context(start_tracking(folder, training.settings))
        log = stack.enter_context(closing(Log(folder, learner.num_timesteps)))
        refresh = stack.enter_context(show(training, bar))
        stop = stack.enter_context(stop_on_signals(bar))

        def is_over() -> bool:
            return stop.requested or cancelled or budget.progress(learner.num_timesteps) >= 1

        for _ in learner.rounds(budget, log):
            if is_over():  # The evaluation after the loop takes the place of one that is due.
                break
            if is_due := training.is_due():
                training.evaluate(log)
            elif (row := int(LOG_ROWS * budget.progress(learner.num_timesteps))) > logged_rows:
                logged_rows = row
                learner.dump_logs()
            if is_due or time.monotonic() - saved_at >= CHECKPOINT_SECONDS:
                training.save()
                saved_at = time.monotonic()
                cancelled = is_due and not on_evaluation(training)
            refresh(at_once=is_due)
            if is_over():  # The evaluation may have spent the budget, and another round would exceed it.
                break
        training.is_interrupted = stop.requested
        evaluated = training.newest is None and _save_and_evaluate(training, log, stop)
        if evaluated:
            on_evaluation(training)
        training.draw()
        refresh(at_once=evaluated)
    return training


@dataclass
class Stop:
    """Whether a signal asked to stop; `is_quick` after SIGTERM, whose sender kills the process some seconds later."""

    requested: bool = False
    is_quick: bool = False


@contextmanager
def stop_on_signals(announces: bool = True) -> Generator[Stop]:
    """Yields a `Stop`, which the first SIGINT or SIGTERM in the block sets; the next signal acts as before the block.

    In another thread than the main one no signal sets it. With `announces`, Ctrl-C prints `ANNOUNCEMENT`.
    """
    signals = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    stop, handlers = Stop(), {number: signal.getsignal(number) for number in signals}

    def receive(received: int, _frame: Any) -> None:
        stop.requested, stop.is_quick = True, received == signal.SIGTERM
        for number, handler in handlers.items():
            # Shells let background processes ignore SIGINT; one that is sent to such a process is meant all the same.
            signal.signal(number, signal.default_int_handler if handler == signal.SIG_IGN else handler)
        if announces and not stop.is_quick:
            # The signal may have interrupted another print to stderr.
            with suppress(RuntimeError, OSError, ValueError, AttributeError):
                say(f"\n{ANNOUNCEMENT}")

    for number in handlers:
        signal.signal(number, receive)
    try:
        yield stop
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _save_and_evaluate(training: Training, log: Log, stop: Stop) -> bool:
    """Saves; evaluates the newest weights unless SIGTERM came and an agent is kept. Returns whether it evaluated."""
    training.save()
    if stop.is_quick and training.progress.kept is not None:
        return False
    # After a signal nobody waits for the games of the scripted policies.
    training.evaluate(log, compares=not stop.requested)
    training.save()
    return True


def show(training: Training, shown: bool) -> AbstractContextManager[Callable[..., None]]:
    """Returns a context that shows the progress if `shown`; it yields a function to call after each round."""
    if not shown:
        return nullcontext(lambda **_: None)
    return progress_display(lambda width: panel(training, width), lambda: line(training), LINE_SECONDS, leave=True)


def line(training: Training) -> str:
    """Returns the progress of a training in one line."""
    steps_text, time_left = _pace(training)
    parts = [f"{100 * training.budget.progress(training.steps):.0f}%", steps_text, time_left]
    if training.score is not None:
        parts.append(f"wins {training.score.compared_with(training.progress.references or {})}")
    return ", ".join(parts)


def panel(training: Training, width: int) -> Page:
    """Returns the progress of a training in lines of at most `width` characters."""
    page, budget, progress = Page(width), training.budget, training.progress
    steps_text, time_left = _pace(training)
    page.note(f"{training.settings.title}: {steps_text}")
    elapsed = format_seconds(budget.elapsed())
    page.parts.append(progress_line("", budget.progress(training.steps), f"{elapsed}, {time_left}", width))
    for text in training.score.lines(progress.references or {}) if training.score else ():
        page.note(text)
    games = f"{training.settings.eval_games} selection games on each board"
    if training.player:
        page.note(f"{games}: {training.player} plays")
    elif training.evaluations_done < len(EVALUATIONS):
        page.note(f"{games}; next evaluation at {EVALUATIONS[training.evaluations_done]:.0%}")
    if progress.kept is not None:
        page.note(f"kept: the agent of step {progress.kept['steps']}, which won {progress.kept['win_rate']:.1%}")
    return page


def _pace(training: Training) -> tuple[str, str]:
    """Returns the steps with the mean speed of all sessions, and the remaining time, as texts."""
    budget, steps, seconds = training.budget, training.steps, training.budget.elapsed()
    steps_text = f"step {steps}" + ("" if budget.steps is None else f" of {budget.steps}")
    speed = steps / seconds if seconds >= 1 else 0.0
    if speed:
        steps_text += f", {speed:.0f} steps a second"
    if budget.steps is None:
        return steps_text, f"{format_seconds((1 - budget.progress(steps)) * (budget.seconds or 0))} left"
    steps_left = max(0, budget.steps - steps)
    return steps_text, f"{format_seconds(steps_left / speed)} left" if speed else "time left not known yet"
