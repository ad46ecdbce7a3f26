"""Closure of sentences under subset differences: the "subset" level of the deduction in docs/studies/inference.md.

A sentence gives the number of mines in a set of cells. If one sentence lies within another, their difference is a
sentence too. This is the knowledge base of the Minesweeper project in Harvard's course CS50 AI, with the differences
taken until no new one appears.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import NamedTuple

MAX_SENTENCES = 20_000
"""Default limit on the size of a closure."""

Triple = tuple[int, int, int]
"""The values of a `Sentence` in a plain tuple, which costs a third of the time to make."""


class Sentence(NamedTuple):
    """The number of mines in a set of cells.

    Sets of cells are the bits of an int, as in `minesweeper_env.cell_sets`.

    Attributes:
        cells: the set of cells.
        mines: the number of mines in it.
        because: the set of open cells whose counts imply the sentence; 0 if nobody asks for reasons.
    """

    cells: int
    mines: int
    because: int = 0

    @property
    def free(self) -> int:
        """The number of free cells."""
        return self.cells.bit_count() - self.mines

    @property
    def certain(self) -> bool:
        """True if all cells are free, or all are mines."""
        return self.mines == 0 or self.free == 0


class EasiestFirst:
    """An agenda that gives out the sentence with the fewest counts in its reason first.

    Of equally easy ones, sentences without mines come first, then those that were added first. Differences that are
    added together come in the order of the first cell that the two sentences have in common.
    """

    def __init__(self, sentences: Iterable[Triple]) -> None:
        """Begins with these sentences."""
        self._heap: list[tuple[int, bool, int, Triple]] = []
        self._added = 0
        self._latest = 0
        self.extend(sentences)

    def __len__(self) -> int:
        """Returns the number of sentences that wait."""
        return len(self._heap)

    def extend(self, sentences: Iterable[Triple], /) -> None:
        """Adds the differences of the sentence that was taken out last."""
        for sentence in sorted(sentences, key=self._first_common_cell):
            _, mines, because = sentence
            heappush(self._heap, (because.bit_count(), mines > 0, self._added, sentence))
            self._added += 1

    def pop(self) -> Triple:
        """Takes out the next sentence."""
        sentence = heappop(self._heap)[-1]
        self._latest = sentence[0]
        return sentence

    def _first_common_cell(self, difference: Triple) -> int:
        common = self._latest & ~difference[0]
        return common & -common


def subset_closure(
    agenda: list[Triple] | EasiestFirst, max_sentences: int = MAX_SENTENCES
) -> tuple[Sentence | None, dict[int, Triple]]:
    """Takes subset differences of sentences until one of them makes its cells certain, or no new one appears.

    Args:
        agenda: the sentences to close; a list gives out the latest first. Those that were not examined remain in it.
        max_sentences: the size of the closure at which to stop. If sentences remain in the agenda although none was
            certain, the closure has reached it.

    Returns:
        The first certain sentence, or None; and the closure up to there, by the cells of its sentences.
    """
    known: dict[int, Triple] = {}
    while agenda and len(known) < max_sentences:
        sentence = agenda.pop()
        cells, mines, because = sentence
        if cells in known:
            continue
        if mines == 0 or mines == cells.bit_count():
            return Sentence(*sentence), known
        agenda.extend(
            [
                (cells ^ other, abs(mines - number), because | reason)
                for other, number, reason in known.values()
                if (common := cells & other) == other or common == cells
            ]
        )
        known[cells] = sentence
    return None, known
