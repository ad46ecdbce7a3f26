"""`python evaluate.py`: policies on seeded games, with a table, a JSON file and a plot of the win rates; and suites."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from baselines.cli.arguments import (
    FAILED,
    INTERRUPTED,
    Parser,
    parse_path,
    parse_size,
    positive_number,
    whole_number_from,
)
from baselines.cli.failures import PLAY_ERRORS, explain
from baselines.cli.suite import SuiteRun
from baselines.evaluation.evaluate import Evaluation, batch_size_of, evaluate_policy
from baselines.evaluation.judge import check_judgeable
from baselines.evaluation.report import Report
from baselines.evaluation.results import PolicyResult
from baselines.evaluation.seeds import check_test_seeds
from baselines.registry import build_policy, config_for, find_policy, policy_names
from baselines.suites.definitions import SUITES
from baselines.support.extras import MissingExtraError, import_extra
from baselines.support.figures import SUFFIXES
from baselines.support.files import check_writable
from baselines.support.terminal import game_bar
from minesweeper_env.config import FIRST_CLICKS, BoardConfig

ALL = "all"

DEFAULTS: dict[str, Any] = {
    "policy": None,
    "size": (8, 8),
    "mines": 14,
    "first_click": "opening",
    "games": 1000,
    "seed": 0,
    "workers": 1,
    "max_seconds": None,
    "diagnose": False,
    "json": None,
    "plot": None,
    "suite": None,
    "out": None,
}
"""The options that are not given."""

SUITE_OPTIONS = ("suite", "games", "seed", "workers", "out")
"""What may be given together with a suite."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: those after the name of the command; None for the ones it was started with.

    Returns:
        0 when all games are played, 130 after Ctrl-C, 1 after one of `PLAY_ERRORS`; the results of the policies that
        had finished are then printed, and written where they can be, all the same.
    """
    parser = _make_parser()
    given = parser.parse_args(arguments)
    command = shlex.join(["python", "evaluate.py", *(sys.argv[1:] if arguments is None else arguments)])
    try:
        play = _prepare(given, command)
    except (ValueError, OSError, MissingExtraError) as error:
        parser.error(explain(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    try:
        return play()
    except PLAY_ERRORS as error:
        print(f"{parser.prog}: {explain(error)}", file=sys.stderr)
        return FAILED


def _make_parser() -> argparse.ArgumentParser:
    """Returns the parser; what is not given is not in its answer, so that `DEFAULTS` can tell what was."""
    parser = Parser(
        prog="evaluate.py",
        description="Score policies on the same seeded games of Minesweeper.",
        argument_default=argparse.SUPPRESS,
    )
    names = ", ".join(policy_names())
    parser.add_argument(
        "--policy",
        nargs="+",
        metavar="NAME",
        help=f"{names}, each also with options (NAME:option=value,option=value); all of these (all), or run folders",
    )
    parser.add_argument("--size", type=parse_size, help="8, or 16x30 for rows x columns (8)")
    parser.add_argument("--mines", type=whole_number_from(1), help="the number of mines (14)")
    parser.add_argument("--first-click", choices=FIRST_CLICKS, help="the first-click rule (opening)")
    parser.add_argument("--games", type=whole_number_from(1), help="the games of each policy (1000; suites: their own)")
    parser.add_argument("--seed", type=whole_number_from(0), help="of the first game; game i adds i (0)")
    parser.add_argument("--workers", type=whole_number_from(1), help="the processes that play (1)")
    parser.add_argument(
        "--max-seconds", type=positive_number, help="the time after which a policy begins no more games"
    )
    parser.add_argument("--diagnose", action="store_true", help="judge every click by the exact mine probabilities")
    parser.add_argument("--json", type=parse_path, metavar="FILE", help="where to write the results")
    parser.add_argument(
        "--plot", type=parse_path, metavar="FILE", help="where to plot the win rates: .png, .pdf or .svg"
    )
    parser.add_argument("--suite", metavar="NAME", help=f"a whole experiment instead: {', '.join(SUITES)}")
    parser.add_argument("--out", type=parse_path, metavar="DIR", help="the folder of a suite; it can be gone on with")
    return parser


def _prepare(given: argparse.Namespace, command: str) -> Callable[[], int]:
    """Checks all that can be checked before the first game; returns what plays."""
    options = argparse.Namespace(**{**DEFAULTS, **vars(given)})
    if options.suite is None:
        if options.policy is None:
            raise ValueError("give the policies, --policy NAME..., or a suite, --suite NAME")
        if options.out is not None:
            raise ValueError("--out is the folder of a suite; the files of --policy are --json and --plot")
        report, batch_sizes = _prepare_policies(options, command)
        return partial(_evaluate, batch_sizes, report, options)
    foreign = [f"--{name.replace('_', '-')}" for name in vars(given) if name not in SUITE_OPTIONS]
    if foreign:
        raise ValueError(f"a suite has its own boards and policies, and takes no {', '.join(foreign)}")
    if options.out is None:
        raise ValueError("a suite needs a folder for its games and results: --out DIR")
    games = getattr(given, "games", None)
    return partial(SuiteRun.prepare(options.suite, options.out, options.seed, games, command).play, options.workers)


def _evaluate(batch_sizes: dict[str, int], report: Report, options: argparse.Namespace) -> int:
    try:
        return _evaluate_all(batch_sizes, report, options)
    finally:
        if report.results:
            report.print_table()
            if options.plot is not None:
                report.write_plot(options.plot)


def _prepare_policies(options: argparse.Namespace, command: str) -> tuple[Report, dict[str, int]]:
    """Returns a report without results, and the policies' names with the sizes of their batches."""
    config = BoardConfig.of_size(options.size, options.mines, first_click=options.first_click, moves=("click",))
    check_test_seeds(options.seed, options.games)
    for path in (options.json, options.plot):
        if path is not None:
            check_writable(path)
    if options.plot is not None and options.plot.suffix not in SUFFIXES:
        raise ValueError(f"--plot takes a file that ends in .png, .pdf or .svg, not {options.plot}")
    for name in options.policy:
        if name != ALL:
            find_policy(name)
    for module in ("scipy", "rich", "tqdm") + (("matplotlib",) if options.plot is not None else ()):
        import_extra(module)
    if options.diagnose:
        check_judgeable(config)
    batch_sizes = _choose_policies(options.policy, config, options.diagnose)
    return Report(config, options.seed, options.games, command), batch_sizes


def _choose_policies(chosen: Sequence[str], config: BoardConfig, diagnose: bool = False) -> dict[str, int]:
    """Builds each policy once; of "all", those that do not play these games are left out with a note."""
    batch_sizes: dict[str, int] = {}
    for name in (each for asked in chosen for each in (policy_names() if asked == ALL else [asked])):
        try:
            games = config_for(name, config)
            if diagnose:
                check_judgeable(games)
            batch_sizes[name] = batch_size_of(build_policy(name, games))
        except ValueError as error:
            if name in chosen:
                raise
            print(f"{name} is left out: {error}", file=sys.stderr)
    return batch_sizes


def _evaluate_all(batch_sizes: dict[str, int], report: Report, options: argparse.Namespace) -> int:
    seeds = range(report.seed, report.seed + report.games)
    for name, batch_size in batch_sizes.items():
        config = config_for(name, report.config)
        with game_bar("playing", name, report.games) as on_finished:
            evaluation = evaluate_policy(
                partial(build_policy, name, config),
                config,
                seeds,
                policy_seed=options.seed,
                workers=options.workers,
                max_seconds=options.max_seconds,
                on_finished=on_finished,
                diagnose=options.diagnose,
                batch_size=batch_size,
            )
        _keep(name, evaluation, report, options.json)
        if evaluation.interrupted:
            print(f"interrupted: {name} had played {len(evaluation.records)} games", file=sys.stderr)
            return INTERRUPTED
    return 0


def _keep(name: str, evaluation: Evaluation, report: Report, path: Path | None) -> None:
    if evaluation.records:
        report.results.append(PolicyResult.of(name, evaluation))
    if path is not None:
        report.write_json(path)
