"""Result files of the benchmark: one policy on the boards of the protocol, in a canonical form, signed by its content.

A file has these fields:

| field | content |
|---|---|
| format | version of this form |
| protocol, protocol_sha256 | version of the protocol, and the SHA-256 of its definition |
| card | the entry; see `Card` |
| versions | versions of the packages that played |
| boards | a block per board, in the order of the protocol |
| sha256 | SHA-256 of all fields above |
| times | the time per game by board, measured apart, or null; outside the content that `sha256` covers |

A block holds the games of a board, packed, with digests that name the game where something was changed. Bytes are
written in base64:

| field | content |
|---|---|
| board, first_click, moves | the games |
| seed, games | seed of game 0, and the number of games; game i has the seed `seed` + i |
| batch_size | number of games that were played side by side, which the random choices of a policy depend on |
| wins | number of games won |
| won | one bit per game, 1 for a win (`numpy.packbits`) |
| clicks | one little-endian uint16 per game: the number of actions |
| digests | four bytes per game: the beginning of the SHA-256 of its actions as little-endian uint16 numbers |
| checks | two bytes per game: the beginning of a SHA-256 of its seed, outcome, clicks and digest |
| sample | games and their actions; `Games.chosen_games` says which |
| sha256 | SHA-256 of the block without this field |

Two runs of a deterministic policy with the same versions give the same bytes, times apart.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from baselines.evaluation.protocol import PROTOCOL
from baselines.evaluation.records import GameRecord
from baselines.support.board_names import name_of
from baselines.support.checks import one_of
from baselines.support.files import replace_file
from baselines.support.structs import Games as Number
from minesweeper_env.config import BoardConfig

FORMAT = 1

AUTHOR = "minesweeper-env"
"""Author of the policies of the package."""

SUFFIX = ".json"
"""Ending of result files."""

MOST_TEXT = 200
"""Maximum length of a text of a card, in characters."""

SAMPLED_FRACTION = 0.01
LEAST_SAMPLE = 10
"""A block holds the actions of this fraction of its games, and of this number at least."""

DIGEST_BYTES, CHECK_BYTES = 4, 2


@dataclass(frozen=True)
class Games:
    """Games of a policy on one board.

    Attributes:
        config: board and rules.
        batch_size: number of games that were played side by side.
        seed: seed of game 0.
        won: True for each game won.
        clicks: number of actions of each game.
        digests: digest of the actions of each game.
        sample: actions of some games, by the index of the game.
    """

    config: BoardConfig
    batch_size: int
    seed: int
    won: tuple[bool, ...]
    clicks: tuple[int, ...]
    digests: tuple[bytes, ...]
    sample: dict[int, bytes]

    @property
    def name(self) -> str:
        """The board with its first-click rule, such as "8x8/14 opening"."""
        return title_of(self.config)

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.won)

    @property
    def wins(self) -> int:
        """The number of games won."""
        return sum(self.won)

    @classmethod
    def of_records(cls, config: BoardConfig, batch_size: int, records: Sequence[GameRecord]) -> Games:
        """Returns the games of records with consecutive seeds and with recorded actions."""
        digests = tuple(digest_of(record.actions) for record in records)
        won, clicks = tuple(record.won for record in records), tuple(record.clicks for record in records)
        games = cls(config, batch_size, records[0].seed, won, clicks, digests, {})
        games.sample.update((game, records[game].actions) for game in games.chosen_games())
        return games

    def chosen_games(self) -> list[int]:
        """Returns the games of the sample, in increasing order: the first ones of `shuffled_games`."""
        count = max(LEAST_SAMPLE, math.ceil(SAMPLED_FRACTION * self.games))
        return sorted(self.shuffled_games()[:count])

    def shuffled_games(self) -> list[int]:
        """Returns all games in an order that their outcomes and digests fix.

        They are sorted by SHA-256(root, index), where the root is the SHA-256 of all outcomes and digests. So nobody
        can choose the sample before the last game is played.
        """
        root = hashlib.sha256(b"".join([self.name.encode(), *self._packed().values()])).digest()
        ranks = [hashlib.sha256(root + game.to_bytes(4, "little")).digest() for game in range(self.games)]
        return sorted(range(self.games), key=ranks.__getitem__)

    def _packed(self) -> dict[str, bytes]:
        return {
            "won": np.packbits(self.won).tobytes(),
            "clicks": np.array(self.clicks, "<u2").tobytes(),
            "digests": b"".join(self.digests),
        }

    def to_json(self) -> dict[str, Any]:
        """Returns the block as a JSON object."""
        block: dict[str, Any] = {
            "board": name_of(self.config),
            "first_click": self.config.first_click,
            "moves": list(self.config.moves),
            "seed": self.seed,
            "games": self.games,
            "batch_size": self.batch_size,
            "wins": self.wins,
            **{name: _encode(content) for name, content in self._packed().items()},
            "checks": _encode(b"".join(self.checks())),
            "sample": [{"game": game, "actions": _encode(actions)} for game, actions in sorted(self.sample.items())],
        }
        return block | {"sha256": sha256_of(block)}

    def checks(self) -> list[bytes]:
        """Returns the checksum of each game, over its seed, outcome, clicks and actions."""
        name = self.name
        rows = zip(range(self.seed, self.seed + self.games), self.won, self.clicks, self.digests, strict=True)
        return [
            hashlib.sha256(f"{name} {seed} {won:d} {clicks} ".encode() + digest).digest()[:CHECK_BYTES]
            for seed, won, clicks, digest in rows
        ]


def title_of(config: BoardConfig) -> str:
    """Returns the board and the first-click rule, such as "8x8/14 opening"."""
    return f"{name_of(config)} {config.first_click}"


def digest_of(actions: bytes) -> bytes:
    """Returns the digest of the actions of a game."""
    return hashlib.sha256(actions).digest()[:DIGEST_BYTES]


def sha256_of(content: Any) -> str:
    """Returns the SHA-256 of a JSON value in hexadecimal digits; it depends on the value, not on its layout."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _encode(content: bytes) -> str:
    return base64.b64encode(content).decode()


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
        ValueError: a text is not allowed; the message names the field and what is allowed.
    """

    name: str
    policy: str
    track: str
    author: str
    links: tuple[str, ...] = ()
    training_steps: Annotated[int, msgspec.Meta(ge=0, le=10**15)] | None = None
    training_hours: Annotated[float, msgspec.Meta(ge=0, le=1e7)] | None = None
    hardware: str = ""
    sha256: str | None = None

    def __post_init__(self) -> None:
        """Checks the texts."""
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

    @property
    def file_name(self) -> str:
        """Name of the result file, from the name of the entry."""
        return re.sub(r"[^-=,.+0-9A-Za-z]", "_", self.name) + SUFFIX


_NAME = re.compile(r"(?!(?:con|prn|aux|nul|com\d|lpt\d)\b)[0-9a-z][-0-9a-z _.,:=+@]*", re.ASCII | re.IGNORECASE)
"""Names of entries: a name is also that of a file, and no two look alike."""

_LINK = re.compile(r"https://[-0-9A-Za-z._~:/?#@!$&*+,;=%]+", re.ASCII)


def _check_text(name: str, value: str, least: int) -> None:
    if not least <= len(value) <= MOST_TEXT or not value.isprintable() or value != value.strip():
        raise ValueError(f"{name} must be one line of {least} to {MOST_TEXT} characters, not {value!r}")


class Time(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Time per game on a board, over some of its games."""

    games: Number
    ms_per_game: Annotated[float, msgspec.Meta(gt=0, lt=1e9)]


class Times(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Times per game by board, such as "8x8/14 opening", on one processor."""

    processor: str
    boards: dict[str, Time]


@dataclass(frozen=True)
class ResultFile:
    """Content of a result file.

    Attributes:
        card: the entry.
        versions: versions of the packages that played.
        boards: games of each board, in the order of the protocol.
        times: the time per game by board, or None.
    """

    card: Card
    versions: dict[str, str]
    boards: tuple[Games, ...]
    times: Times | None = None

    def board(self, title: str) -> Games | None:
        """Returns the games of a board such as "8x8/14 opening", or None if the policy did not play there."""
        return next((games for games in self.boards if games.name == title), None)

    def content_sha256(self) -> str:
        """Returns the SHA-256 of the content, which identifies the result."""
        return str(self.to_json()["sha256"])

    def to_json(self) -> dict[str, Any]:
        """Returns the whole file as a JSON object."""
        content = {
            "format": FORMAT,
            "protocol": PROTOCOL.version,
            "protocol_sha256": PROTOCOL.digest(),
            "card": msgspec.to_builtins(self.card),
            "versions": self.versions,
            "boards": [games.to_json() for games in self.boards],
        }
        return content | {"sha256": content_sha256(content), "times": msgspec.to_builtins(self.times)}

    def write(self, path: Path) -> None:
        """Writes the file, and replaces an earlier one.

        Raises:
            OSError: it cannot be written.
        """
        replace_file(path, canonical(self.to_json()))


def canonical(content: Any) -> bytes:
    """Returns the one form of a result file: sorted keys, one space per level, ASCII."""
    return (json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n").encode("ascii")


def content_sha256(content: dict[str, Any]) -> str:
    """Returns the SHA-256 of a result file's content, without its times and the SHA-256 itself."""
    return sha256_of({name: value for name, value in content.items() if name not in ("sha256", "times")})
