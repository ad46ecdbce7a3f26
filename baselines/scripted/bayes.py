"""`bayes`: deduction, and a guess by the posterior of a Bayesian network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.bayes_network import Count, load_pgmpy, mine_posteriors
from baselines.scripted.knowledge import Knowledge
from baselines.scripted.subset import SubsetPolicy
from minesweeper_env.config import BoardConfig
from minesweeper_env.state import neighbour_table


class BayesPolicy(SubsetPolicy):
    """Deduces as `subset` does; else clicks the cell with the least posterior probability of a mine.

    The posterior is that of the network in `bayes_network`, by variable elimination. Cells beside no open cell
    have the prior: the share of mines on the board.
    """

    def __init__(self, config: BoardConfig) -> None:
        """Prepares to play games of this configuration.

        Raises:
            MissingExtraError: pgmpy is not installed.
        """
        super().__init__(config)
        load_pgmpy()
        self._around = neighbour_table(config.rows, config.cols, config.radius)

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the posterior probability of a mine in each unknown cell."""
        prior = self.config.mines / self.config.cells
        risks = np.full(knowledge.unknown.shape, prior)
        for board, counts in zip(risks.reshape(len(risks), -1), self._read_counts(knowledge), strict=True):
            for cell, posterior in mine_posteriors(counts, prior).items():
                board[cell] = posterior
        return risks

    def _read_counts(self, knowledge: Knowledge) -> list[list[Count]]:
        lacking = knowledge.mines_left_around()
        useful = knowledge.open & (knowledge.around(knowledge.unknown) > 0)
        # The neighbour table points off the board to one cell past the last.
        unknown = np.pad(knowledge.unknown.reshape(len(useful), -1), ((0, 0), (0, 1)))
        boards: list[list[Count]] = []
        for i in range(len(useful)):
            found = {}
            for cell in np.flatnonzero(useful[i]):
                beside = self._around[cell][unknown[i, self._around[cell]]]
                found[frozenset(beside.tolist())] = int(lacking[i].ravel()[cell])
            boards.append([Count(cells, mines) for cells, mines in found.items()])
        return boards
