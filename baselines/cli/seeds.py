"""`python -m baselines seeds`: repeat trainings with several seeds, and compare the configurations."""

from __future__ import annotations

import argparse
from collections.abc import Generator, Sequence
from contextlib import closing
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.cli.arguments import Parser, check_workers, chosen_workers, share, study_settings, whole_number_from
from baselines.cli.command import Command, Work
from baselines.cli.start import announce, listed
from baselines.cli.train import NEEDED as TRAINING_NEEDS
from baselines.learned.settings import LEAST_SEEDS
from baselines.support.extras import check_extra, import_extra
from baselines.support.figures import image, styled_figure
from baselines.support.files import hold_folder, replace_file, write_json
from baselines.support.progress import game_bar
from baselines.workers import worker_pool
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from baselines.learned.training.seed_study import Summary, Task
    from baselines.support.tables import Table

EXAMPLES = """\
{0} --config quick --seeds 5 --out runs/quick
{0} --config dqn-8x8 ppo-8x8 --minutes 10 --out runs/seeds"""

NEEDED = (*TRAINING_NEEDS, "scipy")
STUDY_FILE = "seeds.json"
"""File of the folder of a study that says how many games the tests have, and which code made it."""


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--config",
        nargs="+",
        required=True,
        metavar="NAME",
        help="train these configurations, names of the package or .toml files; no two may have one name",
    )
    parser.add_argument(
        "--seeds",
        type=whole_number_from(LEAST_SEEDS),
        default=10,
        metavar="N",
        help=f"train each configuration with N seeds, at least {LEAST_SEEDS}",
    )
    share(parser, "--games", default=2000, help="play N test games with each agent")
    share(parser, "--workers", "--ray")
    share(parser, "--minutes", "--steps", "--wide")
    share(parser, "--out", required=True)


def _prepare(options: argparse.Namespace) -> Work:
    for module in NEEDED:
        check_extra(module)
    check_workers(options)
    return partial(_carry_out, _plan(options), options)


def _plan(options: argparse.Namespace) -> list[Task]:
    bases = {Path(name).stem: study_settings(name, options) for name in options.config}
    if len(bases) < len(options.config):
        raise ValueError("the configurations must have different names, since their run folders are called after them")
    announce(f"Train {listed(options.config)} with {options.seeds} seeds each, into {options.out}")
    import_extra("torch")
    from baselines.learned.configurations import check_earlier
    from baselines.learned.training.seed_study import plan
    from baselines.support.provenance import earlier_results, own_identity

    tasks = plan(bases, options.seeds, options.out, options.command, options.games)
    options.out.mkdir(parents=True, exist_ok=True)
    earlier_results(options.out, STUDY_FILE, {"games": options.games})
    for task in tasks:
        check_earlier(task.folder, task.settings.to_json())
        # A damaged result is refused before the first training.
        _ = task.result
    write_json(options.out / STUDY_FILE, {"games": options.games, "identity": own_identity()._asdict()})
    return tasks


def _carry_out(tasks: Sequence[Task], options: argparse.Namespace) -> None:
    with hold_folder(options.out):
        _train(tasks, options)
        report(tasks, options.out, options.wide)


def _train(tasks: Sequence[Task], options: argparse.Namespace) -> None:
    left = [task for task in tasks if not task.done]
    say(f"{len(tasks) - len(left)} of {len(tasks)} trainings are done")
    if not left:
        return
    with game_bar("running", "seeds", len(left), "trainings") as on_finished, closing(_finished(left, options)) as done:
        for task in done:
            say(f"{task.name} is done")
            on_finished(1)


def _finished(tasks: Sequence[Task], options: argparse.Namespace) -> Generator[Task]:
    """Yields each task when it is done: in a worker process, or on a node, which sends the files of its folder."""
    from baselines.learned.training.seed_study import carry_out, carry_out_elsewhere, read_files, write_files

    left = iter(tasks)
    if options.ray is None:
        with worker_pool(min(options.workers, len(tasks))) as pool:
            for (task,), _ in pool.run(carry_out, lambda: next(((each,) for each in left), None)):
                yield task
        return
    starts = [task.settings.start for task in tasks if task.settings.start is not None]
    with chosen_workers(options, starts)() as nodes:
        calls = ((task, read_files(task.folder)) for task in left)
        for (task, _), files in nodes.run(carry_out_elsewhere, lambda: next(calls, None)):
            write_files(task.folder, files)
            yield task


def report(tasks: Sequence[Task], out: Path, wide: bool) -> None:
    """Writes the results and curves of finished trainings into `out`, and prints the table, all of it if `wide`."""
    from baselines.learned.training.seed_study import difference, summarise, to_json
    from baselines.support.tables import Page

    configs = list(dict.fromkeys(task.config for task in tasks))
    summaries = [summarise(config, [task.win_rate for task in tasks if task.config == config]) for config in configs]
    write_json(out / "results.json", to_json(summaries, tasks))
    replace_file(out / "curves.png", _draw(tasks, configs))
    page = Page.for_stdout(wide)
    page.table(_table(summaries, tasks[0]))
    page.legend("> highest IQM (interquartile mean)." if len(summaries) > 1 else "IQM: interquartile mean.")
    for one, other in combinations(summaries, 2):
        gap, (low, high) = difference(one, other)
        page.note(f"{one.config} minus {other.config}: {gap:+.1%}, 95 % interval {low:+.1%} to {high:+.1%}")
    page.print()


def _draw(tasks: Sequence[Task], configs: Sequence[str]) -> bytes:
    """Returns the median of each configuration over the minutes, in a band from its lowest to its highest training."""
    from matplotlib.ticker import PercentFormatter

    from baselines.learned.training.seed_study import band, reference

    with styled_figure() as figure:
        axes = figure.add_subplot()
        for config in configs:
            curves = [points for task in tasks if task.config == config and (points := task.curve)]
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


def _table(summaries: Sequence[Summary], task: Task) -> Table:
    from baselines.support.tables import Column, Table

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
            *(each.config, f"{each.iqm:.1%}", "{:.1%} to {:.1%}".format(*each.interval)),
            *(f"{each.win_rates.min():.1%}", f"{each.win_rates.max():.1%}"),
        )
        for each in summaries
    ]
    best = max(range(len(summaries)), key=lambda number: summaries[number].iqm)
    return Table(title, columns, rows, (best,) if len(summaries) > 1 else ())


main = Command(
    "seeds",
    "Train each configuration with several seeds, and compare the win rates of the agents.",
    EXAMPLES,
    _add_arguments,
    _prepare,
    "; re-run the command to resume in {out}",
    (ValueError,),
).main
