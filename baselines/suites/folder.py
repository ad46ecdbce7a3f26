"""Output folder of a suite: create it, or check that the same suite can resume in it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from baselines.registry import policy_digest
from baselines.suites.definitions import added_policies
from baselines.suites.suite import Suite
from baselines.suites.tasks import policy_folder
from baselines.support.files import hold_folder, replace_file
from minesweeper_env import __version__

FORMAT = 1
"""Version of the file format in the folder."""

MANIFEST = "suite.json"


def open_folder(folder: Path, suite: Suite, seed: int, games: int) -> list[str]:
    """Creates the folder, or checks that it holds games of the same suite, so that the suite can resume.

    The manifest keeps the policies that were ever added to the suite, each with a hash of its file or run folder.

    Args:
        folder: folder for the games and the results.
        suite: the suite.
        seed: seed of game 0.
        games: number of games of each policy on each board, at least as large as before.

    Returns:
        The policies that were added before and that this suite does not have; their games stay.

    Raises:
        ValueError: the folder holds something else, cannot be written, or is in use by another process, or an added
            policy has changed; the message says which.
        PolicyError: the code of an added policy fails while it is loaded.
    """
    added = {policy: policy_digest(policy) for policy in added_policies(suite)}
    wanted = {"format": FORMAT, "suite": suite.name, "seed": seed, "version": __version__, "games": games}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        with hold_folder(folder):
            before = _check(folder, wanted)
            _check_policies(folder, before, added)
            manifest = wanted | {"policies": before | added}
            replace_file(folder / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode())
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be written: {error.strerror}") from error
    return [policy for policy in before if policy not in added]


def _check_policies(folder: Path, before: dict[str, str | None], added: dict[str, str | None]) -> None:
    """Raises a ValueError if an added policy has games in the folder and has changed since."""
    for policy, digest in added.items():
        games = f"games/*/{policy_folder(policy)}"
        if before.get(policy, digest) != digest and any(folder.glob(f"{games}/*")):
            raise ValueError(
                f"{policy} has changed since its games in {folder} were played; choose another --out, restore the "
                f"policy, or delete {folder / games} to play them again"
            )


def _check(folder: Path, wanted: dict[str, Any]) -> dict[str, str | None]:
    """Compares the manifest with the wanted one; returns the policies that were added before."""
    manifest = folder / MANIFEST
    if not manifest.exists():
        if any(not path.name.startswith(".") for path in folder.iterdir()):
            raise ValueError(f"{folder} is not empty and holds no suite; choose another --out")
        return {}
    try:
        found = json.loads(manifest.read_bytes())
        before = {name: found[name] for name in wanted}
        policies: dict[str, str | None] = dict(found.get("policies", {}))
        fewer = wanted["games"] < before["games"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
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
    return policies
