"""Batches of games under one configuration, which both environments play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import GameConfig
from azulejos_env.engine import batch_kernels, batches
from azulejos_env.engine.boards import with_border, without_border
from azulejos_env.engine.rules import compile_rules
from azulejos_env.engine.saved import check_saved


class Games:
    """N games under one configuration, on boards of n cells.

    Attributes:
        config: the configuration.
        terms: opponent, seat, reward and step limit.
        count: N.
        batch: the arrays of the games.
        ask: called with these games and the numbers of some; returns the actions of their opponents.
        rewards: (N,) float64, the rewards of the last step.
        events: (5, N) bool, the events of the last step, in the rows that `batches` lists.
    """

    def __init__(self, config: GameConfig, terms: batches.Terms, count: int, ask: Ask | None = None) -> None:
        """Prepares `count` games; `seed` and `reset` begin them."""
        self.config = config
        self.terms = terms
        self.count = count
        self.ask = ask
        self.batch = batches.make_batch(config.rows, config.cols, count)
        self.arrays = (*compile_rules(config), *terms, *self.batch)
        self.rewards = np.zeros(count)
        self.events = np.zeros((5, count), np.bool_)
        self._none = np.zeros(count, np.bool_)
        self._dealt = np.zeros((0, self.batch.boards.shape[1]), np.int8)

    @property
    def status(self) -> NDArray[np.int64]:
        """(N,) the status of each game; a view."""
        return self.batch.progress[:, batches.STATUS]

    @property
    def over(self) -> NDArray[np.bool_]:
        """(N,) bool: whether each game is over or truncated."""
        return self.status > batches.PLAYING

    def seed(self, states: NDArray[np.uint64]) -> None:
        """Sets the states, (N,) uint64, of the generators with which the next games begin."""
        self.batch.next_rng[:] = states

    def states(self) -> NDArray[np.uint64]:
        """Returns a copy of the states that `seed` sets."""
        return self.batch.next_rng.copy()

    def show(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Returns fresh boards (N, n) and masks (N, n), 1 for a legal action."""
        return self._reset(self._none, self._dealt)

    def reset(
        self, chosen: NDArray[np.bool_], given: NDArray[np.int8] | None = None
    ) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Starts a new game where `chosen`, (N,) bool, is true.

        Args:
            chosen: the games to start.
            given: (N, rows, cols) int8, settled boards to play on; None to deal random ones.

        Returns:
            Boards and masks as `show` does.
        """
        shown = self._reset(chosen, self._dealt if given is None else with_border(given))
        if self.terms.opponent != batches.ASKED:
            return shown
        return self._finish(np.zeros(self.count), self._no_step())

    def step(self, actions: NDArray[np.int64], restart: bool) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Takes one step in each game, with `actions` (N,) int64; returns boards and masks as `show` does.

        Where a game is already over, the step starts the next one if `restart` is set, and does nothing otherwise.

        Raises:
            ValueError: an action is out of range; no step is taken.
        """
        boards, masks = self._new_arrays()
        wrong = self._step_batch(actions, restart, boards, masks)
        if wrong >= 0:
            raise ValueError(
                f"an action must be a whole number in 0..{self.config.cells - 1}, not {actions[wrong]} (game {wrong})"
            )
        if self.terms.opponent != batches.ASKED:
            return boards, masks
        return self._finish(self.rewards, self.events)

    def sample_actions(self, generator: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Draws a uniformly random legal action for each game from the `generator` (1,) uint64."""
        actions = np.empty(self.count, np.int64)
        batch_kernels.sample_batch(generator, actions, *self.arrays)
        return actions

    def choose_actions(self, kind: int, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the actions of a compiled policy, RANDOM or GREEDY, for the players to move in the `chosen` games."""
        actions = np.empty(len(chosen), np.int64)
        batch_kernels.choose_batch(kind, chosen, actions, *self.arrays)
        return actions

    def boards(self) -> NDArray[np.int8]:
        """Returns the boards, (N, rows, cols) int8."""
        return without_border(self.batch.boards, self.config.rows, self.config.cols)

    def last_moves(self) -> NDArray[np.bool_]:
        """Returns the cells that the last move emptied before tiles fell, (N, rows, cols) bool."""
        return without_border(self.batch.before, self.config.rows, self.config.cols) < 0

    def scores(self) -> NDArray[np.int64]:
        """Returns (N, 2) int64, the scores of the agent and of the opponent."""
        seat = self.batch.progress[:, batches.SEAT]
        return np.take_along_axis(self.batch.scores, np.stack([seat, 1 - seat], axis=1), axis=1)

    def leads(self) -> NDArray[np.int64]:
        """Returns (N,) int64, the scores of the agents minus those of their opponents."""
        scores = self.scores()
        return scores[:, 0] - scores[:, 1]

    def save(self) -> dict[str, NDArray[Any]]:
        """Returns copies of the arrays that define the games, each with a first axis of length N."""
        progress = self.batch.progress
        columns = {name: progress[:, column].copy() for name, column in _SAVED.items()}
        generators = {"generator": self.batch.rng.copy(), "next_generator": self.states()}
        return {"board": self.boards(), "scores": self.batch.scores.copy(), **columns, **generators}

    def check(self, saved: Any, example: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Returns the arrays of saved games for `restore`, in the dtypes of `example`.

        Raises:
            ValueError: an array is missing or wrong, or no game reaches the state; the message says what is allowed.
        """
        return check_saved(saved, example, self.config, self.terms)

    def restore(self, saved: dict[str, NDArray[Any]]) -> None:
        """Restores games from the arrays of `save`, which `check` has checked."""
        batch = self.batch
        batch.boards[:] = with_border(saved["board"])
        batch.before[:] = 0
        batch.scores[:] = saved["scores"]
        batch.progress[:] = 0
        for name, column in _SAVED.items():
            batch.progress[:, column] = saved[name]
        # A position is saved when the agent is to move.
        batch.progress[:, batches.TURN] = saved["seat"]
        batch.rng[:] = saved["generator"]
        batch.next_rng[:] = saved["next_generator"]
        batch_kernels.recount_batch(*self.arrays)

    def _new_arrays(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        shape = (self.count, self.config.cells)
        return np.empty(shape, np.int8), np.empty(shape, np.int8)

    def _reset(self, chosen: NDArray[np.bool_], given: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        boards, masks = self._new_arrays()
        self._reset_batch(chosen, given, boards, masks)
        return boards, masks

    def _no_step(self) -> NDArray[np.bool_]:
        events = np.zeros_like(self.events)
        events[batches.IDLE] = True
        return events

    def _finish(
        self, rewards: NDArray[np.float64], events: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Asks the opponents that are to move, and ends the step."""
        boards, masks = self._new_arrays()
        progress = self.batch.progress
        waits = (progress[:, batches.GROUPS] > 0) & (progress[:, batches.TURN] != progress[:, batches.SEAT])
        replies, games = np.full(self.count, -1, np.int64), np.flatnonzero(waits)
        if len(games):
            assert self.ask is not None
            replies[games] = self.ask(self, games)
        self._finish_batch(replies, boards, masks, rewards, events)
        return boards, masks

    def _reset_batch(
        self, chosen: NDArray[np.bool_], given: NDArray[np.int8], boards: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> None:
        batch_kernels.reset_batch(chosen, given, boards, masks, *self.arrays)

    def _step_batch(
        self, actions: NDArray[np.int64], restart: bool, boards: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> int:
        return batch_kernels.step_batch(actions, restart, boards, masks, self.rewards, self.events, *self.arrays)

    def _finish_batch(
        self,
        replies: NDArray[np.int64],
        boards: NDArray[np.int8],
        masks: NDArray[np.int8],
        rewards: NDArray[np.float64],
        events: NDArray[np.bool_],
    ) -> None:
        batch_kernels.finish_batch(replies, boards, masks, rewards, events, *self.arrays)


Ask = Callable[[Games, NDArray[np.int64]], NDArray[np.int64]]

_SAVED = {"seat": batches.SEAT, "lead": batches.LEAD, "steps": batches.STEPS, "status": batches.STATUS}


@cache
def compile_kernels() -> None:
    """Compiles all kernels, or loads them from the disk, once a process.

    The environments call this function at construction, so that processes forked later have the kernels already.
    """
    terms = batches.Terms(1, batches.ASKED, batches.FIRST, batches.DIFFERENCE, 9)
    games = Games(GameConfig(1, 2, 1), terms, 1)
    games.reset(np.ones(1, np.bool_))
    games.sample_actions(np.zeros(1, np.uint64))
    games.choose_actions(batches.GREEDY, np.zeros(1, np.int64))
    games.step(np.zeros(1, np.int64), False)
    games.restore(games.save())
