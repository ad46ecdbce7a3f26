"""Output folder of a suite: create it, or check that the same suite can resume in it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from baselines.suites.definitions import Suite
from baselines.support.files import hold_folder, replace_file
from minesweeper_env import __version__

FORMAT = 1
"""Version of the file format in the folder."""

MANIFEST = "suite.json"


def open_folder(folder: Path, suite: Suite, seed: int, games: int) -> None:
    """Creates the folder, or checks that it holds games of the same suite, so that the suite can resume.

    Args:
        folder: folder for the games and the results.
        suite: the suite.
        seed: seed of game 0.
        games: number of games of each policy on each board, at least as large as before.

    Raises:
        ValueError: the folder holds something else, cannot be written, or is in use by another process; the message
            says which.
    """
    wanted = {"format": FORMAT, "suite": suite.name, "seed": seed, "version": __version__, "games": games}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        with hold_folder(folder):
            _check(folder, wanted)
            replace_file(folder / MANIFEST, (json.dumps(wanted, indent=2) + "\n").encode())
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be written: {error.strerror}") from error


def _check(folder: Path, wanted: dict[str, Any]) -> None:
    manifest = folder / MANIFEST
    if not manifest.exists():
        if any(not path.name.startswith(".") for path in folder.iterdir()):
            raise ValueError(f"{folder} is not empty and holds no suite; choose another --out")
        return
    try:
        found = json.loads(manifest.read_bytes())
        before = {name: found[name] for name in wanted}
        fewer = wanted["games"] < before["games"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{manifest} is damaged; choose another --out") from error
    for name in ("format", "suite", "seed", "version"):
        if before[name] != wanted[name]:
            what = {"format": "format of the files", "version": "version of the package"}.get(name, name)
            raise ValueError(
                f"{folder} was made for the {what} {before[name]}, not {wanted[name]}; choose another --out"
            )
    if fewer:
        raise ValueError(
            f"{folder} was made for {before['games']} games, and can be extended, not cut; choose another --out"
        )
