"""Cards of entries: the author of a policy, its track, and what its training cost."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from baselines.evaluation.protocol import PROTOCOL
from baselines.learned.settings.lineage import lineage, training_of
from baselines.registry import SCRIPTED, policy_digest, read_specification
from baselines.support.checks import number_within, one_of
from baselines.support.run_folders import AGENT_FILE, AGENTS_FOLDER

MOST_TEXT = 200
"""Maximum length of a text of a card, in characters."""

SUFFIX = ".json"
"""Ending of result files."""

AUTHOR = "minesweeper-env"
"""Author of the policies of the package."""

_NAME = re.compile(r"(?!(?:con|prn|aux|nul|com\d|lpt\d)\b)[0-9a-z][-0-9a-z _.,:=+@]*", re.ASCII | re.IGNORECASE)
"""Names of entries: a name is also that of a file, and no two look alike."""

_LINK = re.compile(r"https://[-0-9A-Za-z._~:/?#@!$&*+,;=%]+", re.ASCII)

_TRACKS = {
    **dict.fromkeys(SCRIPTED, "scripted"),
    **dict.fromkeys(("marginal", "graphical_source", "conditional", "graphical"), "reveal"),
    **dict.fromkeys(("plain-dqn", "plain-ppo"), "board"),
    **dict.fromkeys(("any-size", "dqn", "ppo"), "reveal"),
    "exact": "oracle",
    **dict.fromkeys(("afterstate", "afterstate-any-size", "lookahead", "rollout", "optimal", "value"), "search"),
}
"""Tracks of the policies of the package."""


@dataclass(frozen=True)
class Card:
    """Description of an entry.

    Attributes:
        name: name in the tables; letters of ASCII, digits and some punctuation.
        policy: specification of the policy; see `baselines.registry.find_policy`.
        track: name of a track of the protocol.
        author: who made the policy.
        links: addresses of its code, weights or paper; https alone.
        training_steps: environment steps of all games of its training together; None for a policy without training.
        training_hours: hours of its training; None if there was none or if they were not measured.
        hardware: what it was trained on; empty without training.
        sha256: SHA-256 of its file or run folder; None for a policy of the package, which its version identifies.

    Raises:
        ValueError: a field is not allowed; the message names the field and what is allowed.
    """

    name: str
    policy: str
    track: str
    author: str
    links: tuple[str, ...] = ()
    training_steps: int | None = None
    training_hours: float | None = None
    hardware: str = ""
    sha256: str | None = None

    def __post_init__(self) -> None:
        """Checks all fields."""
        for name in ("name", "policy", "author"):
            _check_text(name, getattr(self, name), 1)
        for text in (self.hardware, *self.links):
            _check_text("hardware and each link", text, 0)
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                f"the name of an entry has letters a to z, digits, spaces and -_.,:=+@, and begins with a letter or a "
                f"digit, unlike {self.name!r}"
            )
        for link in self.links:
            if not _LINK.fullmatch(link):
                raise ValueError(f"a link must be an address that begins with https://, not {link!r}")
        one_of("track", self.track, PROTOCOL.tracks)
        for name, most in (("training_steps", 1e15), ("training_hours", 1e7)):
            if getattr(self, name) is not None:
                number_within(name, getattr(self, name), 0, most)

    @property
    def file_name(self) -> str:
        """Name of the result file, from the name of the entry."""
        return re.sub(r"[^-=,.+0-9A-Za-z]", "_", self.name) + SUFFIX

    def to_json(self) -> dict[str, Any]:
        """Returns the card as a JSON object."""
        return asdict(self) | {"links": list(self.links)}

    @classmethod
    def of(cls, content: Any) -> Card:
        """Returns the card of a JSON object.

        Raises:
            ValueError: the object is no card; the message says why.
        """
        names = set(cls.__dataclass_fields__)
        if not isinstance(content, dict) or set(content) != names or not isinstance(content["links"], list):
            raise ValueError(f"a card has exactly the fields {', '.join(sorted(names))}")
        return cls(**{**content, "links": tuple(content["links"])})


def _check_text(name: str, value: Any, least: int) -> None:
    if (
        not isinstance(value, str)
        or not least <= len(value) <= MOST_TEXT
        or not value.isprintable()
        or value != value.strip()
    ):
        raise ValueError(f"{name} must be one line of {least} to {MOST_TEXT} characters, not {value!r}")


def card_for(policy: str, **given: Any) -> Card:
    """Returns the card of a policy: what `given` says, completed by what is known of a policy of the package.

    Args:
        policy: specification of the policy.
        given: fields of the card; None leaves a field out.

    Raises:
        ValueError: the policy is not of the package, and its track or author is missing; or a field is not allowed.
        OSError: a file of the policy cannot be read.
    """
    fields = {"name": policy, **_known(policy), **{name: value for name, value in given.items() if value is not None}}
    missing = [f"--{name}" for name in ("track", "author") if name not in fields]
    if missing:
        raise ValueError(f"{policy} is no policy of the package, so its entry needs {' and '.join(missing)}")
    return Card(policy=policy, sha256=policy_digest(policy), **fields)


def _known(policy: str) -> dict[str, Any]:
    """Returns the track, the author and the training of a policy of the package; nothing of another."""
    base = read_specification(policy).base
    if base not in _TRACKS:
        return {}
    known: dict[str, Any] = {"track": _TRACKS[base], "author": AUTHOR}
    if (AGENTS_FOLDER / base / AGENT_FILE).is_file():
        known |= _training(base)
    return known


def _training(agent: str) -> dict[str, Any]:
    """Returns the steps, hours and processor of a shipped agent's training, with the agents that it began as."""
    trainings = list(lineage(training_of(AGENTS_FOLDER / agent)))
    minutes = [training["run"]["settings"]["minutes"] for training in trainings]
    processor = trainings[0]["run"]["sessions"][-1]["processor"]
    return {
        "training_steps": sum(training["steps"] for training in trainings),
        "training_hours": None if None in minutes else sum(minutes) / 60,
        "hardware": f"one core of {processor}, no GPU",
    }
