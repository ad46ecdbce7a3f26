"""Reasons of certain cells: the fewest clues that force a cell in every layout that fits them.

This is the "exact" level of the deduction in docs/studies/inference.md.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from minesweeper_env.cell_sets import bits, to_bits
from minesweeper_env.codes import Codes
from minesweeper_env.inference.deduction.board_state import BoardState
from minesweeper_env.inference.probability import certain_cells


class Reason(NamedTuple):
    """Clues that force some cells.

    Attributes:
        clues: open cells, all with unknown neighbours.
        uses_total: whether the reason includes the number of mines on the whole board.
    """

    clues: Collection[int]
    uses_total: bool

    @property
    def difficulty(self) -> tuple[bool, int]:
        """A key that orders reasons from easy to hard."""
        return self.uses_total, len(self.clues)


SIMPLEST = (False, 2)
"""The least difficulty of a reason at this level: the rules for single counts find all that is easier."""


def forced(state: BoardState, reason: Reason) -> tuple[int, int]:
    """Returns the unknown cells that are free, and those that are mines, in all layouts that fit a reason, as bits.

    `certain_cells` finds them on an auxiliary board. There each open cell without a clue of the reason becomes a
    shown mine, which says nothing of its neighbours; each clue grows by the shown mines next to it. A reason without
    the number of mines gets a second set of covered cells, out of reach of all clues. It takes up any number of mines.
    """
    rows, cols = state.shape
    radius, codes = state.radius, Codes.of_radius(state.radius)
    unknown = state.to_array(state.unknown)
    board = np.where(unknown, codes.hidden, codes.mine).astype(np.int8)
    left = state.mines_left
    if not reason.uses_total:
        gap = np.full((radius, cols), codes.mine, np.int8)
        board = np.concatenate([board, gap, np.full((rows, cols), codes.hidden, np.int8)])
        left = state.unknown.bit_count()
    board.flat[list(reason.clues)] = 0
    shown = board == codes.mine
    for clue in reason.clues:
        row, col = divmod(clue, cols)
        window = shown[max(row - radius, 0) : row + radius + 1, max(col - radius, 0) : col + radius + 1]
        board[row, col] = state.sentences[clue].mines + np.count_nonzero(window)
    safe, mine = certain_cells(board, left + int(shown.sum()), radius=radius)
    return to_bits(safe[:rows] & unknown), to_bits(mine[:rows] & unknown)


def easiest_reason(state: BoardState, cells: int) -> Reason:
    """Returns the easiest reason for one of some findable cells, at least one."""
    best: Reason | None = None
    # Cells with the same clues have the same reasons, so one of them is enough.
    for bit in {tuple(state.clues_about(bit)): bit for bit in bits(cells)}.values():
        reason = find_reason(state, bit)
        if best is None or reason.difficulty < best.difficulty:
            best = reason
        if best.difficulty <= SIMPLEST:
            break
    assert best is not None, "there is a cell"
    return best


def find_reason(state: BoardState, bit: int) -> Reason:
    """Returns a reason for a findable cell, with clues near it if possible; none of its clues can be left out."""
    clues = set(state.clues_about(bit))
    while not _forces(state, Reason(clues, False), bit):
        wider = state.clues_near(clues)
        if wider == clues:
            return _shrink(state, list(state.sentences), True, bit)
        clues = wider
    return _shrink(state, list(clues), False, bit)


def _forces(state: BoardState, reason: Reason, bit: int) -> bool:
    safe, mine = forced(state, reason)
    return bool((safe | mine) & bit)


def _shrink(state: BoardState, clues: list[int], uses_total: bool, bit: int) -> Reason:
    """Drops clues while the others force a cell: far ones first, in runs of 2**k, then of 2**(k - 1), down to one."""
    (row, col), cols = state.cells_of(bit)[0], state.shape[1]
    clues.sort(key=lambda clue: (-max(abs(clue // cols - row), abs(clue % cols - col)), clue))
    for halvings in reversed(range(len(clues).bit_length())):
        run = 1 << halvings
        start = 0
        while start < len(clues):
            fewer = clues[:start] + clues[start + run :]
            if _forces(state, Reason(fewer, uses_total), bit):
                clues = fewer
            else:
                start += run
    return Reason(clues, uses_total)
