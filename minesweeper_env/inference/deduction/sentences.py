"""Sentences "so many of these cells are mines", and what follows from sets of them without trying layouts.

Sets of cells are the bits of an int. Two things are drawn from sentences:

- their closure: of two sentences one of which lies within the other, the difference is a sentence too (the method of
  the knowledge base in CS50's Minesweeper project, carried to its end);
- their packings: sentences without a common cell, which may account for all mines of the board, or for all free cells.
  Simon Tatham's Mines takes such unions too, of at most ten sentences; a dynamic programme takes any number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from minesweeper_env.inference.errors import PositionTooHardError

MAX_SENTENCES = 20_000
"""The most sentences of a closure."""

MAX_STATES = 20_000
"""The most sets of cells that a search for a packing keeps at a time."""


class Sentence(NamedTuple):
    """So many of these cells are mines.

    Attributes:
        cells: the cells, as bits.
        mines: the number of mines among them.
        because: the open cells whose counts say so.
    """

    cells: int
    mines: int
    because: frozenset[int]

    @property
    def free(self) -> int:
        """The number of free cells."""
        return self.cells.bit_count() - self.mines

    @property
    def certain(self) -> bool:
        """Whether all cells are free, or all are mines."""
        return self.mines == 0 or self.free == 0

    def minus(self, part: Sentence) -> Sentence:
        """Returns what a sentence about some of these cells leaves to say of the others."""
        return Sentence(self.cells ^ part.cells, self.mines - part.mines, self.because | part.because)


class Packing(NamedTuple):
    """Sentences without a common cell.

    Attributes:
        weight: what they weigh together.
        cells: all their cells, as bits.
        because: all counts that they rest on.
    """

    weight: int = 0
    cells: int = 0
    because: frozenset[int] = frozenset()

    def plus(self, weight: int, cells: int, because: frozenset[int]) -> Packing:
        """Returns the packing with more sentences."""
        return Packing(self.weight + weight, self.cells | cells, self.because | because)

    @property
    def rank(self) -> tuple[int, int, int]:
        """What makes a packing better than another: more weight, then fewer cells, then fewer counts."""
        return self.weight, -self.cells.bit_count(), -len(self.because)


def bits(cells: int) -> Iterator[int]:
    """Yields each bit by itself, the lowest first."""
    while cells:
        yield cells & -cells
        cells &= cells - 1


def close(sentences: Iterable[Sentence]) -> tuple[Sentence | None, list[Sentence]]:
    """Takes differences of sentences until there are no more, those that rest on the fewest counts first.

    Returns:
        The first sentence that is certain, and what was found until then; or None, and the closure.

    Raises:
        PositionTooHardError: the closure has more than `MAX_SENTENCES` sentences.
    """
    known: dict[int, Sentence] = {}
    with_cell: dict[int, list[Sentence]] = {}
    waiting: list[tuple[int, bool, int, Sentence]] = []
    pushed = 0
    for sentence in sentences:
        heappush(waiting, (len(sentence.because), sentence.mines > 0, pushed, sentence))
        pushed += 1
    while waiting:
        sentence = heappop(waiting)[-1]
        if sentence.cells in known:
            continue
        if sentence.certain:
            return sentence, list(known.values())
        if len(known) == MAX_SENTENCES:
            raise PositionTooHardError(f"the counts of this board make more than {MAX_SENTENCES} sentences")
        for more in _differences(sentence, with_cell):
            heappush(waiting, (len(more.because), more.mines > 0, pushed, more))
            pushed += 1
        known[sentence.cells] = sentence
        for bit in bits(sentence.cells):
            with_cell.setdefault(bit, []).append(sentence)
    return None, list(known.values())


def _differences(sentence: Sentence, with_cell: dict[int, list[Sentence]]) -> Iterator[Sentence]:
    met = {other.cells: other for bit in bits(sentence.cells) for other in with_cell.get(bit, ())}
    for other in met.values():
        both = other.cells & sentence.cells
        if both == other.cells:
            yield sentence.minus(other)
        elif both == sentence.cells:
            yield other.minus(sentence)


def heaviest_packing(
    sentences: Sequence[Sentence], weigh: Callable[[Sentence], int], order: Sequence[int], target: int
) -> Packing | None:
    """Returns a packing that weighs `target`, which none exceeds, with the fewest cells; None if there is none.

    Args:
        sentences: those to choose from.
        weigh: gives the weight of each: its mines, or its free cells.
        order: the bits of all cells, neighbours not far apart.
        target: the weight of all cells of the board.

    Raises:
        PositionTooHardError: the search would keep more than `MAX_STATES` sets of cells.
    """
    if _most(sentences, weigh) < target:
        return None
    whole = Packing()
    for part in _parts(sentences):
        best = _pack(part, weigh, order)
        whole = whole.plus(*best)
    return whole if whole.weight == target else None


def _most(sentences: Sequence[Sentence], weigh: Callable[[Sentence], int]) -> int:
    """Returns a bound on the weight of all packings: that of some sentences that cover all their cells."""
    most = covered = 0
    for sentence in sorted(sentences, key=lambda one: weigh(one) / one.cells.bit_count()):
        new = sentence.cells & ~covered
        most += min(weigh(sentence), new.bit_count())
        covered |= new
    return most


def _parts(sentences: Iterable[Sentence]) -> list[list[Sentence]]:
    """Returns the sentences in lists that have no cell in common."""
    parts: list[tuple[int, list[Sentence]]] = []
    for sentence in sentences:
        touched = [part for part in parts if part[0] & sentence.cells]
        cells, together = sentence.cells, [sentence]
        for part in touched:
            cells |= part[0]
            together += part[1]
        parts = [part for part in parts if not part[0] & sentence.cells]
        parts.append((cells, together))
    return [together for _, together in parts]


def _pack(sentences: Sequence[Sentence], weigh: Callable[[Sentence], int], order: Sequence[int]) -> Packing:
    """Returns the best packing, by a dynamic programme that decides on the cells in order.

    Its states are the sets of cells that are taken, of those that lie ahead.
    """
    cells = 0
    for sentence in sentences:
        cells |= sentence.cells
    place = {bit: number for number, bit in enumerate(bit for bit in order if bit & cells)}
    starting: dict[int, list[Sentence]] = {bit: [] for bit in place}
    for sentence in sentences:
        starting[min(bits(sentence.cells), key=place.__getitem__)].append(sentence)
    states = {0: Packing()}
    for bit in place:
        after: dict[int, Packing] = {}
        for ahead, packing in states.items():
            _keep_better(after, ahead & ~bit, packing)
            if not ahead & bit:
                for sentence in starting[bit]:
                    if not sentence.cells & ahead:
                        grown = packing.plus(weigh(sentence), sentence.cells, sentence.because)
                        _keep_better(after, (ahead | sentence.cells) ^ bit, grown)
        states = after
        if len(states) > MAX_STATES:
            raise PositionTooHardError(f"a search for a packing of sentences keeps more than {MAX_STATES} sets")
    return states[0]


def _keep_better(states: dict[int, Packing], ahead: int, packing: Packing) -> None:
    if ahead not in states or packing.rank > states[ahead].rank:
        states[ahead] = packing
