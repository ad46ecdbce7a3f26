"""Result files of the benchmark: one policy on the boards of the protocol, in a canonical form that a check recomputes.

`ResultFile`, `Card` and `Games` say what a file holds; bytes are written in base64. Two runs of a deterministic policy
with the same versions give the same bytes, times apart.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from baselines.benchmark.cards import MOST_ENTRIES, Card, Strict, Text, check_card
from baselines.benchmark.protocol import PROTOCOL, PROTOCOLS, Protocol
from baselines.evaluation.games import GameRecord
from baselines.files import first_line, read_bounded, replace_file
from baselines.schemas import Count
from baselines.schemas import Games as Number
from minesweeper_env.codes import MOVE_NAMES
from minesweeper_env.config import BoardConfig
from minesweeper_env.vector_env import MinesweeperVectorEnv

FORMAT = 1

SUFFIX = ".json"

LEAST_SAMPLE = 10
"""A file holds the actions of one per cent of the games of a board, and of this number at least."""

DIGEST_BYTES, CHECK_BYTES = 4, 2


class RefusedFileError(ValueError):
    """A result file that the benchmark does not accept; the message says where it is wrong, in one line."""


class Sampled(Strict, frozen=True):
    """The actions of a game, as little-endian uint16 numbers."""

    game: Count
    actions: bytes


class Games(Strict, frozen=True, dict=True):
    """Games of a policy on one board, with digests that name the game where something was changed.

    Attributes:
        board: the board, such as "8x8/14".
        moves: the moves of the policy.
        seed: seed of game 0; game i has the seed `seed` + i.
        batch_size: number of games that were played side by side, which the random choices of a policy depend on.
        won: one bit per game, 1 for a win (`numpy.packbits`).
        clicks: one little-endian uint16 per game: the number of actions.
        digests: four bytes per game: the beginning of the SHA-256 of its actions.
        checks: two bytes per game: the beginning of a SHA-256 of its seed, outcome, clicks and digest.
        sample: games and their actions; `chosen_games` says which.
        sha256: SHA-256 of all this.
    """

    board: str
    first_click: str
    moves: tuple[str, ...]
    seed: Count
    games: Number
    batch_size: Number
    wins: Count
    won: bytes
    clicks: bytes
    digests: bytes
    checks: bytes = b""
    sample: tuple[Sampled, ...] = ()
    sha256: str = ""

    @classmethod
    def of_records(cls, config: BoardConfig, batch_size: int, records: Sequence[GameRecord]) -> Self:
        """Returns the games of records with consecutive seeds and with recorded actions."""
        games = cls(
            config.name,
            config.first_click,
            tuple(config.moves),
            records[0].seed,
            len(records),
            batch_size,
            sum(record.won for record in records),
            np.packbits([record.won for record in records]).tobytes(),
            np.array([record.clicks for record in records], "<u2").tobytes(),
            b"".join(digest_of(record.actions) for record in records),
        )
        return games.signed([Sampled(game, records[game].actions) for game in games.chosen_games()])

    def signed(self, sample: Sequence[Sampled]) -> Self:
        """Returns the games with a sample, and with their own checks and hash."""
        games = msgspec.structs.replace(self, checks=self.own_checks(), sample=tuple(sample))
        content = msgspec.to_builtins(games)
        del content["sha256"]
        return msgspec.structs.replace(games, sha256=sha256_of(content))

    @property
    def name(self) -> str:
        """The board with its first-click rule, such as "8x8/14 opening"."""
        return f"{self.board} {self.first_click}"

    @property
    def config(self) -> BoardConfig:
        """The board and rules; raises ValueError if no protocol has such a board."""
        for config in (board for protocol in PROTOCOLS.values() for board in protocol.boards):
            if self.name == title_of(config):
                return replace(config, moves=self.moves)
        raise ValueError(f"no protocol has a board {self.name!r}")

    @cached_property
    def outcomes(self) -> NDArray[np.bool_]:
        """(games,) bool, True for each game won."""
        return np.unpackbits(np.frombuffer(self.won, np.uint8), count=self.games).astype(np.bool_)

    @cached_property
    def actions(self) -> NDArray[np.uint16]:
        """(games,) uint16, the number of actions of each game."""
        return np.frombuffer(self.clicks, "<u2")

    def digest(self, game: int) -> bytes:
        """Returns the digest of the actions of a game."""
        return self.digests[DIGEST_BYTES * game : DIGEST_BYTES * (game + 1)]

    def own_checks(self) -> bytes:
        """Returns the checksum of each game, over its seed, outcome, clicks and actions."""
        # Python's own numbers, which it writes in less time than NumPy's.
        name, seed, rows = self.name, self.seed, zip(self.outcomes.tolist(), self.actions.tolist(), strict=True)
        texts = (f"{name} {seed + game} {won:d} {clicks} ".encode() for game, (won, clicks) in enumerate(rows))
        checks = (hashlib.sha256(text + self.digest(game)).digest() for game, text in enumerate(texts))
        return b"".join(check[:CHECK_BYTES] for check in checks)

    def chosen_games(self) -> list[int]:
        """Returns the games of the sample, in increasing order: the first ones of `shuffled_games`."""
        return sorted(self.shuffled_games()[: max(LEAST_SAMPLE, -(-self.games // 100))])

    def shuffled_games(self) -> list[int]:
        """Returns all games, sorted by SHA-256(root, index), where the root is that of all outcomes and digests.

        So nobody can choose the sample before the last game is played.
        """
        root = hashlib.sha256(b"".join([self.name.encode(), self.won, self.clicks, self.digests])).digest()
        ranks = [hashlib.sha256(root + game.to_bytes(4, "little")).digest() for game in range(self.games)]
        return sorted(range(self.games), key=ranks.__getitem__)

    def place(self, game: int) -> str:
        """Returns the board, the game and its seed, for messages."""
        return f"{self.name}, game {game} (seed {self.seed + game})"


class Time(Strict, frozen=True):
    """Time per game on a board, over some of its games."""

    games: Number
    ms_per_game: Annotated[float, msgspec.Meta(gt=0, lt=1e9)]


class Times(Strict, frozen=True):
    """Times per game by board, such as "8x8/14 opening", on one processor."""

    processor: Text
    boards: dict[str, Time]


class ResultFile(Strict, frozen=True):
    """Content of a result file.

    Attributes:
        card: the entry.
        versions: versions of the packages that played.
        boards: games of each board, in the order of the protocol.
        times: the time per game by board, measured apart, or None; outside the content that `sha256` covers.
        sha256: SHA-256 of all other fields but `times`; `signed` makes it.
        format: version of this form.
        protocol: version of the protocol.
        protocol_sha256: SHA-256 of its definition.
    """

    card: Card
    versions: Annotated[dict[Text, Text], msgspec.Meta(max_length=MOST_ENTRIES)]
    boards: tuple[Games, ...]
    times: Times | None
    sha256: str
    format: int
    protocol: str
    protocol_sha256: str

    @classmethod
    def of(
        cls,
        card: Card,
        versions: dict[str, str],
        boards: Sequence[Games],
        times: Times | None = None,
        protocol: Protocol = PROTOCOL,
    ) -> Self:
        """Returns the file of these games, with its hash."""
        result = cls(card, versions, tuple(boards), times, "", FORMAT, protocol.version, protocol.digest())
        return msgspec.structs.replace(result, sha256=result.content_sha256())

    def content_sha256(self) -> str:
        """Returns the SHA-256 of the content, without the times and the SHA-256 itself."""
        content = msgspec.to_builtins(self)
        return sha256_of({name: value for name, value in content.items() if name not in ("sha256", "times")})

    def board(self, title: str) -> Games | None:
        """Returns the games of a board such as "8x8/14 opening", or None."""
        return next((games for games in self.boards if games.name == title), None)

    def canonical(self) -> bytes:
        """Returns the one form of the file: sorted keys, one space per level, ASCII."""
        return (json.dumps(msgspec.to_builtins(self), indent=1, sort_keys=True, allow_nan=False) + "\n").encode("ascii")

    def write(self, path: Path) -> None:
        """Writes the file, and replaces an earlier one; raises OSError if it cannot be written."""
        replace_file(path, self.canonical())


def digest_of(actions: bytes) -> bytes:
    """Returns the digest of the actions of a game."""
    return hashlib.sha256(actions).digest()[:DIGEST_BYTES]


def sha256_of(content: Any) -> str:
    """Returns the SHA-256 of a JSON value in hexadecimal digits; it depends on the value, not on its layout."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def title_of(config: BoardConfig) -> str:
    """Returns the board and the first-click rule, such as "8x8/14 opening"."""
    return f"{config.name} {config.first_click}"


def read_result_file(path: Path, *, hashes: bool = True) -> ResultFile:
    """Returns a result file after all checks but the replay; raises RefusedFileError, or OSError if it is not read.

    Without `hashes`, which take most of the time, a file is taken whose hashes were checked when it was added.
    """
    content = read_bounded(path)
    try:
        result = msgspec.json.decode(content, type=ResultFile)
        _check(result, hashes)
        fault = "a field, a space or the order is not as `minesweeper benchmark run` wrote it"
        _ask(not hashes or result.canonical() == content, fault)
    except (ValueError, RecursionError) as error:
        raise RefusedFileError(f"{path}: no valid result file: {first_line(error)}") from error
    return result


def check_result_file(path: Path) -> tuple[ResultFile, int]:
    """Checks a result file completely, and returns it with the number of games replayed; raises RefusedFileError."""
    result = read_result_file(path)
    try:
        for games in result.boards:
            _replay(games)
    except ValueError as error:
        raise RefusedFileError(f"{path}: {error}") from error
    return result, sum(len(games.sample) for games in result.boards)


def _check(result: ResultFile, hashes: bool) -> None:
    _ask(result.protocol in PROTOCOLS, f"`protocol` must be {' or '.join(PROTOCOLS)}, not {result.protocol!r}")
    protocol = PROTOCOLS[result.protocol]
    for name, right in (("format", FORMAT), ("protocol_sha256", protocol.digest())):
        found = getattr(result, name)
        _ask(found == right, f"`{name}` must be {right}, not {found!r}")
    order = [title_of(board) for board in protocol.boards]
    for games in result.boards:
        _ask(games.name in order, f"protocol {protocol.version} has no board {games.name!r}")
        _check_games(games, protocol)
        if hashes:
            _check_hashes(games)
    places = [order.index(games.name) for games in result.boards]
    in_order = bool(places) and places == sorted(set(places))
    _ask(in_order, "`boards` must hold boards of the protocol, each board once and in its order")
    changed = "the card, the versions or the list of boards was changed: `sha256` is that of other content"
    _ask(not hashes or result.content_sha256() == result.sha256, changed)
    check_card(result.card, protocol)
    for title in result.times.boards if result.times else ():
        _ask(result.board(title) is not None, f"`times` has {title!r}, which is no board of the file")


def _ask(is_right: bool, fault: str) -> None:
    if not is_right:
        raise ValueError(fault)


def _check_games(games: Games, protocol: Protocol) -> None:
    """Raises a ValueError if a field does not follow from the games, or these break the protocol."""
    name, count = games.name, games.games
    _ask(set(games.moves) <= set(MOVE_NAMES), f"{name}: the moves are some of {', '.join(MOVE_NAMES)}")
    sizes = {"won": (count + 7) // 8, "clicks": 2 * count, "digests": DIGEST_BYTES * count}
    for field, size in (sizes | {"checks": CHECK_BYTES * count}).items():
        _ask(len(getattr(games, field)) == size, f"{name}: `{field}` must hold {size} bytes for {count} games")
    first, least, most = protocol.seeds.start, protocol.least_games, len(protocol.seeds)
    follows = games.seed == first and least <= count <= most
    _ask(follows, f"{name}: an entry plays {least} to {most} games from seed {first} on")
    wins = games.outcomes.sum()
    _ask(wins == games.wins, f"{name}: `wins` is {games.wins}, and `won` has {wins} wins")


def _check_hashes(games: Games) -> None:
    """Raises a ValueError if a hash, or the sample that the hashes choose, is that of other games."""
    name = games.name
    right = games.signed(games.sample)
    if right.checks != games.checks:
        pairs = zip(right.checks, games.checks, strict=True)
        game = next(at for at, (one, other) in enumerate(pairs) if one != other) // CHECK_BYTES
        raise ValueError(f"{games.place(game)}: its outcome or digest was changed")
    chosen = [each.game for each in games.sample] == games.chosen_games()
    _ask(chosen, f"{name}: `sample` must hold the games that the hash of the outcomes chooses")
    for each in games.sample:
        fits = digest_of(each.actions) == games.digest(each.game) and len(each.actions) == 2 * games.actions[each.game]
        _ask(fits, f"{games.place(each.game)}: the actions do not match their digest")
    _ask(right.sha256 == games.sha256, f"{name}: `sha256` is that of other games")


def _replay(games: Games) -> None:
    """Plays all sampled games side by side on the engine; a ValueError says what is wrong with the first wrong one."""
    played = [np.frombuffer(each.actions, "<u2").astype(np.int64) for each in games.sample]
    env, faults = MinesweeperVectorEnv(len(played), **games.config.arguments()), dict[int, str]()
    _, infos = env.reset(seed=[games.seed + each.game for each in games.sample])
    left, won = np.array([len(each) for each in played]), games.outcomes[[each.game for each in games.sample]]
    # A policy may give a game up, which then counts as lost.
    playing, unended = left > 0, won.copy()
    for step in range(left.max()):
        left -= 1
        actions = np.array([each[step] if step < len(each) else 0 for each in played])
        legal = (actions < infos["action_mask"].shape[1]) & playing
        actions[~legal] = 0
        legal &= infos["action_mask"][np.arange(len(played)), actions] != 0
        _, _, terminations, truncations, infos = env.step(actions)
        ended = legal & (terminations | truncations)
        for found, fault in (
            (playing & ~legal, "an action is illegal, {} before the last one"),
            (ended & (left > 0), "the game ends {} actions before the last one recorded"),
            (
                ended & (left == 0) & (infos["is_success"] != won),
                "the recorded actions end it, and `won` says otherwise",
            ),
        ):
            faults |= {number: fault.format(left[number]) for number in np.flatnonzero(found).tolist()}
        playing, unended = legal & ~ended & (left > 0), unended & ~ended
    for number in sorted({*faults, *np.flatnonzero(unended).tolist()}):
        fault = faults.get(number, "the game does not end with the last action")
        raise ValueError(f"{games.place(games.sample[number].game)}: {fault}")
