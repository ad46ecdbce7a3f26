"""`python evaluate.py --env Azulejos-v0`: play policies against each other on seeded boards, from both seats."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from azulejos_env.config import MAX_COLOURS, MAX_SIDE, GameConfig
from baselines.azulejos.matches.roster import check_names, pinned, policy_names
from baselines.cli.arguments import (
    FAILED,
    INTERRUPTED,
    MOST_WORKERS,
    Parser,
    add_count,
    add_wide,
    parse_path,
    parse_size,
    whole_number_from,
)
from baselines.cli.azulejos.arguments import AzulejosParser
from baselines.cli.environments import AZULEJOS, add_environment
from baselines.cli.failures import explain, play_errors
from baselines.cli.start import announce, listed, typed_command
from baselines.evaluation.seeds import check_seeds
from baselines.policy import PolicyError
from baselines.support.board_names import colours_name, size_name
from baselines.support.extras import MissingExtraError, check_extra
from baselines.support.figures import check_plot
from baselines.support.files import check_writable
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from baselines.azulejos.matches.players import Player
    from baselines.azulejos.matches.report import Report
    from baselines.azulejos.matches.tournament import Games, Tournament

PROGRAM = "evaluate.py"

DEFAULT_GAMES = 1000
"""The number of games of each pair without --games."""

DEFAULT_POLICIES = ("random", "greedy", "minimax:depth=2")
"""The policies that play without --policy, weakest first."""

CHECKPOINT_SECONDS = 10.0
"""Time between two writings of the results so far into the file of --json."""

EXAMPLES = """\
examples:
  {0} --env Azulejos-v0 --policy random greedy minimax:depth=4
  {0} --env Azulejos-v0 --policy runs/tiles greedy --games 4000 --json results.json
  {0} --env Azulejos-v0 --policy mine.py:Corner minimax:depth=2 --size 15 --colours 4 --plot elo.png
"""


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM, command: str | None = None) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.
        command: command line to record; None for the program with its arguments.

    Returns:
        0 when all games are played, 130 after Ctrl-C, 1 after one of `play_errors`. In every case the results of the
        boards that all pairs have played are printed, and written where that is possible.
    """
    parser = _make_parser(program)
    options = parser.parse_args(arguments)
    try:
        announce(_check(options))
        from baselines.azulejos.matches.tournament import Tournament

        options.policy = [pinned(name) for name in options.policy]
        check_names(options.policy)
        tournament = Tournament(_config(options), tuple(options.policy), options.seed, options.games // 2)
        players = tournament.players()
    except (ValueError, OSError, PolicyError, MissingExtraError) as error:
        parser.error(explain(error))
    except KeyboardInterrupt:
        say("interrupted before the first game")
        return INTERRUPTED
    try:
        return _play(options, tournament, players, command or typed_command(program, arguments))
    except play_errors() as error:
        say(f"{parser.prog}: {explain(error)}")
        return FAILED


def _make_parser(program: str) -> Parser:
    parser = AzulejosParser(
        prog=program,
        description="Play policies against each other on seeded boards of Azulejos: each pair plays each board twice, "
        "with either policy moving first.",
        epilog=EXAMPLES.format(typed_command(program, ())),
    )
    add_environment(parser, AZULEJOS)
    parser.add_argument(
        "--policy",
        nargs="+",
        default=list(DEFAULT_POLICIES),
        metavar="NAME",
        help=f"play every pair of these policies: {', '.join(policy_names())}, a run folder of "
        f"train.py --env {AZULEJOS}, an agent of the Hugging Face hub as hf:user/repo@revision, or a class or function "
        "of yours, as path/file.py:NAME or package.module:NAME. Options follow the name, as in "
        f"minimax:depth=4,nodes=5000 (default {' '.join(DEFAULT_POLICIES)})",
    )
    parser.add_argument(
        "--games",
        type=_even_number,
        default=DEFAULT_GAMES,
        metavar="N",
        help=f"play N games of each pair, two on each board; N is even (default {DEFAULT_GAMES})",
    )
    parser.add_argument(
        "--seed",
        type=whole_number_from(0),
        default=0,
        metavar="SEED",
        help="give board i the seed SEED + i (default 0)",
    )
    parser.add_argument(
        "--size",
        type=parse_size,
        default=(8, 8),
        metavar="SIZE",
        help=f"play on a square board of this side, or on ROWSxCOLS such as 10x12, at most {MAX_SIDE} each (default 8)",
    )
    parser.add_argument(
        "--colours",
        type=whole_number_from(1),
        default=3,
        metavar="K",
        help=f"use K colours, 1 to {MAX_COLOURS} (default 3)",
    )
    add_count(parser, "--workers", "play in N worker processes", 1, MOST_WORKERS)
    parser.add_argument(
        "--json", type=parse_path, metavar="FILE", help="write the results into this file, also while the games go on"
    )
    parser.add_argument(
        "--plot", type=parse_path, metavar="FILE", help="draw the win rates and ratings into this file, such as elo.png"
    )
    add_wide(parser)
    return parser


def _even_number(text: str) -> int:
    number = whole_number_from(2)(text)
    if number % 2:
        raise argparse.ArgumentTypeError(f"must be even, since each board is played twice, not {text!r}")
    return number


def _check(options: argparse.Namespace) -> str:
    """Checks what needs no heavy import; returns what the command is about to do.

    Raises:
        ValueError: an option is not allowed; the message is one line.
        MissingExtraError: a package is not installed.
    """
    config = _config(options)
    check_seeds(options.seed, options.games // 2)
    for path in (options.json, options.plot):
        if path is not None:
            check_writable(path)
    if options.plot is not None:
        check_plot(options.plot)
    check_names(options.policy)
    for module in ("scipy", "rich") + (("matplotlib",) if options.plot is not None else ()):
        check_extra(module)
    board = f"{size_name(config.rows, config.cols)} with {colours_name(config.colours)}"
    return f"Play {options.games} games of Azulejos on {board} between each two of {listed(options.policy)}"


def _config(options: argparse.Namespace) -> GameConfig:
    return GameConfig.of_size(options.size, colours=options.colours)


def _play(options: argparse.Namespace, tournament: Tournament, players: Sequence[Player], command: str) -> int:
    """Plays and reports all games, also those from before an error; returns the exit status."""
    from baselines.azulejos.matches.report import Report
    from baselines.azulejos.matches.tournament import Games

    games, status = Games(tournament), 0
    try:
        _play_all(options, tournament, players, games, command)
    except KeyboardInterrupt:
        status = INTERRUPTED
    finally:
        _finish(options, Report(tournament, games, command))
    if status:
        complete = Report(tournament, games, command).boards
        say(f"interrupted: {complete} of {tournament.boards} boards were complete")
    return status


def _play_all(
    options: argparse.Namespace, tournament: Tournament, players: Sequence[Player], games: Games, command: str
) -> None:
    from baselines.azulejos.matches.report import Report
    from baselines.azulejos.matches.tournament import play_blocks
    from baselines.terminal.progress import game_bar

    written = time.monotonic()
    with (
        game_bar("playing", listed(options.policy), tournament.games) as on_finished,
        closing(play_blocks(tournament, players, options.workers)) as blocks,
    ):
        for block, scores in blocks:
            on_finished(games.add(block, scores))
            if options.json is not None and time.monotonic() > written + CHECKPOINT_SECONDS:
                Report(tournament, games, command).write_json(options.json)
                written = time.monotonic()


def _finish(options: argparse.Namespace, report: Report) -> None:
    """Prints and writes the results; nothing before every pair has played a board."""
    if not report.boards:
        return
    if options.json is not None:
        report.write_json(options.json)
    if options.plot is not None:
        from baselines.azulejos.matches.plot import write_plot

        write_plot(report, options.plot)
    report.print_tables(options.wide)
