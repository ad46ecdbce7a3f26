"""Shards of a suite: whether they are finished and fit this installation, and copies of their games."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from baselines.cluster.identity import Identity, own_identity
from baselines.registry import policy_digest
from baselines.sharding.folders import ShardFolder
from baselines.suites.definitions import find_suite
from baselines.suites.folder import FORMAT
from baselines.suites.parts import PartStore
from baselines.suites.suite import Suite
from baselines.suites.tasks import Task


def suite_of(shard: ShardFolder) -> Suite:
    """Returns the suite of a shard.

    Raises:
        ValueError: the manifest is damaged, or this installation would play other games: it is another one, or an added
            policy has changed.
        PolicyError: the code of an added policy fails while it is loaded.
    """
    manifest = shard.manifest
    try:
        if manifest["format"] != FORMAT:
            raise ValueError(f"{shard.folder} has the format {manifest['format']}, not {FORMAT}")
        identity, policies = Identity(**manifest["identity"]), dict(manifest["policies"])
        name, _, _ = str(manifest["suite"]), int(manifest["seed"]), int(manifest["games"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"{shard.folder / shard.file} is damaged") from error
    if differences := own_identity().differences(identity):
        raise ValueError(
            f"the shards were played by another installation, which has {differences}; merge with that one"
        )
    for policy, digest in policies.items():
        if policy_digest(policy) != digest:
            raise ValueError(f"{policy} has changed since the shards were played; restore it to merge them")
    return find_suite(name).with_policies(list(policies))


def check_finished(shards: Sequence[ShardFolder], tasks: Sequence[Task], seed: int) -> None:
    """Checks that each shard has all of its games, and no others.

    Raises:
        ValueError: a shard lacks games; the message names all such shards.
        DamagedPartError: a file of games is damaged, or holds other games.
    """
    unfinished = []
    for shard in shards:
        stores = _stores(shard, tasks, seed)
        wanted = sum(map(len, shard.shard.of_games(tasks)))
        there = sum(len(part.games) for store in stores for part in store.read())
        if there < wanted:
            unfinished.append(f"shard {shard.shard} in {shard.folder} lacks {wanted - there} of {wanted} games")
    if unfinished:
        raise ValueError(f"{', '.join(unfinished)}; repeat the command of an unfinished shard to finish it")


def copy_games(shard: ShardFolder, tasks: Sequence[Task], seed: int, folder: Path) -> None:
    """Copies the files of a shard's games into the folder of the whole suite.

    Raises:
        OSError: a file cannot be copied.
    """
    for task, store in zip(tasks, _stores(shard, tasks, seed), strict=True):
        for path in store.files():
            (folder / task.folder).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / task.folder / path.name)


def _stores(shard: ShardFolder, tasks: Sequence[Task], seed: int) -> list[PartStore]:
    shares = shard.shard.of_games(tasks)
    return [PartStore(shard.folder, task, seed, share) for task, share in zip(tasks, shares, strict=True)]
