"""Games of a suite on disk: the tasks of a suite, and one file per unit of play, written whole or not at all."""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from baselines.benchmark.suites import Entry, Group, Suite
from baselines.evaluation.evaluate import batch_size_of
from baselines.evaluation.games import Assignment, GameRecord, Part, Start
from baselines.registry import build_policy, find_policy
from baselines.support.board_names import file_name, name_of
from baselines.support.files import replace_file
from baselines.support.structs import Count, Games
from minesweeper_env.config import BoardConfig

SUFFIX = ".npz"
_BITS = ("won", "truncated", "marked")
_NUMBERS = ("clicks", "opened")


def sum_of(counters: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Returns the sums of counters by name."""
    total = Counter[str]()
    for each in counters:
        total.update(each)
    return dict(total)


class _Header(msgspec.Struct):
    first: Count
    games: Games
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    tallies: dict[str, int]


@dataclass(frozen=True)
class Task:
    """The games of one policy on one board.

    Attributes:
        group: name of the group.
        entry: the policy.
        board: board and first-click rule, as the suite has them.
        games: number of games.
        record: True to record the actions of each game.
        config: the board with the moves of the policy.
        batch_size: number of games played side by side; the policy is reset before each batch.
        precision: number format of the policy's network; None for a policy without such a choice.
        refusal: why the policy does not play on the board; empty if it does.
    """

    group: str
    entry: Entry
    board: BoardConfig
    games: int
    record: bool
    config: BoardConfig
    batch_size: int = 1
    precision: str | None = None
    refusal: str = ""

    @classmethod
    def of(cls, group: Group, entry: Entry, board: BoardConfig, games: int, record: bool) -> Task:
        """Makes the policy once, to find out whether it plays on the board."""
        maker = find_policy(entry.policy)
        games = min(games, entry.cap or games)
        try:
            config = maker.config_for(board)
            batch_size = entry.batch_size or batch_size_of(maker(config))
        except ValueError as error:
            return cls(group.name, entry, board, games, record, board, refusal=str(error))
        return cls(group.name, entry, board, games, record, config, batch_size, maker.precision)

    def __str__(self) -> str:
        """Returns the policy, the board and the first-click rule."""
        return f"{self.entry.policy} on {name_of(self.board)} {self.board.first_click}"

    def folder(self, out: Path) -> Path:
        """Returns the folder of the games in the folder of the suite."""
        board = f"{file_name(name_of(self.board))}-{self.board.first_click}"
        return out / "games" / self.group / board / policy_folder(self.entry.policy)

    def assignment(self, seed: int) -> Assignment:
        """Returns the games as workers receive them; game i has the seed `seed` + i."""
        build, seeds = partial(build_policy, self.entry.policy, self.config), range(seed, seed + self.games)
        return Assignment(
            str(self), build, self.config, seeds, seed, self.batch_size, start=self._start(), record=self.record
        )

    def _start(self) -> Callable[[int], Start] | None:
        if self.entry.start is None:
            return None
        module, _, function = self.entry.start.partition(":")
        return partial(getattr(import_module(module), function), self.config)

    def write(self, out: Path, part: Part) -> None:
        """Writes a part, and replaces one with the same first game.

        The file is a .npz archive of these arrays:

        | name | content |
        |---|---|
        | won, truncated, marked | one bit per game, packed |
        | clicks, opened | one number per game, in the smallest integer type that holds them |
        | actions | the actions of all games in a row, if the task records them |
        | header | JSON as bytes: the first game, the number of games, the seconds and the counters |
        """
        rows = part.records
        arrays: dict[str, Any] = {name: np.packbits([getattr(row, name) for row in rows]) for name in _BITS}
        for name in _NUMBERS:
            numbers = np.array([getattr(row, name) for row in rows])
            arrays[name] = numbers.astype(np.min_scalar_type(numbers.max()))
        if self.record:
            arrays["actions"] = np.frombuffer(b"".join(row.actions for row in rows), np.uint8)
        header = _Header(part.first, len(rows), part.seconds, part.counters)
        arrays["header"] = np.frombuffer(msgspec.json.encode(header), np.uint8)
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        self.folder(out).mkdir(parents=True, exist_ok=True)
        replace_file(self.folder(out) / f"{part.first:08d}{SUFFIX}", buffer.getvalue())

    def read(self, out: Path, seed: int, actions: bool = False) -> list[Part]:
        """Returns the stored parts in order, but for one that ends within a batch which must now be longer.

        Args:
            out: folder of the suite.
            seed: seed of game 0.
            actions: True to read the recorded actions too, which take far more memory than the rest.

        Raises:
            OSError: a file is damaged, or its games do not fit those of the other files; the message says what to do.
        """
        parts: list[Part] = []
        for path in sorted(self.folder(out).glob(f"*{SUFFIX}")):
            try:
                part = _read_part(path, seed, actions)
            except Exception as error:
                # NumPy, zipfile and msgspec raise errors of many kinds on damaged bytes.
                raise OSError(None, "is damaged; delete it to play its games again", str(path)) from error
            begin, end = part.games.start, part.games.stop
            if begin % self.batch_size or end > self.games or (parts and begin < parts[-1].games.stop):
                raise OSError(None, "holds games that do not fit the other files; delete it to resume", str(path))
            if end % self.batch_size == 0 or end == self.games:
                parts.append(part)
        return parts


def policy_folder(policy: str) -> str:
    """Returns the name of the folders with the games of a policy.

    Names with options are spelled out. A hash tells apart paths and classes that would be spelled alike.
    """
    name = re.sub(r"[^-=,.+0-9A-Za-z]", "_", policy)
    if re.fullmatch(r"[-.\w]+(:\w+=.*)?", policy):
        return name
    return f"{name[-60:]}-{hashlib.sha256(policy.encode()).hexdigest()[:8]}"


def _read_part(path: Path, seed: int, actions: bool) -> Part:
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
        header = msgspec.json.decode(archive["header"].tobytes(), type=_Header)
        bits = [np.unpackbits(archive[name], count=header.games).astype(np.bool_).tolist() for name in _BITS]
        clicks, opened = (archive[name].tolist() for name in _NUMBERS)
        played = _split(archive["actions"], clicks) if actions else [b""] * header.games
    if path.name != f"{header.first:08d}{SUFFIX}":
        raise ValueError("a file has the name of its first game")
    won, truncated, marked = bits
    seeds = range(seed + header.first, seed + header.first + header.games)
    rows = zip(seeds, won, clicks, truncated, opened, marked, [None] * header.games, played, strict=True)
    records = tuple(GameRecord(*row) for row in rows)
    return Part(header.first, records, header.seconds, header.tallies)


def _split(actions: NDArray[np.uint8], clicks: Sequence[int]) -> list[bytes]:
    """Returns the actions of each game, two bytes per click."""
    ends = 2 * np.cumsum(clicks)
    if len(actions) != ends[-1]:
        raise ValueError("the number of actions is not the number of clicks")
    return [part.tobytes() for part in np.split(actions, ends[:-1])]


def plan(suite: Suite, games: int) -> Iterator[Task]:
    """Yields the games of each policy on each board of the suite, at most `games`, also of policies that refuse one.

    Raises:
        MissingExtraError: a policy needs a package that is not installed.
        PolicyError: the code of a user's policy fails.
    """
    for group in suite.groups:
        for board in group.boards:
            for entry in group.entries:
                yield Task.of(group, entry, board, games, suite.protocol is not None)
