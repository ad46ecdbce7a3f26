"""Checks of result files, their times per game, and their way into the leaderboard."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minesweeper_env.notices import say
from minesweeper_env.texts import printable

if TYPE_CHECKING:
    from baselines.benchmark.result_files import ResultFile


def prepare_check(options: argparse.Namespace) -> Callable[[], int]:
    """Returns what checks the files."""

    def work() -> int:
        for path in options.files:
            _check(path, options)
        return 0

    return work


def _check(path: Path, options: argparse.Namespace) -> ResultFile:
    """Checks a file, prints what was checked, and returns its content.

    Raises:
        RefusedFileError: the file is refused.
    """
    from baselines.benchmark.checks import check_result_file

    result, sampled = check_result_file(path)
    replayed = options.replay
    total = sum(games.games for games in result.boards)
    boards = "1 board" if len(result.boards) == 1 else f"{len(result.boards)} boards"
    line = f"{path}: passed; {boards}, {total} games, {sampled} replayed ({sampled / total:.1%})"
    line += f", {_replay(path, result, options)} more played by the policy itself" if replayed else ""
    print(printable(line))
    return result


def _replay(path: Path, result: ResultFile, options: argparse.Namespace) -> int:
    from baselines.benchmark.checks import RefusedFileError
    from baselines.benchmark.replay import replay_policy
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
    from baselines.benchmark.checks import RefusedFileError
    from baselines.registry import policy_of_file

    try:
        return policy_of_file(result.card.policy, path.parent, options.policy)
    except ValueError as error:
        raise RefusedFileError(f"{path}: {error}") from error


def prepare_time(options: argparse.Namespace) -> Callable[[], int]:
    """Refuses a busy machine; returns what measures the times and notes them in the files."""
    from baselines.benchmark.timing import busy

    load = busy()
    if load is not None and not options.anyway:
        raise ValueError(
            f"the load of this machine is {load:.1f}, so a time would be wrong; add --anyway to measure it"
        )
    return lambda: _time(options)


def _time(options: argparse.Namespace) -> int:
    """Measures the times; each is in its file before the next begins, so an interruption loses none."""
    from baselines.benchmark.checks import read_result_file
    from baselines.benchmark.timing import time_games
    from baselines.support.machine import processor_name

    processor = processor_name()
    for path in options.files:
        result = read_result_file(path)
        policy = _policy(path, result, options)
        earlier = result.times or {}
        boards: dict[str, Any] = dict(earlier["boards"]) if earlier.get("processor") == processor else {}
        for games in result.boards:
            boards[games.name] = time_games(policy, games, options.seconds)
            replace(result, times={"processor": processor, "boards": boards}).write(path)
            print(f"{result.card.name} on {games.name}: {boards[games.name]['ms_per_game']:.3g} ms/game", flush=True)
    return 0


def prepare_add(options: argparse.Namespace) -> Callable[[], int]:
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
        package = str(Path(__file__).parents[3])
        paths = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
        return subprocess.run(
            [sys.executable, script, "tables"], check=False, env={**os.environ, "PYTHONPATH": paths}
        ).returncode

    return work
