"""`bayes`: least posterior mine probability in the Bayesian network of the board.

Antolín & de la Torre (2018) propose the network and the choice of the likeliest safe cell. This policy computes them
with exact inference; `bayes_source` replays their program.
"""

import numpy as np
from numpy.typing import NDArray

from baselines.checks import number_within
from baselines.policy import count_risky
from baselines.scripted.bayes_network import NetworkPosteriors
from baselines.scripted.oracle_play.exact import ExactPolicy, choose_least_risks
from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.config import BoardConfig, one_of
from minesweeper_env.inference import InconsistentBoardError, mine_probabilities_batch
from minesweeper_env.inference.kernels import TIE

Boards = NDArray[np.int8]
Probabilities = NDArray[np.float64]


class BayesPolicy(ExactPolicy):
    """Clicks a certainly safe cell if there is one, else a cell of least mine probability.

    It considers every covered cell, with or without an open neighbour. It takes the first cell and breaks ties as
    `exact` does, so the two differ in the prior alone; with the prior "count" they are the same. It has no randomness,
    and it never flags.
    """

    def __init__(
        self,
        config: BoardConfig,
        inference: str = "native",
        prior: str = "binomial",
        open_threshold: float = 1.0,
        flag_threshold: float = 1.0,
    ) -> None:
        """Checks the options, and compiles the kernels.

        Args:
            config: the games.
            inference: "native" for the compiled oracle, or "pgmpy" for variable elimination, which needs the prior
                "binomial"; the results are the same.
            prior: "binomial" for independent cells with mine probability mines / cells; "count" for a known number of
                mines, which gives the posterior of the game.
            open_threshold: probability of being safe from which a cell counts as certainly safe, 0 to 1.
            flag_threshold: mine probability from which a cell counts as a mine in the probabilities of the others,
                unless that contradicts the clues, 0 to 1.

        Raises:
            ValueError: an option is not allowed, or the radius too large for pgmpy.
            MissingExtraError: `inference` is "pgmpy", which is not installed.
        """
        one_of("inference", inference, ("native", "pgmpy"))
        one_of("prior", prior, ("binomial", "count") if inference == "native" else ("binomial",))
        self._open_threshold = number_within("open_threshold", open_threshold, 0, 1)
        self._flag_threshold = number_within("flag_threshold", flag_threshold, 0, 1)
        self._prior = config.mines / config.cells if prior == "binomial" else None
        self._network = NetworkPosteriors(config) if inference == "pgmpy" else None
        self.batch_size = 1000 if self._network is None else 1
        self._neighbours = neighbour_table(config.rows, config.cols, config.radius)
        super().__init__(config)

    def ratings(self, observations: Boards) -> Probabilities:
        """Returns the (N, rows, cols) mine probabilities behind the choices; NaN where clues contradict themselves."""
        posteriors = self._posteriors(observations)
        if self._flag_threshold == 1:
            return posteriors
        likely = (observations > self.config.codes.max_count) & (posteriors >= self._flag_threshold)
        given = self._posteriors(np.where(likely, np.int8(self.config.codes.mine), observations))
        return np.where(likely | np.isnan(given).any(axis=(1, 2), keepdims=True), posteriors, given)

    def _posteriors(self, observations: Boards) -> Probabilities:
        if self._network is not None:
            return np.stack([self._network.mine_probabilities(board) for board in observations])
        try:
            return mine_probabilities_batch(
                observations, self.config.mines, prior=self._prior, radius=self.config.radius
            )
        except InconsistentBoardError:
            if len(observations) == 1:
                return np.full(observations.shape, np.nan)
            return np.concatenate([self._posteriors(board[None]) for board in observations])

    def _choose(self, boards: Boards, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Returns the clicks on (N, n) boards; cells without a posterior, since clues contradict, count as mines."""
        posteriors = self.ratings(boards.reshape(-1, self.config.rows, self.config.cols))
        risks = np.nan_to_num(posteriors, nan=1.0).reshape(boards.shape)
        certain = np.asarray((legal & (risks <= TIE)).any(axis=1))
        begun = np.asarray((boards <= self._max_count).any(axis=1))
        self.counters["guesses"] += count_risky(begun[~certain], self.config)
        if self._open_threshold < 1:
            risks[risks <= 1 - self._open_threshold + TIE] = 0.0
        clicks = np.empty(len(boards), np.int64)
        choose_least_risks(boards, legal, self._max_count, self._first_cell, risks, self._neighbours, clicks)
        return clicks
