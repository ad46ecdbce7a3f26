"""What it takes to play: the protocol of every baseline, scripted or learned."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Policy"]


class Policy(Protocol):
    """A player of many games at once, who sees nothing but observations and masks.

    A policy may have these attributes as well:

    - `moves`, of the class: the moves that its games must have; without it, ("click",).
    - `batch_size`: how many games it wants to play side by side.
    - `counters`, dict[str, int]: what it has done since it was made, such as {"guesses": 12}; the running totals
      are never taken back, not by `reset` either, and results state them per game.
    - `finishes(board)`: whether it would flag all mines yet, were it to go on after the last safe cell; the board is
      (rows, cols) int8 with every safe cell open. Only games that are won by flags ask for that.
    """

    def reset(self, seed: int) -> None:
        """Begins the random choices anew; a policy without any does nothing.

        Args:
            seed: at least 0; the same seed and inputs give the same actions.
        """

    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Chooses an action in each of N games that are neither won nor lost.

        Args:
            observations: (N, rows, cols) int8, cell codes.
            action_masks: (N, actions) int8 or bool, true for each legal action; the first rows * cols
                actions are the clicks.

        Returns:
            (N,) int64, a legal action for each game.
        """
        ...
