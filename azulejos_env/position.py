"""Position of a game: board, scores, and the player to move; and the compiled rules that change it.

Kernels take a board as one row of int8: 0 is empty, 1 to 9 are colours. Its cells lie between empty ones, so that no
neighbour needs a check: cell (row, col) is entry `(row + 1) * (cols + 1) + col`. While a group is gathered its tiles
are negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import GameConfig
from minesweeper_env.compiled import kernel
from minesweeper_env.engine.rules import random_below
from minesweeper_env.splitmix import next_stream

__all__ = [
    "Board",
    "Cells",
    "Group",
    "Position",
    "Rules",
    "begin_stream",
    "cell_of",
    "check_board",
    "collapse",
    "draw",
    "gather",
    "list_groups",
    "new_score",
    "random_board",
    "rules_of",
    "with_border",
    "without_border",
]

Board = NDArray[np.int8]
Cells = NDArray[np.int32]


class Rules(NamedTuple):
    """Rules as kernels take them: `points` go by the tiles of a group, and the bonus is numerator / denominator."""

    rows: int
    cols: int
    leftwards: bool
    points: NDArray[np.int64]
    numerator: int
    denominator: int


@lru_cache(maxsize=64)
def rules_of(config: GameConfig) -> Rules:
    """Returns the rules of a configuration."""
    bonus, leftwards = Fraction(config.bonus), config.side == "left"
    return Rules(config.rows, config.cols, leftwards, config.points_by_size(), bonus.numerator, bonus.denominator)


def with_border(board: Board) -> Board:
    """Returns a (rows, cols) board in the form that kernels take."""
    return np.pad(np.asarray(board, np.int8), [(1, 1), (0, 1)]).ravel()


def without_border(bordered: Board, rows: int, cols: int) -> Board:
    """Returns a bordered board as (rows, cols) int8; a copy."""
    return bordered.reshape(rows + 2, cols + 1)[1:-1, :-1].copy()


def cell_of(index: int, cols: int) -> tuple[int, int]:
    """Returns the (row, col) of an entry of a bordered board."""
    row, col = divmod(index, cols + 1)
    return row - 1, col


class Group(NamedTuple):
    """A group of equal tiles: row and column of its first cell in reading order, and the number of its tiles."""

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
        collapse(bordered, self.config.rows, self.config.cols, self.config.side == "left", settled)
        object.__setattr__(self, "board", without_border(settled, self.config.rows, self.config.cols))
        self.board.flags.writeable = False

    @cached_property
    def groups(self) -> list[Group]:
        """The groups that may be removed, in reading order; the game is over if there are none."""
        config = self.config
        group, moves, sizes = np.zeros((3, config.cells), np.int32)
        count = list_groups(with_border(self.board), config.rows, config.cols, group, moves, sizes)
        found = zip(moves[:count].tolist(), sizes[:count].tolist(), strict=True)
        return [Group(*cell_of(move, config.cols), size) for move, size in found]

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
        size = gather(marked, cols, cell, np.zeros(rows * cols, np.int32)) if marked[cell] else 0
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
        score = new_score(rules_of(self.config), self.scores[self.player], size, clears)
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


@kernel
def gather(board: Board, cols: int, cell: int, group: Cells) -> int:
    """Makes the tiles of a group negative, lists their cells in `group`, and returns how many there are."""
    colour = board[cell]
    board[cell] = -colour
    group[0] = cell
    size, following = 1, 0
    while following < size:
        here = group[following]
        following += 1
        for step in (-cols - 1, -1, 1, cols + 1):
            if board[here + step] == colour:
                board[here + step] = -colour
                group[size] = here + step
                size += 1
    return size


@kernel
def list_groups(board: Board, rows: int, cols: int, group: Cells, moves: Cells, sizes: Cells) -> int:
    """Lists the groups in reading order, by first cell and number of tiles, and returns their number.

    `group` is room for the cells of one.
    """
    count = 0
    for row in range(1, rows + 1):
        for cell in range(row * (cols + 1), row * (cols + 1) + cols):
            if board[cell] > 0:
                size = gather(board, cols, cell, group)
                if size >= 2:
                    moves[count], sizes[count] = cell, size
                    count += 1
    for cell in range(cols + 1, (rows + 1) * (cols + 1)):
        board[cell] = abs(board[cell])
    return count


@kernel
def collapse(board: Board, rows: int, cols: int, leftwards: bool, target: Board) -> int:
    """Writes the board without its negative tiles to `target`, and returns the number of tiles that are left.

    Tiles fall, and empty columns close. `target` is another array, whose border is empty.
    """
    stride = cols + 1
    first, step = (0, 1) if leftwards else (cols - 1, -1)
    column, tiles = first, 0
    for source in range(first, first + step * cols, step):
        bottom = rows * stride + column
        for cell in range(rows * stride + source, source, -stride):
            if board[cell] > 0:
                target[bottom] = board[cell]
                bottom -= stride
                tiles += 1
        if bottom != rows * stride + column:
            target[column + stride : bottom + 1 : stride] = 0
            column += step
    for empty in range(column, first + step * cols, step):
        target[empty + stride : rows * stride + empty + 1 : stride] = 0
    return tiles


@kernel
def new_score(rules: Rules, score: int, size: int, clears: bool) -> int:
    """Returns the score after a group of `size` tiles; if that clears the board, the bonus multiplies all of it."""
    score += rules.points[size]
    return score * rules.numerator // rules.denominator if clears else score


@kernel
def draw(rng: NDArray[np.uint64], bound: int, numbers: NDArray[np.int64]) -> None:
    """Fills `numbers` with draws of 0..bound-1, all equally likely, from the SplitMix64 generator `rng`, (1,)."""
    first = np.int64(0)
    for k in range(numbers.shape[0]):
        numbers[k] = random_below(rng, first, bound)


@kernel
def begin_stream(rng: NDArray[np.uint64]) -> None:
    """Sets `rng`, (2,), to the stream of the next game: rng[0] draws, and rng[1] begins the game after it."""
    rng[0] = rng[1]
    rng[1] = next_stream(rng[0])
