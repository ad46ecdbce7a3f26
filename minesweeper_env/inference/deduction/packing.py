"""Packings of sentences: sentences without a common cell that account for the total.

A packing may hold all mines of the board, or all its free cells; then nothing is left for the other cells. Simon
Tatham's Mines tries unions of up to ten sentences to the same end; the dynamic programme here takes any number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from minesweeper_env.cell_sets import bits
from minesweeper_env.inference.deduction.closure import Sentence
from minesweeper_env.inference.errors import PositionTooHardError

MAX_STATES = 20_000
"""Upper bound on the states of the dynamic programme at one cell."""


class Packing(NamedTuple):
    """Sentences without a common cell.

    Attributes:
        weight: the sum of their weights.
        cells: the union of their cells, as bits.
        because: the union of their reasons.
    """

    weight: int = 0
    cells: int = 0
    because: int = 0

    def plus(self, weight: int, cells: int, because: int) -> Packing:
        """Returns the packing with more sentences."""
        return Packing(self.weight + weight, self.cells | cells, self.because | because)

    @property
    def rank(self) -> tuple[int, int, int]:
        """A key to maximise: more weight, then fewer cells, then fewer counts."""
        return self.weight, -self.cells.bit_count(), -self.because.bit_count()


def heaviest_packing(
    sentences: Sequence[Sentence], weigh: Callable[[Sentence], int], order: Sequence[int], target: int
) -> Packing | None:
    """Returns a packing of weight `target` with the fewest cells; None if there is none.

    Args:
        sentences: the sentences to choose from.
        weigh: maps a sentence to its weight: the number of its mines, or of its free cells.
        order: the bits of all cells, such that neighbours are not far apart.
        target: the weight of all unknown cells of the board, which no packing exceeds.

    Raises:
        PositionTooHardError: the dynamic programme has more than `MAX_STATES` states at a cell.
    """
    if _weight_bound(sentences, weigh) < target:
        return None
    whole = Packing()
    for component in _components(sentences):
        whole = whole.plus(*_pack(component, weigh, order))
    return whole if whole.weight == target else None


def _weight_bound(sentences: Sequence[Sentence], weigh: Callable[[Sentence], int]) -> int:
    """Returns an upper bound on the weight of a packing: the weight of a greedy cover of all cells."""
    bound = covered = 0
    for sentence in sorted(sentences, key=lambda one: weigh(one) / one.cells.bit_count()):
        new = sentence.cells & ~covered
        bound += min(weigh(sentence), new.bit_count())
        covered |= new
    return bound


def _components(sentences: Iterable[Sentence]) -> list[list[Sentence]]:
    """Returns the connected components of the sentences; two are adjacent if they have a cell in common."""
    components: list[tuple[int, list[Sentence]]] = []
    for sentence in sentences:
        touched = [component for component in components if component[0] & sentence.cells]
        cells, together = sentence.cells, [sentence]
        for component in touched:
            cells |= component[0]
            together += component[1]
        components = [component for component in components if not component[0] & sentence.cells]
        components.append((cells, together))
    return [together for _, together in components]


def _pack(sentences: Sequence[Sentence], weigh: Callable[[Sentence], int], order: Sequence[int]) -> Packing:
    """Returns the best packing by dynamic programming over the cells in order.

    A state is the set of the cells ahead that sentences of the packing already take.
    """
    cells = 0
    for sentence in sentences:
        cells |= sentence.cells
    position = {bit: number for number, bit in enumerate(bit for bit in order if bit & cells)}
    starting: dict[int, list[Sentence]] = {bit: [] for bit in position}
    for sentence in sentences:
        starting[min(bits(sentence.cells), key=position.__getitem__)].append(sentence)
    states = {0: Packing()}
    for bit in position:
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
            raise PositionTooHardError(f"the search for disjoint constraints needs more than {MAX_STATES} sets")
    return states[0]


def _keep_better(states: dict[int, Packing], ahead: int, packing: Packing) -> None:
    if ahead not in states or packing.rank > states[ahead].rank:
        states[ahead] = packing
