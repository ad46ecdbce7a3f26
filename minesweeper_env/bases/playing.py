"""Base of single and batched environments: games that `reset` begins, and a window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from minesweeper_env.calls.checks import check_keywords


class BatchOfGames(Protocol):
    """N games under one configuration, on boards of n cells with k actions, which compiled calls play."""

    rewards: NDArray[np.float64]
    """(N,) the rewards of the last step."""

    events: NDArray[np.bool_]
    """(5, N): whether each game ended, met its step limit, is won, saw an illegal action, and was over before."""

    @property
    def over(self) -> NDArray[np.bool_]:
        """(N,) bool: whether each game is over."""

    def seed(self, states: NDArray[np.uint64]) -> None:
        """Sets the states, (N,) uint64, of the generators."""

    def states(self) -> NDArray[np.uint64]:
        """Returns a copy of the states that `seed` sets."""

    def show(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Returns fresh boards (N, n) and masks with N * k elements, 1 for a legal action."""

    def reset(
        self, chosen: NDArray[np.bool_], given: NDArray[Any] | None = None
    ) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Starts a new game where `chosen`, (N,) bool, is true, on the `given` boards if there are any."""

    def step(self, actions: NDArray[np.int64], restart: bool) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Takes one step in each game; with `restart` it starts the next game where one is over."""

    def sample_actions(self, generator: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Draws a legal action for each game from the `generator`, (1,) uint64."""

    def save(self) -> dict[str, NDArray[Any]]:
        """Returns copies of the arrays that define the games, each with a first axis of length N."""

    def check(self, saved: Any, example: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Returns the arrays of saved games, in the dtypes of `example`, or raises a ValueError."""

    def restore(self, saved: dict[str, NDArray[Any]]) -> None:
        """Restores games from the arrays of `save`."""


Kind = TypeVar("Kind", bound=BatchOfGames)


class Playing(Generic[Kind]):
    """Games that `reset` begins, and the window that shows them.

    Attributes:
        OPTIONS: the keys of the `options` of `reset` that give boards to play on.
        view: the window of the render mode "human"; None in every other mode.
    """

    OPTIONS: ClassVar[tuple[str, ...]]
    view: Any = None
    _games: Kind
    _begun = False

    def __new__(cls, *_: Any, **named: Any) -> Self:
        """Refuses unknown keyword arguments, before `__init__` would with Python's own message."""
        check_keywords(cls, named)
        return super().__new__(cls)

    def _current_games(self) -> Kind:
        if not self._begun:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._games
