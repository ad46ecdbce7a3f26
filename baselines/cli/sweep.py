"""`minesweeper sweep`: search for hyperparameters by many trainings, on Optuna (the extra `sweep`)."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from baselines.checks import check_extra, did_you_mean, number_or_text
from baselines.cli.command import Command, Parser, Work, add_options, whole_number_from
from baselines.cli.train import NEEDED, add_task, claim_folder, study_settings, train_in
from baselines.evaluation.intervals import wilson_interval
from baselines.files import first_line, hold_folder, remove_link, replace_file, write_json
from baselines.learned.configurations import check_effect, check_reward_of, code_of_reward
from baselines.learned.settings import ALGORITHMS, TrainingSettings
from baselines.process import typed_command
from baselines.provenance import installation_id
from baselines.schemas import Count, Rate, convert
from baselines.workers import ProcessPool
from minesweeper_env.console import say
from minesweeper_env.escape import counted

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

    from baselines.learned.training.state import Training

EXAMPLES = """\
{0} --config quick --search learning_rate=log:1e-4:1e-2 --trials 8 --out runs/sweep
{0} --config dqn-8x8 --search depth=int:4:8 batch_size=128,256 --steps 1000000 --out runs/sweep"""

PLAN_FILE, JOURNAL, NUMBER = "sweep.json", "journal.log", "first"
"""The plan of a sweep, the journal of Optuna with all trials, and the user attribute with the number of a trial.

Optuna's own numbers also count trials that were killed before they had values."""

SETTINGS = ("gamma", "reward", "optimizer", "channels", "depth", "envs")
"""Settings that a sweep may draw, apart from the hyperparameters of the algorithm."""

FORMS = "log:LOW:HIGH, uniform:LOW:HIGH, int:LOW:HIGH, or values such as 32,64"

GRACE_PERCENT, REDUCTION = 10, 3
"""Per cent of the budget before which no trial is pruned, and the reduction factor of successive halving."""


@dataclass(frozen=True)
class Sweep:
    """A search for hyperparameters: it draws the settings in `search`, and takes the others from `base`.

    `codes` holds the code of each reward, by name, as `train_in` takes it.
    """

    base: TrainingSettings
    search: dict[str, BaseDistribution]
    trials: int
    seed: int
    out: Path
    command: str
    codes: Mapping[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """The number of selection games of each evaluation, on all boards."""
        return self.base.eval_games * len(self.base.boards)

    def settings_of(self, drawn: dict[str, Any]) -> TrainingSettings:
        """Returns the settings of a trial with these drawn values; raises ValueError if a value is not allowed."""
        base, hyperparameters = self.base.to_json(), rounded(drawn)
        changes = {name: hyperparameters.pop(name) for name in SETTINGS if name in hyperparameters}
        changes["hyperparameters"] = base["hyperparameters"] | hyperparameters
        return TrainingSettings(**base | changes)

    def study(self, draw: int = 0) -> Study:
        """Opens or creates the study of Optuna, with a sampler for the trial of number `draw`.

        The number decides the sampler's seed. Raises ValueError if the journal is damaged or belongs to another sweep.
        """
        import optuna
        from optuna.storages.journal import JournalFileBackend, JournalStorage

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        try:
            storage = JournalStorage(JournalFileBackend(str(self.journal)))
            names = optuna.get_all_study_names(storage)
        except OSError:
            raise
        except Exception as error:
            # Optuna raises exceptions of many types for a damaged line.
            raise ValueError(f"{self.journal} is damaged: {first_line(error)}; delete it") from error
        if any(name != self.name for name in names):
            raise ValueError(f"{self.journal} has the trials of another sweep; delete it")
        return optuna.create_study(
            storage=storage,
            # With the seed of an earlier trial, the sampler would repeat its draws. Seeds have 32 bits.
            sampler=optuna.samplers.TPESampler(seed=(self.seed * 10_007 + draw) % (1 << 32)),
            pruner=optuna.pruners.SuccessiveHalvingPruner(GRACE_PERCENT, REDUCTION),
            study_name=self.name,
            direction="maximize",
            load_if_exists=True,
        )

    @property
    def name(self) -> str:
        """The name of Optuna's study: a hash of the settings, the search and the code."""
        plan = (self.base.to_json(), self.search, self.trials, self.seed, installation_id())
        return f"sweep {hashlib.sha256(repr(plan).encode()).hexdigest()[:12]}"

    @property
    def journal(self) -> Path:
        """The path of Optuna's journal."""
        return self.out / JOURNAL

    def started(self) -> dict[int, FrozenTrial]:
        """Returns the trials so far, by number; raises ValueError if a finished one has impossible values."""
        from optuna.trial import TrialState

        trials = {}
        for trial in self.study().get_trials(deepcopy=False):
            number = trial.user_attrs.get(NUMBER)
            if trial.state != TrialState.RUNNING:
                values = {**trial.user_attrs, "curve": [*trial.intermediate_values.values()]}
                convert(values, FinishedTrial, str(self.journal))
                if trial.distributions != self.search:
                    raise ValueError(f"{self.journal} is damaged: trial {number} drew other settings; delete it")
            if isinstance(number, int):
                trials[number] = trial
        return trials

    def done(self) -> list[FrozenTrial]:
        """Returns the trials that spent their budget or were pruned, the best first."""
        trials = [trial for trial in self.started().values() if trial.state.is_finished()]
        return sorted(trials, key=lambda trial: -trial.user_attrs["win_rate"])

    def remaining(self) -> list[int]:
        """Returns the numbers of the trials that are not done."""
        done = {trial.user_attrs[NUMBER] for trial in self.done()}
        return [number for number in range(self.trials) if number not in done]


class FinishedTrial(msgspec.Struct):
    """What Optuna stores of a finished trial; `first` is its number, and `curve` the win rates of its evaluations."""

    first: Count
    win_rate: Rate
    steps: Count
    curve: list[Rate]


def rounded(drawn: dict[str, Any]) -> dict[str, Any]:
    """Returns drawn values with floats rounded to three significant digits, which are easier to read."""
    return {name: float(f"{value:.3g}") if isinstance(value, float) else value for name, value in drawn.items()}


def parse_search(texts: Sequence[str], algo: str) -> dict[str, BaseDistribution]:
    """Returns the distribution of each setting, from texts such as "depth=int:4:8"; raises ValueError for bad ones."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    allowed = [entry.name for entry in fields(ALGORITHMS[algo])] + list(SETTINGS)
    search: dict[str, BaseDistribution] = {}
    for text in texts:
        name, _, form = text.partition("=")
        if name not in allowed or name in search or not form:
            hint = "" if name in allowed else did_you_mean(name, allowed)
            names = f"{algo} has {', '.join(allowed)}"
            raise ValueError(f"search each setting once, as NAME=FORM, not {text!r}; {names}{hint}")
        kind, *ends = form.split(":")
        try:
            if kind in ("int", "log", "uniform") and len(ends) != 2:
                raise ValueError("a range has two ends")
            if ends and not isinstance(number_or_text(kind), str):  # such as 4:8, without a kind
                likely = "int" if isinstance(number_or_text(kind), int) else "log"
                raise ValueError(f"did you mean {name}={likely}:{form}?")
            if kind == "int":
                low, high = map(int, ends)
                search[name] = IntDistribution(low, high)
            elif kind in ("log", "uniform"):
                minimum, maximum = map(float, ends)
                search[name] = FloatDistribution(minimum, maximum, log=kind == "log")
            else:
                search[name] = CategoricalDistribution([number_or_text(value) for value in form.split(",")])
        except ValueError as error:
            raise ValueError(f"{text}: the forms are {FORMS}; {error}") from error
    return search


def check_values(sweep: Sweep) -> None:
    """Raises ValueError unless the ends of each range, and each choice, are allowed."""
    for name, distribution in sweep.search.items():
        ends = getattr(distribution, "low", 0), getattr(distribution, "high", 0)
        for value in getattr(distribution, "choices", None) or ends:
            settings = sweep.settings_of({name: value})
            # Whether a value has an effect may depend on gamma and reward, so it is unknown if those are drawn.
            if not {"gamma", "reward"} & sweep.search.keys():
                check_effect(settings, {name: value})
            if name == "reward":
                check_reward_of(settings, {"reward": value})


def _add_arguments(parser: Parser) -> None:
    text = "read this configuration of train.py, or a .toml file"
    parser.add_argument("--config", required=True, metavar="NAME", help=text)
    text = f"draw these settings; FORM is {FORMS}"
    parser.add_argument("--search", nargs="+", required=True, metavar="NAME=FORM", help=text)
    trials = whole_number_from(1, 10_000)
    parser.add_argument("--trials", type=trials, default=10, metavar="N", help="train with N draws")
    add_options(parser, "--seed", help="seed the draws with SEED")
    add_options(parser, "--workers", help="run N trainings at a time, one per core")
    add_task(parser)


def _prepare(options: argparse.Namespace) -> Work:
    check_extra(*NEEDED)
    check_extra("optuna", extra="sweep")
    base = study_settings(options.config, options)
    say(f"Train {options.config} with {counted(options.trials, 'draw')}, into {options.out}")
    search = parse_search(options.search, base.algo)
    if options.reward is not None and "reward" in search:
        raise ValueError("--search draws the reward; leave out --reward")
    sweep = Sweep(base, search, options.trials, options.seed, options.out, options.command)
    check_values(sweep)
    codes = {reward: code_of_reward(reward) for reward in getattr(search.get("reward"), "choices", (base.reward,))}
    plan = {"settings": base.to_json(), "search": options.search, "seed": options.seed, "trials": options.trials}
    # A sweep resumes only with unchanged reward code, so the plan holds a digest for each reward.
    plan |= {f"{name} {reward}": value for reward, code in codes.items() for name, value in code.items()}
    claim_folder(options.out, PLAN_FILE, plan)
    with hold_folder(options.out):
        remove_link(sweep.journal)
        end_last_line(sweep.journal)
        sweep.done()  # Raises ValueError, before any work, if the journal is damaged.
    return partial(_work, replace(sweep, codes=codes), options)


def _work(sweep: Sweep, options: argparse.Namespace) -> None:
    with hold_folder(sweep.out) as remove_temporary_files:
        remove_temporary_files(2)  # Depth 2: in the run folders trials/NUMBER/, too.
        remaining = sweep.remaining()
        done = sweep.trials - len(remaining)
        say(f"{done} of {sweep.trials} trials are done")
        if remaining:
            with closing(ProcessPool(min(options.workers, len(remaining)))) as pool:
                for _ in pool.run(run_trial, ((sweep, number) for number in remaining)):
                    done += 1
                    say(f"{done} of {sweep.trials} trials are done")
        _report(sweep, sweep.done(), options)


def end_last_line(journal: Path) -> None:
    """Cuts off an unfinished last line, which a power cut can leave, and to which Optuna would append.

    Raises ValueError if the last whole line is damaged; Optuna itself would append one more line.
    """
    if journal.exists():
        content = journal.read_bytes()
        whole_lines = content[: content.rfind(b"\n") + 1]
        try:
            json.loads(whole_lines.splitlines()[-1] if whole_lines else b"{}")
        except ValueError as error:
            raise ValueError(f"{journal} is damaged: {first_line(error)}; delete its last line") from error
        os.truncate(journal, len(whole_lines))


def run_trial(sweep: Sweep, number: int) -> None:
    """Trains with values that Optuna draws, or on from the checkpoint, until the budget is spent or Optuna prunes."""
    import optuna

    study, interrupted = sweep.study(number), sweep.started().get(number)
    trial = study.ask(sweep.search) if interrupted is None else optuna.Trial(study, interrupted._trial_id)
    trial.set_user_attr(NUMBER, number)
    is_pruned = False

    def report(training: Training) -> bool:
        """Reports an evaluation to Optuna; returns False if the pruner ends the training."""
        nonlocal is_pruned
        assert training.score is not None
        assert training.progress.kept is not None
        percent, rate = round(100 * training.budget.progress(training.steps)), training.score.win_rate
        trial.set_user_attr("win_rate", training.progress.kept["win_rate"])
        trial.set_user_attr("steps", training.steps)
        trial.report(rate, percent)
        values = ", ".join(f"{name}={value}" for name, value in rounded(trial.params).items())
        say(f"trial {number} ({values}): {percent}% of its budget, wins {rate:.1%}")
        is_pruned = percent < 100 and trial.should_prune()
        if is_pruned:
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
        return not is_pruned

    folder = sweep.out / "trials" / f"{number:03}"
    settings = sweep.settings_of(trial.params)
    train_in(folder, settings, sweep.command, sweep.codes.get(settings.reward), on_evaluation=report)
    if not is_pruned:
        study.tell(trial, trial.user_attrs["win_rate"])


def _report(sweep: Sweep, ranked: Sequence[FrozenTrial], options: argparse.Namespace) -> None:
    """Writes the results and the settings of the best trial, and prints the table."""
    from baselines.evaluation.columns import table_of
    from baselines.tables import Column, Page

    trials = [
        {
            "trial": trial.user_attrs[NUMBER],
            "values": rounded(trial.params),
            "stopped_early": trial.state.name == "PRUNED",
            "steps": trial.user_attrs["steps"],
            "selection_win_rate": trial.user_attrs["win_rate"],
            "ci95": list(wilson_interval(round(trial.user_attrs["win_rate"] * sweep.games), sweep.games)),
            "curve": [{"percent": step, "win_rate": rate} for step, rate in trial.intermediate_values.items()],
        }
        for trial in ranked
    ]
    plan = {"command": sweep.command, "settings": sweep.base.to_json(), "search": options.search, "seed": sweep.seed}
    write_json(sweep.out / "results.json", plan | {"selection_games": sweep.games, "trials": trials})
    replace_file(sweep.out / "best.toml", _to_toml(sweep, ranked[0]).encode())
    columns = (
        Column("trial", "trial", "d"),
        *(Column(name, name, "s", 1) for name in sweep.search),
        Column("win rate", "selection_win_rate", ".1%"),
        Column("95 % interval", "ci95", ".1%"),
        Column("steps", "steps", "d", 2),
        Column("ended at", lambda row: f"{row['curve'][-1]['percent']}%" if row["stopped_early"] else None, "s"),
    )
    rows = [trial | {name: str(value) for name, value in trial["values"].items()} for trial in trials]
    title = f"{sweep.base.title}, {len(ranked)} trials, {sweep.base.eval_games} selection games on each board"
    page = Page.for_stdout(options.wide)
    page.table(table_of(title, columns, rows, (0,)))
    page.note("ended at: part of the budget after which the pruner ended the trial.", "dim")
    page.note("Selection games choose the settings, so their win rates are too high for the best: play test games.")
    train = typed_command(options.program.replace("sweep", "train"), ["--config", str(sweep.out / "best.toml")])
    page.note(f"best.toml has the settings of the best: {train}")
    page.print()


def _to_toml(sweep: Sweep, best: FrozenTrial) -> str:
    """Returns the settings of a trial as a .toml configuration of `train.py`, without seed, device and threads."""
    settings = sweep.settings_of(best.params).to_json()
    hyperparameters = settings.pop("hyperparameters")
    number, won = best.user_attrs[NUMBER], f"{best.user_attrs['win_rate']:.1%} of {sweep.games} selection games"
    lines = [f"# The best of {sweep.trials} trials, number {number}, which won {won}."]
    for name, value in settings.items():
        if value is not None and name not in ("seed", "device", "threads"):
            lines.append(f"{name} = {json.dumps(value)}")
    table = [f"{name} = {json.dumps(value)}" for name, value in hyperparameters.items()]
    return "\n".join([*lines, "", "[hyperparameters]", *table, ""])


main = Command(
    "sweep",
    "Search for hyperparameters: train with drawn settings, and end the trainings that fall behind.",
    EXAMPLES,
    _add_arguments,
    _prepare,
    "; re-run the command to resume in {out}",
    (ValueError,),
).main
