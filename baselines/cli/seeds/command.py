"""`python -m baselines seeds`: repeat trainings with several seeds, and compare the configurations."""

from __future__ import annotations

import argparse
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.cli.arguments import (
    FAILED,
    INTERRUPTED,
    MOST_WORKERS,
    Parser,
    add_count,
    add_ray,
    add_wide,
    parse_path,
    positive_number,
    whole_number_from,
)
from baselines.cli.choice_of_workers import check_workers, chosen_workers
from baselines.cli.failures import explain
from baselines.cli.seeds.report import report
from baselines.cli.start import MODULE, announce, listed, typed_command
from baselines.cli.train import NEEDED as TRAINING_NEEDS
from baselines.learned.settings.training import LEAST_SEEDS
from baselines.support.extras import MissingExtraError, check_extra, import_extra
from baselines.support.files import hold_folder, write_json
from baselines.terminal.progress import game_bar
from baselines.workers import WorkerError, worker_pool
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from baselines.learned.settings.training import TrainingSettings
    from baselines.learned.training.seed_study import Task

PROGRAM = f"{MODULE} seeds"
EXAMPLES = """\
examples:
  {0} --config quick --seeds 5 --out runs/quick
  {0} --config dqn-8x8 ppo-8x8 --minutes 10 --out runs/seeds
"""

NEEDED = (*TRAINING_NEEDS, "scipy")
STUDY_FILE = "seeds.json"
"""File of the folder of a study that says how many games the tests have, and which code made it."""

DEFAULT_SEEDS = 10
DEFAULT_GAMES = 2000


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.

    Returns:
        0 when all is done, 130 after Ctrl-C, 1 when a file could not be written or a worker was killed. The same
        command resumes an unfinished study.
    """
    parser = _make_parser(program)
    options = parser.parse_args(arguments)
    try:
        for module in NEEDED:
            check_extra(module)
        check_workers(options)
        tasks = _plan(options, typed_command(program, arguments))
    except (ValueError, OSError, MissingExtraError) as error:
        parser.error(explain(error))
    try:
        with hold_folder(options.out):
            _carry_out(tasks, options)
            report(tasks, options.out, options.wide)
    except KeyboardInterrupt:
        say(f"{parser.prog}: interrupted; re-run the command to resume in {options.out}")
        return INTERRUPTED
    except (OSError, ValueError, WorkerError) as error:
        say(f"{parser.prog}: {explain(error)}; re-run the command to resume in {options.out}")
        return FAILED
    return 0


def _make_parser(program: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=program,
        description="Train each configuration with several seeds, and compare the win rates of the agents.",
        epilog=EXAMPLES.format(program),
    )
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
        default=DEFAULT_SEEDS,
        metavar="N",
        help=f"train each configuration with N seeds, at least {LEAST_SEEDS} (default {DEFAULT_SEEDS})",
    )
    parser.add_argument(
        "--minutes",
        type=positive_number,
        metavar="M",
        help="train for M minutes each (default as configured)",
    )
    parser.add_argument(
        "--steps",
        type=whole_number_from(1),
        metavar="N",
        help="train for N steps each, instead of --minutes (default as configured)",
    )
    add_count(parser, "--games", "play N test games with each agent", DEFAULT_GAMES)
    places = parser.add_mutually_exclusive_group()
    add_count(places, "--workers", "run N trainings at a time, one per core", 1, MOST_WORKERS)
    add_ray(places)
    parser.add_argument(
        "--out",
        type=parse_path,
        required=True,
        metavar="DIR",
        help="write the trainings and results into DIR; the same command resumes them",
    )
    add_wide(parser)
    return parser


def _plan(options: argparse.Namespace, command: str) -> list[Task]:
    if options.steps is not None and options.minutes is not None:
        raise ValueError("give either --minutes or --steps")
    bases = {Path(name).stem: _settings(name, options) for name in options.config}
    if len(bases) < len(options.config):
        raise ValueError("the configurations must have different names, since their run folders are called after them")
    announce(f"Train {listed(options.config)} with {options.seeds} seeds each, into {options.out}")
    import_extra("torch")
    from baselines.learned.settings.command_line import check_earlier
    from baselines.learned.training.resources import check_resources
    from baselines.learned.training.seed_study import plan
    from baselines.support.reuse import earlier_results, own_identity

    tasks = plan(bases, options.seeds, options.out, command, options.games)
    options.out.mkdir(parents=True, exist_ok=True)
    for base in bases.values():
        check_resources(base, options.out)
    earlier_results(options.out, STUDY_FILE, {"games": options.games})
    for task in tasks:
        check_earlier(task.folder, task.settings.to_json())
        # A damaged result is refused before the first training.
        _ = task.result
    write_json(options.out / STUDY_FILE, {"games": options.games, "identity": own_identity()._asdict()})
    return tasks


def _settings(name: str, options: argparse.Namespace) -> TrainingSettings:
    from baselines.learned.settings.files import read_configuration
    from baselines.learned.settings.training import TrainingSettings

    budget = {"minutes": options.minutes, "steps": options.steps} if options.minutes or options.steps else {}
    return TrainingSettings.from_some({**read_configuration(name), **budget, "threads": 1})


def _carry_out(tasks: Sequence[Task], options: argparse.Namespace) -> None:
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
