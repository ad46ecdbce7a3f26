"""Agents of the Hugging Face hub: their names, and their files in the cache of the hub's client."""

import os
import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from baselines.checks import import_extra
from minesweeper_env.console import say

PREFIX = "hf:"
"""The beginning of every name of an agent on the hub."""

DEFAULT_REVISION = "main"
"""The revision of a name without one: the default branch of a repository."""

AGENT_FILE, AGENT_WEIGHTS_FILE, RUN_FILE = "agent.json", "agent.safetensors", "run.json"
"""Files of a run folder: the agent's description, its weights, and the training's settings and sessions."""

NEEDED = (AGENT_FILE, AGENT_WEIGHTS_FILE)
"""The files that are downloaded from the hub, with `RUN_FILE` if it exists; JSON and safetensors hold no code."""

HUB_NAME = re.compile(r"hf:(?P<repository>[\w.-]+/[\w.-]+)(?:@(?P<revision>[^\s:@]+))?", re.ASCII)
"""Matches the name of an agent on the hub, without options."""

MOST_BYTES = 512 << 20
"""Size of the largest file that is downloaded, in bytes; the largest network fits."""


class HubError(ValueError):
    """An agent of the hub cannot be downloaded or sent; the message is one line."""


class HubName(NamedTuple):
    """Name of an agent on the hub: its repository, "user/repo", and its revision, a branch, tag or commit."""

    repository: str
    revision: str

    @property
    def is_pinned(self) -> bool:
        """True if the revision is the full hash of a commit, whose files never change."""
        return re.fullmatch("[0-9a-f]{40}", self.revision) is not None

    def __str__(self) -> str:
        return f"{PREFIX}{self.repository}@{self.revision}"


def parse_hub_name(text: str) -> HubName:
    """Parses "hf:user/repo@revision", where the revision may be missing; raises ValueError for any other text."""
    match = HUB_NAME.fullmatch(text)
    if match is None:
        raise ValueError(
            "write an agent of the Hugging Face hub as hf:user/repo@revision, perhaps with "
            f":option=value,option=value after it, not {text!r}"
        )
    return HubName(match["repository"], match["revision"] or DEFAULT_REVISION)


def pinned_name(text: str) -> str:
    """Returns a hub name with the commit that `hub_folder` downloads as its revision; any other text unchanged."""
    if not HUB_NAME.fullmatch(text):
        return text
    name = parse_hub_name(text)
    return text if name.is_pinned else str(name._replace(revision=hub_folder(text).name))


@cache
def hub_folder(text: str) -> Path:
    """Returns the folder of an agent in the client's cache; its name is the commit. Downloads missing files.

    The result is cached, so that a process asks once for each revision; the commit is printed on stderr. Without a
    network, the last downloaded commit is used. Raises HubError if neither the hub nor the cache has the agent.
    """
    name, api = parse_hub_name(text), client()
    if not name.is_pinned:
        say(f"Ask the Hugging Face hub for {name}")
    with told_in_one_line(name):
        if not _is_cached(api, name):
            _check_sizes(api, name)
        path = api.snapshot_download(name.repository, revision=name.revision, allow_patterns=(*NEEDED, RUN_FILE))
    folder = Path(path)
    if not all((folder / file).is_file() for file in NEEDED):
        raise HubError(f"{name} holds no agent of train.py, which has {' and '.join(NEEDED)}")
    if not name.is_pinned:
        say(f"{name} is {name._replace(revision=folder.name)}")
    return folder


def _is_cached(api: Any, name: HubName) -> bool:
    """Returns whether the cache has the files of a pinned name, so that the hub need not be asked."""
    options = {"revision": name.revision, "allow_patterns": NEEDED, "local_files_only": True}
    with suppress(Exception):
        return name.is_pinned and {*NEEDED} <= {*os.listdir(api.snapshot_download(name.repository, **options))}
    return False


def _check_sizes(api: Any, name: HubName) -> None:
    """Raises HubError, before the download, if a file of an agent has more than `MOST_BYTES`."""
    files: Iterable[Any] = ()
    # If the hub cannot be reached, the download itself uses the cache, or raises an error.
    with suppress(Exception):
        files = api.model_info(name.repository, revision=name.revision, files_metadata=True).siblings or ()
    for file in files:
        if file.rfilename in (*NEEDED, RUN_FILE) and (file.size or 0) > MOST_BYTES:
            raise HubError(f"{name}: {file.rfilename} has {file.size} bytes, and may have {MOST_BYTES}")


def client() -> Any:
    """Returns the client of the hub; raises MissingExtraError if huggingface_hub is not installed."""
    return import_extra("huggingface_hub", "hub").HfApi(library_name="minesweeper-env")


@contextmanager
def told_in_one_line(name: HubName) -> Generator[None]:
    """Turns an error of the client within the block into a `HubError` with the client's message in one line."""
    try:
        yield
    except HubError:
        raise
    except Exception as error:
        response = getattr(error, "response", None)
        message = f"{name}: {type(error).__name__}: {' '.join(str(error).split())}"
        is_denied = response is not None and response.status_code in (401, 403, 404)
        raise HubError(f"{message}; log in with: hf auth login" if is_denied else message) from error
