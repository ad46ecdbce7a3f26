"""Merge of the shards of a suite into the folder that one command would have made."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from baselines.cli.start import MODULE
from baselines.cli.suite import SuiteRun
from baselines.sharding.folders import ShardFolder
from baselines.suites.folder import open_folder
from baselines.suites.merging import check_finished, copy_games, suite_of
from baselines.suites.tasks import LeftOut, Task, plan
from baselines.terminal.progress import game_bar


def prepare_suite(shards: Sequence[ShardFolder], out: Path, wide: bool) -> Callable[[Path], None]:
    """Checks that every shard has all of its games, and that this installation is that of the shards.

    Args:
        shards: all shards, in order; their manifests are equal.
        out: folder of the whole.
        wide: whether to print all columns of the tables, whatever the width of the terminal.

    Returns:
        What writes the whole into a folder.

    Raises:
        ValueError: a shard is unfinished or damaged, or this installation would play other games.
        PolicyError: the code of an added policy fails.
        MissingExtraError: a package is not installed.
    """
    manifest = shards[0].manifest
    suite, seed, games = suite_of(shards[0]), manifest["seed"], manifest["games"]
    planned = list(plan(suite, games))
    tasks = [each for each in planned if isinstance(each, Task)]
    left_out = [each for each in planned if isinstance(each, LeftOut)]
    check_finished(shards, tasks, seed)

    def write(folder: Path) -> None:
        open_folder(folder, suite, seed, games)
        with game_bar("reading", "shards", len(shards), "shards") as on_copied:
            for each in shards:
                copy_games(each, tasks, seed, folder)
                on_copied(1)
        SuiteRun(suite, folder, seed, games, _command(manifest, out), tasks, left_out).write_results(wide)

    return write


def _command(manifest: dict[str, Any], out: Path) -> str:
    """Returns the command line that repeats the whole suite."""
    words = [*MODULE.split(), "evaluate", "--suite", manifest["suite"], "--out", str(out)]
    words += ["--games", str(manifest["games"]), "--seed", str(manifest["seed"])]
    return shlex.join(words + (["--policy", *manifest["policies"]] if manifest["policies"] else []))
