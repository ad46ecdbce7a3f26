"""`subset`: closure of all clues and of the number of mines under subset differences.

The method is the knowledge base of CS50's project "Minesweeper", on which Sun, Chen & Yang build; `deduction=source` is
the deduction of their program.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.base import Knowledge, ScriptedPolicy, apply_local_rules
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


class SinglePassDeduction:
    """Deduces as the program does, with a memory per game.

    A board continues a remembered game if it shows all clues that this game showed; otherwise it starts a new one.
    Cells that open together are processed in reading order.
    """

    def __init__(self, config: BoardConfig) -> None:
        """Prepares to deduce on boards of a configuration."""
        self._neighbours = neighbour_bits(config.rows, config.cols, config.radius)
        self._games: list[_Game] = []

    def apply(self, knowledge: Knowledge) -> None:
        """Makes one pass per newly opened cell in each game, and records the certain cells in `knowledge`."""
        shape = knowledge.open.shape[1:]
        boards = np.where(knowledge.open, knowledge.counts, -1).reshape(len(knowledge.open), -1)
        self._games = self._recall(boards)
        for i, game in enumerate(self._games):
            game.process(boards[i], self._neighbours)
            knowledge.safe[i] = to_array(game.safe, shape) & ~knowledge.open[i]
            knowledge.mine[i] = to_array(game.mine, shape)
            knowledge.unknown[i] &= ~(knowledge.safe[i] | knowledge.mine[i])

    def _recall(self, boards: NDArray[np.int16]) -> list[_Game]:
        """Returns the game of each board; continued games keep their order."""
        games, begin = [], 0
        for shown in boards:
            rest = range(begin, len(self._games))
            found = next((j for j in rest if self._games[j].precedes(shown)), None)
            if found is None:
                games.append(_Game(len(shown)))
            else:
                games.append(self._games[found])
                begin = found + 1
        return games


class _Game:
    """Knowledge base of one game.

    Attributes:
        shown: (n,) int16, the clues processed so far; -1 elsewhere.
        safe: certainly safe cells, open ones included, as bits.
        mine: certain mines, as bits.
        sentences: pairs of cells (as bits) and number of mines, in the order of discovery. Certain cells are removed
            when they are found and when they are opened; sentences formed in between can hold safe cells.
    """

    def __init__(self, cells: int) -> None:
        self.shown = np.full(cells, -1, np.int16)
        self.safe = self.mine = 0
        self.sentences: list[tuple[int, int]] = []

    def precedes(self, shown: NDArray[np.int16]) -> bool:
        """Returns whether another board shows all clues processed so far."""
        return bool(((self.shown < 0) | (self.shown == shown)).all())

    def process(self, shown: NDArray[np.int16], neighbours: list[int]) -> None:
        """Processes the newly opened cells one by one."""
        for cell in np.flatnonzero(shown > self.shown).tolist():
            self.shown[cell] = shown[cell]
            self._remove(1 << cell, 0)
            covered = to_bits(self.shown < 0)
            count = int(shown[cell]) - (neighbours[cell] & self.mine).bit_count()
            self.sentences.append((neighbours[cell] & covered & ~self.mine, count))
            self._remove(*self._find_certain())
            self._form_differences()

    def _remove(self, safe: int, mine: int) -> None:
        self.safe |= safe
        self.mine |= mine
        reduced = [(cells & ~(safe | mine), count - (cells & mine).bit_count()) for cells, count in self.sentences]
        self.sentences = [sentence for sentence in reduced if sentence[0]]

    def _find_certain(self) -> tuple[int, int]:
        safe = mine = 0
        for cells, count in self.sentences:
            left, missing = cells & ~(safe | mine), count - (cells & mine).bit_count()
            if missing == 0:
                safe |= left
            elif missing == left.bit_count():
                mine |= left
        return safe, mine

    def _form_differences(self) -> None:
        # Of equal sentences the last one stays. The loops also visit the sentences that they append.
        self.sentences = list(dict(reversed(self.sentences)).items())[::-1]
        met = {cells for cells, _ in self.sentences}
        for cells, count in self.sentences:
            for other, number in self.sentences:
                if cells & other == cells != other and cells ^ other not in met:
                    met.add(cells ^ other)
                    self.sentences.append((cells ^ other, number - count))


DEDUCTIONS: dict[str, Callable[[BoardConfig], Deduction]] = {
    "closure": SubsetDeduction,
    "counts": partial(SubsetDeduction, use_mines=False),
    "source": SinglePassDeduction,
}
"""Deductions by name: the closure, the closure without the number of mines, and that of Sun, Chen & Yang's program."""


class SubsetPolicy(ScriptedPolicy):
    """Deduces by subset differences; guesses a uniformly random cell not known to be a mine."""

    def __init__(self, config: BoardConfig, deduction: str = "closure") -> None:
        """Prepares to play games of a configuration.

        Args:
            config: the games.
            deduction: one of `DEDUCTIONS`.

        Raises:
            ValueError: `deduction` is unknown.
        """
        super().__init__(config)
        if deduction not in DEDUCTIONS:
            raise ValueError(f"deduction must be one of {', '.join(DEDUCTIONS)}, not {deduction!r}")
        self._make_deduction = partial(DEDUCTIONS[deduction], config)
        self._deduction = self._make_deduction()

    def reset(self, seed: int) -> None:
        """Seeds the random choices, and drops all deductions."""
        super().reset(seed)
        self._deduction = self._make_deduction()

    def deduce(self, knowledge: Knowledge) -> None:
        """Deduces by subset differences."""
        self._deduction.apply(knowledge)
