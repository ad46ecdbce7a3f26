"""Names of agents on the Hugging Face hub, ``hf:user/repo@revision``, and the files of such a repository."""

from __future__ import annotations

import re
from typing import NamedTuple

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
