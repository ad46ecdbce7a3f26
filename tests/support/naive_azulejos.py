"""Rules of Azulejos and plain minimax in their simplest form, slow and obviously right: the oracle of the tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from azulejos_env.config import GameConfig

Rows = tuple[tuple[int, ...], ...]
"""A board: rows of colours from the top, 0 for an empty cell."""


def groups(board: Rows) -> list[frozenset[tuple[int, int]]]:
    """Returns the groups of two or more tiles, each as a set of (row, col), in reading order."""
    found: list[frozenset[tuple[int, int]]] = []
    for row, line in enumerate(board):
        for col, colour in enumerate(line):
            if colour and not any((row, col) in group for group in found):
                group = _reach(board, (row, col))
                if len(group) >= 2:
                    found.append(group)
    return found


def _reach(board: Rows, start: tuple[int, int]) -> frozenset[tuple[int, int]]:
    reached, waiting = {start}, [start]
    while waiting:
        row, col = waiting.pop()
        for cell in ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
            if cell not in reached and _colour(board, cell) == board[row][col]:
                reached.add(cell)
                waiting.append(cell)
    return frozenset(reached)


def _colour(board: Rows, cell: tuple[int, int]) -> int:
    row, col = cell
    return board[row][col] if 0 <= row < len(board) and 0 <= col < len(board[0]) else 0


def compact(board: Rows, side: str) -> Rows:
    """Returns the board after tiles have fallen and empty columns have closed to a side."""
    height = len(board)
    columns = [[colour for colour in column if colour] for column in zip(*board, strict=True)]
    full = [column for column in columns if column]
    empty: list[list[int]] = [[]] * (len(columns) - len(full))
    ordered = full + empty if side == "left" else empty + full
    return tuple(zip(*([0] * (height - len(column)) + column for column in ordered), strict=True))


def play(config: GameConfig, board: Rows, score: int, group: frozenset[tuple[int, int]]) -> tuple[Rows, int]:
    """Returns the board and the mover's score after a group is removed."""
    lines = [[0 if (r, c) in group else colour for c, colour in enumerate(line)] for r, line in enumerate(board)]
    after = compact(tuple(map(tuple, lines)), config.side)
    score += points(config, len(group))
    if not any(map(any, after)):
        score = int(score * config.bonus)
    return after, score


def points(config: GameConfig, size: int) -> int:
    """Returns the points of a group of `size` tiles."""
    listed = dict(enumerate(config.points, start=2))
    return listed.get(size, config.per_tile * size)


def minimax(config: GameConfig, board: Rows, own: int, other: int, depth: int) -> tuple[int, list[tuple[int, int]]]:
    """Returns the value of a position for the player to move, and the first cells of all best moves.

    Args:
        config: the rules.
        board: the board.
        own: the score of the player to move.
        other: the score of the other player.
        depth: the number of moves to look ahead.
    """
    values = list(_values(config, board, own, other, depth)) if depth else []
    if not values:
        return own - other, []
    best = max(value for _, value in values)
    return best, [cell for cell, value in values if value == best]


def _values(config: GameConfig, board: Rows, own: int, other: int, depth: int) -> Iterator[tuple[tuple[int, int], int]]:
    for group in groups(board):
        after, score = play(config, board, own, group)
        yield min(group), -minimax(config, after, other, score, depth - 1)[0]


def rows_of(board: Sequence[Sequence[int]]) -> Rows:
    """Returns a board given as any nested sequence of whole numbers."""
    return tuple(tuple(int(colour) for colour in line) for line in board)
