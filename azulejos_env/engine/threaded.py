"""Batches of games that threads divide among themselves; the games are those of a batch that one thread plays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import GameConfig
from azulejos_env.engine import batch_kernels, batches
from azulejos_env.engine.games import Ask, Games
from minesweeper_env.threads import ThreadPool, split

LEAST_CELLS = 1 << 13
"""Cells of all boards of a part, at least. A smaller part takes less time than a thread takes to begin it."""


class Part(NamedTuple):
    """Some games of a batch.

    Attributes:
        games: their numbers.
        arrays: what kernels take: rules, terms, and the arrays of these games, with scratch space of its own.
    """

    games: slice
    arrays: tuple[Any, ...]


class ThreadedGames(Games):
    """Games whose resets and steps the threads of a pool make, each on a part of the batch.

    An opponent that Python asks is asked once, for all games together.
    """

    def __init__(
        self, config: GameConfig, terms: batches.Terms, count: int, ask: Ask | None, pool: ThreadPool, parts: int
    ) -> None:
        """Prepares `count` games, as `Games` does, in `parts` parts."""
        super().__init__(config, terms, count, ask)
        self._pool = pool
        self._slices = split(count, parts)
        self._parts = self._make_parts()

    def _reset_batch(
        self, chosen: NDArray[np.bool_], given: NDArray[np.int8], boards: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> None:
        def reset_part(part: Part) -> None:
            games = part.games
            batch_kernels.reset_batch(chosen[games], given[games], boards[games], masks[games], *part.arrays)

        self._pool.run(reset_part, self._parts)

    def _step_batch(
        self, actions: NDArray[np.int64], restart: bool, boards: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> int:
        # A kernel would check the actions of its own part alone. As unsigned numbers, negative ones are large.
        if actions.view(np.uint64).max() >= self.config.cells:
            return int(np.flatnonzero((actions < 0) | (actions >= self.config.cells))[0])

        def step_part(part: Part) -> None:
            games = part.games
            events = np.ascontiguousarray(self.events[:, games])
            results = boards[games], masks[games], self.rewards[games], events
            batch_kernels.step_batch(actions[games], restart, *results, *part.arrays)
            self.events[:, games] = events

        self._pool.run(step_part, self._parts)
        return -1

    def _finish_batch(
        self,
        replies: NDArray[np.int64],
        boards: NDArray[np.int8],
        masks: NDArray[np.int8],
        rewards: NDArray[np.float64],
        events: NDArray[np.bool_],
    ) -> None:
        def finish_part(part: Part) -> None:
            games = part.games
            # A slice of `events` is not contiguous, for which numba would compile the kernel again.
            own = np.ascontiguousarray(events[:, games])
            results = boards[games], masks[games], rewards[games], own
            batch_kernels.finish_batch(replies[games], *results, *part.arrays)
            events[:, games] = own

        self._pool.run(finish_part, self._parts)

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out the parts: in a copy, their views would share no memory with the games."""
        return {name: value for name, value in self.__dict__.items() if name != "_parts"}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        """Divides the copied games anew."""
        self.__dict__.update(saved)
        self._parts = self._make_parts()

    def _make_parts(self) -> list[Part]:
        fixed = self.arrays[: batches.TERM_FIELDS]
        arrays: tuple[NDArray[Any], ...] = self.batch[:-1]

        def part(games: slice) -> Part:
            return Part(games, (*fixed, *(array[games] for array in arrays), np.empty_like(self.batch.group)))

        return [part(games) for games in self._slices]


def make_games(config: GameConfig, terms: batches.Terms, count: int, ask: Ask | None, pool: ThreadPool) -> Games:
    """Returns `count` games for the threads of a pool, or for one thread where a part would be too small."""
    parts = min(pool.threads, count, count * config.cells // LEAST_CELLS)
    if parts < 2:
        return Games(config, terms, count, ask)
    return ThreadedGames(config, terms, count, ask, pool, parts)
