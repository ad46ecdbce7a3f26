"""Rules of Azulejos and plain minimax in their simplest form, slow and obviously right: the oracle of the tests."""

from collections.abc import Sequence

from azulejos_env.config import GameConfig

Rows = tuple[tuple[int, ...], ...]
"""A board: rows of colours from the top, 0 for an empty cell."""

Group = frozenset[tuple[int, int]]


def rows_of(board: Sequence[Sequence[int]]) -> Rows:
    """Returns a board given as any nested sequence of whole numbers."""
    return tuple(tuple(int(colour) for colour in line) for line in board)


def groups(board: Rows) -> list[Group]:
    """Returns the groups of two or more tiles, each as a set of (row, col), in reading order."""
    tiles = {(row, col): colour for row, line in enumerate(board) for col, colour in enumerate(line) if colour}
    found: list[Group] = []
    for start, colour in tiles.items():
        reached, waiting = {start}, [start]
        while waiting:
            row, col = waiting.pop()
            for cell in ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
                if cell not in reached and tiles.get(cell) == colour:
                    reached.add(cell)
                    waiting.append(cell)
        if len(reached) >= 2 and min(reached) == start:
            found.append(frozenset(reached))
    return found


def compact(board: Rows, side: str) -> Rows:
    """Returns the board after tiles have fallen and empty columns have closed to a side."""
    columns = [[colour for colour in column if colour] for column in zip(*board, strict=True)]
    columns.sort(key=lambda column: (not column) == (side == "left"))
    return tuple(zip(*([0] * (len(board) - len(column)) + column for column in columns), strict=True))


def play(config: GameConfig, board: Rows, score: int, group: Group) -> tuple[Rows, int]:
    """Returns the board and the mover's score after a group is removed."""
    lines = [[0 if (r, c) in group else colour for c, colour in enumerate(line)] for r, line in enumerate(board)]
    after = compact(rows_of(lines), config.side)
    listed = dict(enumerate(config.points, start=2))
    score += listed.get(len(group), config.per_tile * len(group))
    return after, score if any(map(any, after)) else int(score * config.bonus)


def minimax(config: GameConfig, board: Rows, own: int, other: int, depth: int) -> tuple[int, list[tuple[int, int]]]:
    """Returns the value of a position, `depth` moves later, for the player to move, and the first cells of its moves.

    `own` and `other` are the scores of the player to move and of the other one.
    """
    values = {}
    for group in groups(board) if depth else []:
        after, score = play(config, board, own, group)
        values[min(group)] = -minimax(config, after, other, score, depth - 1)[0]
    best = max(values.values(), default=own - other)
    return best, [cell for cell, value in values.items() if value == best]
