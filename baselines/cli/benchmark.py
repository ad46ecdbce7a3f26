"""`minesweeper benchmark`: play the benchmark, and make, check, time and add result files."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.benchmark.protocol import INFERENCE, PROTOCOL, PROTOCOLS, TRACKS
from baselines.checks import check_extra
from baselines.cli import command
from baselines.cli.command import Command, Parser, Work, add_options, chosen_workers, positive_number, whole_number_from
from minesweeper_env.console import say

if TYPE_CHECKING:
    from baselines.benchmark.cards import Card
    from baselines.benchmark.result_files import ResultFile

EXAMPLES = """\
{0} run --policy mine.py:Agent --track board --author "A. Nonym" --out runs/benchmark
{0} check runs/benchmark/mine.py_Agent.json --replay 100 --policy mine.py:Agent"""

CARD_FIELDS = ("name", "track", "inference", "author", "links", "training_steps", "training_hours", "hardware")


def _prepare(options: argparse.Namespace) -> Work:
    say(f"Benchmark {options.work}: {', '.join(options.policy if options.work == 'run' else map(str, options.files))}")
    check_extra(*(command.SUITE_NEEDS if options.work == "run" else ("rich", "msgspec")))
    if options.work in ("check", "add") and options.policy is not None and not options.replay:
        raise ValueError("--policy needs --replay N: without it no policy plays")
    if options.work == "run":
        return _prepare_run(options)
    from baselines.benchmark.suites import MANIFEST

    # OUT/*.json also matches the manifest of `run`.
    options.files = [path for path in options.files if path.name != MANIFEST] or options.files
    return _prepare_add(options) if options.work == "add" else partial(_check_or_time, options)


def _add_arguments(parser: Parser) -> None:
    subcommands = parser.add_subparsers(dest="work", metavar="run|check|time|add", required=True)
    texts = {
        "run": "play policies, and write a result file of each",
        "check": "check result files, replay sampled games",
        "time": "note the time per game, on a machine that does nothing else",
        "add": "check files, and add them to the tables",
    }
    run, check, timed, add = (subcommands.add_parser(name, help=text, description=text) for name, text in texts.items())
    _add_run_options(run)
    for subparser in (check, timed, add):
        subparser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="take these result files")
        text = "let the policy of a file run its code, NAME; read that code first (default: refuse such a file)"
        subparser.add_argument("--policy", metavar="NAME", help=text)
    for subparser in (check, add):
        text = "play N more games of each board with the policy itself"
        subparser.add_argument("--replay", type=whole_number_from(0), default=0, metavar="N", help=text)
    text = "play about S seconds on each board"
    timed.add_argument("--seconds", type=positive_number, default=20, metavar="S", help=text)
    add.add_argument("--yes", action="store_true", help="replace earlier entries of the same author without asking")
    add.add_argument("--docs", type=Path, default=Path("docs"), metavar="DIR", help="docs of a clone (default docs)")


def _add_run_options(run: argparse.ArgumentParser) -> None:
    run.set_defaults(state_note="; the games so far are in {out}: the same command goes on")
    ranges = ", ".join(f"{rules.least_games} to {len(rules.seeds)} of {name}" for name, rules in PROTOCOLS.items())
    add_options(run, "--games", default=None, help=f"play N games on each board, {ranges} (default the first number)")
    add_options(run, "--boards", help="play these boards, such as 8x8/14 (default all)")
    run.add_argument("--first-click", nargs="+", metavar="RULE", help="play these first-click rules (default all)")
    text = f"play the boards of this protocol: {', '.join(PROTOCOLS)} (default {PROTOCOL.version})"
    run.add_argument("--protocol", choices=PROTOCOLS, default=PROTOCOL.version, metavar="VERSION", help=text)
    add_options(run, "--workers", "--ray")
    add_options(run, "--policy", required=True, help="enter these policies")
    add_options(run, "--out", required=True, help="write the games and the result files here")
    card = run.add_argument_group("card of the entry (known for the policies of the package)")
    card.add_argument("--name", help="name it so, and several trainings NAME@1, NAME@2 (default the policy)")
    card.add_argument("--track", help=f"enter it in this track: {', '.join(TRACKS)}")
    text = f"state its inference at play: {', '.join(INFERENCE)} (default the first of its track)"
    card.add_argument("--inference", help=text)
    card.add_argument("--author", help="name its author")
    card.add_argument("--link", nargs="+", dest="links", metavar="URL", help="link its code, weights or paper")
    text = "state the steps of its training"
    card.add_argument("--training-steps", type=whole_number_from(0), metavar="N", help=text)
    card.add_argument("--training-hours", type=positive_number, metavar="H", help="state its training in core-hours")
    card.add_argument("--hardware", help="state the hardware of the training")


def _cards(options: argparse.Namespace) -> list[Card]:
    """Pins the policies and returns their cards; raises ValueError if a card lacks a field or replaces another file."""
    import msgspec

    from baselines.benchmark.cards import check_card
    from baselines.benchmark.entries import card_for, earlier_file
    from baselines.benchmark.suites import MANIFEST
    from baselines.registry import check_distinct

    options.policy = [policy.pinned().name for policy in check_distinct(options.policy)]
    stated = {name: getattr(options, name) for name in CARD_FIELDS}
    cards = [card_for(policy, **stated) for policy in options.policy]
    if len(cards) > 1 and options.name is not None:  # The policies are trainings of one entry.
        cards = [msgspec.structs.replace(card, name=f"{card.name}@{number}") for number, card in enumerate(cards, 1)]
    for card in cards:
        if card.file_name == MANIFEST:
            raise ValueError(f"{MANIFEST} tells what the folder holds; choose another --name")
        check_card(card, PROTOCOLS[options.protocol])
        earlier_file(card, options.out)
    return cards


def _prepare_run(options: argparse.Namespace) -> Work:
    from baselines.benchmark.entries import suite_of, write_entry
    from baselines.benchmark.run import SuiteRun

    cards = _cards(options)
    protocol = PROTOCOLS[options.protocol]
    games = protocol.least_games if options.games is None else options.games
    if games < protocol.least_games:
        raise ValueError(f"an entry plays at least {protocol.least_games} games on a board, not {games}")
    suite = suite_of(options.policy, options.boards, options.first_click, protocol)
    run = SuiteRun(suite, options.out, None, games, options.command)

    def play() -> None:
        run.play(chosen_workers(options, options.policy))
        for card in cards:
            write_entry(card, run, protocol)

    return play


def _check_or_time(options: argparse.Namespace) -> None:
    from baselines.benchmark.entries import check_entry, time_entry

    for path in options.files:
        if options.work == "check":
            check_entry(path, options.replay, options.policy)
        else:
            time_entry(path, options.policy, options.seconds)


def _prepare_add(options: argparse.Namespace) -> Work:
    """Finds the documentation; returns a function that checks the files, adds them, and rewrites the tables."""
    from baselines.benchmark.entries import check_entry

    script = options.docs / "generate" / "pages.py"
    if not (script.is_file() and (options.docs / ".." / "README.md").is_file()):
        raise ValueError(
            f"{options.docs} is no folder docs of a clone of this project: run this in a clone, or name it by --docs"
        )

    def add() -> int:
        for path in options.files:
            result = check_entry(path, options.replay, options.policy)
            folder = options.docs / "leaderboard" / result.protocol
            _check_admissible(result, folder, options.yes)
            folder.mkdir(parents=True, exist_ok=True)
            result.write(folder / result.card.file_name)
            say(f"wrote {folder / result.card.file_name}; now the tables of {options.docs} are computed")
        # The script imports the project that checks the files here, installed or not.
        paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        return subprocess.run([sys.executable, script, "results"], check=False, env=environment).returncode

    return add


def _check_admissible(result: ResultFile, folder: Path, is_confirmed: bool) -> None:
    """Raises ValueError unless a result file may be added to the leaderboard in `folder`, that of its protocol.

    The name must not be another author's, and no board of an earlier file may be lost. Unless `is_confirmed`, the user
    is asked about a change of existing rows: a replaced file, or an entry of one training that becomes one of several.
    """
    from baselines.benchmark.cards import check_name_is_free
    from baselines.benchmark.entries import earlier_file
    from baselines.benchmark.leaderboard import read_results

    card = result.card
    cards_in = {protocol: [file.card for file in read_results(protocol)] for protocol in folder.parent.glob("*")}
    check_name_is_free(card, chain(*cards_in.values()))
    earlier = earlier_file(card, folder)
    if earlier and (lost := {board.name for board in earlier.boards} - {board.name for board in result.boards}):
        problem = f"{folder / card.file_name} also has games on {', '.join(sorted(lost))}"
        raise ValueError(f"{problem}: run these boards into the new file, too, or delete the old one")
    is_new, identity = earlier != result, (card.author, card.entry)
    trainings = [other.name for other in cards_in.get(folder, ()) if (other.author, other.entry) == identity]
    # A file of the same name is replaced; a file named ENTRY and files named ENTRY@1, ENTRY@2 change each other's row.
    changed = [name for name in trainings if name == card.name or card.entry in (name, card.name)]
    if is_confirmed or not (is_new and changed):
        return
    question = f"{card.name} by {card.author} changes the row of {', '.join(changed)} in {folder}"
    if not sys.stdin.isatty():
        raise ValueError(f"{question}; if that is meant, add --yes")
    if input(f"{question}. Go on? [y/N] ").strip().lower() not in ("y", "yes"):
        raise ValueError("nothing was added")


main = Command(
    "benchmark",
    f"Enter policies in benchmark {' or '.join(PROTOCOLS)}; docs/benchmark.md states the protocols.",
    EXAMPLES,
    _add_arguments,
    _prepare,
    errors=(ValueError,),
).main
