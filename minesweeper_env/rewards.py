"""Reward schemes, computed from the part of a step that the player sees.

No scheme can be farmed. Flags, repeated clicks and moves without effect earn nothing, and a cell opens only once,
so the sum over a game is bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig, check_config, one_of
from minesweeper_env.engine.state import ILLEGAL, SUCCESS, TERMINATION, TRUNCATION, RewardWeights

if TYPE_CHECKING:
    from minesweeper_env.engine.games import Games

__all__ = ["REWARDS", "Reward", "Transition", "describe", "find_reward", "user_reward", "user_rewards"]


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
        truncated: float, 1.0 if the step limit ended the game, 0.0 otherwise.
        previous_codes: the board before the step, like `codes`.
    """

    won: Any
    lost: Any
    opened: Any
    illegal: Any
    action: Any
    codes: NDArray[np.int8]
    safe_cells: int
    truncated: Any
    previous_codes: NDArray[np.int8]

    def first(self) -> Transition:
        """Returns the first transition of a batch, with numbers in place of arrays of shape (N,)."""
        fields = {name: batch[0] for name, batch in self._asdict().items() if name != "safe_cells"}
        return self._replace(**{name: value if value.ndim else value.item() for name, value in fields.items()})


Reward = Callable[[Transition], Any]
"""A reward scheme of the user: a function of the transition."""

_SCHEMES = {
    "win_loss": RewardWeights(win=1.0, loss=-1.0),
    "win": RewardWeights(win=1.0),
    "safe_click": RewardWeights(opening=1.0),
    "progress": RewardWeights(loss=-1.0, cell=1.0),
    "shaped": RewardWeights(win=0.7, loss=-1.0, opening=0.3, illegal=-0.3),
}
"""The weights of each scheme. The weight `cell` is for the whole board: each safe cell earns an equal share of it."""

REWARDS: tuple[str, ...] = tuple(_SCHEMES)
"""The names of the schemes; `MinesweeperEnv` explains them."""


def find_reward(reward: str | Reward, config: BoardConfig) -> tuple[RewardWeights, Reward | None]:
    """Returns (weights, None) for a scheme's name, or (zero weights, callable); raises a ValueError otherwise."""
    check_config(config)
    if callable(reward):
        return RewardWeights(), reward
    weights = _SCHEMES[one_of("reward", reward, REWARDS, "a callable or ")]
    return weights._replace(cell=weights.cell / (config.cells - config.mines)), None


def user_reward(reward: Reward, transition: Transition) -> float:
    """Returns the reward that a callable computes for one step; raises a TypeError unless it is a number."""
    array = np.asarray(reward(transition))
    if array.dtype.kind not in "biuf" or array.shape not in ((), (1,)):
        raise TypeError(f"a reward callable must return a number, not {array.dtype} {array.shape}")
    return float(array.item())


def user_rewards(reward: Reward, transitions: Transition, count: int) -> NDArray[np.float64]:
    """Returns the rewards, (N,) float64, that a callable computes for N = `count` steps; else raises a TypeError."""
    rule = f"in a batch of {count} games a reward callable gets arrays, and must return numbers of shape ({count},), "
    rule += "such as np.where(transition.won, 1.0, 0.0)"
    try:
        array = np.asarray(reward(transitions))
    except (TypeError, ValueError) as error:  # such as that of "1.0 if transition.won else 0.0" with arrays
        raise TypeError(f"{rule} ({type(error).__name__}: {error})") from error
    if array.dtype.kind not in "biuf" or array.shape != (count,):
        raise TypeError(f"{rule}, not {array.dtype} {array.shape}")
    return array.astype(np.float64)


def describe(
    games: Games, actions: NDArray[np.int64], codes: NDArray[np.int8], previous_codes: NDArray[np.int8]
) -> Transition:
    """Returns the transitions of the last step of N games: (N,) actions, and (N, n) codes after and before the step."""
    config = games.config
    shape = (games.count, config.rows, config.cols)
    won = games.events[SUCCESS].astype(np.float64)
    return Transition(
        won=won,
        lost=games.events[TERMINATION] - won,
        opened=games.opened.copy(),
        illegal=games.events[ILLEGAL].astype(np.float64),
        action=actions,
        codes=codes.reshape(shape),
        safe_cells=config.cells - config.mines,
        truncated=games.events[TRUNCATION].astype(np.float64),
        previous_codes=previous_codes.reshape(shape),
    )
