"""`minesweeper sweep`: search for hyperparameters by many trainings on Optuna."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from baselines.cli.arguments import Parser, share, study_settings, whole_number_from
from baselines.cli.command import Command, Work
from baselines.cli.start import announce
from baselines.cli.train import NEEDED as TRAINING_NEEDS
from baselines.support.extras import check_extra, import_extra
from baselines.support.figures import image, styled_figure
from baselines.support.files import hold_folder, replace_file, write_json
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

    from baselines.support.tables import Table
    from baselines.sweeps import Sweep

EXAMPLES = """\
{0} --config quick --search learning_rate=log:1e-4:1e-2 --trials 8 --out runs/sweep
{0} --config dqn-8x8 --search depth=int:4:8 batch_size=128,256 --steps 1000000 --out runs/sweep"""

PLAN_FILE = "sweep.json"
MOST_TRIALS = 10_000

LEFT_OUT = ("seed", "device", "threads")
"""Settings that a configuration leaves to the command line."""


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--config", required=True, metavar="NAME", help="read this configuration of train.py, or a .toml file"
    )
    parser.add_argument(
        "--search",
        nargs="+",
        required=True,
        metavar="NAME=FORM",
        help="draw these settings; FORM is log:LOW:HIGH, uniform:LOW:HIGH, int:LOW:HIGH, or values such as 32,64",
    )
    parser.add_argument(
        "--trials", type=whole_number_from(1, MOST_TRIALS), default=10, metavar="N", help="train with N draws"
    )
    share(parser, "--seed", help="seed the draws with SEED")
    share(parser, "--workers", help="run N trainings at a time, one per core")
    share(parser, "--minutes", "--steps", "--wide")
    share(parser, "--out", required=True)


def _prepare(options: argparse.Namespace) -> Work:
    for module in (*TRAINING_NEEDS, "scipy"):
        check_extra(module)
    check_extra("optuna", "sweep")
    return partial(_carry_out, _plan(options), options)


def _plan(options: argparse.Namespace) -> Sweep:
    from baselines.support.provenance import earlier_results, own_identity
    from baselines.sweeps import Sweep, check_values, parse_search

    base = study_settings(options.config, options)
    announce(f"Train {options.config} with {options.trials} draws, into {options.out}")
    import_extra("torch")

    search = parse_search(options.search, base.algo)
    sweep = Sweep(base, search, options.trials, options.seed, options.out, options.command)
    check_values(sweep)

    plan = {"settings": base.to_json(), "search": options.search, "seed": options.seed, "trials": options.trials}
    options.out.mkdir(parents=True, exist_ok=True)
    if not earlier_results(options.out, PLAN_FILE, plan):
        write_json(options.out / PLAN_FILE, plan | {"identity": own_identity()._asdict()})
    return sweep


def _carry_out(sweep: Sweep, options: argparse.Namespace) -> None:
    from baselines.sweeps import JOURNAL, end_last_line, search

    with hold_folder(sweep.out):
        end_last_line(sweep.out / JOURNAL)
        done = len(sweep.done())
        say(f"{done} of {sweep.trials} trials are done")
        if done < sweep.trials:
            search(sweep, options.workers)
        ranked = sweep.done()
        write_json(sweep.out / "results.json", _to_json(sweep, ranked))
        replace_file(sweep.out / "best.toml", _to_toml(sweep, ranked[0]).encode())
        replace_file(sweep.out / "curves.png", _draw(ranked))
    _print(sweep, ranked, options.wide)


def _games(sweep: Sweep) -> int:
    return sweep.base.eval_games * len(sweep.base.boards)


def _interval(sweep: Sweep, trial: FrozenTrial) -> tuple[float, float]:
    from baselines.evaluation.intervals import wilson_interval

    return wilson_interval(round(trial.user_attrs["win_rate"] * _games(sweep)), _games(sweep))


def _drawn(trial: FrozenTrial) -> dict[str, Any]:
    from baselines.sweeps import rounded

    return {name: rounded(value) for name, value in trial.params.items()}


def _to_json(sweep: Sweep, ranked: Sequence[FrozenTrial]) -> dict[str, Any]:
    return {
        "command": sweep.command,
        "settings": sweep.base.to_json(),
        "search": [f"{name}={form}" for name, form in sweep.search.items()],
        "seed": sweep.seed,
        "selection_games": _games(sweep),
        "trials": [
            {
                "trial": trial.user_attrs["first"],
                "values": _drawn(trial),
                "stopped_early": trial.state.name == "PRUNED",
                "steps": trial.user_attrs["steps"],
                "selection_win_rate": trial.user_attrs["win_rate"],
                "ci95": list(_interval(sweep, trial)),
                "curve": [{"percent": at, "win_rate": rate} for at, rate in trial.intermediate_values.items()],
            }
            for trial in ranked
        ],
    }


def _to_toml(sweep: Sweep, best: FrozenTrial) -> str:
    """Returns the settings of a trial as a configuration of `train.py`."""
    settings = sweep.settings_of(best.params).to_json()
    table = settings.pop("hyperparameters")
    number, won = best.user_attrs["first"], f"{best.user_attrs['win_rate']:.1%} of {_games(sweep)} selection games"
    kept = {name: value for name, value in settings.items() if value is not None and name not in LEFT_OUT}
    lines = [f"# The best of {sweep.trials} trials, number {number}, which won {won}."]
    lines += [f"{name} = {json.dumps(value)}" for name, value in kept.items()]
    return "\n".join([*lines, "", "[hyperparameters]", *(f"{name} = {json.dumps(table[name])}" for name in table), ""])


def _draw(ranked: Sequence[FrozenTrial]) -> bytes:
    with styled_figure() as figure:
        axes = figure.add_subplot()
        for place, trial in reversed(list(enumerate(ranked))):
            percents, rates = list(trial.intermediate_values), [100 * x for x in trial.intermediate_values.values()]
            axes.plot(percents, rates, color="0.7" if place else "C0", linewidth=1 if place else 2)
        axes.set(
            xlabel="per cent of the budget",
            ylabel="win rate in the selection games, per cent",
            title=f"trial {ranked[0].user_attrs['first']}: {_drawn(ranked[0])}",
        )
        axes.grid()
        return image(figure)


def _print(sweep: Sweep, ranked: Sequence[FrozenTrial], wide: bool) -> None:
    from baselines.support.tables import Page

    page = Page.for_stdout(wide)
    page.table(_table(sweep, ranked))
    page.legend("> highest win rate. ended at: part of the budget after which the pruner ended the trial.")
    page.note("Selection games choose the settings, so their win rates are too high for the best: play test games.")
    page.note(f"best.toml has the settings of the best: minesweeper train --config {sweep.out / 'best.toml'}")
    page.print()


def _table(sweep: Sweep, ranked: Sequence[FrozenTrial]) -> Table:
    from baselines.support.tables import Column, Table

    columns = (
        Column("trial"),
        *(Column(name, priority=1) for name in sweep.search),
        Column("win rate"),
        Column("95 % interval"),
        Column("steps", priority=2),
        Column("ended at"),
    )
    rows = [
        (
            f"{trial.user_attrs['first']}",
            *(f"{_drawn(trial)[name]}" for name in sweep.search),
            f"{trial.user_attrs['win_rate']:.1%}",
            "{:.1%} to {:.1%}".format(*_interval(sweep, trial)),
            f"{trial.user_attrs['steps']}",
            f"{trial.last_step}%" if trial.state.name == "PRUNED" else "",
        )
        for trial in ranked
    ]
    title = f"{sweep.base.title}, {len(ranked)} trials, {sweep.base.eval_games} selection games on each board"
    return Table(title, columns, rows, (0,))


main = Command(
    "sweep",
    "Search for hyperparameters: train with drawn settings, and end the trainings that fall behind.",
    EXAMPLES,
    _add_arguments,
    _prepare,
    "; re-run the command to resume in {out}",
    (ValueError,),
).main
