"""Games of a task on disk: one file per unit of play, written atomically and checked when it is read."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.records import GameRecord
from baselines.suites.tasks import Task
from baselines.support.files import replace_file
from baselines.support.structs import Count, Games

SUFFIX = ".npz"
_BITS = ("won", "truncated", "marked")
_NUMBERS = ("clicks", "opened")


class DamagedPartError(ValueError):
    """A file of games is damaged or belongs to other games; the message names it."""


@dataclass(frozen=True)
class Part:
    """Consecutive games of a task.

    Attributes:
        first: index of the first game; its seed is the seed of the suite plus this index.
        records: one record per game.
        seconds: time spent playing.
        counters: increase of the policy's counters meanwhile.
    """

    first: int
    records: tuple[GameRecord, ...]
    seconds: float
    counters: dict[str, int]

    @property
    def games(self) -> range:
        """The indices of the games."""
        return range(self.first, self.first + len(self.records))


class Header(msgspec.Struct):
    """What the header of a file must have, beside the identity of its task."""

    first: Count
    games: Games
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    tallies: dict[str, int]


class PartStore:
    """Files of the games of a task, in a folder of their own.

    A file is a .npz archive with these arrays:

    | name | content |
    |---|---|
    | won, truncated, marked | one bit per game, packed |
    | clicks, opened | one number per game, in the smallest integer type that holds them |
    | actions | the actions of all games in a row, if the task records them |
    | header | JSON as bytes: the task, the first game, the seconds and the counters |
    """

    def __init__(self, folder: Path, task: Task, seed: int) -> None:
        """Opens the files of `task` in the folder of a suite with this seed."""
        self._folder = folder / task.folder
        self._task = task
        self._seed = seed

    def write(self, part: Part) -> None:
        """Writes a part, and replaces a part with the same first game.

        Raises:
            OSError: the part cannot be written.
        """
        arrays: dict[str, Any] = {
            name: np.packbits([getattr(record, name) for record in part.records]) for name in _BITS
        }
        for name in _NUMBERS:
            numbers = np.array([getattr(record, name) for record in part.records], np.int64)
            arrays[name] = numbers.astype(np.min_scalar_type(int(numbers.max())))
        if self._task.record:
            arrays["actions"] = np.frombuffer(b"".join(record.actions for record in part.records), np.uint8)
        header = {**self._identity(), "first": part.first, "games": len(part.records)}
        header |= {"seconds": part.seconds, "tallies": part.counters}
        buffer = io.BytesIO()
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
        np.savez(buffer, **arrays)
        self._folder.mkdir(parents=True, exist_ok=True)
        replace_file(self._folder / f"{part.first:08d}{SUFFIX}", buffer.getvalue())

    def read(self, actions: bool = False) -> list[Part]:
        """Returns the stored parts in order, except a part that ends within a batch which must now be longer.

        Args:
            actions: True to read the recorded actions too, which take far more memory than the rest.

        Raises:
            DamagedPartError: a file is damaged, cannot be read, or belongs to another task.
        """
        parts: list[Part] = []
        for path in self.files():
            part = self._read_file(path, actions)
            begin, end = part.games.start, part.games.stop
            if begin % self._task.batch_size or end > self._task.games or (parts and begin < parts[-1].games.stop):
                raise DamagedPartError(f"{path} holds games that do not fit the other files; delete it to resume")
            if end % self._task.batch_size == 0 or end == self._task.games:
                parts.append(part)
        return parts

    def files(self) -> list[Path]:
        """Returns the paths of the stored files, in the order of their games."""
        return sorted(self._folder.glob(f"*{SUFFIX}"))

    def _identity(self) -> dict[str, Any]:
        task, config = self._task, self._task.config
        identity = {
            "policy": task.policy,
            "size": [config.rows, config.cols],
            "mines": config.mines,
            "first_click": config.first_click,
            "block": task.batch_size,
            "start": task.start,
            "seed": self._seed,
        }
        identity |= {"no_guess": config.no_guess} if config.no_guess else {}
        identity |= {"precision": task.precision} if task.precision else {}
        return identity | ({"record": True} if task.record else {})

    def _read_file(self, path: Path, actions: bool) -> Part:
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
                found = json.loads(archive["header"].tobytes())
                header = msgspec.convert(found, Header)
                columns: list[Any] = [_unpack(archive[name], name, header.games) for name in (*_BITS, *_NUMBERS)]
                columns.append(_split(archive["actions"], columns[len(_BITS)]) if actions else [b""] * header.games)
            records = self._records(header, columns)
        except Exception as error:
            # NumPy, zipfile and json raise errors of many kinds on damaged bytes.
            problem = f"cannot be read ({error.strerror})" if isinstance(error, OSError) else "is damaged"
            raise DamagedPartError(f"{path} {problem}; delete it to play its games again") from error
        if {**found, **self._identity()} != found or path.name != f"{header.first:08d}{SUFFIX}":
            raise DamagedPartError(f"{path} belongs to other games than {self._task}; delete it to resume")
        return Part(header.first, records, header.seconds, header.tallies)

    def _records(self, header: Header, columns: list[Any]) -> tuple[GameRecord, ...]:
        seeds = range(self._seed + header.first, self._seed + header.first + header.games)
        won, truncated, marked, clicks, opened, actions = columns
        rows = zip(seeds, won, clicks, truncated, opened, marked, strict=True)
        return tuple(GameRecord(*row)._replace(actions=each) for row, each in zip(rows, actions, strict=True))


def _unpack(array: NDArray[Any], name: str, games: int) -> list[Any]:
    if array.dtype.kind != "u" or array.ndim != 1:
        raise ValueError("a column has a whole number per game, at least 0")
    if name in _BITS:
        return np.unpackbits(array, count=games).astype(np.bool_).tolist()
    return array.tolist()


def _split(actions: NDArray[np.uint8], clicks: Sequence[int]) -> list[bytes]:
    """Returns the actions of each game, two bytes per click."""
    ends = 2 * np.cumsum(clicks)
    if len(actions) != ends[-1]:
        raise ValueError("the number of actions is not the number of clicks")
    return [part.tobytes() for part in np.split(actions, ends[:-1])]
