"""Kernel of the observations: ranks of colours, labels of groups, and what a move and the best answer to it earn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azulejos_env.engine.boards import bordered_cells
from azulejos_env.engine.groups import Board, Cells, collapse, gather, list_groups
from azulejos_env.engine.rules import Rules, new_score
from minesweeper_env.compiled import inlined, kernel

RANK, LABEL, OWN, OTHER, GAIN, ANSWER = range(6)
"""The planes of an observation; `observations.observe` explains them."""

Counts = NDArray[np.int64]
Planes = NDArray[np.int32]


class Room(NamedTuple):
    """Arrays to work in.

    Attributes:
        before: (B,) int8, a bordered board whose removed tiles are negative.
        after: (B,) int8, the board after a move.
        counts: (10,) int64, numbers of tiles by colour.
        group: (C,) int32, cells of one group.
        moves: (C,) int32, first cells of the groups.
        sizes: (C,) int32, their sizes.
        answers: (C,) int32, first cells of the groups after a move.
        answer_sizes: (C,) int32, their sizes.
    """

    before: Board
    after: Board
    counts: Counts
    group: Cells
    moves: Cells
    sizes: Cells
    answers: Cells
    answer_sizes: Cells


def make_room(rows: int, cols: int, colours: int) -> Room:
    """Returns the arrays for boards of a size and up to `colours` colours."""
    before, after = np.zeros((2, bordered_cells(rows, cols)), np.int8)
    group, moves, sizes, answers, answer_sizes = np.zeros((5, rows * cols), np.int32)
    counts = np.zeros(colours + 1, np.int64)
    return Room(before, after, counts, group, moves, sizes, answers, answer_sizes)


@inlined
def _rank(counts: Counts, colour: int) -> int:
    """Returns 1 plus the number of colours that come before a colour, and 0 for an empty cell."""
    rank = int(colour > 0)
    for other in range(1, len(counts)):
        more = counts[other] > counts[colour]
        rank += colour > 0 and (more or (other < colour and counts[other] == counts[colour]))
    return rank


@inlined
def _best_answer(rules: Rules, room: Room, score: int) -> int:
    """Returns the most points that a player with `score` earns by one move on the board `room.after`."""
    tiles = 0
    for cell in range(len(room.after)):
        tiles += room.after[cell] != 0
    best = 0
    count = list_groups(room.after, rules.rows, rules.cols, room.group, room.answers, room.answer_sizes)
    for k in range(count):
        size = room.answer_sizes[k]
        best = max(best, new_score(rules, score, size, size == tiles) - score)
    return best


@inlined
def _describe_groups(rules: Rules, room: Room, board: Board, seen: Planes) -> None:
    """Writes the planes LABEL, GAIN and ANSWER at the tiles of groups of two tiles or more."""
    stride = rules.cols + 1
    count = list_groups(board, rules.rows, rules.cols, room.group, room.moves, room.sizes)
    own, other = seen[OWN, 0, 0], seen[OTHER, 0, 0]
    for k in range(count):
        first = room.moves[k]
        for cell in range(len(board)):
            room.before[cell] = board[cell]
        size = gather(room.before, rules.cols, first, room.group)
        tiles = collapse(room.before, rules.rows, rules.cols, rules.leftwards, room.after)
        gain = new_score(rules, own, size, tiles == 0) - own
        answer = _best_answer(rules, room, other)
        # `_best_answer` uses `room.group`; the tiles of this group are still negative in `room.before`.
        for place in range(rules.rows * rules.cols):
            row, col = place // rules.cols, place % rules.cols
            if room.before[(row + 1) * stride + col] < 0:
                seen[LABEL, row, col] = (first // stride - 1) * rules.cols + first % stride
                seen[GAIN, row, col], seen[ANSWER, row, col] = gain, answer


_RULES = len(Rules._fields)


@kernel
def describe_boards(bordered: NDArray[np.int8], seen: Planes, *state: Any) -> None:
    """Writes all planes of N boards but the scores, which are given.

    Args:
        bordered: (N, B) int8, boards with their borders.
        seen: (N, 6, rows, cols) int32, the observations; their planes OWN and OTHER are given.
        *state: the fields of `Rules` and of a `Room`.
    """
    rules, room = Rules(*state[:_RULES]), Room(*state[_RULES:])
    stride = rules.cols + 1
    for i in range(bordered.shape[0]):
        board = bordered[i]
        room.counts[:] = 0
        for cell in range(len(board)):
            room.counts[board[cell]] += 1
        for place in range(rules.rows * rules.cols):
            row, col = place // rules.cols, place % rules.cols
            colour = board[(row + 1) * stride + col]
            seen[i, RANK, row, col] = _rank(room.counts, colour)
            seen[i, LABEL, row, col] = place if colour else -1
            seen[i, GAIN, row, col], seen[i, ANSWER, row, col] = 0, 0
        _describe_groups(rules, room, board, seen[i])
