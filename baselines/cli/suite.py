"""`minesweeper suite`: list the suites, or play one into a folder and resume it there."""

import argparse
from shutil import get_terminal_size
from textwrap import fill

from baselines import checks, registry
from baselines.benchmark.suites import GAMES, SUITES, find_suite
from baselines.cli.command import SUITE_NEEDS, Command, Parser, Work, add_options, chosen_workers
from minesweeper_env.console import say

EXAMPLES = """\
{0} ladder --out runs/ladder --workers 4
{0} sources --groups bayes --out runs/bayes --games 100"""


def _add_arguments(parser: Parser) -> None:
    parser.add_argument("suite", nargs="?", metavar="NAME", help="play this suite")
    parser.add_argument("--groups", nargs="+", metavar="GROUP", help="play these groups of it (default all)")
    text = "add these policies to each group, named as evaluate names them (default none)"
    add_options(parser, "--policy", help=text)
    add_options(parser, "--out", "--workers", "--ray", "--wide")
    add_options(parser, "--games", default=GAMES, help="play N games of each policy on each board")
    add_options(parser, "--seed", default=None, help="give game i the seed SEED + i (default: 0)")
    parser.epilog = f"{parser.epilog}\n{_listed_suites()}"


def _prepare(options: argparse.Namespace) -> Work:
    if options.suite is None:
        return COMMAND.parser(options.program).print_help
    # The checks without heavy imports come first.
    if options.out is None:
        raise ValueError("a suite needs a folder for its games and results: --out DIR")
    policies = [registry.Specification.of(name).check() for name in options.policy]
    suite = find_suite(options.suite).chosen(options.groups, options.policy)
    suite.seeds_of(options.seed, options.games)
    checks.check_extra(*SUITE_NEEDS)
    boards = sum(len(group.boards) for group in suite.groups)
    say(f"Play the suite {suite.name} into {options.out}: {boards} boards, {options.games} games each")
    from baselines.benchmark.report import write_results
    from baselines.benchmark.run import SuiteRun

    suite = find_suite(options.suite).chosen(options.groups, [policy.pinned().name for policy in policies])
    run = SuiteRun(suite, options.out, options.seed, options.games, options.command)

    def play() -> None:
        run.play(chosen_workers(options, options.policy))
        write_results(run, options.wide)

    return play


def _listed_suites() -> str:
    width = max(get_terminal_size().columns - 2, 40)
    texts = ["suites:"]
    for suite in SUITES.values():
        names = [group.name for group in suite.groups]
        groups = f"; groups {', '.join(names)}" if len(names) > 1 else ""
        texts.append(fill(f"  {suite.name:<10} {suite.title}{groups}", width, subsequent_indent=" " * 13))
    return "\n".join(texts)


COMMAND = Command(
    "suite",
    "Play a suite, an experiment that one command repeats; without a name, list the suites.",
    EXAMPLES,
    _add_arguments,
    _prepare,
    "; the games so far are in {out}: the same command goes on",
)
main = COMMAND.main
