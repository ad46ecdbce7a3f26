"""Reward schemes, computed from the part of a step that the player sees.

No scheme can be farmed. Flags, repeated clicks and moves without effect earn nothing, and a cell opens only once,
so the sum over a game is bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.state import ILLEGAL, SUCCESS, TERMINATION, RewardWeights

if TYPE_CHECKING:
    from minesweeper_env.engine.games import Games

__all__ = ["REWARDS", "Reward", "Transition", "describe", "find_reward", "own_reward", "own_rewards"]


class Transition(NamedTuple):
    """One step of a single environment, or N steps of a batched one as arrays of shape (N,).

    Attributes:
        won: float, 1.0 if the step won the game, 0.0 otherwise.
        lost: float, 1.0 if the step lost the game, 0.0 otherwise.
        opened: int, the number of cells that the step opened.
        illegal: float, 1.0 if the action was illegal and changed nothing, 0.0 otherwise.
        action: int, the action.
        codes: the board after the step, int8 (rows, cols) or (N, rows, cols).
        safe_cells: int, the number of cells without a mine on the whole board.
    """

    won: Any
    lost: Any
    opened: Any
    illegal: Any
    action: Any
    codes: NDArray[np.int8]
    safe_cells: int

    def first(self) -> Transition:
        """Returns the first of a batch of transitions, as numbers."""
        won, lost, opened, illegal, action = (values[0].item() for values in self[:5])
        return Transition(won, lost, opened, illegal, action, self.codes[0], self.safe_cells)


Reward = Callable[[Transition], Any]
"""A reward scheme of the user: a function of the transition."""


_SCHEMES = {
    "win_loss": RewardWeights(win=1.0, loss=-1.0),
    "win": RewardWeights(win=1.0),
    "safe_click": RewardWeights(opening=1.0),
    "progress": RewardWeights(loss=-1.0, cell=1.0),
    "shaped": RewardWeights(win=0.7, loss=-1.0, opening=0.3, illegal=-0.3),
}
"""The weights of each scheme; `cell` is shared by all safe cells of the board."""

REWARDS: tuple[str, ...] = tuple(_SCHEMES)
"""The names of the schemes; `MinesweeperEnv` explains them."""


def find_reward(reward: str | Reward, config: BoardConfig) -> tuple[RewardWeights, Reward | None]:
    """Returns the weights of a named scheme and None, or zero weights and the given callable, or raises ValueError."""
    if callable(reward):
        return RewardWeights(), reward
    if not isinstance(reward, str) or reward not in REWARDS:
        raise ValueError(f"reward must be a callable or one of {', '.join(REWARDS)}, not {reward!r}")
    weights = _SCHEMES[reward]
    return weights._replace(cell=weights.cell / (config.cells - config.mines)), None


def own_reward(reward: Reward, transition: Transition) -> float:
    """Returns what a callable gives for one step; raises a TypeError unless it is a number."""
    array = np.asarray(reward(transition))
    if array.dtype.kind not in "biuf" or array.shape not in ((), (1,)):
        raise TypeError(f"a reward callable must return a number, not {array.dtype} {array.shape}")
    return float(array.item())


def own_rewards(reward: Reward, transitions: Transition, count: int) -> NDArray[Any]:
    """Returns what a callable gives for N steps, (N,); raises a TypeError unless it is N numbers."""
    rule = f"in a batch of {count} games a reward callable gets arrays, and must return numbers of shape ({count},)"
    try:
        array = np.asarray(reward(transitions))
    except (TypeError, ValueError) as error:
        # Such as "if transition.won:", which the truth value of an array stops.
        error.add_note(rule)
        raise
    if array.dtype.kind not in "biuf" or array.shape != (count,):
        raise TypeError(f"{rule}, not {array.dtype} {array.shape}")
    return array


def describe(games: Games, actions: NDArray[np.int64], codes: NDArray[np.int8]) -> Transition:
    """Returns the transitions of the last step of N games, given its actions and the codes after it."""
    config = games.config
    won = games.events[SUCCESS].astype(np.float64)
    return Transition(
        won=won,
        lost=games.events[TERMINATION] - won,
        opened=games.opened.copy(),
        illegal=games.events[ILLEGAL].astype(np.float64),
        action=actions,
        codes=codes.reshape(games.count, config.rows, config.cols),
        safe_cells=config.cells - config.mines,
    )
