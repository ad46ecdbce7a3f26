"""Limits of a search: depth, seconds and evaluated positions."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from azulejos_env.config import whole_in_range

MAX_DEPTH = 256
"""The largest number of moves that a search looks ahead."""


@dataclass(frozen=True)
class Limits:
    """Limits of a search that begins now.

    Attributes:
        depth: the largest number of moves to look ahead.
        seconds: the time limit; infinite for none.
        nodes: the number of evaluated positions after which the search stops; infinity sets no limit.
        begun: the time at which the search began, on the clock of `time.perf_counter`.
    """

    depth: int
    seconds: float = math.inf
    nodes: float = math.inf
    begun: float = field(default_factory=time.perf_counter)

    @classmethod
    def of(cls, depth: int | None, seconds: float | None, nodes: int | None) -> Limits:
        """Returns limits of which None means none.

        Raises:
            ValueError: all are None, or one is not allowed.
        """
        if depth is None and seconds is None and nodes is None:
            raise ValueError("a search needs a limit: depth, seconds or nodes")
        if seconds is not None and not (isinstance(seconds, (int, float)) and 0 < seconds < math.inf):
            raise ValueError(f"seconds must be a number above 0, not {seconds!r}")
        return cls(
            MAX_DEPTH if depth is None else whole_in_range("depth", depth, 1, MAX_DEPTH),
            math.inf if seconds is None else float(seconds),
            math.inf if nodes is None else whole_in_range("nodes", nodes, 1, 1 << 62),
        )

    @property
    def only_depth(self) -> bool:
        """Whether the depth is the only limit."""
        return self.seconds == self.nodes == math.inf

    @property
    def seconds_spent(self) -> float:
        """The time since the search began."""
        return time.perf_counter() - self.begun
