"""Kernels of single positions: let the tiles fall, list the groups, remove one."""

from __future__ import annotations

from azulejos_env.engine.groups import Board, Cells, collapse, gather, list_groups
from azulejos_env.engine.rules import Rules, new_score
from minesweeper_env.compiled import kernel

NO_GROUP = -1


@kernel
def settle(rules: Rules, board: Board, target: Board) -> int:
    """Writes a board with its tiles fallen and its columns closed to `target`, and returns the number of tiles."""
    return collapse(board, rules.rows, rules.cols, rules.leftwards, target)


@kernel
def find_groups(rules: Rules, board: Board, group: Cells, moves: Cells, sizes: Cells) -> int:
    """Lists the groups of a board as `list_groups` does, and returns their number."""
    return list_groups(board, rules.rows, rules.cols, group, moves, sizes)


@kernel
def remove(rules: Rules, board: Board, group: Cells, target: Board, cell: int, score: int) -> int:
    """Removes the group of a cell.

    Args:
        rules: the rules.
        board: the board; the tiles of the group are negative afterwards.
        group: receives the cells of the group.
        target: receives the board after the move.
        cell: the entry of a cell on the bordered board.
        score: the score of the player who moves.

    Returns:
        The new score of this player, or NO_GROUP.
    """
    if board[cell] <= 0:
        return NO_GROUP
    size = gather(board, rules.cols, cell, group)
    if size < 2:
        return NO_GROUP
    tiles = collapse(board, rules.rows, rules.cols, rules.leftwards, target)
    return new_score(rules, score, size, tiles == 0)
