"""Base class of the adapters that rate all actions: batches of games, and the random numbers of sampled actions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from baselines.adapters.board import BoardPolicy
from baselines.adapters.choice import choose
from baselines.support.act_inputs import checked_act
from minesweeper_env.config import whole_number

BATCH_SIZE = 500
"""Default number of games that an adapter of a network plays side by side."""


class ScoredPolicy(BoardPolicy, ABC):
    """Plays the legal action with the highest score, or samples one; subclasses rate the actions.

    Attributes:
        batch_size: number of games to play side by side.
    """

    def __init__(
        self,
        name: str,
        size: int | Sequence[int],
        mines: int | None,
        first_click: str,
        moves: Sequence[str],
        *,
        deterministic: bool,
        batch_size: int,
    ) -> None:
        """Checks the board and the batch size.

        Raises:
            ValueError: a value is not allowed; the message names the allowed ones.
        """
        super().__init__(name, size, mines, first_click, moves)
        self.batch_size = whole_number("batch_size", batch_size, 1)
        self._rng = None if deterministic else np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Seeds the sampled actions; see `baselines.policy.Policy.reset`."""
        if self._rng is not None:
            self._rng = np.random.default_rng(seed)

    @checked_act
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Chooses one action per board; see `baselines.policy.Policy.act`.

        Raises:
            PolicyError: the score of a legal action is not a number (NaN).
            ValueError: the boards or the masks have another shape or type.
        """
        masks = self.legal(action_masks)
        parts = [self._choose(observations[batch], masks[batch]) for batch in self._batches(len(masks))]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def _batches(self, count: int) -> Iterator[slice]:
        """Yields the slices of `count` boards that are rated together."""
        return (slice(start, start + self.batch_size) for start in range(0, count, self.batch_size))

    def _choose(self, boards: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        return choose(self.name, self._rate(boards, masks), masks, self._rng)

    @abstractmethod
    def _rate(self, boards: NDArray[np.int8], masks: NDArray[np.bool_], /) -> NDArray[np.floating]:
        """Returns the logits or Q-values, (N, actions)."""
