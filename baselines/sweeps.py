"""Search for hyperparameters by many trainings, on Optuna (the extra `sweep`)."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.learned.configurations import RUN_FILE
from baselines.learned.settings import TrainingSettings, hyperparameters_of
from baselines.support.checks import number_or_text
from baselines.workers import worker_pool
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

    from baselines.learned.training.state import Training

JOURNAL = "journal.log"
"""File of Optuna with all trials and their evaluations."""

SETTINGS = ("gamma", "reward", "optimizer", "channels", "depth", "envs")
"""Settings of a training that may vary, apart from the hyperparameters of its algorithm."""

DIGITS = 3
"""Significant digits of a drawn number: more say nothing, and are hard to read."""

FORMS = "log:LOW:HIGH, uniform:LOW:HIGH, int:LOW:HIGH, or VALUE,VALUE,..."

GRACE_PERCENT, REDUCTION = 10, 3
"""Part of the budget before which no trial is ended, and the factor by which their number shrinks at each look."""


@dataclass(frozen=True)
class Sweep:
    """A search for hyperparameters.

    Attributes:
        base: settings of the configuration.
        search: the texts of `--search`, by the settings that vary.
        trials: number of trials.
        seed: seed of the draws.
        out: its folder.
        command: the command line to record.
    """

    base: TrainingSettings
    search: dict[str, str]
    trials: int
    seed: int
    out: Path
    command: str

    def settings_of(self, drawn: dict[str, Any]) -> TrainingSettings:
        """Returns the settings of a trial; raises ValueError if a value is not allowed."""
        values = {name: rounded(value) for name, value in drawn.items()}
        content = self.base.to_json()
        own = {name: value for name, value in values.items() if name in SETTINGS}
        others = {name: value for name, value in values.items() if name not in SETTINGS}
        settings = TrainingSettings(**content | own | {"hyperparameters": content["hyperparameters"] | others})
        _ = settings.own
        return settings

    def folder_of(self, number: int) -> Path:
        """Returns the run folder of a trial."""
        return self.out / "trials" / f"{number:03}"

    def study(self, draws: int = 0) -> Study:
        """Returns the study of Optuna in the folder; `draws` tells apart the draws of several workers.

        Raises:
            ValueError: the journal is damaged.
        """
        import optuna
        from optuna.storages.journal import JournalFileBackend, JournalStorage

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        try:
            storage = JournalStorage(JournalFileBackend(str(self.out / JOURNAL)))
        except json.JSONDecodeError as error:
            raise ValueError(f"{self.out / JOURNAL} is damaged: {error}; delete it") from error
        return optuna.create_study(
            storage=storage,
            # A sampler with the seed of an earlier trial would draw its values again.
            sampler=optuna.samplers.TPESampler(seed=self.seed * 10_007 + draws),
            pruner=optuna.pruners.SuccessiveHalvingPruner(GRACE_PERCENT, REDUCTION),
            study_name="sweep",
            direction="maximize",
            load_if_exists=True,
        )

    def done(self) -> list[FrozenTrial]:
        """Returns the trials that spent their budget, or that the pruner ended, the best first."""
        from optuna.trial import TrialState

        trials = self.study().get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))
        return sorted(trials, key=lambda trial: -trial.user_attrs["win_rate"])


def parse_search(texts: Sequence[str], algo: str) -> dict[str, str]:
    """Returns the form of each setting of texts such as "learning_rate=log:1e-4:1e-2".

    Raises:
        ValueError: a name or a form is not allowed, or a name is given twice; the message says what is allowed.
    """
    known = [entry.name for entry in fields(hyperparameters_of(algo))] + list(SETTINGS)
    search: dict[str, str] = {}
    for text in texts:
        name, _, form = text.partition("=")
        if not form:
            raise ValueError(f"a search is NAME=FORM, with a form {FORMS}, not {text!r}")
        if name not in known:
            raise ValueError(f"{algo} has no setting {name!r} to search; there are {', '.join(known)}")
        if name in search:
            raise ValueError(f"search each setting once, not {name} twice")
        _ends(name, form)
        search[name] = form
    return search


def check_values(sweep: Sweep) -> None:
    """Raises a ValueError unless the ends of each range, and each choice, are allowed."""
    for name, form in sweep.search.items():
        for value in _ends(name, form) or _choices(form):
            sweep.settings_of({name: int(value) if form.startswith("int") else value})


def search(sweep: Sweep, workers: int) -> None:
    """Carries out the trials that are not done, in worker processes; a later call resumes what was interrupted.

    Raises:
        WorkerError: a worker was killed again and again.
    """
    begun = _resume(sweep.study())
    left = sweep.trials - len(sweep.done())
    draws = iter(range(begun, begun + left))
    with worker_pool(min(workers, left)) as pool:
        for number, _ in enumerate(pool.run(run_trial, lambda: next(((sweep, draw) for draw in draws), None)), 1):
            say(f"{sweep.trials - left + number} of {sweep.trials} trials are done")


def end_last_line(journal: Path) -> None:
    """Cuts off half a line, which a power cut can leave, and to which Optuna would append."""
    if journal.exists():
        whole = journal.read_bytes().rpartition(b"\n")
        os.truncate(journal, len(whole[0]) + len(whole[1]))


def _resume(study: Study) -> int:
    """Enqueues the trials that an end of the command cut off; returns the number of all trials so far."""
    from optuna.trial import TrialState

    for trial in study.get_trials(states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)
        study.enqueue_trial(trial.params, {"first": trial.user_attrs.get("first", trial.number)})
    return len(study.get_trials(deepcopy=False))


def run_trial(sweep: Sweep, draws: int) -> None:
    """Trains with values that Optuna draws, until the budget is spent or the pruner ends the training.

    A trial that was cut off goes on from its checkpoint, under a new number, with its earlier evaluations.
    """
    from optuna.trial import TrialState

    from baselines.learned.training.loop import train

    study = sweep.study(draws)
    trial = study.ask({name: _distribution(name, form) for name, form in sweep.search.items()})
    first = trial.user_attrs.get("first", trial.number)
    trial.set_user_attr("first", first)
    for earlier in study.get_trials(deepcopy=False)[: trial.number]:
        if earlier.user_attrs.get("first", earlier.number) == first:
            _copy(earlier, trial)
    folder = sweep.folder_of(first)
    folder.mkdir(parents=True, exist_ok=True)
    follower = _Follower(trial)
    training = train(
        sweep.settings_of(trial.params),
        folder,
        sweep.command,
        resume=(folder / RUN_FILE).is_file(),
        bar=False,
        on_evaluation=follower,
    )
    if training.is_interrupted:
        raise KeyboardInterrupt
    if follower.is_pruned:
        study.tell(trial, state=TrialState.PRUNED)
    else:
        study.tell(trial, trial.user_attrs["win_rate"])


def _copy(earlier: FrozenTrial, trial: Trial) -> None:
    """Reports the evaluations of a trial that was cut off as those of the trial that goes on from it."""
    for percent, rate in earlier.intermediate_values.items():
        trial.report(rate, percent)
    for name, value in earlier.user_attrs.items():
        trial.set_user_attr(name, value)


class _Follower:
    """Reports the evaluations of a training to Optuna, and ends it if the pruner says so."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self.is_pruned = False

    def __call__(self, training: Training) -> bool:
        assert training.score is not None
        assert training.progress.kept is not None
        percent, rate = round(100 * training.budget.progress(training.steps)), training.score.win_rate
        self._trial.report(rate, percent)
        self._trial.set_user_attr("win_rate", training.progress.kept["win_rate"])
        self._trial.set_user_attr("steps", training.steps)
        values = ", ".join(f"{name}={rounded(value)}" for name, value in self._trial.params.items())
        say(f"trial {self._trial.user_attrs['first']} ({values}): {percent}% of its budget, wins {rate:.1%}")
        self.is_pruned = percent < 100 and self._trial.should_prune()
        return not self.is_pruned


def _distribution(name: str, form: str) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    ends = _ends(name, form)
    if ends is None:
        return CategoricalDistribution(_choices(form))
    if form.startswith("int"):
        return IntDistribution(math.ceil(ends[0]), math.floor(ends[1]))
    return FloatDistribution(*ends, log=form.startswith("log"))


def _ends(name: str, form: str) -> tuple[float, float] | None:
    """Returns the ends of a range; None for choices."""
    kind, *texts = form.split(":")
    if kind not in ("log", "uniform", "int"):
        return None
    try:
        low, high = (float(text) for text in texts)
    except ValueError as error:
        raise ValueError(f"{name}: {kind} needs two numbers, as in {kind}:LOW:HIGH, not {form!r}") from error
    if not (math.isfinite(low) and math.isfinite(high) and low < high) or (kind == "log" and low <= 0):
        above = "above 0, " if kind == "log" else ""
        raise ValueError(f"{name}: {kind} needs finite numbers {above}the lower one first, not {form!r}")
    return low, high


def _choices(form: str) -> list[Any]:
    return [number_or_text(each) for each in form.split(",")]


def rounded(value: Any) -> Any:
    """Returns a drawn number with `DIGITS` digits, and any other value as it is."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
