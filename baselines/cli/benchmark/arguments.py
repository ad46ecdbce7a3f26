"""Arguments of `python -m baselines benchmark`."""

from __future__ import annotations

import argparse
from pathlib import Path

from baselines.cli.arguments import Parser, add_count, add_workers, parse_path, positive_number, whole_number_from
from baselines.cli.start import MODULE
from baselines.evaluation.protocol import PROTOCOL

PROGRAM = f"{MODULE} benchmark"
TIMED_SECONDS = 20.0

EXAMPLES = f"""\
examples:
  {PROGRAM} run --policy mine.py:Agent --track board --author "A. Nonym" --out runs/benchmark
  {PROGRAM} check runs/benchmark/mine.py_Agent.json --replay 100
"""


def make_parser() -> Parser:
    """Returns the parser, with a subparser for each kind of work."""
    parser = Parser(
        prog=PROGRAM,
        description=f"Enter policies in benchmark {PROTOCOL.version}; docs/benchmark.md states the protocol.",
        epilog=EXAMPLES,
    )
    works = parser.add_subparsers(dest="work", metavar="WORK", required=True)
    run = works.add_parser("run", help="play policies, and write a result file of each")
    pack = works.add_parser("pack", help="write result files from the games that folders hold so far")
    check = works.add_parser("check", help="check result files, and replay the sampled games")
    timed = works.add_parser("time", help="measure the time per game on a free core, and note it in the files")
    add = works.add_parser("add", help="check result files, add them to docs/leaderboard, and rewrite the tables")
    _add_run_options(run)
    pack.add_argument("folders", nargs="+", type=parse_path, metavar="DIR", help="read the games of these folders")
    for each in (run, pack):
        _add_card_options(each)
        each.add_argument("--out", type=parse_path, required=True, metavar="DIR", help="write the result files here")
    for each in (check, timed, add):
        each.add_argument("files", nargs="+", type=parse_path, metavar="FILE", help="take these result files")
    for each in (check, add):
        each.add_argument(
            "--replay",
            type=whole_number_from(0),
            default=0,
            metavar="N",
            help="play N more games of each board with the policy itself (default 0)",
        )
    for each in (check, timed, add):
        each.add_argument(
            "--policy",
            metavar="NAME",
            help="play NAME where the policy of a file may run code; read that code first (default: refuse the file)",
        )
    timed.add_argument(
        "--seconds",
        type=positive_number,
        default=TIMED_SECONDS,
        metavar="S",
        help=f"play about S seconds on each board (default {TIMED_SECONDS:g})",
    )
    timed.add_argument("--anyway", action="store_true", help="measure on a busy machine, too")
    add.add_argument(
        "--docs", type=parse_path, default=Path("docs"), metavar="DIR", help="add to this documentation (default docs)"
    )
    return parser


def _add_run_options(run: argparse.ArgumentParser) -> None:
    least, most = PROTOCOL.least_games, len(PROTOCOL.seeds)
    add_count(run, "--games", f"play N games on each board, {least} to {most}", least)
    run.add_argument("--boards", nargs="+", metavar="BOARD", help="play these boards, such as 8x8/14 (default all)")
    run.add_argument("--first-click", nargs="+", metavar="RULE", help="play these first-click rules (default all)")
    add_workers(run)


def _add_card_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--policy", nargs="+", required=True, metavar="NAME", help="enter these policies")
    card = parser.add_argument_group("card of the entry (known for the policies of the package)")
    card.add_argument("--name", help="name it so in the tables (default the policy)")
    card.add_argument("--track", help=f"enter it in this track: {', '.join(PROTOCOL.tracks)}")
    card.add_argument("--author", help="name its author")
    card.add_argument("--link", nargs="+", dest="links", metavar="URL", help="link its code, weights or paper")
    card.add_argument(
        "--training-steps", type=whole_number_from(0), metavar="N", help="state the steps of its training"
    )
    card.add_argument("--training-hours", type=positive_number, metavar="H", help="state the hours of its training")
    card.add_argument("--hardware", help="state the hardware of the training")
