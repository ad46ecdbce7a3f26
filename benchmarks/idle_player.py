"""Player whose games take a given time and no work, in a module of its own, so that worker processes can import it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, cast

from baselines.evaluation.games import Player
from baselines.evaluation.records import Batch
from baselines.evaluation.units.unit import Assignment


class IdlePlayer(NamedTuple):
    """Plays nothing.

    Attributes:
        seconds: time that a batch takes.
    """

    seconds: float

    def play(self, _number: int, _seeds: Sequence[int]) -> Batch:
        """Waits; returns a batch without games."""
        time.sleep(self.seconds)
        return Batch([], self.seconds, {})


class IdleTask(NamedTuple):
    """Units of one batch each, as the schedule takes them.

    Attributes:
        games: number of units.
        batch_size: number of games of a unit.
    """

    games: int
    batch_size: int = 1


def idle_assignment(units: int, seconds: float) -> Assignment:
    """Returns units that wait so many seconds each, as workers receive them."""
    make_player = partial(cast("type[Player]", IdlePlayer), seconds)  # type: ignore[arg-type]
    return Assignment(("idle", seconds), "idle", make_player, range(units), 1)
