"""`python evaluate.py`: play policies, or a whole suite, on seeded games."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence

from baselines.cli.arguments import (
    ALL,
    DEFAULT_GAMES,
    DEFAULT_POLICIES,
    FAILED,
    INTERRUPTED,
    SUITE_NEEDS,
    Parser,
    add_board_arguments,
    add_no_guess,
    add_seed,
    add_wide,
    add_workers,
    parse_path,
    positive_number,
    whole_number_from,
)
from baselines.cli.distribution.workers import check_workers, chosen_workers
from baselines.cli.environments import add_environment, is_azulejos
from baselines.cli.failures import explain, play_errors
from baselines.cli.start import announce, listed, typed_command
from baselines.evaluation.seeds import check_seeds
from baselines.policy import PolicyError
from baselines.recording.options import OPTION_NAMES, add_recording_options, check_recording
from baselines.registry import check_name, pinned, policy_names
from baselines.suites.definitions import SUITES, find_suite
from baselines.support.act_inputs import board_of
from baselines.support.board_names import no_guess_name
from baselines.support.extras import MissingExtraError, check_extra
from baselines.support.figures import SUFFIXES, check_plot
from baselines.support.files import check_writable
from minesweeper_env.config import BoardConfig
from minesweeper_env.notices import say

PROGRAM = "evaluate.py"

POLICY_OPTIONS = ("size", "mines", "first_click", "no_guess", "max_seconds", "diagnose", "json", "plot", *OPTION_NAMES)
"""The options that a suite does not take."""

EXAMPLES = """\
examples:
  {0} --policy exact bayes:prior=count --size 16x30
  {0} --policy runs/dqn-8x8-14 lookahead --json results.json
  {0} --policy exact straightforward --games 100 --record games.gif --record-all
  {0} --policy exact --games 100 --gallery games.html
  {0} --suite ladder --out runs/ladder --workers 4
"""


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM, command: str | None = None) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.
        command: command line to record; None for the program with its arguments.

    Returns:
        0 when all games are played, 130 after Ctrl-C, 1 after one of `play_errors`. In every case the
        results of the policies that had finished are printed, and written where that is possible.
    """
    if is_azulejos(arguments):
        from baselines.cli.azulejos.evaluate import main as play_matches

        return play_matches(arguments, program, command)
    parser = _make_parser(program)
    options, given = parser.parse_given(arguments)
    try:
        announce(_check(options, given))
        play = _prepare(options, command or typed_command(program, arguments), program)
    except (ValueError, OSError, PolicyError, MissingExtraError) as error:
        parser.error(explain(error))
    except KeyboardInterrupt:
        say("interrupted before the first game")
        return INTERRUPTED
    try:
        return play()
    except play_errors() as error:
        say(f"{parser.prog}: {explain(error)}")
        return FAILED


def _make_parser(program: str) -> Parser:
    parser = Parser(
        prog=program,
        description="Score policies on the same seeded games of Minesweeper.",
        epilog=EXAMPLES.format(typed_command(program, ())),
    )
    _add_policy_options(parser.add_argument_group("policies", "--suite takes --policy alone of these."))
    pictures = parser.add_argument_group("pictures of games", "They need: pip install 'minesweeper-env[video]'")
    add_recording_options(pictures, parse_path, whole_number_from(1), positive_number)
    suites = parser.add_argument_group("suites")
    suites.add_argument(
        "--suite",
        metavar="NAME",
        help=f"play this suite, which needs --out; --policy adds policies to it: {', '.join(SUITES)}",
    )
    suites.add_argument(
        "--out",
        type=parse_path,
        metavar="DIR",
        help="write the games and results of a suite into this folder; the same command resumes it",
    )
    both = parser.add_argument_group("both")
    add_environment(both)
    both.add_argument(
        "--games",
        type=whole_number_from(1),
        metavar="N",
        help=f"play N games of each policy on each board (default {DEFAULT_GAMES}; suites have their own)",
    )
    add_seed(both)
    add_workers(both)
    add_wide(both)
    return parser


def _add_policy_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--policy",
        nargs="+",
        metavar="NAME",
        help=f"play these policies: {', '.join(policy_names())}; {ALL} names all of these. A run folder of train.py is "
        "a name, too, and so is an agent of the Hugging Face hub, as hf:user/repo@revision, and a class or function of "
        "yours, as path/file.py:NAME or package.module:NAME. Options "
        f"follow the name, as in NAME:option=value,option=value (default {' '.join(DEFAULT_POLICIES)})",
    )
    add_board_arguments(group)
    add_no_guess(group)
    group.add_argument(
        "--max-seconds",
        type=positive_number,
        metavar="SECONDS",
        help="begin no more games of a policy after this many seconds of play (default: no limit)",
    )
    group.add_argument("--diagnose", action="store_true", help="judge every click by the exact mine probabilities")
    group.add_argument("--json", type=parse_path, metavar="FILE", help="write the results into this file")
    group.add_argument(
        "--plot", type=parse_path, metavar="FILE", help=f"draw the win rates into this file: {', '.join(SUFFIXES)}"
    )


def _check(options: argparse.Namespace, given: Sequence[str]) -> str:
    """Checks what needs no heavy import, and completes the options; returns what the command is about to do.

    Raises:
        ValueError: an option is not allowed; the message is one line.
        MissingExtraError: a package is not installed.
    """
    check_workers(options)
    return _check_policies(options, given) if options.suite is None else _check_suite(options, given)


def _check_policies(options: argparse.Namespace, given: Sequence[str]) -> str:
    if options.out is not None:
        raise ValueError("--out is the folder of a suite; the files of --policy are --json and --plot")
    options.policy = options.policy or list(DEFAULT_POLICIES)
    config = _config(options)
    options.games = options.games or DEFAULT_GAMES
    check_seeds(options.seed, options.games)
    _check_files(options)
    check_recording(options, given, config.cells)
    for module in ("scipy", "rich") + (("matplotlib",) if options.plot is not None else ()):
        check_extra(module)
    for name in options.policy:
        if name != ALL:
            check_name(name)
    board = f"{board_of(config)}, first click {config.first_click}"
    logic = f",{no_guess_name(config.no_guess)}" if config.no_guess else ""
    return f"Play {options.games} games of {board}{logic}: {listed(options.policy)}"


def _check_suite(options: argparse.Namespace, given: Sequence[str]) -> str:
    foreign = [f"--{name.replace('_', '-')}" for name in given if name in POLICY_OPTIONS]
    if foreign:
        raise ValueError(f"a suite has its own boards, and takes no {', '.join(foreign)}")
    if options.out is None:
        raise ValueError("a suite needs a folder for its games and results: --out DIR")
    if options.policy is not None and ALL in options.policy:
        raise ValueError(f"a suite takes further policies by name, not {ALL}")
    for name in options.policy or ():
        check_name(name)
    suite = find_suite(options.suite).with_policies(options.policy or ())
    options.seed = options.seed if "seed" in given else None
    games = options.games or suite.games
    suite.seeds_of(options.seed, games)
    for module in SUITE_NEEDS:
        check_extra(module)
    policies, boards = len(suite.entries), len(suite.boards)
    what = f"{policies} policies on {boards} boards, {games} games each"
    return f"Play the suite {suite.name} into {options.out}: {what}"


def _config(options: argparse.Namespace) -> BoardConfig:
    rules = {"first_click": options.first_click, "no_guess": options.no_guess}
    return BoardConfig.of_size(options.size, options.mines, **rules, moves=("click",))


def _check_files(options: argparse.Namespace) -> None:
    files = [path for path in (options.json, options.plot, options.record, options.gallery) if path is not None]
    if len(set(map(os.path.realpath, files))) < len(files):
        raise ValueError("two options name the same file; --json, --plot, --record and --gallery need one each")
    for path in (options.json, options.plot):
        if path is not None:
            check_writable(path)
    if options.plot is not None:
        check_plot(options.plot)


def _prepare(options: argparse.Namespace, command: str, program: str) -> Callable[[], int]:
    """Checks the rest of what can be checked before the first game; returns the function that plays."""
    if options.suite is None:
        from baselines.cli.policies import PolicyRun

        return PolicyRun.prepare(options, _config(options), command).play
    from baselines.cli.suite import SuiteRun

    added = [pinned(name) for name in options.policy or ()]
    run = SuiteRun.prepare(options.suite, options.out, options.seed, options.games, command, program, added)
    return lambda: run.play(chosen_workers(options), wide=options.wide)
