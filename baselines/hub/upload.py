"""Upload of files into a repository of the Hugging Face hub, as one commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from baselines.hub.errors import HubError, client, one_line
from baselines.hub.names import DEFAULT_REVISION, LIMITS, HubName


def push(name: HubName, files: Mapping[str, bytes], message: str, private: bool = False) -> HubName:
    """Sends files in one commit; makes the repository and the branch if they do not exist.

    Args:
        name: repository and branch.
        files: the content of each file, by its name, which is one of `LIMITS`.
        message: first line of the commit.
        private: whether a new repository is private.

    Returns:
        The name at the new commit.

    Raises:
        HubError: the hub refuses, it cannot be reached, or a repository that is to be private is public.
        MissingExtraError: the client is not installed.
    """
    unknown = files.keys() - LIMITS.keys()
    if unknown:
        raise HubError(f"only {', '.join(LIMITS)} are sent, not {', '.join(sorted(unknown))}")
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
