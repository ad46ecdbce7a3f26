"""Base class of the adapters: the board, the moves, and the legal actions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from baselines.policy import DEFAULT_MOVES
from baselines.support.board_names import size_name
from minesweeper_env.codes import MOVE_NAMES
from minesweeper_env.config import BoardConfig, parse_size


class BoardPolicy:
    """A policy for one board; subclasses choose the actions.

    Attributes:
        name: name of the policy in tables.
        config: the board that the policy plays.
        moves: the moves of its actions, as `baselines.policy.Policy` describes.
    """

    def __init__(
        self, name: str, size: int | Sequence[int], mines: int | None, first_click: str, moves: Sequence[str]
    ) -> None:
        """Checks the board.

        Raises:
            ValueError: a value is not allowed; the message names the allowed ones.
        """
        self.name = name
        self.config = BoardConfig.of_size(size, mines, first_click=first_click, moves=moves)
        self.moves = tuple(self.config.moves)

    def __repr__(self) -> str:
        """Returns the class, the name and the board."""
        return f"{type(self).__name__}({self.name}, {self.board})"

    @property
    def board(self) -> str:
        """The board in words, such as "8x8 with moves click"."""
        return f"{size_name(self.config.rows, self.config.cols)} with moves {', '.join(self.moves)}"

    def reset(self, seed: int) -> None:
        """Does nothing, since no choice is random.

        Args:
            seed: ignored.
        """

    def empty_board(self) -> NDArray[np.int8]:
        """Returns (1, rows, cols) int8, a board without an open cell."""
        return np.full((1, self.config.rows, self.config.cols), self.config.codes.hidden, np.int8)

    def legal(self, action_masks: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Returns the masks of the policy's own actions, (N, actions) bool; games may offer further moves."""
        return action_masks[:, : self.config.actions] != 0


def moves_of(actions: int, size: int | Sequence[int], moves: Sequence[str] | None, owner: str) -> tuple[str, ...]:
    """Returns the moves of an agent with a given number of actions.

    Args:
        actions: number of actions of the agent.
        size: side of a square board, or (rows, cols).
        moves: the moves; None finds them: click alone, click and flag, or all.
        owner: the agent in words, for the error.

    Raises:
        ValueError: the number of actions does not fit the board; the message names both.
    """
    rows, cols = parse_size(size)
    known = (DEFAULT_MOVES, ("click", "flag"), MOVE_NAMES)
    fitting = [each for each in known if actions == len(each) * rows * cols]
    chosen = tuple(moves) if moves is not None else (fitting or known)[0]
    if actions != len(chosen) * rows * cols:
        raise ValueError(
            f"{owner} has {actions} actions, but {size_name(rows, cols)} with moves {', '.join(chosen)} "
            f"has {len(chosen) * rows * cols}; set size= and moves= as in its training"
        )
    return chosen
