"""`minesweeper benchmark`: play the benchmark, and make, check, time and add result files."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.benchmark.protocol import PROTOCOL
from baselines.cli.arguments import (
    SUITE_NEEDS,
    Parser,
    check_workers,
    chosen_workers,
    parse_path,
    positive_number,
    share,
    whole_number_from,
)
from baselines.cli.command import Command, Work
from baselines.cli.start import announce, listed
from baselines.support.extras import check_extra
from minesweeper_env.notices import say
from minesweeper_env.texts import printable

if TYPE_CHECKING:
    from baselines.benchmark.result_files import Card, ResultFile

EXAMPLES = """\
{0} run --policy mine.py:Agent --track board --author "A. Nonym" --out runs/benchmark
{0} check runs/benchmark/mine.py_Agent.json --replay 100"""


def _prepare(options: argparse.Namespace) -> Work:
    announce(options.aim.format(PROTOCOL.version, listed(options.policy if "out" in options else options.files)))
    for module in SUITE_NEEDS if options.work == "run" else ("rich", "msgspec"):
        check_extra(module)
    work: Work = options.prepare(options)
    return work


def _add_arguments(parser: Parser) -> None:
    works = parser.add_subparsers(dest="work", metavar="WORK", required=True)

    def add_work(name: str, prepare: Callable[..., object], aim: str, meaning: str) -> argparse.ArgumentParser:
        work = works.add_parser(name, help=meaning)
        work.set_defaults(prepare=prepare, aim=aim)
        return work

    run = add_work("run", _prepare_run, "Play benchmark {}: {}", "play policies, and write a result file of each")
    pack = add_work(
        "pack", _prepare_pack, "Write result files of benchmark {}: {}", "write result files from games so far"
    )
    check = add_work("check", _prepare_check, "Check for benchmark {}: {}", "check result files, replay sampled games")
    timed = add_work("time", _prepare_time, "Measure the times of {}: {}", "note the time per game on a free core")
    add = add_work(
        "add", _prepare_add, "Check and add to leaderboard {}: {}", "check files, and add them to the tables"
    )
    _add_run_options(run)
    pack.add_argument("folders", nargs="+", type=parse_path, metavar="DIR", help="read the games of these folders")
    for each in (run, pack):
        _add_card_options(each)
        share(each, "--out", required=True, help="write the result files here")
    for each in (check, timed, add):
        each.add_argument("files", nargs="+", type=parse_path, metavar="FILE", help="take these result files")
        each.add_argument(
            "--policy",
            metavar="NAME",
            help="play NAME where the policy of a file may run code; read that code first (default: refuse the file)",
        )
    for each in (check, add):
        each.add_argument(
            "--replay",
            type=whole_number_from(0),
            default=0,
            metavar="N",
            help="play N more games of each board with the policy itself",
        )
    timed.add_argument(
        "--seconds", type=positive_number, default=20, metavar="S", help="play about S seconds on each board"
    )
    timed.add_argument("--anyway", action="store_true", help="measure on a busy machine, too")
    add.add_argument("--docs", type=parse_path, default=Path("docs"), metavar="DIR", help="add to this documentation")


def _add_run_options(run: argparse.ArgumentParser) -> None:
    least, most = PROTOCOL.least_games, len(PROTOCOL.seeds)
    run.set_defaults(left="; the games so far are in {out}: the same command goes on")
    share(run, "--games", default=least, help=f"play N games on each board, {least} to {most}")
    run.add_argument("--boards", nargs="+", metavar="BOARD", help="play these boards, such as 8x8/14 (default all)")
    run.add_argument("--first-click", nargs="+", metavar="RULE", help="play these first-click rules (default all)")
    share(run, "--workers", "--ray")


def _add_card_options(parser: argparse.ArgumentParser) -> None:
    share(parser, "--policy", required=True, help="enter these policies")
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


def _cards(options: argparse.Namespace) -> list[Card]:
    """Returns the cards of all policies.

    Raises:
        ValueError: a card lacks a field, one name is given for several policies, or another file would be replaced.
    """
    from baselines.benchmark.entries import card_for
    from baselines.registry import pinned

    options.policy = [pinned(policy) for policy in options.policy]
    fields = ("name", "track", "author", "links", "training_steps", "training_hours", "hardware")
    given = {name: getattr(options, name) for name in fields}
    if len(options.policy) > 1 and options.name is not None:
        raise ValueError("--name is for one policy, not for several")
    cards = [card_for(policy, **given) for policy in options.policy]
    for card in cards:
        _earlier(card, options.out)
    return cards


def _prepare_run(options: argparse.Namespace) -> Callable[[], None]:
    from baselines.benchmark.entries import suite_of
    from baselines.benchmark.run import SuiteRun

    check_workers(options)
    cards = _cards(options)
    if options.games < PROTOCOL.least_games:
        raise ValueError(f"an entry plays at least {PROTOCOL.least_games} games on a board, not {options.games}")
    suite = suite_of(options.policy, options.boards, options.first_click)
    run = SuiteRun(suite, options.out, None, options.games, options.command)

    def play() -> None:
        run.play(chosen_workers(options, options.policy))
        _write_files(cards, [options.out], options.out)

    return play


def _prepare_pack(options: argparse.Namespace) -> Callable[[], None]:
    cards = _cards(options)
    options.out.mkdir(parents=True, exist_ok=True)
    return lambda: _write_files(cards, options.folders, options.out)


def _write_files(cards: Sequence[Card], folders: Sequence[Path], out: Path) -> None:
    from baselines.benchmark.entries import collect, with_times_of

    for card in cards:
        result, missing = collect(card, folders)
        if (earlier := _earlier(card, out)) is not None:
            result = with_times_of(earlier, result)
        result.write(out / card.file_name)
        for line in missing:
            say(line)
        _print_result(result)
        say(f"wrote {out / card.file_name}")


def _earlier(card: Card, out: Path) -> ResultFile | None:
    """Returns the earlier result file of an entry in a folder; None if there is none.

    Raises:
        ValueError: the file of this name is another one, which the new one would replace.
    """
    from baselines.benchmark.result_files import RefusedFileError, read_result_file

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
    from baselines.evaluation.columns import table_of
    from baselines.evaluation.intervals import wilson_interval
    from baselines.support.tables import Page

    rows = [
        {"board": games.name, "games": games.games, "wins": games.wins, "win_rate": games.wins / games.games}
        | {"ci95": wilson_interval(games.wins, games.games)}
        for games in result.boards
    ]
    page = Page.for_stdout()
    names = ("board", "games", "wins", "win_rate", "interval")
    page.table(table_of(f"{result.card.name}, track {result.card.track}", names, rows))
    page.print()


def _prepare_check(options: argparse.Namespace) -> Callable[[], None]:
    def work() -> None:
        for path in options.files:
            _check(path, options)

    return work


def _check(path: Path, options: argparse.Namespace) -> ResultFile:
    """Checks a file, prints what was checked, and returns its content; raises RefusedFileError."""
    from baselines.benchmark.result_files import check_result_file

    result, sampled = check_result_file(path)
    total = sum(games.games for games in result.boards)
    boards = "1 board" if len(result.boards) == 1 else f"{len(result.boards)} boards"
    line = f"{path}: passed; {boards}, {total} games, {sampled} replayed ({sampled / total:.1%})"
    line += f", {_replay(path, result, options)} more played by the policy itself" if options.replay else ""
    print(printable(line))
    return result


def _replay(path: Path, result: ResultFile, options: argparse.Namespace) -> int:
    from baselines.benchmark.entries import replay_policy
    from baselines.benchmark.result_files import RefusedFileError
    from baselines.registry import policy_digest

    policy, played = _policy(path, result, options), 0
    if policy_digest(policy) != result.card.sha256:
        raise RefusedFileError(f"{path}: {policy} has other files here than those that played")
    for games in result.boards:
        count, fault = replay_policy(policy, games, options.replay)
        if fault is not None:
            raise RefusedFileError(f"{path}: {fault}")
        played += count
    return played


def _policy(path: Path, result: ResultFile, options: argparse.Namespace) -> str:
    """Returns what to play for a file: what it names only if that is data, otherwise what the user has typed."""
    from baselines.registry import policy_of_file

    try:
        return policy_of_file(result.card.policy, path.parent, options.policy)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _prepare_time(options: argparse.Namespace) -> Callable[[], None]:
    """Refuses a busy machine; returns what measures the times and notes them in the files."""
    from baselines.benchmark.entries import busy

    load = busy()
    if load is not None and not options.anyway:
        raise ValueError(
            f"the load of this machine is {load:.1f}, so a time would be wrong; add --anyway to measure it"
        )
    return lambda: _time(options)


def _time(options: argparse.Namespace) -> None:
    """Measures the times; each is in its file before the next begins, so an interruption loses none."""
    from msgspec.structs import replace

    from baselines.benchmark.entries import time_games
    from baselines.benchmark.result_files import Times, read_result_file
    from baselines.support.provenance import processor_name

    processor = processor_name()
    for path in options.files:
        result = read_result_file(path)
        policy = _policy(path, result, options)
        boards = result.times.boards if result.times is not None and result.times.processor == processor else {}
        for games in result.boards:
            boards = boards | {games.name: time_games(policy, games, options.seconds)}
            replace(result, times=Times(processor, boards)).write(path)
            print(f"{result.card.name} on {games.name}: {boards[games.name].ms_per_game:.3g} ms/game", flush=True)


def _prepare_add(options: argparse.Namespace) -> Callable[[], int]:
    """Looks for the documentation; returns what checks the files, adds them to it and rewrites the tables."""
    from baselines.benchmark.leaderboard import check_name

    script, folder = options.docs / "generate" / "pages.py", options.docs / "leaderboard" / "results"
    if not script.is_file():
        raise ValueError(
            f"{options.docs} has no generate/pages.py; run this in a checkout, or name its folder with --docs"
        )

    def work() -> int:
        for path in options.files:
            result = _check(path, options)
            check_name(result, folder)
            if (folder / result.card.file_name).exists():
                say(f"{result.card.name} by {result.card.author} replaces its earlier entry")
            folder.mkdir(parents=True, exist_ok=True)
            result.write(folder / result.card.file_name)
        package = str(Path(__file__).parents[2])
        paths = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "PYTHONPATH": paths}
        return subprocess.run([sys.executable, script, "tables"], check=False, env=environment).returncode

    return work


main = Command(
    "benchmark",
    f"Enter policies in benchmark {PROTOCOL.version}; docs/benchmark.md states the protocol.",
    EXAMPLES,
    _add_arguments,
    _prepare,
    errors=(ValueError,),
).main
