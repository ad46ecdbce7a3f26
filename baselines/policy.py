"""Protocol of every policy: scripted, learned or a user's own."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig

__all__ = ["DEFAULT_MOVES", "RESIGN", "Policy", "PolicyError", "ReadyPolicy"]

DEFAULT_MOVES: tuple[str, ...] = ("click",)
"""The moves of a policy whose class has no attribute `moves`."""


RESIGN = -1
"""The action of a policy with the attribute `may_resign` that gives a game up; the game counts as truncated."""


class PolicyError(RuntimeError):
    """A policy chose an illegal action, returned something else than actions, or raised an exception of its own."""


class Policy(Protocol):
    """A player of many games at once. It sees only observations and action masks.

    A policy may have these optional attributes as well:

    - `moves`, a class attribute: the moves that its games must offer (default ("click",)).
    - `config`: the `BoardConfig` that it was built for; it plays no games of another size or number of mines.
    - `name`: its name in messages, in place of that of its class.
    - `batch_size`: the number of games that it prefers to play side by side.
    - `counters`, dict[str, int]: running totals since the policy was made, such as {"guesses": 12}. They never
      decrease, even on `reset`; results report them per game.
    - `may_resign`: True if its actions may be `RESIGN`.
    - `judged`: True to judge its clicks by the exact mine probabilities without being asked to.
    - `finishes(board)`: True if the policy would still flag every mine once each safe cell is open. The board is
      (rows, cols) int8 with all safe cells open. It is called only in games with the move "flag".
    """

    def reset(self, seed: int) -> None:
        """Seeds the random choices; a deterministic policy does nothing.

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


class ReadyPolicy(Policy, Protocol):
    """A policy that was made for a board: `config` is the board with the policy's moves, and messages say `name`."""

    name: str
    config: BoardConfig
