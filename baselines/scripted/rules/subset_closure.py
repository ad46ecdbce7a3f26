"""Deduction by sentences: so many of these cells are mines.

A sentence is a set of cells, as the bits of an int, with its number of mines. Of two sentences one of which
lies within the other, the difference is a sentence too; one without mines, or with as many as it has cells,
is certain. The method is that of the knowledge base in CS50's Minesweeper project, carried to its end.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.rules.batched_rules import Knowledge, apply_local_rules
from minesweeper_env.config import BoardConfig
from minesweeper_env.neighbours import neighbour_table

MAX_SENTENCES = 300
"""The most sentences of one closure. Those of the counts alone stay far below it; with the number of mines of
the whole board they could be exponentially many."""

Sentences = dict[int, int]
"""From the cells of a sentence to its number of mines."""


class Deduction(Protocol):
    """What a player deduces with."""

    def apply(self, knowledge: Knowledge) -> None:
        """Takes down what is certain."""


class SubsetDeduction:
    """The local rules, then the subset closure of the counts, then the number of mines of the whole board.

    Each step is taken only where the ones before it have found no safe cell.
    """

    def __init__(self, config: BoardConfig, use_mines: bool = True) -> None:
        """Prepares to deduce on boards of this configuration; the last step is left out without `use_mines`."""
        self._around = neighbour_bits(config)
        self._use_mines = use_mines

    def apply(self, knowledge: Knowledge) -> None:
        """Takes down one or more safe cells in each game where there is one to be deduced.

        Where there is none, all mines that can be deduced are taken down.
        """
        apply_local_rules(knowledge)
        lacking = knowledge.mines_left_around()
        useful = knowledge.open & (knowledge.around(knowledge.unknown) > 0)
        left = knowledge.mines_left().tolist()
        for i in np.flatnonzero(~knowledge.safe.any(axis=(1, 2))):
            unknown = to_bits(knowledge.unknown[i])
            cells = np.flatnonzero(useful[i]).tolist()
            counts = lacking[i].ravel()[cells].tolist()
            sentences = {self._around[cell] & unknown: count for cell, count in zip(cells, counts, strict=True)}
            safe, mine = deduce(sentences, unknown, left[i] if self._use_mines else None)
            if safe | mine:
                shape = knowledge.unknown[i].shape
                knowledge.safe[i] |= to_cells(safe, shape)
                knowledge.mine[i] |= to_cells(mine, shape)
                knowledge.unknown[i] &= ~to_cells(safe | mine, shape)


def deduce(sentences: Sentences, unknown: int, mines: int | None) -> tuple[int, int]:
    """Returns cells that are safe and cells that are mines, as bits; the mines are all, if there is no safe cell.

    Args:
        sentences: those of the counts.
        unknown: all cells that a sentence may speak of.
        mines: the number of mines among them; None to deduce from the sentences alone.
    """
    safe, mine, sentences = _close(sentences)
    if safe or mines is None or not _total_matters(sentences, unknown & ~mine, mines - mine.bit_count()):
        return safe, mine
    while True:
        joined = {**_remainders(sentences, unknown & ~mine, mines - mine.bit_count()), **sentences}
        safe, more, sentences = _close(joined)
        mine |= more
        if safe or not (more or len(sentences) > len(joined)) or len(sentences) >= MAX_SENTENCES:
            return safe, mine


def _close(sentences: Sentences) -> tuple[int, int, Sentences]:
    """Returns the first safe cells of the closure, its mines (all, if it has no safe cell), and the closure."""
    mine = 0
    while True:
        safe, found, sentences = _first_certain(sentences)
        if safe or not found:
            return safe, mine, sentences
        mine |= found
        sentences = _without_mines(sentences, found)


def _without_mines(sentences: Sentences, mine: int) -> Sentences:
    if not mine:
        return sentences
    reduced = {cells & ~mine: count - (cells & mine).bit_count() for cells, count in sentences.items()}
    reduced.pop(0, None)
    return reduced


def _first_certain(sentences: Sentences) -> tuple[int, int, Sentences]:
    """Forms differences until one is certain.

    Returns:
        The certain cells as (safe, 0) or (0, mine), or (0, 0) if the closure has none; and all sentences.
    """
    known: Sentences = {}
    waiting = list(sentences.items())
    while waiting and len(known) < MAX_SENTENCES:
        cells, count = waiting.pop()
        if cells in known:
            continue
        if count == 0:
            return cells, 0, known
        if count == cells.bit_count():
            return 0, cells, {**dict(waiting), **known}
        related = [other for other in known if (both := other & cells) == other or both == cells]
        waiting += [(cells ^ other, abs(count - known[other])) for other in related]
        known[cells] = count
    return 0, 0, known


def _remainders(sentences: Sentences, unknown: int, mines: int) -> Sentences:
    """Returns what the sentence of all unknown cells leaves when no other sentence can be taken away any more.

    The sentences on the way there yield nothing that their ends do not, and are exponentially many.
    """
    ends: Sentences = {}
    waiting = [(unknown, mines)]
    met = {unknown}
    while waiting and len(met) < MAX_SENTENCES:
        cells, count = waiting.pop()
        inside = [other for other in sentences if other & cells == other != cells]
        if not inside:
            ends[cells] = count
        # Each end lacks the first of them, or one that overlaps it.
        for other in inside:
            rest = cells ^ other
            if other & inside[0] and rest not in met:
                met.add(rest)
                waiting.append((rest, count - sentences[other]))
    return ends


def _total_matters(sentences: Sentences, unknown: int, mines: int) -> bool:
    """Says whether the number of mines of the whole board may exclude any solution of the other sentences.

    It cannot while the cells of the sentences hold fewer mines than there are, by an upper bound on them,
    and more than leave some cell of the others free, by a lower bound.
    """
    covered = packed = 0
    most = least = 0
    for cells, count in sorted(sentences.items(), key=lambda item: item[1] / item[0].bit_count()):
        if cells & ~covered:
            most += min(count, (cells & ~covered).bit_count())
            covered |= cells
    for cells, count in sorted(sentences.items(), key=lambda item: -item[1] / item[0].bit_count()):
        if not cells & packed:
            least += count
            packed |= cells
    others = (unknown & ~covered).bit_count()
    return most >= mines or least <= mines - others


def neighbour_bits(config: BoardConfig) -> list[int]:
    """Returns the neighbours of each cell, as bits."""
    table = neighbour_table(config.rows, config.cols, config.radius).tolist()
    return [sum(1 << cell for cell in row if cell != config.cells) for row in table]


def to_bits(cells: NDArray[np.bool_]) -> int:
    """Returns cells as the bits of an int, the first cell being the lowest bit."""
    return int.from_bytes(np.packbits(cells, bitorder="little").tobytes(), "little")


def to_cells(bits: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Returns the cells of `to_bits` as an array of this shape."""
    size = int(np.prod(shape))
    packed = np.frombuffer(bits.to_bytes((size + 7) // 8, "little"), np.uint8)
    return np.unpackbits(packed, count=size, bitorder="little").astype(np.bool_).reshape(shape)
