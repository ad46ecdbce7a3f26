"""Why a cell is certain: as few counts as possible that force it in every layout."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from minesweeper_env.codes import Codes
from minesweeper_env.inference.deduction.board_state import Knowledge, to_bits
from minesweeper_env.inference.deduction.sentences import bits
from minesweeper_env.inference.probability import certain_cells


class Reason(NamedTuple):
    """Counts that force something.

    Attributes:
        counts: the open cells that show them, all with unknown neighbours.
        uses_total: whether the number of mines on the whole board belongs to the reason too.
    """

    counts: Collection[int]
    uses_total: bool

    @property
    def difficulty(self) -> tuple[bool, int]:
        """What makes a reason harder than another."""
        return self.uses_total, len(self.counts)


SIMPLEST = (False, 2)
"""The difficulty below which the rules for single counts find everything."""


def forced(knowledge: Knowledge, reason: Reason) -> tuple[int, int]:
    """Returns the unknown cells that are free, and those that are mines, in all layouts that fit a reason, as bits.

    They are the certain cells of another board. On it, all cells that are neither unknown nor counts of the reason
    are mines that are shown: these say nothing of their neighbours, and add one to each count beside them. Without
    the number of mines, there are as many covered cells again, beyond the reach of all counts, for mines left over.
    """
    rows, cols = knowledge.shape
    radius, codes = knowledge.radius, Codes.of_radius(knowledge.radius)
    unknown = knowledge.to_array(knowledge.unknown)
    board = np.where(unknown, codes.hidden, codes.mine).astype(np.int8)
    left = knowledge.mines_left
    if not reason.uses_total:
        apart = np.full((radius, cols), codes.mine, np.int8)
        board = np.concatenate([board, apart, np.full((rows, cols), codes.hidden, np.int8)])
        left = knowledge.unknown.bit_count()
    board.flat[list(reason.counts)] = 0
    shown = board == codes.mine
    for count in reason.counts:
        row, col = divmod(count, cols)
        window = shown[max(row - radius, 0) : row + radius + 1, max(col - radius, 0) : col + radius + 1]
        board[row, col] = knowledge.sentences[count].mines + np.count_nonzero(window)
    safe, mine = certain_cells(board, left + int(shown.sum()), radius=radius)
    return to_bits(safe[:rows] & unknown), to_bits(mine[:rows] & unknown)


def easiest_reason(knowledge: Knowledge) -> Reason:
    """Returns the easiest of the reasons for cells that can be found; there must be one."""
    best: Reason | None = None
    # Cells that the same counts are about have the same reasons.
    for bit in {tuple(knowledge.about(bit)): bit for bit in bits(knowledge.findable)}.values():
        reason = _find_reason(knowledge, bit)
        if best is None or reason.difficulty < best.difficulty:
            best = reason
        if best.difficulty <= SIMPLEST:
            break
    assert best is not None, "a cell can be found"
    return best


def _find_reason(knowledge: Knowledge, bit: int) -> Reason:
    """Returns a reason for a cell, of counts near it if possible, that holds no count too many."""
    counts = set(knowledge.about(bit))
    while not _forces(knowledge, Reason(counts, False), bit):
        wider = knowledge.related(counts)
        if wider == counts:
            return _thin_out(knowledge, list(knowledge.sentences), True, bit)
        counts = wider
    return _thin_out(knowledge, list(counts), False, bit)


def _forces(knowledge: Knowledge, reason: Reason, bit: int) -> bool:
    safe, mine = forced(knowledge, reason)
    return bool((safe | mine) & bit)


def _thin_out(knowledge: Knowledge, counts: list[int], uses_total: bool, bit: int) -> Reason:
    """Leaves out counts as long as the others force a cell, far ones first, in runs of 2**k of them down to one."""
    (row, col), cols = knowledge.cells_of(bit)[0], knowledge.shape[1]
    counts.sort(key=lambda count: (-max(abs(count // cols - row), abs(count % cols - col)), count))
    for halvings in reversed(range(len(counts).bit_length())):
        run = 1 << halvings
        start = 0
        while start < len(counts):
            fewer = counts[:start] + counts[start + run :]
            if _forces(knowledge, Reason(fewer, uses_total), bit):
                counts = fewer
            else:
                start += run
    return Reason(counts, uses_total)
