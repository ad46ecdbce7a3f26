"""Blocks of a result file: the games of one board, packed, with digests that name the game where something was changed.

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
| sample | games and their actions; `chosen_games` says which |
| sha256 | SHA-256 of the block without this field |

Bytes are written in base64.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from baselines.evaluation.records import GameRecord
from baselines.support.board_names import name_of
from minesweeper_env.config import BoardConfig

SAMPLED_FRACTION = 0.01
LEAST_SAMPLE = 10
"""A block holds the actions of this fraction of its games, and of this number at least."""

_DIGEST, _CHECK = 4, 2


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
            hashlib.sha256(f"{name} {seed} {won:d} {clicks} ".encode() + digest).digest()[:_CHECK]
            for seed, won, clicks, digest in rows
        ]


def title_of(config: BoardConfig) -> str:
    """Returns the board and the first-click rule, such as "8x8/14 opening"."""
    return f"{name_of(config)} {config.first_click}"


def digest_of(actions: bytes) -> bytes:
    """Returns the digest of the actions of a game."""
    return hashlib.sha256(actions).digest()[:_DIGEST]


def sha256_of(content: Any) -> str:
    """Returns the SHA-256 of a JSON value in hexadecimal digits; it depends on the value, not on its layout."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _encode(content: bytes) -> str:
    return base64.b64encode(content).decode()


def read_block(block: Any, config: BoardConfig) -> tuple[Games, list[bytes]]:
    """Returns the games of a block and the checks that it states, without comparing them.

    Args:
        block: JSON value.
        config: board and first-click rule that the block states.

    Raises:
        ValueError: a field has another form; the message names it.
    """
    title = title_of(config)
    numbers = {name: _number(block, name, title) for name in ("seed", "games", "batch_size", "wins")}
    count = numbers["games"]
    won = _decode(block, "won", (count + 7) // 8, title)
    clicks = np.frombuffer(_decode(block, "clicks", 2 * count, title), "<u2")
    digests = _cut(_decode(block, "digests", _DIGEST * count, title), _DIGEST)
    bits = np.unpackbits(np.frombuffer(won, np.uint8))
    if bits[count:].any():
        raise ValueError(f"{title}: `won` has a win beyond the last of {count} games")
    games = Games(
        config,
        numbers["batch_size"],
        numbers["seed"],
        tuple(bits[:count].astype(bool).tolist()),
        tuple(clicks.tolist()),
        tuple(digests),
        _read_sample(block, title),
    )
    return games, _cut(_decode(block, "checks", _CHECK * count, title), _CHECK)


def _number(block: Any, name: str, title: str) -> int:
    value = block.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < (0 if name == "wins" else 1):
        raise ValueError(f"{title}: `{name}` must be a whole number, not {value!r}")
    return value


def _decode(block: Any, name: str, size: int, title: str) -> bytes:
    try:
        content = base64.b64decode(block[name], validate=True)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{title}: `{name}` must be bytes in base64") from error
    if len(content) != size:
        raise ValueError(f"{title}: `{name}` holds {len(content)} bytes, and {block['games']} games have {size}")
    return content


def _cut(content: bytes, size: int) -> list[bytes]:
    return [content[begin : begin + size] for begin in range(0, len(content), size)]


def _read_sample(block: Any, title: str) -> dict[int, bytes]:
    try:
        sample = {each["game"]: base64.b64decode(each["actions"], validate=True) for each in block["sample"]}
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{title}: `sample` must hold games with their actions in base64") from error
    if any(type(game) is not int or len(actions) % 2 for game, actions in sample.items()):
        raise ValueError(f"{title}: `sample` has a game without a whole number, or an incomplete action")
    return sample
