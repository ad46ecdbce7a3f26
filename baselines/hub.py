"""Agents of the Hugging Face hub: their names, and their files in the cache of its client."""

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
"""The revision of a name that gives none: the default branch of the hub."""

AGENT_FILE, AGENT_WEIGHTS_FILE, RUN_FILE = "agent.json", "agent.safetensors", "run.json"
"""Files of a run folder: what makes it the name of a policy, its agent's weights, and its settings and sessions."""

NEEDED = (AGENT_FILE, AGENT_WEIGHTS_FILE)
"""The files that are taken from the hub, with `RUN_FILE` if it is there; JSON and safetensors hold no code."""

HUB_NAME = re.compile(r"hf:(?P<repository>[\w.-]+/[\w.-]+)(?:@(?P<revision>[^\s:@]+))?", re.ASCII)
"""Matches the name of an agent on the hub, without options."""

MOST_BYTES = 512 << 20
"""Size of the largest file that is taken from the hub; the largest network fits."""


class HubError(ValueError):
    """An agent of the hub cannot be taken or sent; the message is one line."""


class HubName(NamedTuple):
    """Name of an agent on the hub: its repository, "user/repo", and the branch, tag or commit."""

    repository: str
    revision: str

    @property
    def is_pinned(self) -> bool:
        """True if the revision is the full hash of a commit, whose files never change."""
        return re.fullmatch("[0-9a-f]{40}", self.revision) is not None

    def __str__(self) -> str:
        return f"{PREFIX}{self.repository}@{self.revision}"


def parse_hub_name(text: str) -> HubName:
    """Returns the parts of a hub name, by default with `DEFAULT_REVISION`; raises ValueError for any other text."""
    match = HUB_NAME.fullmatch(text)
    if match is None:
        raise ValueError(
            "write an agent of the Hugging Face hub as hf:user/repo@revision, perhaps with "
            f":option=value,option=value after it, not {text!r}"
        )
    return HubName(match["repository"], match["revision"] or DEFAULT_REVISION)


def pinned_name(text: str) -> str:
    """Returns the name of an agent of the hub with its commit, by `hub_folder`; other texts as they are."""
    if not HUB_NAME.fullmatch(text):
        return text
    name = parse_hub_name(text)
    return text if name.is_pinned else str(name._replace(revision=hub_folder(text).name))


@cache
def hub_folder(text: str) -> Path:
    """Returns the folder in the client's cache with an agent, which is named after its commit.

    A process asks once for each revision, and prints the commit on stderr. Without a network, the commit of the last
    download counts. A HubError says that there is no such agent, or that the hub cannot be reached and the cache has
    none.
    """
    name, api = parse_hub_name(text), client()
    if not name.is_pinned:
        say(f"Ask the Hugging Face hub for {name}")
    with told_in_one_line(name):
        if not _is_cached(api, name):
            _check_sizes(api, name)
        place = api.snapshot_download(name.repository, revision=name.revision, allow_patterns=(*NEEDED, RUN_FILE))
    folder = Path(place)
    if not all((folder / file).is_file() for file in NEEDED):
        raise HubError(f"{name} holds no agent of train.py, which has {' and '.join(NEEDED)}")
    if not name.is_pinned:
        say(f"{name} is {name._replace(revision=folder.name)}")
    return folder


def _is_cached(api: Any, name: HubName) -> bool:
    """Returns whether a commit is in the cache, so that nobody need be asked."""
    how = {"revision": name.revision, "allow_patterns": NEEDED, "local_files_only": True}
    with suppress(Exception):
        return name.is_pinned and {*NEEDED} <= {*os.listdir(api.snapshot_download(name.repository, **how))}
    return False


def _check_sizes(api: Any, name: HubName) -> None:
    """Raises a HubError if a file of an agent has more than `MOST_BYTES`, before it is downloaded."""
    files: Iterable[Any] = ()
    # Without the hub, the download itself takes what the cache has, or tells what is wrong.
    with suppress(Exception):
        files = api.model_info(name.repository, revision=name.revision, files_metadata=True).siblings or ()
    for file in files:
        if file.rfilename in (*NEEDED, RUN_FILE) and (file.size or 0) > MOST_BYTES:
            raise HubError(f"{name}: {file.rfilename} has {file.size} bytes, and may have {MOST_BYTES}")


def client() -> Any:
    """Returns the client of the hub; raises a MissingExtraError if it is not installed."""
    return import_extra("huggingface_hub", "hub").HfApi(library_name="minesweeper-env")


@contextmanager
def told_in_one_line(name: HubName) -> Generator[None]:
    """Turns the errors of the client within the block into a `HubError` with what the client says."""
    try:
        yield
    except HubError:
        raise
    except Exception as error:
        response = getattr(error, "response", None)
        told = f"{name}: {type(error).__name__}: {' '.join(str(error).split())}"
        denied = response is not None and response.status_code in (401, 403, 404)
        raise HubError(f"{told}; log in with: hf auth login" if denied else told) from error
