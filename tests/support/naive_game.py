"""Minesweeper on a given layout, in plain Python: the reference for the engine.

It uses sets and dictionaries of (row, col) pairs, keeps no intermediate results, and imports nothing from the package.
"""

from collections.abc import Iterable
from functools import cache
from itertools import product

ALL_MOVES = ("click", "flag", "unflag", "question", "chord")

Cell = tuple[int, int]


@cache
def neighbours(rows: int, cols: int, cell: Cell, radius: int = 1) -> frozenset[Cell]:
    """Returns the other cells at most `radius` rows and columns away."""
    sides = zip(cell, (rows, cols), strict=True)
    near = [range(max(0, at - radius), min(length, at + radius + 1)) for at, length in sides]
    return frozenset(product(*near)) - {cell}


class NaiveGame:
    """One game on a given layout; `status` is "playing", "won", "lost" or "truncated"."""

    def __init__(self, rows: int, cols: int, mines: Iterable[Cell], radius=1, moves=ALL_MOVES, max_steps=None) -> None:
        self.rows, self.cols, self.radius, self.moves = rows, cols, radius, moves
        self.board = list(product(range(rows), range(cols)))
        self.mines = set(mines)
        self.max_steps = 10 * rows * cols if max_steps is None else max_steps
        self.opened: set[Cell] = set()
        self.marks: dict[Cell, str] = {}
        self.status = "playing"
        self.steps = 0

    def around(self, cell: Cell) -> frozenset[Cell]:
        return neighbours(self.rows, self.cols, cell, self.radius)

    def count(self, cell: Cell) -> int:
        return len(self.around(cell) & self.mines)

    def flags(self) -> set[Cell]:
        return {cell for cell, mark in self.marks.items() if mark == "flag"}

    def to_chord(self, cell: Cell) -> set[Cell]:
        """Returns the cells that a chord on an open cell would open; none if it is not allowed."""
        if cell not in self.opened:
            return set()
        flags = {near for near in self.around(cell) if self.marks.get(near) == "flag"}
        if len(flags) != self.count(cell):
            return set()
        return set(self.around(cell) - flags - self.opened)

    def is_legal(self, move: str, cell: Cell) -> bool:
        """Returns whether a move would change the board of an unfinished game."""
        if move == "chord":
            return bool(self.to_chord(cell))
        if cell in self.opened:
            return False
        mark = self.marks.get(cell)
        return {"click": mark != "flag", "flag": True, "unflag": mark is not None, "question": mark != "question"}[move]

    def step(self, action: int) -> tuple[int, bool]:
        """Makes a move; returns the number of cells that it opened, and whether it was illegal."""
        if self.status != "playing":
            return 0, False
        block, index = divmod(action, len(self.board))
        move, cell = self.moves[block], self.board[index]
        legal = self.is_legal(move, cell)
        opened_before = len(self.opened)
        if legal:
            self._make(move, cell)
        self.steps += 1
        if self.status == "playing" and self.steps >= self.max_steps:
            self.status = "truncated"
        return len(self.opened) - opened_before, not legal

    def _make(self, move: str, cell: Cell) -> None:
        if move == "click":
            self._open({cell})
        elif move == "chord":
            self._open(self.to_chord(cell))
        elif move == "question":
            self.marks[cell] = "question"
        elif move == "flag" and self.marks.get(cell) != "flag":
            self.marks[cell] = "flag"
        else:
            del self.marks[cell]

    def _open(self, cells: set[Cell]) -> None:
        waiting = set(cells) - self.mines
        while waiting:
            cell = waiting.pop()
            self.opened.add(cell)
            self.marks.pop(cell, None)
            if self.count(cell) == 0:
                waiting |= self.around(cell) - self.opened - self.flags()
        if cells & self.mines:
            self.status = "lost"
        elif len(self.opened) + len(self.mines) == len(self.board):
            self.status = "won"

    def codes(self) -> list[int]:
        """Returns the visible codes in reading order."""
        most = (2 * self.radius + 1) ** 2 - 1
        marks = {"flag": most + 1, "question": most + 2, None: most + 3}
        codes = []
        for cell in self.board:
            mark = self.marks.get(cell)
            if cell in self.opened:
                codes.append(self.count(cell))
            elif self.status == "lost" and cell in self.mines and mark != "flag":
                codes.append(most + 4)
            else:
                codes.append(marks[mark])
        return codes

    def mask(self) -> list[int]:
        """Returns 1 for each legal action, and 1 for all once the game is won or lost."""
        if self.status in ("won", "lost"):
            return [1] * (len(self.moves) * len(self.board))
        return [int(self.is_legal(move, cell)) for move in self.moves for cell in self.board]
