"""`bayes`: least posterior mine probability in the Bayesian network of the board.

Antolín & de la Torre (2018) propose the network and the choice of the likeliest safe cell. This policy computes them
with exact inference; `bayes_source` replays their program.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.base import count_risky, neighbour_sums
from baselines.scripted.bayes_network import PRIORS, NetworkPosteriors
from baselines.scripted.oracle_play.exact import ExactPolicy, choose_least_risks
from baselines.support.act_inputs import TIE
from baselines.support.checks import number_within, one_of
from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import InconsistentBoardError, mine_probabilities_batch

Boards = NDArray[np.int8]
Probabilities = NDArray[np.float64]

INFERENCES = ("native", "pgmpy")


class BayesPolicy(ExactPolicy):
    """Clicks a certainly safe cell if there is one, else a cell of least mine probability.

    It considers every covered cell, with or without an open neighbour. It takes the first cell and breaks ties as
    `exact` does, so the two differ in the prior alone; with the prior "count" they are the same. It has no randomness,
    and it never flags.

    Attributes:
        counters: "guesses", clicks on cells that are not certainly safe, without first clicks that cannot lose; and
            "queries", posteriors computed. With pgmpy these are runs of variable elimination: one serves all cells
            with the same clues, and solved components are cached. Natively they are the covered neighbours of open
            cells, on each board.
    """

    _counted = ("guesses", "queries")

    def __init__(
        self,
        config: BoardConfig,
        inference: str = "native",
        prior: str = "binomial",
        open_threshold: float | None = None,
        flag_threshold: float | None = None,
    ) -> None:
        """Checks the options, and compiles the kernels.

        Args:
            config: the games.
            inference: "native" for the compiled oracle, or "pgmpy" for variable elimination; the results are the same.
            prior: "binomial" for independent cells with mine probability mines / cells; "count" for a known number of
                mines, which gives the posterior of the game.
            open_threshold: treat a cell as certainly safe if it is safe with at least this probability; None: never.
            flag_threshold: treat a cell as a known mine if it is one with at least this probability, and recompute
                the others; None: never.

        Raises:
            ValueError: an option is not allowed, or the radius too large for pgmpy.
            MissingExtraError: `inference` is "pgmpy", which is not installed.
        """
        one_of("inference", inference, INFERENCES)
        one_of("prior", prior, PRIORS)
        self._open_threshold = _threshold("open_threshold", open_threshold)
        self._flag_threshold = _threshold("flag_threshold", flag_threshold)
        self._prior = config.mines / config.cells if prior == "binomial" else None
        self._network = NetworkPosteriors(config, prior) if inference == "pgmpy" else None
        self.batch_size = 1000 if self._network is None else 1
        self._neighbours = neighbour_table(config.rows, config.cols, config.radius)
        super().__init__(config)

    def ratings(self, observations: Boards) -> Probabilities:
        """Returns the mine probabilities behind the choices in N games, (N, rows, cols)."""
        queries = self.counters["queries"]
        posteriors = self._with_assumed_mines(observations, self._posteriors(observations))
        self.counters["queries"] = queries
        return posteriors

    def _choose(self, boards: Boards, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Returns the clicks on (N, n) boards; cells without a posterior, since clues contradict, count as mines."""
        squares, most = boards.reshape(-1, self.config.rows, self.config.cols), self._max_count
        posteriors = self._with_assumed_mines(squares, self._posteriors(squares))
        risks = np.nan_to_num(posteriors, nan=1.0).reshape(boards.shape)
        certain = np.asarray((legal & (risks <= TIE)).any(axis=1))
        begun = np.asarray((boards <= most).any(axis=1))
        self.counters["guesses"] += count_risky(begun[~certain], self.config)
        if self._open_threshold is not None:
            risks[risks <= 1.0 - self._open_threshold + TIE] = 0.0
        clicks = np.empty(len(boards), np.int64)
        choose_least_risks(boards, legal, most, self._first_cell, risks, self._neighbours, clicks)
        return clicks

    def _with_assumed_mines(self, boards: Boards, posteriors: Probabilities) -> Probabilities:
        """Returns the posteriors given that cells above `flag_threshold` are mines; as they were if that cannot be."""
        if self._flag_threshold is None:
            return posteriors
        assumed = (boards > self.config.codes.max_count) & (posteriors >= self._flag_threshold)
        changed = assumed.any(axis=(1, 2)) & (assumed.sum(axis=(1, 2)) <= self.config.mines)
        if not changed.any():
            return posteriors
        marked = np.where(assumed, self.config.codes.mine, boards).astype(np.int8)
        given = self._posteriors(marked[changed])
        possible = ~np.isnan(given).any(axis=(1, 2), keepdims=True)
        # Assumed mines keep their posterior instead of 1: if no other cell is legal, the least likely one is clicked.
        posteriors[changed] = np.where(possible & ~assumed[changed], given, posteriors[changed])
        return posteriors

    def _posteriors(self, boards: Boards) -> Probabilities:
        """Returns the (N, rows, cols) mine probabilities; NaN on boards that contradict themselves."""
        if self._network is not None:
            before = self._network.queries
            posteriors = np.stack([self._network.mine_probabilities(board) for board in boards])
            self.counters["queries"] += self._network.queries - before
            return posteriors
        opened = boards <= self.config.codes.max_count
        frontier = ~opened & (neighbour_sums(opened, self.config.radius) > 0) & (boards != self.config.codes.mine)
        self.counters["queries"] += int(frontier.sum())
        return self._native(boards)

    def _native(self, boards: Boards) -> Probabilities:
        try:
            return mine_probabilities_batch(boards, self.config.mines, prior=self._prior, radius=self.config.radius)
        except InconsistentBoardError:
            if len(boards) == 1:
                return np.full(boards.shape, np.nan)
            return np.concatenate([self._native(board[None]) for board in boards])


def _threshold(name: str, value: float | None) -> float | None:
    return None if value is None else number_within(name, value, 0, 1)
