"""A shard, one of n equal parts of the work, and the games that belong to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol, Self, TypeVar

MOST_SHARDS = 100_000

_SHARD = re.compile(r"(\d{1,6})/(\d{1,6})", re.ASCII)

Item = TypeVar("Item")


class Games(Protocol):
    """Games that are played in batches."""

    @property
    def games(self) -> int:
        """The number of games."""

    @property
    def batch_size(self) -> int:
        """The number of games played side by side; a shard has whole batches."""


class Shard(NamedTuple):
    """One of several parts of the work.

    Attributes:
        number: number of this part, 1 to `of`.
        of: number of parts.
    """

    number: int
    of: int

    def __str__(self) -> str:
        """Returns the shard as options name it, such as "2/4"."""
        return f"{self.number}/{self.of}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Returns the shard of a text such as "2/4".

        Raises:
            ValueError: the text has another form, or there is no such shard.
        """
        match = _SHARD.fullmatch(text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]) <= MOST_SHARDS:
            raise ValueError(
                f"a shard is I/N with I from 1 to N, such as 2/4, and N at most {MOST_SHARDS}, not {text!r}"
            )
        return cls(int(match[1]), int(match[2]))

    def of_items(self, items: Sequence[Item]) -> list[Item]:
        """Returns the items of this shard, which are dealt out one by one like cards."""
        return list(items[self.number - 1 :: self.of])

    def of_games(self, tasks: Sequence[Games]) -> list[range]:
        """Returns the consecutive games of each task that belong to this shard.

        A task's batches are divided as evenly as possible. Where some are left over, the shards take turns in getting
        one more, from task to task. So the numbers of batches of two shards differ by at most one over all tasks.
        """
        shares, first = [], 0
        for task in tasks:
            least, left_over = divmod(-(-task.games // task.batch_size), self.of)
            place = (self.number - 1 - first) % self.of
            begin = place * least + min(place, left_over)
            end = begin + least + (place < left_over)
            shares.append(range(begin * task.batch_size, min(end * task.batch_size, task.games)))
            first = (first + left_over) % self.of
        return shares


WHOLE = Shard(1, 1)
"""The only shard of work that is not divided."""
