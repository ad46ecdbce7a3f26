"""Output folder of a suite: create it, or check that the same suite can resume in it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from baselines.cluster.identity import Identity, own_identity
from baselines.registry import find_policy, policy_digest
from baselines.suites.definitions import added_policies
from baselines.suites.suite import Suite
from baselines.suites.tasks import policy_folder
from baselines.support.files import hold_folder, write_json
from baselines.support.machine import source_commit
from minesweeper_env import __version__

FORMAT = 2
"""Version of the file format in the folder."""

MANIFEST = "suite.json"
"""The file that says what a folder holds."""

_FIXED = {"format": "format of the files", "suite": "suite", "seed": "seed", "version": "version of the package"}
"""What may not change while the games of a folder are played, and how messages name it."""


def open_folder(folder: Path, suite: Suite, seed: int, games: int) -> list[str]:
    """Creates the folder, or checks that it holds games of the same suite, so that the suite can resume.

    The manifest stores the commit and the `Identity` of the installation that plays, and the number formats. It also
    lists every policy that was ever added to the suite, each with a hash of its file or run folder.

    Args:
        folder: folder for the games and the results.
        suite: the suite.
        seed: seed of game 0.
        games: number of games of each policy on each board, at least as large as before.

    Returns:
        The policies that were added before and that this suite does not have; their games stay.

    Raises:
        ValueError: the folder holds something else, cannot be written, or is in use by another process, an added
            policy has changed, or another installation played the games; the message says which.
        PolicyError: the code of an added policy fails while it is loaded.
        MissingExtraError: a policy needs a package that is not installed.
    """
    wanted: dict[str, Any] = {
        "format": FORMAT,
        "suite": suite.name,
        "seed": seed,
        "version": __version__,
        "commit": source_commit(),
        "games": games,
        "identity": own_identity()._asdict(),
        "policies": {policy: policy_digest(policy) for policy in added_policies(suite)},
    }
    with _errors_of(folder):
        # A wrong folder is refused before the policies are loaded, which takes seconds.
        if folder.is_dir():
            _check(folder, wanted)
    wanted["precision"] = _precisions([entry.policy for entry in suite.entries])
    with _errors_of(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        with hold_folder(folder):
            before = _check(folder, wanted)
            kept = {name: before.get(name, {}) | wanted[name] for name in ("policies", "precision")}
            write_json(folder / MANIFEST, wanted | kept)
    return [policy for policy in before.get("policies", {}) if policy not in wanted["policies"]]


@contextmanager
def _errors_of(folder: Path) -> Generator[None]:
    """Raises a ValueError that names the folder in place of an OSError."""
    try:
        yield
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be written: {error.strerror}") from error


def _precisions(policies: Sequence[str]) -> dict[str, str]:
    """Returns the number format of each network, by its policy."""
    formats = {policy: find_policy(policy).precision for policy in policies}
    return {policy: precision for policy, precision in formats.items() if precision is not None}


def _check(folder: Path, wanted: dict[str, Any]) -> dict[str, Any]:
    """Compares the manifest with the wanted one, and returns it; there is none in a new folder."""
    path = folder / MANIFEST
    if not path.exists():
        if any(not each.name.startswith(".") for each in folder.iterdir()):
            raise ValueError(f"{folder} is not empty and holds no suite; choose another --out")
        return {}
    try:
        found: dict[str, Any] = json.loads(path.read_bytes())
        _check_fixed(folder, found, wanted)
        identity, policies, _ = Identity(**found["identity"]), dict(found["policies"]), dict(found["precision"])
        fewer = wanted["games"] < found["games"]
    except _ForeignFolderError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{path} is damaged; choose another --out") from error
    if differences := own_identity().differences(identity):
        raise ValueError(
            f"the games in {folder} were played by another installation, which has {differences}; choose another --out"
        )
    if fewer:
        raise ValueError(
            f"{folder} was made for {found['games']} games, and can be extended, not cut; choose another --out"
        )
    _check_policies(folder, policies, wanted["policies"])
    return found


class _ForeignFolderError(ValueError):
    """A folder holds games of something else."""


def _check_fixed(folder: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    for name, what in _FIXED.items():
        if found[name] != wanted[name]:
            raise _ForeignFolderError(
                f"{folder} was made for the {what} {found[name]}, not {wanted[name]}; choose another --out"
            )


def _check_policies(folder: Path, before: dict[str, str | None], added: dict[str, str | None]) -> None:
    """Raises a ValueError if an added policy has games in the folder and has changed since."""
    for policy, digest in added.items():
        games = f"games/*/{policy_folder(policy)}"
        if before.get(policy, digest) != digest and any(folder.glob(f"{games}/*")):
            raise ValueError(
                f"{policy} has changed since its games in {folder} were played; choose another --out, restore the "
                f"policy, or delete {folder / games} to play them again"
            )
