"""Deduction of the program of Sun, Chen & Yang: one pass over its sentences per newly opened cell.

For each cell that it opens, the program adds a sentence, looks once through all sentences for certain ones, and
then forms the differences of all pairs once. What the differences make certain is found no earlier than at the
next opening, so that it guesses where a safe cell could be deduced. It does not use the number of mines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.rules.batched_rules import Knowledge
from minesweeper_env.cell_sets import neighbour_bits, to_array, to_bits
from minesweeper_env.config import BoardConfig


class SinglePassDeduction:
    """Deduces as the program does, and so remembers what it has deduced in each game.

    A board is taken for the next one of a game that it remembers if it shows all that this game showed. Any other
    board is taken in from the beginning. Cells that open together are taken in in reading order.
    """

    def __init__(self, config: BoardConfig) -> None:
        """Prepares to deduce on boards of this configuration."""
        self._around = neighbour_bits(config.rows, config.cols, config.radius)
        self._games: list[_Game] = []

    def apply(self, knowledge: Knowledge) -> None:
        """Takes down what has been found in each game after one pass for each newly opened cell."""
        shape = knowledge.open.shape[1:]
        boards = np.where(knowledge.open, knowledge.counts, -1).reshape(len(knowledge.open), -1)
        self._games = self._recall(boards)
        for i, game in enumerate(self._games):
            game.take_in(boards[i], self._around)
            knowledge.safe[i] = to_array(game.safe, shape) & ~knowledge.open[i]
            knowledge.mine[i] = to_array(game.mine, shape)
            knowledge.unknown[i] &= ~(knowledge.safe[i] | knowledge.mine[i])

    def _recall(self, boards: NDArray[np.int16]) -> list[_Game]:
        """Returns the game of each board; those that go on keep their order."""
        games, begin = [], 0
        for shown in boards:
            rest = range(begin, len(self._games))
            found = next((j for j in rest if self._games[j].leads_to(shown)), None)
            if found is None:
                games.append(_Game(len(shown)))
            else:
                games.append(self._games[found])
                begin = found + 1
        return games


class _Game:
    """What the program knows of one game.

    Attributes:
        shown: (n,) int16, the counts that have been taken in; -1 elsewhere.
        safe: cells that are certainly free, open ones among them, as bits.
        mine: cells that are certainly mines, as bits.
        sentences: (cells, mines among them), in the order in which they were found. A certain cell is taken out
            when it is found and when it is opened, so that sentences that come between the two hold safe cells.
    """

    def __init__(self, cells: int) -> None:
        self.shown = np.full(cells, -1, np.int16)
        self.safe = self.mine = 0
        self.sentences: list[tuple[int, int]] = []

    def leads_to(self, shown: NDArray[np.int16]) -> bool:
        """Says whether another board shows all that has been taken in."""
        return bool(((self.shown < 0) | (self.shown == shown)).all())

    def take_in(self, shown: NDArray[np.int16], around: list[int]) -> None:
        """Takes in the cells that are newly open, one after the other."""
        for cell in np.flatnonzero(shown > self.shown).tolist():
            self.shown[cell] = shown[cell]
            self._take_out(1 << cell, 0)
            covered = to_bits(self.shown < 0)
            count = int(shown[cell]) - (around[cell] & self.mine).bit_count()
            self.sentences.append((around[cell] & covered & ~self.mine, count))
            self._take_out(*self._find_certain())
            self._form_differences()

    def _take_out(self, safe: int, mine: int) -> None:
        self.safe |= safe
        self.mine |= mine
        reduced = [(cells & ~(safe | mine), count - (cells & mine).bit_count()) for cells, count in self.sentences]
        self.sentences = [sentence for sentence in reduced if sentence[0]]

    def _find_certain(self) -> tuple[int, int]:
        safe = mine = 0
        for cells, count in self.sentences:
            left, lacking = cells & ~(safe | mine), count - (cells & mine).bit_count()
            if lacking == 0:
                safe |= left
            elif lacking == left.bit_count():
                mine |= left
        return safe, mine

    def _form_differences(self) -> None:
        # Of equal ones the last stays. What is appended meanwhile takes part, too.
        self.sentences = list(dict(reversed(self.sentences)).items())[::-1]
        met = {cells for cells, _ in self.sentences}
        for cells, count in self.sentences:
            for other, number in self.sentences:
                if cells & other == cells != other and cells ^ other not in met:
                    met.add(cells ^ other)
                    self.sentences.append((cells ^ other, number - count))
