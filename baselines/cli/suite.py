"""`minesweeper suite`: list the suites, or play one into a folder and resume it there."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING

from baselines.cli.arguments import (
    ALL,
    SUITE_NEEDS,
    Parser,
    add_wide,
    add_workers,
    check_workers,
    chosen_workers,
    parse_path,
    whole_number_from,
)
from baselines.cli.start import MODULE, announce, carry_out, typed_command
from baselines.registry import check_name, pinned
from baselines.suites.definitions import SUITES, find_suite
from baselines.support.extras import check_extra

if TYPE_CHECKING:
    from baselines.suites.run import SuiteRun

PROGRAM = f"{MODULE} suite"

EXAMPLES = """\
examples:
  {0} ladder --out runs/ladder --workers 4
  {0} bayes --out runs/bayes --games 100

suites:
"""


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command, as `run_command` calls it, and returns the exit status of `carry_out`."""
    parser = _make_parser(program)
    options = parser.parse_args(arguments)
    if options.suite is None:
        parser.print_help()
        return 0

    def prepare() -> Callable[[], None]:
        announce(_check(options))
        from baselines.suites.run import SuiteRun

        suite = find_suite(options.suite).with_policies([pinned(name) for name in options.policy])
        run = SuiteRun.of(suite, options.out, options.seed, options.games, typed_command(program, arguments))
        return partial(_play, run, options)

    return carry_out(parser, prepare, f"; the games so far are in {options.out}: the same command goes on")


def _play(run: SuiteRun, options: argparse.Namespace) -> None:
    run.play(chosen_workers(options, options.policy))
    run.write_results(options.wide)


def _make_parser(program: str) -> Parser:
    parser = Parser(
        prog=program,
        description="Play a suite, an experiment that one command repeats; without a name, list the suites.",
        epilog=EXAMPLES.format(program) + _listed_suites(),
    )
    parser.add_argument("suite", nargs="?", metavar="NAME", help="play this suite")
    parser.add_argument(
        "--policy",
        nargs="+",
        default=[],
        metavar="NAME",
        help="add these policies to the suite, named as evaluate names them (default none)",
    )
    parser.add_argument(
        "--out",
        type=parse_path,
        metavar="DIR",
        help="write the games and results into this folder; the same command resumes the suite there",
    )
    parser.add_argument(
        "--games",
        type=whole_number_from(1),
        metavar="N",
        help="play N games of each policy on each board (default: as listed below)",
    )
    parser.add_argument(
        "--seed", type=whole_number_from(0), metavar="SEED", help="give game i the seed SEED + i (default: 0)"
    )
    add_workers(parser)
    add_wide(parser)
    return parser


def _listed_suites() -> str:
    width = max(get_terminal_size().columns - 2, 40)
    texts = [
        f"  {name:<15} {suite.title}; {len(suite.entries)} policies on {len(suite.boards)} boards, "
        f"{suite.games} games each"
        for name, suite in SUITES.items()
    ]
    return "\n".join(fill(text, width, subsequent_indent=" " * 18) for text in texts)


def _check(options: argparse.Namespace) -> str:
    """Checks what needs no heavy import; returns what the command is about to do."""
    check_workers(options)
    if options.out is None:
        raise ValueError("a suite needs a folder for its games and results: --out DIR")
    if ALL in options.policy:
        raise ValueError(f"a suite takes further policies by name, not {ALL}")
    for name in options.policy:
        check_name(name)
    suite = find_suite(options.suite).with_policies(options.policy)
    games = options.games or suite.games
    suite.seeds_of(options.seed, games)
    for module in SUITE_NEEDS:
        check_extra(module)
    what = f"{len(suite.entries)} policies on {len(suite.boards)} boards, {games} games each"
    return f"Play the suite {suite.name} into {options.out}: {what}"
