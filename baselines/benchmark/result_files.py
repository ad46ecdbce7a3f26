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
from baselines.schemas import Games as GameCount
from minesweeper_env.codes import MOVE_NAMES
from minesweeper_env.config import BoardConfig
from minesweeper_env.vector_env import MinesweeperVectorEnv

FORMAT, SUFFIX = 1, ".json"

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
    games: GameCount
    batch_size: GameCount
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
            board=config.name,
            first_click=config.first_click,
            moves=tuple(config.moves),
            seed=records[0].seed,
            games=len(records),
            batch_size=batch_size,
            wins=sum(record.won for record in records),
            won=np.packbits([record.won for record in records]).tobytes(),
            clicks=np.array([record.clicks for record in records], "<u2").tobytes(),
            digests=b"".join(digest_of(record.actions) for record in records),
        )
        return games.signed([Sampled(game, records[game].actions) for game in games.chosen_games()])

    def signed(self, sample: Sequence[Sampled]) -> Self:
        """Returns a copy with this sample, and with newly computed `checks` and `sha256`."""
        games = msgspec.structs.replace(self, checks=self.computed_checks(), sample=tuple(sample))
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
    def action_counts(self) -> NDArray[np.uint16]:
        """(games,) uint16, the number of actions of each game."""
        return np.frombuffer(self.clicks, "<u2")

    def digest(self, game: int) -> bytes:
        """Returns the digest of the actions of a game."""
        return self.digests[DIGEST_BYTES * game : DIGEST_BYTES * (game + 1)]

    def computed_checks(self) -> bytes:
        """Returns the checksums of all games, each over the board, seed, outcome, number of clicks and digest."""
        # `tolist`, because Python formats its own numbers faster than NumPy's.
        name, seed, rows = self.name, self.seed, zip(self.outcomes.tolist(), self.action_counts.tolist(), strict=True)
        texts = (f"{name} {seed + game} {won:d} {clicks} ".encode() for game, (won, clicks) in enumerate(rows))
        checks = (hashlib.sha256(text + self.digest(game)).digest() for game, text in enumerate(texts))
        return b"".join(check[:CHECK_BYTES] for check in checks)

    def chosen_games(self) -> list[int]:
        """Returns the indices of the games to sample, in increasing order: the first ones of `shuffled_games`."""
        return sorted(self.shuffled_games()[: max(LEAST_SAMPLE, -(-self.games // 100))])

    def shuffled_games(self) -> list[int]:
        """Returns the indices of all games, sorted by SHA-256(root, index).

        The root is the SHA-256 of all outcomes and digests: nobody knows the sample before the last game is played.
        """
        root = hashlib.sha256(b"".join([self.name.encode(), self.won, self.clicks, self.digests])).digest()
        ranks = [hashlib.sha256(root + game.to_bytes(4, "little")).digest() for game in range(self.games)]
        return sorted(range(self.games), key=ranks.__getitem__)

    def place(self, game: int) -> str:
        """Returns a text for messages with the board, the index of the game and its seed."""
        return f"{self.name}, game {game} (seed {self.seed + game})"


class Time(Strict, frozen=True):
    """Time per game on a board, over some of its games."""

    games: GameCount
    ms_per_game: Annotated[float, msgspec.Meta(gt=0, lt=1e9)]


class Times(Strict, frozen=True):
    """Times per game by board, such as "8x8/14 opening", on one processor."""

    processor: Text
    boards: dict[str, Time]


class ResultFile(Strict, frozen=True):
    """Content of a result file.

    Attributes:
        versions: versions of the packages that played.
        boards: games of each board, in the order of the protocol.
        times: the time per game by board, measured apart, or None; outside the content that `sha256` covers.
        sha256: SHA-256 of all other fields but `times`; `signed` makes it.
        format: version of this form.
        protocol_sha256: SHA-256 of the definition of the protocol.
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
    """Returns a result file after all checks but the replay; raises RefusedFileError, or OSError if it is unreadable.

    Checking the hashes takes most of the time; without `hashes`, they count as checked when the file was added.
    """
    content = read_bounded(path)
    try:
        result = msgspec.json.decode(content, type=ResultFile)
        _check(result, hashes)
        fault = "a field, a space or the order is not as `minesweeper benchmark run` wrote it"
        _require(not hashes or result.canonical() == content, fault)
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
    """Raises a ValueError for the first part of a file that breaks its protocol or, with `hashes`, a hash."""
    _require(result.protocol in PROTOCOLS, f"`protocol` must be {' or '.join(PROTOCOLS)}, not {result.protocol!r}")
    protocol = PROTOCOLS[result.protocol]
    for name, expected in (("format", FORMAT), ("protocol_sha256", protocol.digest())):
        value = getattr(result, name)
        _require(value == expected, f"`{name}` must be {expected}, not {value!r}")
    order = [title_of(board) for board in protocol.boards]
    for games in result.boards:
        _require(games.name in order, f"protocol {protocol.version} has no board {games.name!r}")
        _check_games(games, protocol)
        if hashes:
            _check_hashes(games)
    positions = [order.index(games.name) for games in result.boards]
    in_order = bool(positions) and positions == sorted(set(positions))
    _require(in_order, "`boards` must hold boards of the protocol, each board once and in its order")
    changed = "the card, the versions or the list of boards was changed: `sha256` is that of other content"
    _require(not hashes or result.content_sha256() == result.sha256, changed)
    check_card(result.card, protocol)
    for title, time in result.times.boards.items() if result.times else ():
        played = getattr(result.board(title), "games", 0)
        _require(time.games <= played, f"`times` has {time.games} games of {title!r}, and the file has {played}")


def _require(condition: bool, fault: str) -> None:
    if not condition:
        raise ValueError(fault)


def _check_games(games: Games, protocol: Protocol) -> None:
    """Raises a ValueError if the fields contradict each other, or if the games break the protocol."""
    name, count = games.name, games.games
    _require(set(games.moves) <= set(MOVE_NAMES), f"{name}: the moves are some of {', '.join(MOVE_NAMES)}")
    sizes = {"won": (count + 7) // 8, "clicks": 2 * count, "digests": DIGEST_BYTES * count}
    for field, size in (sizes | {"checks": CHECK_BYTES * count}).items():
        _require(len(getattr(games, field)) == size, f"{name}: `{field}` must hold {size} bytes for {count} games")
    first, fewest, most = protocol.seeds.start, protocol.least_games, len(protocol.seeds)
    fits_protocol = games.seed == first and fewest <= count <= most
    _require(fits_protocol, f"{name}: an entry plays {fewest} to {most} games from seed {first} on")
    wins = games.outcomes.sum()
    _require(wins == games.wins, f"{name}: `wins` is {games.wins}, and `won` has {wins} wins")


def _check_hashes(games: Games) -> None:
    """Raises a ValueError if a hash, or the choice of the sample, does not match the games."""
    name = games.name
    recomputed = games.signed(games.sample)
    if recomputed.checks != games.checks:
        pairs = zip(recomputed.checks, games.checks, strict=True)
        first_byte = next(index for index, (expected, stored) in enumerate(pairs) if expected != stored)
        raise ValueError(f"{games.place(first_byte // CHECK_BYTES)}: its outcome or digest was changed")
    is_chosen = [sampled.game for sampled in games.sample] == games.chosen_games()
    _require(is_chosen, f"{name}: `sample` must hold the games that the hash of the outcomes chooses")
    for sampled in games.sample:
        game, actions = sampled.game, sampled.actions
        fits = digest_of(actions) == games.digest(game) and len(actions) == 2 * games.action_counts[game]
        _require(fits, f"{games.place(game)}: the actions do not match their digest")
    _require(recomputed.sha256 == games.sha256, f"{name}: `sha256` is that of other games")


def _replay(games: Games) -> None:
    """Replays all sampled games side by side; raises a ValueError that says what is wrong with the first wrong one."""
    indices = [sampled.game for sampled in games.sample]
    recorded = [np.frombuffer(sampled.actions, "<u2").astype(np.int64) for sampled in games.sample]
    env, faults = MinesweeperVectorEnv(len(recorded), **games.config.arguments()), dict[int, str]()
    _, infos = env.reset(seed=[games.seed + index for index in indices])
    actions_left, won = np.array([len(actions) for actions in recorded]), games.outcomes[indices]
    # Only won games must end here: a policy may resign, and then its game counts as lost.
    playing, not_ended = actions_left > 0, won.copy()
    for step in range(actions_left.max()):
        actions_left -= 1
        actions = np.array([each[step] if step < len(each) else 0 for each in recorded])
        # The environment accepts no action outside its space: a game with one, or without any, plays 0 unseen.
        legal = (actions < infos["action_mask"].shape[1]) & playing
        actions[~legal] = 0
        legal &= infos["action_mask"][np.arange(len(recorded)), actions] != 0
        _, _, terminations, truncations, infos = env.step(actions)
        ended = legal & (terminations | truncations)
        wrong_outcome = ended & (actions_left == 0) & (infos["is_success"] != won)
        for is_faulty, fault in (
            (playing & ~legal, "an action is illegal, {} before the last one"),
            (ended & (actions_left > 0), "the game ends {} actions before the last one recorded"),
            (wrong_outcome, "the recorded actions end it, and `won` says otherwise"),
        ):
            faults |= {number: fault.format(actions_left[number]) for number in np.flatnonzero(is_faulty).tolist()}
        playing, not_ended = legal & ~ended & (actions_left > 0), not_ended & ~ended
    faults = dict.fromkeys(np.flatnonzero(not_ended).tolist(), "the game does not end with the last action") | faults
    if faults:
        first = min(faults)
        raise ValueError(f"{games.place(indices[first])}: {faults[first]}")
