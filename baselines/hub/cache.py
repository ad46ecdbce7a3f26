"""Agents of the Hugging Face hub in the cache of its client, where they can be loaded without a network later on."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from baselines.hub.errors import HubError, UnreachableHubError, client, one_line
from baselines.hub.names import DESCRIPTION, LIMITS, MIB, RUN, WEIGHTS, HubName, is_hub_name, parse_hub_name
from minesweeper_env.notices import say

NEEDED = (DESCRIPTION, WEIGHTS)
"""The files that every agent has."""

TAKEN = (RUN, *NEEDED)
"""The files that are downloaded, in this order."""
SECONDS = 10.0
"""Time after which the hub counts as out of reach."""


def pin(name: str) -> str:
    """Returns the name of an agent with the hash of its commit as the revision; downloads an agent that is not pinned.

    A process asks once for each revision, and tells the commit on stderr. Without a network, the commit of the last
    download counts.

    Args:
        name: "hf:user/repo" or "hf:user/repo@revision".

    Raises:
        HubError: there is no such repository or revision, the hub cannot be reached and the cache has none, the
            repository holds no agent, or a file is too large.
        MissingExtraError: the client is not installed.
    """
    parsed = parse_hub_name(name)
    return str(parsed if parsed.is_pinned else _resolve(parsed))


def pinned_within(specification: str, base: str) -> str:
    """Returns a specification of a policy with its agent of the hub pinned; one of another policy stays as it is.

    Args:
        specification: the agent or policy, perhaps with options.
        base: its beginning without the options.
    """
    return pin(base) + specification[len(base) :] if is_hub_name(base) else specification


def hub_folder(name: str) -> Path:
    """Returns the folder in the client's cache that holds an agent; it is downloaded once.

    Raises:
        HubError: as `pin` says.
        MissingExtraError: the client is not installed.
    """
    pinned = parse_hub_name(pin(name))
    folder = _cached(pinned)
    if folder is None:
        _download(pinned)
        folder = _cached(pinned)
        if folder is None:
            raise HubError(f"{pinned} was downloaded, and is not in the cache of the client")
    for path in (folder / file for file in TAKEN):
        if path.exists():
            _check_size(pinned, path.name, path.stat().st_size)
    return folder


@cache
def _resolve(name: HubName) -> HubName:
    """Returns the name at the commit that its revision is now, once the cache holds that commit; tells it."""
    say(f"Ask the Hugging Face hub for {name}")
    try:
        with one_line(name):
            commit = str(_api().model_info(name.repository, revision=name.revision, timeout=SECONDS).sha)
        told = f"{name} is {name.at(commit)}"
    except UnreachableHubError as error:
        path = _cached_file(name, DESCRIPTION)
        if path is None:
            raise
        commit = path.parent.name
        told = f"{error.reason}; {name} was {name.at(commit)} at the last download"
    else:
        hub_folder(str(name.at(commit)))
        _remember(name)
    say(told)
    return name.at(commit)


def _download(name: HubName) -> None:
    with one_line(name):
        files = _api().model_info(name.repository, revision=name.revision, files_metadata=True, timeout=SECONDS)
        sizes = {file.rfilename: file.size or 0 for file in files.siblings or ()}
        if missing := [file for file in NEEDED if file not in sizes]:
            raise HubError(f"{name} holds no agent of train.py: it lacks {' and '.join(missing)}")
        taken = {file: sizes[file] for file in TAKEN if file in sizes}
        for file, size in taken.items():
            _check_size(name, file, size)
        say(f"Download {name} ({sum(taken.values()) / 1000:.0f} kB)")
        for file in taken:
            _api().hf_hub_download(name.repository, file, revision=name.revision)


def _remember(name: HubName) -> None:
    """Notes in the cache which commit a branch or tag is, for later use without a network."""
    with suppress(HubError), one_line(name):
        _api().hf_hub_download(name.repository, DESCRIPTION, revision=name.revision)


def _cached(name: HubName) -> Path | None:
    """Returns the folder of a pinned name, if the cache holds all its files."""
    paths = [_cached_file(name, file) for file in NEEDED]
    return None if None in paths or paths[0] is None else paths[0].parent


def _cached_file(name: HubName, file: str) -> Path | None:
    with one_line(name):
        path = client().try_to_load_from_cache(name.repository, file, revision=name.revision)
    return Path(path) if isinstance(path, str) else None


def _check_size(name: HubName, file: str, size: int) -> None:
    if size > LIMITS[file]:
        most = f"at most {LIMITS[file] // MIB} MiB"
        raise HubError(f"{file} of {name} has {size / MIB:.1f} MiB, and must have {most}")


def _api() -> Any:
    return client().HfApi(library_name="minesweeper-env")
