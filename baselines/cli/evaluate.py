"""`python evaluate.py`: play policies, or a whole suite, on seeded games."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence

from baselines.cli.arguments import (
    FAILED,
    INTERRUPTED,
    Parser,
    add_board_arguments,
    add_seed,
    parse_path,
    positive_number,
    whole_number_from,
)
from baselines.cli.failures import PLAY_ERRORS, explain
from baselines.cli.policies import ALL, DEFAULT_GAMES, PolicyRun
from baselines.cli.suite import SuiteRun
from baselines.registry import policy_names
from baselines.suites.definitions import SUITES
from baselines.support.extras import MissingExtraError
from baselines.support.figures import SUFFIXES

POLICY_OPTIONS = ("policy", "size", "mines", "first_click", "max_seconds", "diagnose", "json", "plot")
"""The options that a suite does not take."""

EXAMPLES = """\
examples:
  python evaluate.py --policy exact bayes:prior=count --size 16x30 --mines 99
  python evaluate.py --policy runs/dqn-8x8-14 lookahead --json results.json
  python evaluate.py --suite ladder --out runs/ladder --workers 4
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: those after the name of the command; None for those that the process was started with.

    Returns:
        0 when all games are played, 130 after Ctrl-C, 1 after one of `PLAY_ERRORS`. In every case the results of the
        policies that had finished are printed, and written where that is possible.
    """
    parser = _make_parser()
    options, given = parser.parse_given(arguments)
    command = shlex.join(["python", "evaluate.py", *(sys.argv[1:] if arguments is None else arguments)])
    try:
        play = _prepare(options, given, command)
    except (ValueError, OSError, MissingExtraError) as error:
        parser.error(explain(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    try:
        return play()
    except PLAY_ERRORS as error:
        print(f"{parser.prog}: {explain(error)}", file=sys.stderr)
        return FAILED


def _make_parser() -> Parser:
    parser = Parser(
        prog="evaluate.py",
        description="Score policies on the same seeded games of Minesweeper.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_policy_options(parser.add_argument_group("policies"))
    suites = parser.add_argument_group("suites")
    suites.add_argument("--suite", metavar="NAME", help=f"experiment to repeat: {', '.join(SUITES)}")
    suites.add_argument(
        "--out", type=parse_path, metavar="DIR", help="output folder of a suite; re-run the command to resume"
    )
    both = parser.add_argument_group("both")
    both.add_argument(
        "--games",
        type=whole_number_from(1),
        metavar="N",
        help=f"number of games of each policy on each board (default {DEFAULT_GAMES}; suites have their own)",
    )
    add_seed(both)
    both.add_argument(
        "--workers", type=whole_number_from(1), default=1, metavar="N", help="number of worker processes (default 1)"
    )
    return parser


def _add_policy_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--policy",
        nargs="+",
        metavar="NAME",
        help=f"policies, by name: {', '.join(policy_names())}; {ALL} names all of these. A run folder of train.py is a "
        "name, too. Options follow the name, as in NAME:option=value,option=value",
    )
    add_board_arguments(group)
    group.add_argument(
        "--max-seconds",
        type=positive_number,
        metavar="SECONDS",
        help="seconds of play after which a policy begins no more games (default: no limit)",
    )
    group.add_argument("--diagnose", action="store_true", help="judge every click by the exact mine probabilities")
    group.add_argument("--json", type=parse_path, metavar="FILE", help="file for the results")
    group.add_argument(
        "--plot", type=parse_path, metavar="FILE", help=f"file for a plot of the win rates: {', '.join(SUFFIXES)}"
    )


def _prepare(options: argparse.Namespace, given: Sequence[str], command: str) -> Callable[[], int]:
    """Checks all that can be checked before the first game; returns the function that plays."""
    if options.suite is None:
        if options.policy is None:
            raise ValueError("choose policies with --policy NAME..., or a suite with --suite NAME")
        if options.out is not None:
            raise ValueError("--out is the folder of a suite; the files of --policy are --json and --plot")
        return PolicyRun.prepare(options, command).play
    foreign = [f"--{name.replace('_', '-')}" for name in given if name in POLICY_OPTIONS]
    if foreign:
        raise ValueError(f"a suite has its own boards and policies, and takes no {', '.join(foreign)}")
    if options.out is None:
        raise ValueError("a suite needs a folder for its games and results: --out DIR")
    seed = options.seed if "seed" in given else None
    run = SuiteRun.prepare(options.suite, options.out, seed, options.games, command)
    return lambda: run.play(options.workers)
