"""Folders of shards: what they hold, and whether they are all parts of the same work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from baselines.sharding.shard import Shard
from baselines.support.files import read_json

SUITE_MANIFEST, STUDY_MANIFEST = "suite.json", "seeds.json"
"""The files that say what a folder holds, of a suite and of a study of seeds; a shard is named in the field "shard"."""

MOST_LISTED = 6
"""Number of missing shards up to which all are listed."""

_LETTERS = 40
"""Length from which a value in a message is cut."""

_ABSENT = "absent"


class ShardFolder(NamedTuple):
    """A shard on disk.

    Attributes:
        folder: its folder.
        shard: the shard.
        file: name of its manifest.
        manifest: what is equal in all shards of the same work.
    """

    folder: Path
    shard: Shard
    file: str
    manifest: dict[str, Any]


def read_shards(folders: Sequence[Path]) -> list[ShardFolder]:
    """Reads the manifests, and checks that the folders are all shards of the same work, each once.

    Returns:
        The shards in order.

    Raises:
        ValueError: a folder holds no shard, or a shard of other work; a shard is missing or given
            twice. The message names it.
    """
    shards = [_read(folder) for folder in folders]
    for each in shards[1:]:
        _check_same(shards[0], each)
    found: dict[Shard, Path] = {}
    for each in shards:
        if each.shard in found:
            raise ValueError(f"{found[each.shard]} and {each.folder} both hold shard {each.shard}")
        found[each.shard] = each.folder
    _check_complete(found, shards[0].shard.of)
    return sorted(shards, key=lambda each: each.shard)


def _read(folder: Path) -> ShardFolder:
    if not folder.is_dir():
        raise ValueError(
            f"{folder} is {'a file' if folder.exists() else 'no folder'}, and must be the folder of a shard"
        )
    file = next((name for name in (SUITE_MANIFEST, STUDY_MANIFEST) if (folder / name).is_file()), None)
    if file is None:
        raise ValueError(f"{folder} holds no shard: neither {SUITE_MANIFEST} nor {STUDY_MANIFEST} is there")
    manifest = read_json(folder / file)
    shard = manifest.pop("shard", None)
    if shard is None:
        raise ValueError(f"{folder} holds the whole work, not a shard")
    try:
        return ShardFolder(folder, Shard.parse(str(shard)), file, manifest)
    except ValueError as error:
        raise ValueError(f"{folder / file} is damaged: {error}") from error


def _check_same(one: ShardFolder, other: ShardFolder) -> None:
    if one.file != other.file:
        raise ValueError(f"{one.folder} and {other.folder} do not belong together: a suite and a study of seeds")
    ours, theirs = (
        one.manifest | {"number of shards": one.shard.of},
        other.manifest | {"number of shards": other.shard.of},
    )
    if different := differences(ours, theirs):
        raise ValueError(f"{one.folder} and {other.folder} do not belong together: {different}")


def _check_complete(found: dict[Shard, Path], of: int) -> None:
    missing = [shard for shard in (Shard(number, of) for number in range(1, of + 1)) if shard not in found]
    if missing:
        names = ", ".join(map(str, missing[:MOST_LISTED]))
        more = f" and {len(missing) - MOST_LISTED} more" if len(missing) > MOST_LISTED else ""
        raise ValueError(f"{len(missing)} of {of} shards {'is' if len(missing) == 1 else 'are'} missing: {names}{more}")


def differences(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Returns where two manifests differ, such as "seed 0 and 7; numpy 2.3.1 and 2.4.6"; "" if they are equal."""
    return "; ".join(_differences(one, other))


def _differences(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    for name in one | other:
        ours, theirs = one.get(name, _ABSENT), other.get(name, _ABSENT)
        if isinstance(ours, dict) and isinstance(theirs, dict):
            yield from _differences(ours, theirs)
        elif ours != theirs:
            yield f"{name} {_shown(ours)} and {_shown(theirs)}"
    if set(one) == set(other) and list(one) != list(other):
        yield f"the order of {', '.join(one)}"


def _shown(value: Any) -> str:
    text = "none" if value is None else f"{value}"
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]}..."
