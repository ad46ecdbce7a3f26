"""Output folder of a suite: create it, or check that the same suite can resume in it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from baselines.registry import find_policy, policy_digest
from baselines.suites.definitions import added_policies
from baselines.suites.suite import Suite
from baselines.suites.tasks import policy_folder
from baselines.support.files import hold_folder, write_json
from baselines.support.provenance import earlier_results, own_identity, source_commit
from baselines.support.structs import Games, read_as
from minesweeper_env import __version__

FORMAT = 2
"""Version of the file format in the folder."""

MANIFEST = "suite.json"
"""The file that says what a folder holds."""


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
    fixed = {"format": FORMAT, "suite": suite.name, "seed": seed, "version": __version__, "games": games}
    policies = {policy: policy_digest(policy) for policy in added_policies(suite)}
    with _errors_of(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with hold_folder(folder):
            before = _earlier(folder, fixed, policies)
            earlier_policies = {} if before is None else before.policies
            earlier_precision = {} if before is None else before.precision
            # A wrong folder is refused before the policies are loaded, which takes seconds.
            precision = _precisions([entry.policy for entry in suite.entries])
            code = {"commit": source_commit(), "identity": own_identity()._asdict()}
            kept = {"policies": earlier_policies | policies, "precision": earlier_precision | precision}
            write_json(folder / MANIFEST, fixed | code | kept)
    return [policy for policy in earlier_policies if policy not in policies]


class Manifest(msgspec.Struct):
    """What earlier runs left in the manifest.

    Attributes:
        policies: digest of each added policy.
        precision: number format of each network.
        games: number of games of each policy on each board.
        commit: of the code.
    """

    policies: dict[str, str | None]
    precision: dict[str, str]
    games: Games
    commit: str


def read_manifest(folder: Path) -> Manifest:
    """Returns the manifest of the folder of a suite; raises ValueError if there is none, or a damaged one."""
    return read_as(folder / MANIFEST, Manifest)


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


def _earlier(folder: Path, fixed: dict[str, Any], policies: dict[str, str | None]) -> Manifest | None:
    """Returns the manifest after a comparison with what is wanted; None for a new folder."""
    if not earlier_results(folder, MANIFEST, fixed):
        return None
    found = read_manifest(folder)
    _check_policies(folder, found.policies, policies)
    return found


def _check_policies(folder: Path, before: dict[str, str | None], added: dict[str, str | None]) -> None:
    """Raises a ValueError if an added policy has games in the folder and has changed since."""
    for policy, digest in added.items():
        games = f"games/*/{policy_folder(policy)}"
        if before.get(policy, digest) != digest and any(folder.glob(f"{games}/*")):
            raise ValueError(
                f"{policy} has changed since its games in {folder} were played; choose another --out, restore the "
                f"policy, or delete {folder / games} to play them again"
            )
