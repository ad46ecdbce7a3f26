"""Report of a sweep: results.json, best.toml, curves, and the table on the terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from baselines.support.figures import image, styled_figure
from baselines.support.files import replace_file, write_json

if TYPE_CHECKING:
    from baselines.sweeps.plan import Sweep, Trial
    from baselines.terminal.tables import Table

LEFT_OUT = ("seed", "device", "threads")
"""Settings that a configuration leaves to the command line."""


def report(sweep: Sweep, wide: bool) -> None:
    """Writes the results of a finished sweep into its folder, and prints the table.

    Args:
        sweep: the sweep; each trial is done.
        wide: whether the table shows all columns, whatever the width of the terminal.
    """
    ranked = sorted(sweep.trials, key=lambda trial: -trial.points[-1].kept_win_rate)
    write_json(sweep.out / "results.json", _to_json(sweep, ranked))
    replace_file(sweep.out / "best.toml", _to_toml(sweep, ranked[0]).encode())
    replace_file(sweep.out / "curves.png", _draw(ranked))
    _print(sweep, ranked, wide)


def _interval(trial: Trial) -> tuple[float, float]:
    from baselines.evaluation.intervals import rate_interval

    games = trial.settings.eval_games * len(trial.settings.boards)
    return rate_interval(trial.points[-1].kept_win_rate, games)


def _to_json(sweep: Sweep, ranked: Sequence[Trial]) -> dict[str, Any]:
    return {
        "command": sweep.command,
        "settings": sweep.base.to_json(),
        "search": list(sweep.search),
        "seed": sweep.seed,
        "selection_games": sweep.base.eval_games * len(sweep.base.boards),
        "trials": [
            {
                "trial": trial.number,
                "values": trial.values,
                "stopped_early": trial.was_stopped,
                "steps": trial.points[-1].steps,
                "selection_win_rate": trial.points[-1].kept_win_rate,
                "ci95": list(_interval(trial)),
                "curve": [{"percent": p.percent, "steps": p.steps, "win_rate": p.win_rate} for p in trial.points],
            }
            for trial in ranked
        ],
    }


def _to_toml(sweep: Sweep, best: Trial) -> str:
    """Returns the settings of a trial as a configuration of `train.py`."""
    settings = best.settings.to_json()
    table = settings.pop("hyperparameters")
    won = f"{best.points[-1].kept_win_rate:.1%} of {sweep.base.eval_games * len(sweep.base.boards)} selection games"
    kept = {name: value for name, value in settings.items() if value is not None and name not in LEFT_OUT}
    lines = [f"# The best of {len(sweep.values)} trials, number {best.number}, which won {won}."]
    lines += [f"{name} = {json.dumps(value)}" for name, value in kept.items()]
    return "\n".join([*lines, "", "[hyperparameters]", *(f"{name} = {json.dumps(table[name])}" for name in table), ""])


def _draw(ranked: Sequence[Trial]) -> bytes:
    with styled_figure() as figure:
        axes = figure.add_subplot()
        for place, trial in reversed(list(enumerate(ranked))):
            points = [(point.percent, 100 * point.win_rate) for point in trial.points]
            best = place == 0
            label = f"trial {trial.number}: {_in_words(trial)}" if best else None
            axes.plot(
                *zip(*points, strict=True), color="C0" if best else "0.7", label=label, linewidth=2 if best else 1
            )
        axes.set(xlabel="per cent of the budget", ylabel="win rate in the selection games, per cent")
        axes.grid()
        figure.legend(loc="outside upper center")
        return image(figure)


def _in_words(trial: Trial) -> str:
    return ", ".join(f"{name}={value}" for name, value in trial.values.items())


def _print(sweep: Sweep, ranked: Sequence[Trial], wide: bool) -> None:
    from baselines.terminal.tables import Page

    page = Page.for_stdout(wide)
    page.table(_table(sweep, ranked))
    page.legend("> highest win rate. ended at: part of the budget after which the scheduler ended the trial.")
    page.note("Selection games choose the settings, so their win rates are too high for the best: play test games.")
    page.note(f"best.toml has the settings of the best: python train.py --config {sweep.out / 'best.toml'}")
    page.print()


def _table(sweep: Sweep, ranked: Sequence[Trial]) -> Table:
    from baselines.terminal.tables import Column, Table

    names = list(sweep.values[0])
    columns = (
        Column("trial"),
        *(Column(name, priority=1) for name in names),
        Column("win rate"),
        Column("95 % interval"),
        Column("steps", priority=2),
        Column("ended at"),
    )
    rows = [
        (
            f"{trial.number}",
            *(f"{trial.values[name]}" for name in names),
            f"{trial.points[-1].kept_win_rate:.1%}",
            "{:.1%} to {:.1%}".format(*_interval(trial)),
            f"{trial.points[-1].steps}",
            f"{trial.points[-1].percent}%" if trial.was_stopped else "",
        )
        for trial in ranked
    ]
    title = f"{sweep.base.title}, {len(ranked)} trials, {sweep.base.eval_games} selection games on each board"
    return Table(title, columns, rows, (0,))
