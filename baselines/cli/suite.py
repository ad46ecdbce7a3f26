"""`minesweeper suite`: list the suites, or play one into a folder and resume it there."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from shutil import get_terminal_size
from textwrap import fill

from baselines.benchmark.suites import GAMES, SUITES, Suite, find_suite
from baselines.cli.arguments import (
    SUITE_NEEDS,
    Parser,
    add_count,
    add_wide,
    add_workers,
    check_workers,
    chosen_workers,
    parse_path,
    whole_number_from,
)
from baselines.cli.start import MODULE, announce, carry_out, typed_command
from baselines.registry import check_name, pinned
from baselines.support.extras import check_extra

PROGRAM = f"{MODULE} suite"

EXAMPLES = """\
examples:
  {0} ladder --out runs/ladder --workers 4
  {0} sources --groups bayes --out runs/bayes --games 100

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
        # What needs no heavy import is checked first.
        suite = _checked_suite(options)
        boards = sum(len(group.boards) for group in suite.groups)
        announce(f"Play the suite {suite.name} into {options.out}: {boards} boards, {options.games} games each")
        from baselines.benchmark.run import SuiteRun

        suite = find_suite(options.suite).chosen(options.groups, map(pinned, options.policy))
        run = SuiteRun(suite, options.out, options.seed, options.games, typed_command(program, arguments))

        def play() -> None:
            run.play(chosen_workers(options, options.policy))
            run.write_results(options.wide)

        return play

    return carry_out(parser, prepare, f"; the games so far are in {options.out}: the same command goes on")


def _checked_suite(options: argparse.Namespace) -> Suite:
    check_workers(options)
    if options.out is None:
        raise ValueError("a suite needs a folder for its games and results: --out DIR")
    for name in options.policy:
        check_name(name)
    suite = find_suite(options.suite).chosen(options.groups, options.policy)
    suite.seeds_of(options.seed, options.games)
    for module in SUITE_NEEDS:
        check_extra(module)
    return suite


def _make_parser(program: str) -> Parser:
    parser = Parser(
        prog=program,
        description="Play a suite, an experiment that one command repeats; without a name, list the suites.",
        epilog=EXAMPLES.format(program) + _listed_suites(),
    )
    parser.add_argument("suite", nargs="?", metavar="NAME", help="play this suite")
    parser.add_argument("--groups", nargs="+", metavar="GROUP", help="play these groups of it (default all)")
    parser.add_argument(
        "--policy",
        nargs="+",
        default=[],
        metavar="NAME",
        help="add these policies to each group, named as evaluate names them (default none)",
    )
    parser.add_argument(
        "--out",
        type=parse_path,
        metavar="DIR",
        help="write the games and results into this folder; the same command resumes the suite there",
    )
    add_count(parser, "--games", "play N games of each policy on each board", GAMES)
    parser.add_argument(
        "--seed", type=whole_number_from(0), metavar="SEED", help="give game i the seed SEED + i (default: 0)"
    )
    add_workers(parser)
    add_wide(parser)
    return parser


def _listed_suites() -> str:
    width = max(get_terminal_size().columns - 2, 40)
    texts = []
    for suite in SUITES.values():
        names = [group.name for group in suite.groups]
        groups = f"; groups {', '.join(names)}" if len(names) > 1 else ""
        texts.append(fill(f"  {suite.name:<10} {suite.title}{groups}", width, subsequent_indent=" " * 13))
    return "\n".join(texts)
