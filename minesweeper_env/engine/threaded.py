"""Batches of games that threads divide among themselves; the games are those of a batch that one thread plays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig
from minesweeper_env.engine import kernels, state
from minesweeper_env.engine.games import Games, Supply
from minesweeper_env.threads import ThreadPool, split

LEAST_CELLS = 1 << 16
"""Cells of all boards of a part, at least. A smaller part takes less time than a thread takes to begin it."""


Part = tuple[slice, tuple[Any, ...]]
"""The numbers of some games, and the fields of `Rules` and `Boards` for these games, with scratch space of its own."""


class ThreadedGames(Games):
    """Games whose resets and steps the threads of a pool make, each on a part of the batch."""

    def __init__(
        self,
        config: BoardConfig,
        count: int,
        weights: state.RewardWeights,
        supply: Supply | None,
        pool: ThreadPool,
        parts: int,
    ) -> None:
        """Prepares `count` games, as `Games` does, in `parts` parts."""
        super().__init__(config, count, weights, supply)
        self._pool = pool
        self._slices = split(count, parts)
        self._parts = self._make_parts()

    def reset(
        self, chosen: NDArray[np.bool_], given: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Starts a new game where `chosen`, (N,) bool, is true; see `Games.reset`."""
        codes, masks = self._new_codes(), self._new_masks()

        def reset_part(part: Part) -> None:
            games, arrays = part
            kernels.reset_batch(chosen[games], codes[games], masks[games], *arrays)

        self._pool.run(reset_part, self._parts)
        if given is not None:
            self.lay_out(given, np.flatnonzero(chosen))
        return codes, masks

    def step(self, actions: NDArray[np.int64], restart: bool) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Takes one step in each game; see `Games.step`.

        Raises:
            ValueError: an action is out of range; no step is taken.
        """
        # A kernel would check the actions of its own part alone. As unsigned numbers, negative ones are large.
        if actions.view(np.uint64).max() >= self.config.actions:
            wrong = (actions < 0) | (actions >= self.config.actions)
            raise self._out_of_range(actions, int(np.flatnonzero(wrong)[0]))
        if self._supply is not None:
            self._supply.lay_out(self, actions)
        codes, masks = self._new_codes(), self._new_masks()

        def step_part(part: Part) -> None:
            games, arrays = part
            # A slice of `self.events` is not contiguous, for which numba would compile the kernel again.
            events = np.empty((len(self.events), games.stop - games.start), np.bool_)
            results = self.rewards[games], events, self.opened[games]
            kernels.step_batch(actions[games], restart, codes[games], masks[games], *results, *arrays)
            self.events[:, games] = events

        self._pool.run(step_part, self._parts)
        return codes, masks

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out the parts: in a copy, their views would share no memory with the games."""
        return {name: value for name, value in self.__dict__.items() if name != "_parts"}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        """Divides the copied games anew."""
        self.__dict__.update(saved)
        self._parts = self._make_parts()

    def _make_parts(self) -> list[Part]:
        boards = self._boards

        def part(games: slice) -> Part:
            views = (field[games] for field in boards[:-1])
            return games, (*self._rules, *views, np.empty_like(boards.stack))

        return [part(games) for games in self._slices]


def make_games(
    config: BoardConfig, count: int, weights: state.RewardWeights, supply: Supply | None, pool: ThreadPool
) -> Games:
    """Returns `count` games for the threads of a pool, or for one thread where a part would be too small."""
    parts = min(pool.threads, count, count * config.cells // LEAST_CELLS)
    if parts < 2:
        return Games(config, count, weights, supply)
    return ThreadedGames(config, count, weights, supply, pool, parts)
