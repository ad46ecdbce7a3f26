"""Position of a game: board, scores, and the player to move; its text form, and the compiled rules that change it.

Kernels take a bordered board: one row of ((rows + 2) * (cols + 1),) int8, where 0 is empty and 1 to 9 are colours. Its
border is empty, so that no neighbour needs a check: cell (row, col) is entry `(row + 1) * (cols + 1) + col`. While a
group is gathered its tiles are negative.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import MAX_COLOURS, MAX_SIDE, GameConfig, Rules
from minesweeper_env.compiled import kernel
from minesweeper_env.config import whole_number
from minesweeper_env.escape import counted

__all__ = [
    "Board",
    "Cell",
    "Cells",
    "Group",
    "Position",
    "cell_of",
    "check_board",
    "collapse",
    "gather",
    "list_groups",
    "new_score",
    "random_board",
    "read_game",
    "read_game_text",
    "with_border",
    "write_game_text",
]

Board = NDArray[np.int8]
Cells = NDArray[np.int32]

Cell = tuple[int, int]
"""The (row, col) of a tile."""


def with_border(board: Board) -> Board:
    """Returns a (rows, cols) board as a bordered board."""
    return np.pad(board, [(1, 1), (0, 1)]).ravel()


def _without_border(bordered: Board, config: GameConfig) -> Board:
    return bordered.reshape(config.rows + 2, config.cols + 1)[1:-1, :-1].copy()


def cell_of(index: int, cols: int) -> Cell:
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
        ValueError: the board is not one of this configuration, or a score or the player is not allowed.
    """

    config: GameConfig
    board: NDArray[np.int8]
    scores: tuple[int, int] = (0, 0)
    player: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "player", whole_number("player", self.player, 0, 1))
        first, second = (whole_number("scores", score, 0) for score in self.scores)
        object.__setattr__(self, "scores", (first, second))
        bordered = with_border(check_board(self.board, self.config))
        settled = np.zeros_like(bordered)
        collapse(self.config.rules, bordered, settled)
        object.__setattr__(self, "board", _without_border(settled, self.config))
        self.board.flags.writeable = False

    @cached_property
    def groups(self) -> list[Group]:
        """The groups that may be removed, in reading order; the game is over if there are none."""
        scratch, first_cells, sizes = np.zeros((3, self.config.cells), np.int32)
        count = list_groups(self.config.rules, with_border(self.board), scratch, first_cells, sizes)
        groups = zip(first_cells[:count].tolist(), sizes[:count].tolist(), strict=True)
        return [Group(*cell_of(first_cell, self.config.cols), size) for first_cell, size in groups]

    @property
    def over(self) -> bool:
        """Whether no group is left."""
        return not self.groups

    def group_at(self, row: int, col: int) -> NDArray[np.bool_]:
        """Returns the tiles of the group of a cell, (rows, cols) bool; all False if the cell belongs to no group.

        Raises:
            ValueError: the cell is outside the board.
        """
        rows, cols = self.board.shape
        if not (0 <= row < rows and 0 <= col < cols):
            raise ValueError(f"a cell has a row in 0..{rows - 1} and a column in 0..{cols - 1}, not ({row},{col})")
        # `gather` makes the tiles of the group negative in this copy of the board.
        bordered, cell = with_border(self.board), (row + 1) * (cols + 1) + col
        size = gather(bordered, cols, cell, np.zeros(rows * cols, np.int32)) if bordered[cell] else 0
        return (size > 1) & (_without_border(bordered, self.config) < 0)

    def play(self, row: int, col: int) -> Position:
        """Returns the position after the player to move removes the group of a cell.

        Raises:
            ValueError: the cell is outside the board or belongs to no group.
        """
        group = self.group_at(row, col)
        size = int(np.count_nonzero(group))
        if size == 0:
            raise ValueError(f"cell ({row},{col}) belongs to no group of two or more equal tiles")
        clears_board = size == int(np.count_nonzero(self.board))
        score = new_score(self.config.rules, self.scores[self.player], size, clears_board)
        scores = (score, self.scores[1]) if self.player == 0 else (self.scores[0], score)
        return Position(self.config, np.where(group, np.int8(0), self.board), scores, 1 - self.player)


def random_board(config: GameConfig, seed: int | np.random.Generator | None = None) -> NDArray[np.int8]:
    """Returns a full board, (rows, cols) int8, whose tiles have independent uniform colours."""
    generator = np.random.default_rng(seed)
    return generator.integers(1, config.colours, (config.rows, config.cols), np.int8, endpoint=True)


def check_board(board: Any, config: GameConfig) -> NDArray[np.int8]:
    """Returns a board as int8, or raises a ValueError unless it is one of this configuration."""
    array = np.asarray(board)
    allowed = f"a board must be whole numbers 0 to {config.colours} of shape ({config.rows}, {config.cols})"
    if array.shape != (config.rows, config.cols) or array.dtype.kind not in "iu":
        raise ValueError(f"{allowed}, not {array.dtype} {array.shape}")
    if not ((array >= 0) & (array <= config.colours)).all():
        raise ValueError(f"{allowed}, not {int(array.min())} to {int(array.max())}")
    return array.astype(np.int8)


_HEADER = (
    ("the number of rows", 1, MAX_SIDE),
    ("the number of columns", 1, MAX_SIDE),
    ("the score of the first player", 0, 10**9),
    ("the score of the second player", 0, 10**9),
)
"""The first lines of a game file: one number each."""

_MAX_CHARACTERS = len(_HEADER) * 11 + MAX_SIDE * (MAX_SIDE + 1)
"""The most characters of a game file, with 10 digits a number: a stranger's file must not fill the memory."""


def read_game(path: str | Path) -> Position:
    """Returns the position of a game file; raises an OSError, or a ValueError for a pipe or as `read_game_text`."""
    if Path(os.path.realpath(path)).is_fifo():
        raise ValueError("a game is a file, and this is a named pipe, which might never end")
    with Path(path).open(encoding="ascii", errors="replace") as file:
        text = file.read(_MAX_CHARACTERS + 1)
    if len(text) > _MAX_CHARACTERS:
        raise ValueError(f"a game has at most {_MAX_CHARACTERS} letters, and this file has more")
    return read_game_text(text)


def read_game_text(text: str) -> Position:
    """Returns the position of the text of a game file, with the first player to move.

    The first four lines hold the number of rows, the number of columns, and the scores of the first and the second
    player. One line for each row follows, with one digit for each column: 1 to 9 for a tile, 0 for an empty cell.

    Raises:
        ValueError: the text breaks the format; the message names the line.
    """
    lines = text.splitlines()
    numbers, tiles = [], lines[len(_HEADER) :]
    for index, (meaning, least, most) in enumerate(_HEADER):
        line = lines[index] if index < len(lines) else ""
        if not re.fullmatch("[0-9]{1,10}", line) or not least <= int(line) <= most:
            raise ValueError(f"line {index + 1}: {meaning} must be a whole number from {least} to {most}, not {line!r}")
        numbers.append(int(line))
    rows, cols, first, second = numbers
    for number, line in enumerate(tiles, start=len(_HEADER) + 1):
        if not re.fullmatch(f"[0-9]{{{cols}}}", line):
            raise ValueError(f"line {number}: a row must be {counted(cols, 'digit')}, not {line!r}")
    if len(tiles) != rows:
        raise ValueError(
            f"line {len(lines)} is the last one: the file has {counted(len(tiles), 'row')} of tiles, not {rows}"
        )
    board = np.array([[int(digit) for digit in line] for line in tiles], np.int8)
    return Position(GameConfig(rows, cols, MAX_COLOURS), board, (first, second))


def write_game_text(position: Position) -> str:
    """Returns the text of the file of a position; the format does not say whose turn it is."""
    lines = [*position.board.shape, *position.scores, *("".join(map(str, row)) for row in position.board.tolist())]
    return "".join(f"{line}\n" for line in lines)


@kernel
def gather(board: Board, cols: int, cell: int, group: Cells) -> int:
    """Makes the tiles of the group of `cell` negative, lists their cells in `group`, and returns their number."""
    colour = board[cell]
    board[cell] = -colour
    group[0] = cell
    size, visited = 1, 0  # `group` is the queue of the flood fill: its end, and how far it is worked off
    while visited < size:
        here = group[visited]
        visited += 1
        for step in (-cols - 1, -1, 1, cols + 1):
            if board[here + step] == colour:
                board[here + step] = -colour
                group[size] = here + step
                size += 1
    return size


@kernel
def list_groups(rules: Rules, board: Board, group: Cells, moves: Cells, sizes: Cells) -> int:
    """Lists the groups in reading order of their first cells, and returns their number.

    It fills `moves` with their first cells, and `sizes` with their numbers of tiles; `group` is scratch for `gather`.
    """
    count, stride = 0, rules.cols + 1
    for row in range(1, rules.rows + 1):
        for cell in range(row * stride, row * stride + rules.cols):
            if board[cell] > 0:
                size = gather(board, rules.cols, cell, group)
                if size >= 2:
                    moves[count], sizes[count] = cell, size
                    count += 1
    # `gather` has made all tiles negative, so that no group is listed twice.
    for cell in range(stride, (rules.rows + 1) * stride):
        board[cell] = abs(board[cell])
    return count


@kernel
def collapse(rules: Rules, board: Board, target: Board) -> int:
    """Writes the board without its negative tiles to `target`, and returns the number of tiles that are left.

    Tiles fall, and empty columns close. `target` is another bordered board, with an empty border.
    """
    stride, bottom_row = rules.cols + 1, rules.rows * (rules.cols + 1)
    first, step = (0, 1) if rules.leftwards else (rules.cols - 1, -1)  # from the side to which columns close
    target_col, tiles = first, 0
    for source_col in range(first, first + step * rules.cols, step):
        free_cell = bottom_row + target_col
        for cell in range(bottom_row + source_col, source_col, -stride):  # from the bottom row to the top row
            if board[cell] > 0:
                target[free_cell] = board[cell]
                free_cell -= stride
                tiles += 1
        if free_cell != bottom_row + target_col:  # the column has tiles: clear the cells above them
            target[target_col + stride : free_cell + 1 : stride] = 0
            target_col += step
    for empty_col in range(target_col, first + step * rules.cols, step):
        target[empty_col + stride : bottom_row + empty_col + 1 : stride] = 0
    return tiles


@kernel
def new_score(rules: Rules, score: int, size: int, clears: bool) -> int:
    """Returns the score after a group of `size` tiles is removed; the bonus multiplies all of it if the move clears."""
    score += rules.points[size]
    return score * rules.numerator // rules.denominator if clears else score
