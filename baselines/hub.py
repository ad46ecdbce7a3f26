"""Agents of the Hugging Face hub: their names, their files in the cache of its client, and their upload."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any, NamedTuple

from baselines.support.extras import import_extra
from minesweeper_env.notices import say

PREFIX = "hf:"
"""The beginning of every name of an agent on the hub."""

FORM = "hf:user/repo@revision"
"""The form of the names, for error messages."""

DEFAULT_REVISION = "main"
"""The revision of a name that gives none: the default branch of the hub."""

DESCRIPTION, WEIGHTS, RUN = "agent.json", "agent.safetensors", "run.json"
"""The files that are taken from the hub; JSON and safetensors hold no code."""

MIB = 1 << 20
LIMITS = {
    DESCRIPTION: MIB,
    WEIGHTS: 512 * MIB,
    RUN: 4 * MIB,
    "curves.png": 16 * MIB,
    "README.md": MIB,
}
"""The files that are sent or taken, each with its maximum size in bytes; the largest network fits."""

_NAME = re.compile(r"hf:(?P<repository>[\w.-]+/[\w.-]+)(?:@(?P<revision>[^\s:@]+))?", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")


class HubName(NamedTuple):
    """Name of an agent on the hub.

    Attributes:
        repository: "user/repo".
        revision: branch, tag or commit.
    """

    repository: str
    revision: str

    @property
    def is_pinned(self) -> bool:
        """True if the revision is the full hash of a commit, whose files never change."""
        return _COMMIT.fullmatch(self.revision) is not None

    def at(self, commit: str) -> HubName:
        """Returns the name at a commit."""
        return self._replace(revision=commit)

    def __str__(self) -> str:
        """Returns the name as users write it."""
        return f"{PREFIX}{self.repository}@{self.revision}"


def is_hub_name(text: str) -> bool:
    """Returns whether a text is the name of an agent on the hub, without options."""
    return _NAME.fullmatch(text) is not None


def parse_hub_name(text: str) -> HubName:
    """Returns the parts of a name; without a revision, that is `DEFAULT_REVISION`.

    Raises:
        ValueError: the text has another form.
    """
    match = _NAME.fullmatch(text)
    if match is None:
        raise ValueError(malformed(text))
    return HubName(match["repository"], match["revision"] or DEFAULT_REVISION)


def malformed(text: str) -> str:
    """Returns the error message for a text that begins with `PREFIX` and is no name."""
    return (
        f"write an agent of the Hugging Face hub as {FORM}, perhaps with :option=value,option=value after it, "
        f"not {text!r}"
    )


NEEDED = (DESCRIPTION, WEIGHTS)
"""The files that every agent has."""

TAKEN = (RUN, *NEEDED)
"""The files that are downloaded."""

SECONDS = 10.0
"""Time after which the hub counts as out of reach."""

LOG_IN = "log in with: hf auth login"
_NETWORK = {"httpx", "httpx2", "httpcore", "httpcore2", "requests", "urllib3"}
"""The packages whose errors mean that the hub was not reached; the client's versions use different ones."""


class HubError(ValueError):
    """An agent of the hub cannot be taken or sent; the message is one line."""


class UnreachableHubError(HubError):
    """The hub cannot be reached, or the client is told to stay offline."""


def client() -> Any:
    """Returns the module `huggingface_hub`.

    Raises:
        MissingExtraError: it is not installed.
    """
    return import_extra("huggingface_hub", "hub")


@contextmanager
def one_line(name: HubName, consequence: str = "is not in the cache, and") -> Generator[None]:
    """Turns the errors of the client within the block into a `HubError`.

    Args:
        name: the agent that the block takes or sends.
        consequence: what follows for the agent where the hub is not reached.

    Raises:
        HubError: the client failed; the message holds what the client says.
    """
    try:
        yield
    except HubError:
        raise
    except Exception as error:
        raised = error.__cause__ or error if isinstance(error, RuntimeError) else error
        errors = import_extra("huggingface_hub.errors", "hub")
        said = " ".join(str(raised).split())
        offline = (errors.OfflineModeIsEnabled, errors.LocalEntryNotFoundError, ConnectionError, TimeoutError)
        if isinstance(raised, errors.HfHubHTTPError):
            hint = f"; {LOG_IN}" if raised.response.status_code in (401, 403, 404) else ""
            raise HubError(f"{name}: {said}{hint}") from error
        if isinstance(raised, offline) or type(raised).__module__.partition(".")[0] in _NETWORK:
            raise UnreachableHubError(f"{name} {consequence} the hub cannot be reached: {said}") from error
        if isinstance(raised, (errors.HFValidationError, OSError, ValueError, RuntimeError)):
            raise HubError(f"{name}: {said}") from error
        raise


def naming(name: str, folder: Path, call: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a callable whose errors name an agent of the hub, where those of `call` name its folder in the cache.

    Args:
        name: name of the agent; with any other name, `call` itself is returned.
        folder: its folder in the cache of the client.
        call: raises ValueErrors with paths of files in the folder.
    """
    if not is_hub_name(name):
        return call

    @wraps(call)
    def renaming(*arguments: Any, **options: Any) -> Any:
        try:
            return call(*arguments, **options)
        except ValueError as error:
            raise ValueError(str(error).replace(str(folder), name)) from error

    return renaming


def pin(name: str) -> str:
    """Returns the name of an agent with the hash of its commit as the revision; downloads an agent that is not pinned.

    A process asks once for each revision, and prints the commit on stderr. Without a network, the commit of the last
    download counts.

    Args:
        name: "hf:user/repo" or "hf:user/repo@revision".

    Raises:
        HubError: there is no such repository or revision, the hub cannot be reached and the cache has none, the
            repository holds no agent, or a file is too large.
        MissingExtraError: the client is not installed.
    """
    parsed = parse_hub_name(name)
    return str(parsed if parsed.is_pinned else parsed.at(_resolve(parsed).name))


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
    parsed = parse_hub_name(name)
    if not parsed.is_pinned:
        return _resolve(parsed)
    return _cached(parsed) or _download(parsed)


@cache
def _resolve(name: HubName) -> Path:
    """Returns the folder of the commit that a revision is now, or was at the last download; prints the commit."""
    say(f"Ask the Hugging Face hub for {name}")
    try:
        folder = _download(name)
        say(f"{name} is {name.at(folder.name)}")
    except UnreachableHubError as error:
        cached = _cached(name)
        if cached is None:
            raise
        folder = cached
        say(f"{error}; {name} was {name.at(folder.name)} at the last download")
    return folder


def _download(name: HubName) -> Path:
    """Downloads the files of an agent whose sizes are allowed; returns their folder."""
    with one_line(name):
        api = client().HfApi(library_name="minesweeper-env")
        info = api.model_info(name.repository, revision=name.revision, files_metadata=True, timeout=SECONDS)
        sizes = {file.rfilename: file.size or 0 for file in info.siblings or () if file.rfilename in TAKEN}
        if missing := [file for file in NEEDED if file not in sizes]:
            raise HubError(f"{name} holds no agent of train.py: it lacks {' and '.join(missing)}")
        check_sizes(name, sizes)
        return Path(
            api.snapshot_download(name.repository, revision=name.revision, allow_patterns=TAKEN, etag_timeout=SECONDS)
        )


def _cached(name: HubName) -> Path | None:
    """Returns the folder of an agent whose files are all in the cache."""
    try:
        place = client().snapshot_download(
            name.repository, revision=name.revision, allow_patterns=NEEDED, local_files_only=True
        )
    except (OSError, ValueError):
        return None
    folder = Path(place)
    return folder if all((folder / file).is_file() for file in NEEDED) else None


def check_sizes(owner: object, sizes: Mapping[str, int]) -> None:
    """Raises a HubError if a file of an agent or of its folder has more bytes than `LIMITS` allows."""
    for file, size in sizes.items():
        if size > LIMITS[file]:
            most = f"at most {LIMITS[file] // MIB} MiB"
            raise HubError(f"{file} of {owner} has {size / MIB:.1f} MiB, and must have {most}")


def push(name: HubName, files: Mapping[str, bytes], message: str, private: bool = False) -> HubName:
    """Sends files in one commit; makes the repository and the branch if they do not exist.

    Args:
        name: repository and branch.
        files: the content of each file, by its name.
        message: first line of the commit.
        private: whether a new repository is private.

    Returns:
        The name at the new commit.

    Raises:
        HubError: the hub refuses, it cannot be reached, or a repository that is to be private is public.
        MissingExtraError: the client is not installed.
    """
    with one_line(name, "was not sent:"):
        api = client().HfApi(library_name="minesweeper-env")
        _make(api, name, private)
        add = client().CommitOperationAdd
        operations = [add(path_in_repo=file, path_or_fileobj=content) for file, content in files.items()]
        done = api.create_commit(name.repository, operations, commit_message=message, revision=name.revision)
    return name.at(str(done.oid))


def _make(api: Any, name: HubName, private: bool) -> None:
    """Makes the repository and the branch, unless they exist."""
    api.create_repo(name.repository, private=private or None, exist_ok=True)
    if private and not api.model_info(name.repository).private:
        raise HubError(f"{name.repository} exists and is public; leave --private out, or choose another repository")
    if name.revision != DEFAULT_REVISION:
        api.create_branch(name.repository, branch=name.revision, exist_ok=True)
