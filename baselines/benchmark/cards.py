"""Cards of benchmark entries: their fields, and the checks of the fields and of names that another author holds."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Annotated

import msgspec

from baselines.benchmark.protocol import INFERENCE, INFERENCE_OF_TRACK, TRACKS, Protocol
from baselines.registry import AGENTS, POLICIES, policy_names
from minesweeper_env.config import one_of

AUTHOR = "minesweeper-env"
"""Author of the policies of the package."""

MOST_NAME, MOST_TEXT = 60, 200
"""Maximum length of the names of a card, which stand in tables, and of its other texts, in characters."""

MOST_ENTRIES = 20
"""The most links of a card, and packages of a result file."""

Text = Annotated[str, msgspec.Meta(max_length=MOST_TEXT)]


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a result file, which has no other fields."""


class Card(Strict, frozen=True):
    """Description of an entry.

    Attributes:
        policy: specification of the policy; see `baselines.registry.find_policy`.
        links: where its code, weights or paper are: addresses with https, or paths in this repository.
        training_steps: environment steps of all games of its training together; None for a policy without training.
        training_hours: core-hours of its training; None if there was none or if they were not measured.
        hardware: what it was trained on; empty without training.
        sha256: SHA-256 of its file or run folder; None for a policy of the package, which its version identifies.
        inference: its inference at play, one of `INFERENCE`; earlier files do not state it.
    """

    name: str
    policy: str
    track: str
    author: str
    links: Annotated[tuple[str, ...], msgspec.Meta(max_length=MOST_ENTRIES)] = ()
    training_steps: Annotated[int, msgspec.Meta(ge=0, le=10**15)] | None = None
    training_hours: Annotated[float, msgspec.Meta(ge=0, le=1e7)] | None = None
    hardware: str = ""
    sha256: Text | None = None
    inference: str | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        for name, most in (("name", MOST_NAME), ("author", MOST_NAME), ("policy", MOST_TEXT)):
            _check_text(name, getattr(self, name), 1, most)
        for text in (self.hardware, *self.links):
            _check_text("hardware and each link", text, 0, MOST_TEXT)
        if not _NAME.fullmatch(self.name):
            rule = "letters a to z, digits, spaces and -_.,:=+@, and begins with a letter or a digit"
            raise ValueError(f"the name of an entry (--name) has {rule}, unlike {self.name!r}")
        for link in self.links:
            if not _LINK.fullmatch(link):
                raise ValueError(f"a link must be an address with https:// or a path in this repository, not {link!r}")
        one_of("track", self.track, TRACKS)
        one_of("inference", self.inference_at_play, INFERENCE)

    @property
    def inference_at_play(self) -> str:
        """The inference that the card states; otherwise that of the policy of the package, or of the track."""
        if self.inference is not msgspec.UNSET:
            return str(self.inference)
        return of_package(self.policy)[1] or INFERENCE_OF_TRACK[self.track][0]

    @property
    def uses_at_play(self) -> str:
        """The inference at play, and whether the policy searches, as tables show it."""
        return self.inference_at_play + (", search" if self.track == "search" else "")

    @property
    def entry(self) -> str:
        """Name of the entry in the tables: the name of the card without the number of the training, as in "mine@2"."""
        return re.sub(r"@\d+$", "", self.name)

    @property
    def file_name(self) -> str:
        """Name of the result file, from the name of the entry."""
        return re.sub(r"[^-=,.+0-9A-Za-z]", "_", self.name) + ".json"


def check_card(card: Card, protocol: Protocol) -> None:
    """Raises a ValueError if a card breaks a rule of a protocol, or takes the name of a policy of the package."""
    one_of("track", card.track, protocol.tracks)
    package_track, package_inference = of_package(card.policy)
    if package_track not in (None, card.track):
        raise ValueError(f"{card.policy} is a policy of the package, of track {package_track}, not {card.track}")
    allowed = (package_inference,) if package_track else INFERENCE_OF_TRACK[card.track]
    one_of(f"inference in track {card.track}", card.inference_at_play, allowed)
    check_name_is_free(card, (Card(name, name, "search", AUTHOR) for name in policy_names()))
    is_learned = card.track in ("board", "reveal") or card.training_steps is not None
    stated = {"--training-steps": card.training_steps is not None, "--link, to its code or weights": bool(card.links)}
    if protocol.asks_for_code and is_learned and not all(stated.values()):
        raise ValueError(f"a learned entry needs {' and '.join(name for name, is_set in stated.items() if not is_set)}")


def of_package(policy: str) -> tuple[str | None, str]:
    """Returns the track and the inference at play of a policy of the package; options such as first=exact change both.

    Returns (None, "") for other policies, and for one whose track its options decide.
    """
    base, _, options = policy.partition(":")
    row = POLICIES.get(base)
    track, inference = (row.track, row.inference) if row else AGENTS.get(base, (None, ""))
    if track is None:
        return None, ""
    if "=exact" in options:
        return track if track == "search" else "oracle", "oracle"
    return track, inference or INFERENCE_OF_TRACK[track][0]


def check_name_is_free(card: Card, others: Iterable[Card]) -> None:
    """Raises a ValueError if another author has the name of a card, or a name like its author, in any spelling."""
    for other in others:
        holder = f"{other.name!r} by {other.author!r}"
        if other.author != card.author and spelled(other.entry) == spelled(card.entry):
            raise ValueError(f"the name {card.name!r} belongs to {holder}; choose another name")
        if other.author != card.author and spelled(other.author) == spelled(card.author):
            raise ValueError(f"the author {card.author!r} is spelled otherwise in {holder}")


def spelled(name: str) -> str:
    """Returns the lower-case letters and digits of a name without its version; names that look alike share them."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\W_]", "", re.sub(r"(@\d*)+$", "", plain))


_NAME = re.compile(r"(?!(?:con|prn|aux|nul|com\d|lpt\d)\b)[0-9a-z][-0-9a-z _.,:=+@]*", re.ASCII | re.IGNORECASE)
"""Names of entries: a name is also that of a file, and no two look alike."""

_LINK = re.compile(r"https://[-0-9A-Za-z._~:/?#@!$&*+,;=%]+|\w[-\w./]*", re.ASCII)


def _check_text(name: str, value: str, least: int, most: int) -> None:
    """Raises a ValueError unless a text is one line of `least` to `most` plain characters."""
    # NFKC changes letters of full width and others that look like plain ones.
    is_plain = value.isprintable() and value == unicodedata.normalize("NFKC", value).strip()
    if not least <= len(value) <= most or not is_plain:
        raise ValueError(f"{name} must be one line of {least} to {most} usual characters, not {value[: 2 * most]!r}")
