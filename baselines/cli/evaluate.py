"""`python evaluate.py`: play policies on seeded games."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from baselines import plot_style, process, registry
from baselines.checks import check_extra
from baselines.cli import command
from baselines.cli.command import BOARD, Command, Parser, Work, add_options, whole_number_from
from baselines.evaluation.seeds import check_seeds
from baselines.files import check_writable
from minesweeper_env.console import say

if TYPE_CHECKING:
    from baselines.evaluation.results import Results
    from baselines.evaluation.units import Assignment
    from minesweeper_env.config import BoardConfig

ALL = "all"
"""The name for all policies of `baselines.policy_names()` that can play the games."""

DEFAULT_POLICIES = ("random", "straightforward", "bayes", "exact", "lookahead")
"""The policies that play without --policy, weakest first."""

RECORD_SUFFIXES = (".gif", ".svg", ".mp4", ".png")
"""The endings of the files of --record; a .png shows only the last board."""

SPEED = 2
"""The default number of moves per second of --record."""

EXAMPLES = """\
{0} --policy exact bayes:prior=count --size 16x30
{0} --policy runs/dqn-8x8-14 lookahead --json results.json
{0} --policy exact straightforward --games 100 --record games.gif --record-all"""


def _add_arguments(parser: Parser) -> None:
    add_options(
        parser,
        "--policy",
        default=DEFAULT_POLICIES,
        help=f"play these policies: {', '.join(registry.policy_names())}; {ALL} names all of these. A run folder of "
        "train.py is a name, too, and so is an agent of the Hugging Face hub, as hf:user/repo@revision, and a class or "
        "function of yours, as path/file.py:NAME or package.module:NAME. Options follow the name, as in "
        "NAME:option=value,option=value. chat:model=NAME,url=URL asks a language model behind a chat server",
    )
    add_options(parser, *BOARD, "--games", "--seed", "--workers", "--ray", "--wide")
    add = parser.add_argument
    add("--diagnose", action="store_true", help="judge every click by the exact mine probabilities")
    add("--json", type=Path, metavar="FILE", help="write the results into this file")
    text = f"draw the win rates into this file: {', '.join(plot_style.SUFFIXES)}"
    add("--plot", type=Path, metavar="FILE", help=text)
    add = parser.add_argument_group("pictures of games", "They need: pip install '.[video]'").add_argument
    suffixes = f"{', '.join(RECORD_SUFFIXES)} (.png draws the last board)"
    text = f"draw games into this file, a frame per move with the risk of the click: {suffixes}"
    add("--record", type=Path, metavar="FILE", help=text)
    add("--record-games", type=whole_number_from(1), default=1, metavar="N", help="record the first N games, in turn")
    text = "record all policies side by side on the same seeds (default: the first policy alone)"
    add("--record-all", action="store_true", help=text)
    add("--record-overlay", action="store_true", help="write the mine probability on every covered cell, too")
    add("--record-speed", type=command.positive_number, default=SPEED, metavar="N", help="show N moves per second")


def _check(options: argparse.Namespace) -> None:
    """Checks the options that need no heavy import; raises ValueError or MissingExtraError."""
    check_seeds(options.seed, options.games)
    files = [path for path in (options.json, options.plot, options.record) if path is not None]
    for path in files:
        check_writable(path)
    if len(set(map(os.path.realpath, files))) < len(files):
        raise ValueError(f"--json, --plot and --record take a file each, not one for two: {', '.join(map(str, files))}")
    check_extra("scipy", "rich")
    if options.plot is not None:
        plot_style.check_plot(options.plot)
        check_extra("matplotlib")
    if options.record is not None:
        _check_recording(options)
    elif options.record_all or options.record_overlay or options.record_games > 1 or options.record_speed != SPEED:
        raise ValueError("--record-games, --record-all, --record-overlay and --record-speed need --record FILE")
    for name in options.policy:
        if name != ALL:
            registry.Specification.of(name).check()


def _check_recording(options: argparse.Namespace) -> None:
    if options.record.suffix not in RECORD_SUFFIXES:
        raise ValueError(f"--record takes a file that ends in {' or '.join(RECORD_SUFFIXES)}, not {options.record}")
    if options.record_games > options.games:
        raise ValueError(f"--record-games records some of the {options.games} games played, not {options.record_games}")
    if not 0.01 <= options.record_speed <= 100:
        raise ValueError(f"--record-speed shows 0.01 to 100 moves per second, not {options.record_speed:g}")
    check_extra("PIL", *(("imageio", "imageio_ffmpeg") if options.record.suffix == ".mp4" else ()), extra="video")


def _prepare(options: argparse.Namespace) -> Work:
    config = command.chosen_board(options)
    _check(options)
    say(f"Play {options.games} games of {config.in_words}, {config.rules}: {', '.join(options.policy)}")
    from baselines.evaluation.results import Results

    results = Results(config, options.seed, options.games, [], command=options.command)
    seeds = range(options.seed, options.seed + options.games)
    records = options.record is not None
    assignments = choose_policies(options.policy, config, seeds, diagnose=options.diagnose, record=records)
    return partial(_work, assignments, results, options)


def _work(assignments: Sequence[Assignment], results: Results, options: argparse.Namespace) -> int:
    """Plays all games and reports `results`, which it fills; returns the exit status."""
    from baselines.evaluation.evaluate import play

    try:
        with command.chosen_workers(options, [assignment.name for assignment in assignments]) as workers:
            for assignment in assignments:
                result = play(assignment, workers)
                if result.records:
                    results.policies.append(result)
                if options.json is not None and results.policies:  # Without a result, an earlier file is kept.
                    results.to_json(options.json)
                if result.interrupted:
                    say(f"interrupted: {assignment.name} had played {result.games} games")
                    return process.INTERRUPTED
        for assignment in assignments:
            assignment.end_transcripts()
    finally:
        if results.policies:
            results.print(options.wide)
            if options.plot is not None:
                results.plot(options.plot)
    if options.record is not None:
        from baselines.recording import write_picture

        write_picture(options, {each.name: (each.config, results[each.name].records) for each in assignments})
    return 0


def choose_policies(
    chosen: Sequence[str], config: BoardConfig, seeds: range, *, diagnose: bool = False, record: bool = False
) -> list[Assignment]:
    """Makes each policy once, and returns an assignment of the games to each; for the arguments see `prepare`.

    A policy of `ALL` that cannot play these games is left out, with a note on stderr. Raises ValueError for one chosen
    by name, for two policies that share transcripts, and, with `diagnose`, for games that the oracle cannot judge.
    """
    from baselines.evaluation.evaluate import prepare
    from baselines.evaluation.units import check_transcripts

    if diagnose:
        from baselines.evaluation.judge import check_judgeable

        check_judgeable(config)
    assignments: dict[str, Assignment] = {}
    for choice in chosen:
        for name in registry.policy_names() if choice == ALL else [choice]:
            try:
                assignment = prepare(registry.find_policy(name), config, seeds, diagnose=diagnose, record=record)
                assignments[assignment.name] = assignment
            except ValueError as error:
                if choice != ALL or name in chosen:
                    raise
                say(f"{name} is left out: {error}")
    if not assignments:
        raise ValueError(f"none of the policies plays games of {config.in_words}, {config.rules}")
    check_transcripts(assignments.values())
    return list(assignments.values())


main = Command(
    "evaluate", "Score policies on the same seeded games of Minesweeper.", EXAMPLES, _add_arguments, _prepare
).main
