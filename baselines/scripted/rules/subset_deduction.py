"""Subset deduction in a batch of games: local rules, subset closure of the counts, and the number of mines.

The closure is `minesweeper_env.inference.subset_closure`. This file adds the sentence about all unknown cells, which
can have exponentially many differences with the others.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from baselines.scripted.rules.batched_rules import Knowledge, apply_local_rules
from minesweeper_env.cell_sets import neighbour_bits, to_array, to_bits
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import subset_closure

CLOSURE_LIMIT = 300
"""Largest closure. The counts alone stay far below it; it stops the differences with the number of mines."""

Counts = dict[int, int]
"""Maps the cells of a sentence, as bits, to its number of mines."""


class Deduction(Protocol):
    """A way to deduce certain cells."""

    def apply(self, knowledge: Knowledge) -> None:
        """Records certain cells in the knowledge."""


class SubsetDeduction:
    """The local rules, then the subset closure of the counts, then the number of mines on the board.

    A rule is used only in games where the rules before it find no safe cell.
    """

    def __init__(self, config: BoardConfig, use_mines: bool = True) -> None:
        """Prepares to deduce on boards of this configuration.

        Args:
            config: the games.
            use_mines: whether to use the number of mines on the board.
        """
        self._neighbours = neighbour_bits(config.rows, config.cols, config.radius)
        self._use_mines = use_mines

    def apply(self, knowledge: Knowledge) -> None:
        """Records at least one safe cell in each game where the rules find one, and all mines elsewhere."""
        apply_local_rules(knowledge)
        lacking = knowledge.missing_mines()
        useful = knowledge.open & (knowledge.neighbour_sum(knowledge.unknown) > 0)
        left = knowledge.mines_left().tolist()
        for i in np.flatnonzero(~knowledge.safe.any(axis=(1, 2))):
            unknown = to_bits(knowledge.unknown[i])
            cells = np.flatnonzero(useful[i]).tolist()
            mines = lacking[i].ravel()[cells].tolist()
            counts = {self._neighbours[cell] & unknown: number for cell, number in zip(cells, mines, strict=True)}
            safe, mine = find_certain(counts, unknown, left[i] if self._use_mines else None)
            if safe | mine:
                shape = knowledge.unknown[i].shape
                knowledge.safe[i] |= to_array(safe, shape)
                knowledge.mine[i] |= to_array(mine, shape)
                knowledge.unknown[i] &= ~to_array(safe | mine, shape)


def find_certain(counts: Counts, unknown: int, mines: int | None) -> tuple[int, int]:
    """Returns safe cells and mines, as bits. If there is no safe cell, the mines are all that can be deduced.

    Args:
        counts: the sentences of the counts.
        unknown: all unknown cells.
        mines: the number of mines in them; None to deduce from the counts alone.
    """
    safe, mine, counts = _close(counts)
    if safe or mines is None or not _total_matters(counts, unknown & ~mine, mines - mine.bit_count()):
        return safe, mine
    while True:
        joined = {**_remainders(counts, unknown & ~mine, mines - mine.bit_count()), **counts}
        safe, more, counts = _close(joined)
        mine |= more
        # New mines shorten the sentences, and new sentences can be taken from the total: both call for another round.
        if safe or not (more or len(counts) > len(joined)) or len(counts) >= CLOSURE_LIMIT:
            return safe, mine


def _close(counts: Counts) -> tuple[int, int, Counts]:
    """Returns the first safe cells of the closure, its mines (all, if it has no safe cell), and the closure."""
    mine = 0
    while True:
        # A list gives out the latest sentence first, which reaches a certain one sooner than the oldest first.
        agenda = [(cells, number, 0) for cells, number in counts.items()]
        certain, closure = subset_closure(agenda, CLOSURE_LIMIT)
        counts = {cells: number for cells, number, _ in closure.values()}
        if certain is None or certain.mines == 0:
            return certain.cells if certain else 0, mine, counts
        mine |= certain.cells
        counts = _without_mines({**{cells: number for cells, number, _ in agenda}, **counts}, certain.cells)


def _without_mines(counts: Counts, mine: int) -> Counts:
    reduced = {cells & ~mine: number - (cells & mine).bit_count() for cells, number in counts.items()}
    reduced.pop(0, None)
    return reduced


def _remainders(counts: Counts, unknown: int, mines: int) -> Counts:
    """Returns the sentences that remain of the total once no other sentence can be taken from it.

    The sentences on the way yield nothing that the last ones do not, and are exponentially many.
    """
    ends: Counts = {}
    waiting = [(unknown, mines)]
    met = {unknown}
    while waiting and len(met) < CLOSURE_LIMIT:
        cells, number = waiting.pop()
        inside = [other for other in counts if other & cells == other != cells]
        if not inside:
            ends[cells] = number
        # Every end lacks the first of them, or one that overlaps it; other orders of taking away lead to the same end.
        for other in inside:
            rest = cells ^ other
            if other & inside[0] and rest not in met:
                met.add(rest)
                waiting.append((rest, number - counts[other]))
    return ends


def _total_matters(counts: Counts, unknown: int, mines: int) -> bool:
    """Returns whether the number of mines on the board can exclude a solution of the other sentences.

    It cannot if two bounds on the mines in the cells of the sentences leave room: it exceeds the upper bound, and
    the mines beyond the lower bound do not fill the cells outside of all sentences.
    """
    covered = packed = 0
    most = least = 0
    for cells, number in sorted(counts.items(), key=lambda item: item[1] / item[0].bit_count()):
        if cells & ~covered:
            most += min(number, (cells & ~covered).bit_count())
            covered |= cells
    for cells, number in sorted(counts.items(), key=lambda item: -item[1] / item[0].bit_count()):
        if not cells & packed:
            least += number
            packed |= cells
    others = (unknown & ~covered).bit_count()
    return most >= mines or least <= mines - others
