"""Report of a study of seeds: results.json, curves, and the table on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.support.figures import image, styled_figure
from baselines.support.files import replace_file

if TYPE_CHECKING:
    from baselines.learned.training.seed_study import Summary, Task
    from baselines.terminal.tables import Table


def report(tasks: Sequence[Task], out: Path, wide: bool) -> None:
    """Writes the results and the curves of finished trainings, and prints the table.

    Args:
        tasks: the trainings.
        out: the folder of the study.
        wide: whether the table shows all columns, whatever the width of the terminal.
    """
    from baselines.learned.training.seed_study import read_win_rate, summarise, to_json
    from baselines.support.files import write_json

    configs = list(dict.fromkeys(task.config for task in tasks))
    summaries = [
        summarise(config, [read_win_rate(task) for task in tasks if task.config == config]) for config in configs
    ]
    write_json(out / "results.json", to_json(summaries, tasks))
    replace_file(out / "curves.png", _draw(tasks, configs))
    _print(summaries, tasks[0], wide)


def _draw(tasks: Sequence[Task], configs: Sequence[str]) -> bytes:
    """Returns the median of each configuration over the minutes, in a band from its lowest to its highest training."""
    from matplotlib.ticker import PercentFormatter

    from baselines.learned.training.seed_study import band, curve, reference

    with styled_figure() as figure:
        axes = figure.add_subplot()
        for config in configs:
            curves = [points for task in tasks if task.config == config and (points := curve(task))]
            if curves:
                minutes, low, middle, high = band(curves)
                (line,) = axes.plot(minutes, middle, label=f"{config}, median of {len(curves)} seeds")
                axes.fill_between(minutes, low, high, color=line.get_color(), alpha=0.25, linewidth=0)
        if (rate := reference(tasks[0])) is not None:
            axes.axhline(rate, linestyle="--", color="grey", label=f"exact {rate:.1%}")
        axes.set(xlabel="minutes", ylabel="win rate in the selection games", title=", ".join(tasks[0].settings.boards))
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.grid()
        figure.legend(loc="outside lower center", ncols=2)
        return image(figure)


def _print(summaries: Sequence[Summary], task: Task, wide: bool) -> None:
    from baselines.learned.training.seed_study import difference
    from baselines.terminal.tables import Page

    page = Page.for_stdout(wide)
    page.table(_table(summaries, task))
    page.legend("> highest IQM (interquartile mean)." if len(summaries) > 1 else "IQM: interquartile mean.")
    for one, other in combinations(summaries, 2):
        gap, (low, high) = difference(one, other)
        page.note(f"{one.config} minus {other.config}: {gap:+.1%}, 95 % interval {low:+.1%} to {high:+.1%}")
    page.print()


def _table(summaries: Sequence[Summary], task: Task) -> Table:
    from baselines.terminal.tables import Column, Table

    title = f"{', '.join(task.settings.boards)}, {len(summaries[0].win_rates)} seeds, {task.games} test games each"
    columns = (
        Column("configuration", "left", folds=True),
        Column("IQM of win rates"),
        Column("95 % bootstrap interval"),
        Column("lowest", priority=1),
        Column("highest", priority=1),
    )
    rows = [
        (
            each.config,
            f"{each.iqm:.1%}",
            f"{each.interval[0]:.1%} to {each.interval[1]:.1%}",
            f"{each.win_rates.min():.1%}",
            f"{each.win_rates.max():.1%}",
        )
        for each in summaries
    ]
    best = max(range(len(summaries)), key=lambda number: summaries[number].iqm)
    return Table(title, columns, rows, (best,) if len(summaries) > 1 else ())
