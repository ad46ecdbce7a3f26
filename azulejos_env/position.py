"""Position of a game: board, scores, and the player to move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azulejos_env import engine
from azulejos_env.config import GameConfig
from azulejos_env.engine import rules_of, with_border, without_border

__all__ = ["Group", "Position", "check_board", "random_board"]


class Group(NamedTuple):
    """A group of equal tiles.

    Attributes:
        row: the row of its first cell in reading order.
        col: the column of this cell.
        size: the number of its tiles.
    """

    row: int
    col: int
    size: int


@dataclass(frozen=True, eq=False)
class Position:
    """A position; construction checks the board and lets its tiles fall.

    Attributes:
        config: the rules; its size is the size of the board.
        board: (rows, cols) int8: 0 for an empty cell, 1 to `config.colours` for a tile.
        scores: the scores of the first and the second player, not negative.
        player: the player to move, 0 or 1.

    Raises:
        ValueError: a value is not allowed; the message says what is.
    """

    config: GameConfig
    board: NDArray[np.int8]
    scores: tuple[int, int] = (0, 0)
    player: int = 0

    def __post_init__(self) -> None:
        """Checks the fields, and lets the tiles fall."""
        bordered = with_border(check_board(self.board, self.config))
        if len(self.scores) != 2 or any(not isinstance(s, (int, np.integer)) or s < 0 for s in self.scores):
            raise ValueError(f"scores must be two whole numbers of at least 0, not {self.scores!r}")
        if self.player not in (0, 1):
            raise ValueError(f"player must be 0 or 1, not {self.player!r}")
        settled = np.zeros_like(bordered)
        engine.collapse(bordered, self.config.rows, self.config.cols, self.config.side == "left", settled)
        object.__setattr__(self, "board", without_border(settled, self.config.rows, self.config.cols))
        self.board.flags.writeable = False

    @cached_property
    def groups(self) -> list[Group]:
        """The groups that may be removed, in reading order; the game is over if there are none."""
        config = self.config
        group, moves, sizes = np.zeros((3, config.cells), np.int32)
        count = engine.list_groups(with_border(self.board), config.rows, config.cols, group, moves, sizes)
        found = zip(moves[:count].tolist(), sizes[:count].tolist(), strict=True)
        return [Group(*engine.cell_of(move, config.cols), size) for move, size in found]

    @property
    def over(self) -> bool:
        """Whether no group is left."""
        return not self.groups

    def group_at(self, row: int, col: int) -> NDArray[np.bool_]:
        """Returns (rows, cols) bool: the tiles of the group of a cell; all False if the cell belongs to no group.

        Raises:
            ValueError: the cell is outside the board.
        """
        rows, cols = self.board.shape
        if not (0 <= row < rows and 0 <= col < cols):
            raise ValueError(f"a cell has a row in 0..{rows - 1} and a column in 0..{cols - 1}, not ({row},{col})")
        marked, cell = with_border(self.board), (row + 1) * (cols + 1) + col
        size = engine.gather(marked, cols, cell, np.zeros(rows * cols, np.int32)) if marked[cell] else 0
        return (size > 1) & (without_border(marked, rows, cols) < 0)

    def play(self, row: int, col: int) -> Position:
        """Returns the position after the player to move removes the group of a cell.

        Raises:
            ValueError: the cell is outside the board or belongs to no group.
        """
        group = self.group_at(row, col)
        size = int(np.count_nonzero(group))
        if size == 0:
            raise ValueError(f"cell ({row},{col}) belongs to no group of two or more equal tiles")
        clears = size == int(np.count_nonzero(self.board))
        score = engine.new_score(rules_of(self.config), self.scores[self.player], size, clears)
        scores = (score, self.scores[1]) if self.player == 0 else (self.scores[0], score)
        return Position(self.config, np.where(group, np.int8(0), self.board), scores, 1 - self.player)


def random_board(config: GameConfig, seed: int | np.random.Generator | None = None) -> NDArray[np.int8]:
    """Returns a full board, (rows, cols) int8, whose tiles have independent uniform colours."""
    generator = np.random.default_rng(seed)
    return generator.integers(1, config.colours, (config.rows, config.cols), np.int8, endpoint=True)


def check_board(board: Any, config: GameConfig) -> NDArray[np.int8]:
    """Returns a board as int8, or raises a ValueError unless it is one of this configuration."""
    allowed = f"a board must be whole numbers 0 to {config.colours} of shape ({config.rows}, {config.cols})"
    try:
        array = np.asarray(board)
    except ValueError as error:
        raise ValueError(f"{allowed}, not a ragged list") from error
    if array.shape != (config.rows, config.cols) or array.dtype.kind not in "iu":
        raise ValueError(f"{allowed}, not {array.dtype} {array.shape}")
    if not ((array >= 0) & (array <= config.colours)).all():
        raise ValueError(f"{allowed}, not {int(array.min())} to {int(array.max())}")
    return array.astype(np.int8)
