"""`subset`: closure of all clues under subset differences, their overlaps, and the number of mines.

The method is the knowledge base of CS50's project "Minesweeper", on which Sun, Chen & Yang build; `deduction=source` is
the deduction of their program. `expected_value` and `expected_value_source` deduce alike, and guess as they do.
"""

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.base import Knowledge, ScriptedPolicy
from baselines.scripted.oracle_play.exact import chosen_first_cell
from minesweeper_env.cell_sets import neighbour_bits, to_array, to_bits
from minesweeper_env.config import BoardConfig, one_of
from minesweeper_env.inference.kernels import MINE, SAFE, SEVERAL, WITH_TOTAL, known_cells

LEVELS = {"closure": WITH_TOTAL, "counts": SEVERAL}
"""Deductions by name: the closure of the clues, with and without the number of mines."""


class _KnowledgeBase:
    """Knowledge of one game; a set of cells is an integer with bit k for cell k, and `safe` includes open cells.

    A sentence is a set of cells and its number of mines; sentences keep the order of discovery. Certain cells leave the
    sentences when they are found and when they are opened; sentences formed in between can hold safe cells.
    """

    def __init__(self, cells: int) -> None:
        self.shown = np.full(cells, -1, np.int16)
        self.safe = self.mine = 0
        self.sentences: list[tuple[int, int]] = []

    def precedes(self, shown: NDArray[np.int16]) -> bool:
        """Returns whether a board, (n,) clues or -1, shows all clues processed so far."""
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
        """Adds certain cells to `safe` and `mine`, and removes them from all sentences."""
        self.safe |= safe
        self.mine |= mine
        reduced = [(cells & ~(safe | mine), count - (cells & mine).bit_count()) for cells, count in self.sentences]
        self.sentences = [sentence for sentence in reduced if sentence[0]]

    def _find_certain(self) -> tuple[int, int]:
        """Returns the set of cells that single sentences prove safe, and the set that they prove mines."""
        safe = mine = 0
        for cells, count in self.sentences:
            undecided, missing = cells & ~(safe | mine), count - (cells & mine).bit_count()
            if missing == 0:
                safe |= undecided
            elif missing == undecided.bit_count():
                mine |= undecided
        return safe, mine

    def _form_differences(self) -> None:
        """Adds the difference of each two sentences where one contains the other, until no new set of cells arises."""
        # Of equal sentences the last one stays. The loops also visit the sentences that they append.
        self.sentences = list(dict(reversed(self.sentences)).items())[::-1]
        seen = {cells for cells, _ in self.sentences}
        for cells, count in self.sentences:
            for other, other_count in self.sentences:
                # If `cells` is a proper subset, `^` is the set difference.
                if cells & other == cells != other and cells ^ other not in seen:
                    seen.add(cells ^ other)
                    self.sentences.append((cells ^ other, other_count - count))


class SinglePassDeduction:
    """Deduces as the program of Sun, Chen & Yang does, with a knowledge base for each game.

    A board continues a remembered game if it shows all clues that this game showed; otherwise it starts a new one.
    Cells that open together are processed in reading order.
    """

    def __init__(self, config: BoardConfig) -> None:
        self._neighbours = neighbour_bits(config.rows, config.cols, config.radius)
        self._bases: list[_KnowledgeBase] = []

    def apply(self, knowledge: Knowledge) -> None:
        """Makes one pass per newly opened cell in each game, and records the certain cells in `knowledge`."""
        shape = knowledge.open.shape[1:]
        boards = np.where(knowledge.open, knowledge.counts, -1).reshape(len(knowledge.open), -1)
        self._bases = self._recall(boards)
        for i, base in enumerate(self._bases):
            base.process(boards[i], self._neighbours)
            knowledge.safe[i] = to_array(base.safe, shape) & ~knowledge.open[i]
            knowledge.mine[i] = to_array(base.mine, shape)
            knowledge.unknown[i] &= ~(knowledge.safe[i] | knowledge.mine[i])

    def _recall(self, boards: NDArray[np.int16]) -> list[_KnowledgeBase]:
        """Returns a knowledge base for each board: that of the game it continues, in the same order, or a new one."""
        bases, begin = [], 0
        for shown in boards:
            candidates = range(begin, len(self._bases))
            index = next((i for i in candidates if self._bases[i].precedes(shown)), None)
            if index is None:
                bases.append(_KnowledgeBase(len(shown)))
            else:
                bases.append(self._bases[index])
                begin = index + 1
        return bases


class SubsetPolicy(ScriptedPolicy):
    """Deduces by subset differences; guesses a uniformly random cell not known to be a mine."""

    def __init__(self, config: BoardConfig, deduction: str = "closure", first: str | int = "random") -> None:
        """Prepares to play games of a configuration; raises ValueError if an option is not allowed.

        Args:
            config: the games.
            deduction: one of `LEVELS`, or "source" for that of Sun, Chen & Yang's program.
            first: the first click: "random", "exact" as `exact` clicks, "middle" for the middle of the board, or a
                cell, row * cols + col.
        """
        self._deduction = one_of("deduction", deduction, [*LEVELS, "source"])
        super().__init__(config)
        self.first_cell = None if first == "random" else chosen_first_cell(config, first, "random")
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Seeds the random choices, and forgets all games."""
        super().reset(seed)
        self._single_pass = SinglePassDeduction(self.config)

    def deduce(self, knowledge: Knowledge) -> None:
        """Deduces from single clues; while no safe cell is found, also from several, then from the number of mines."""
        if self._deduction == "source":
            self._single_pass.apply(knowledge)
        else:
            config = self.config
            known = known_cells(knowledge.boards, config.mines, config.radius, LEVELS[self._deduction])
            knowledge.record(known == SAFE, known == MINE)


class ExpectedValuePolicy(SubsetPolicy):
    """Deduces as `subset` does; guesses the cell with the lowest mean mine density around its open neighbours."""

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the (N, rows, cols) expected value of each unknown cell.

        It is the mean over the open neighbours of missing mines / unknown neighbours. A cell without an open
        neighbour gets the mine density of all unknown cells.
        """
        unknown_around = knowledge.neighbour_sum(knowledge.unknown)
        informative = knowledge.open & (unknown_around > 0)
        densities = np.where(informative, knowledge.missing_mines() / np.maximum(unknown_around, 1), 0.0)
        informative_around = knowledge.neighbour_sum(informative)
        mines_left = self.config.mines - knowledge.mine.sum(axis=(1, 2))
        density = mines_left / np.maximum(knowledge.unknown.sum(axis=(1, 2)), 1)
        means: NDArray[np.float64] = knowledge.neighbour_sum(densities) / np.maximum(informative_around, 1)
        return np.where(informative_around > 0, means, density[:, None, None])


class ExpectedValueSourcePolicy(SubsetPolicy):
    """Deduces as `subset` does; guesses the cell with the lowest sum of clue / unknown cells over its open neighbours.

    It keeps three faults of the program. The value is a sum, so it grows with the number of open neighbours. Known
    mines reduce the unknown cells, but not the clue. A cell without an open neighbour is guessed only if no other is
    left. Ties are drawn, as the text says; the program takes the first entry of a dictionary.
    """

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns, per cell, the sum of clue / unknown cells over open neighbours; without any, more than all sums."""
        unknown_around = knowledge.neighbour_sum(knowledge.unknown)
        ratios = np.where(knowledge.open, knowledge.counts / np.maximum(unknown_around, 1), 0.0)
        # A cell has at most max_count open neighbours, and each ratio is at most max_count.
        above_all_sums = self.config.codes.max_count**2 + 1.0
        return np.where(knowledge.neighbour_sum(knowledge.open) > 0, knowledge.neighbour_sum(ratios), above_all_sums)
