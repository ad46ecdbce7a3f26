"""Games of the benchmark, and their result files."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.cli.arguments import SUITE_NEEDS
from baselines.cli.benchmark.arguments import PROGRAM
from baselines.cli.distribution.workers import check_workers, chosen_workers
from baselines.cli.suite import play_into
from baselines.evaluation.protocol import PROTOCOL
from baselines.support.extras import check_extra
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from baselines.benchmark.cards import Card
    from baselines.benchmark.result_files import ResultFile

CARD_OPTIONS = ("name", "track", "author", "training_steps", "training_hours", "hardware")


def _cards(options: argparse.Namespace) -> list[Card]:
    """Returns the cards of all policies.

    Raises:
        ValueError: a card lacks a field, or one name is given for several policies.
    """
    from baselines.benchmark.cards import card_for
    from baselines.registry import pinned

    options.policy = [pinned(policy) for policy in options.policy]
    given = {name: getattr(options, name) for name in CARD_OPTIONS}
    given["links"] = None if options.links is None else tuple(options.links)
    if len(options.policy) > 1 and options.name is not None:
        raise ValueError("--name is for one policy, not for several")
    return [card_for(policy, **given) for policy in options.policy]


def prepare_run(options: argparse.Namespace) -> Callable[[], int]:
    """Checks the arguments of `run`; returns what plays the games, and writes a result file of each policy."""
    from baselines.benchmark.collect import suite_of
    from baselines.suites.run import SuiteRun

    for module in SUITE_NEEDS:
        check_extra(module)
    check_workers(options)
    cards = _cards(options)
    if options.games < PROTOCOL.least_games:
        raise ValueError(f"an entry plays at least {PROTOCOL.least_games} games on a board, not {options.games}")
    for card in cards:
        _earlier(card, options.out)
    suite = suite_of(options.policy, options.boards, options.first_click)
    run = SuiteRun.of(suite, options.out, None, options.games, options.command)

    def play() -> None:
        run.play(chosen_workers(options))
        _write_files(cards, [options.out], options.out)

    return lambda: play_into(options.out, play, PROGRAM)


def prepare_pack(options: argparse.Namespace) -> Callable[[], int]:
    """Checks the arguments of `pack`; returns what writes the result files."""
    cards = _cards(options)
    options.out.mkdir(parents=True, exist_ok=True)
    for card in cards:
        _earlier(card, options.out)
    return lambda: _write_files(cards, options.folders, options.out)


def _write_files(cards: Sequence[Card], folders: Sequence[Path], out: Path) -> int:
    from baselines.benchmark.collect import collect
    from baselines.benchmark.timing import times_that_hold

    for card in cards:
        result, missing = collect(card, folders)
        if (earlier := _earlier(card, out)) is not None:
            result = replace(result, times=times_that_hold(earlier, result))
        path = out / card.file_name
        result.write(path)
        for each in missing:
            say(f"{card.name} leaves out {each.board}: {each.reason}")
        _print_result(result)
        say(f"wrote {path}")
    return 0


def _earlier(card: Card, out: Path) -> ResultFile | None:
    """Returns the earlier result file of an entry in a folder; None if there is none.

    Raises:
        ValueError: the file of this name is another one, which the new one would replace.
    """
    from baselines.benchmark.checks import RefusedFileError, read_result_file

    path = out / card.file_name
    if not path.exists():
        return None
    try:
        earlier = read_result_file(path)
    except RefusedFileError as error:
        raise ValueError(f"{error}; choose another --name or --out, since no other file is replaced") from error
    if (earlier.card.name, earlier.card.author) != (card.name, card.author):
        raise ValueError(f"{path} is the entry {earlier.card.name!r} by {earlier.card.author!r}; choose another --out")
    return earlier


def _print_result(result: ResultFile) -> None:
    from baselines.evaluation.intervals import wilson_interval
    from baselines.terminal.page import Page
    from baselines.terminal.tables import Column, Table

    columns = [Column("board", "left"), Column("games"), Column("wins"), Column("win rate"), Column("95 % interval")]
    rows = []
    for games in result.boards:
        low, high = wilson_interval(games.wins, games.games)
        rate = games.wins / games.games
        rows.append([games.name, f"{games.games}", f"{games.wins}", f"{rate:.1%}", f"{low:.1%} to {high:.1%}"])
    page = Page.for_stdout()
    page.table(Table(f"{result.card.name}, track {result.card.track}", columns, rows))
    page.print()
