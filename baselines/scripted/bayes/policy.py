"""`bayes`: the least posterior probability of a mine in the Bayesian network of the board."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.base import click_where_legal, count_risky
from baselines.scripted.bayes.elimination import NetworkPosteriors
from baselines.scripted.bayes.network import check_prior
from baselines.scripted.oracle_play.first_click import first_cell
from baselines.scripted.oracle_play.least_risk import choose_least_risks
from baselines.scripted.rules.batched_rules import neighbour_sums
from baselines.support.rounding import TIE
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import InconsistentBoardError, mine_probabilities_batch
from minesweeper_env.neighbours import neighbour_table

Boards = NDArray[np.int8]
Chances = NDArray[np.float64]

INFERENCES = ("native", "pgmpy")


class BayesPolicy:
    """Clicks a cell that is certainly free where there is one, else one with the least chance of a mine.

    All covered cells are considered, those away from the counts included. The first cell and the choice among equal
    ones are those of `exact`, so that the two differ in the prior alone, and not even in that if it is "count".
    There is no randomness in it, and it never flags.

    Attributes:
        tallies: "guesses", the clicks on cells that are not certainly free, first clicks without a risk left out;
            and "queries", the posteriors asked for: with pgmpy the runs of variable elimination, one of which
            serves all cells beside the same counts, and none is repeated for a part of the board that was met
            before; natively the covered cells beside a count, on each board.
    """

    def __init__(
        self,
        config: BoardConfig,
        inference: str = "native",
        prior: str = "binomial",
        open_threshold: float | None = None,
        flag_threshold: float | None = None,
    ) -> None:
        """Prepares to play games of this configuration.

        Args:
            config: the games.
            inference: "native", by the exact core; or "pgmpy", by variable elimination, with the same results.
            prior: "binomial" for independent cells, each a mine with chance mines / cells; "count" for the number
                of mines being known, which gives the posterior of the game itself.
            open_threshold: cells at least so likely to be free pass for certainly free; None for none.
            flag_threshold: cells at least so likely to be mines pass for known mines, and the chances of the
                others are computed once more with that; None for none.

        Raises:
            ValueError: an option is not allowed, or the board is too large for pgmpy; the message says what is.
            MissingExtraError: pgmpy is asked for and not installed.
        """
        self.config = config
        check_inference(inference)
        check_prior(prior)
        self._open_threshold = check_threshold("open_threshold", open_threshold)
        self._flag_threshold = check_threshold("flag_threshold", flag_threshold)
        self._prior = config.mines / config.cells if prior == "binomial" else None
        self._network = NetworkPosteriors(config, prior) if inference == "pgmpy" else None
        self.games_at_once = 1000 if self._network is None else 1
        self._around = neighbour_table(config.rows, config.cols, config.radius)
        self._first_cell = first_cell(config)
        self.tallies = {"guesses": 0, "queries": 0}
        # Has the kernels compiled, so that no game waits for it.
        covered = np.full((1, config.rows, config.cols), config.codes.hidden, np.int8)
        self.act(covered, np.ones((1, config.actions), np.int8))
        self.tallies = dict.fromkeys(self.tallies, 0)

    def reset(self, seed: int) -> None:
        """Does nothing: there is nothing random about the play."""

    def act(self, observations: Boards, action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Chooses a click in each of N games; see `baselines.policy.Policy`.

        Cells without a posterior, for the counts contradict each other, pass for mines.

        Raises:
            PositionTooHardError: a board is too large for pgmpy, which takes `prior="count"`, or too hard for the
                exact core.
        """
        return click_where_legal(
            lambda games, legal: self._choose(observations[games], legal), action_masks, self.config.cells
        )

    def _choose(self, boards: Boards, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Returns the clicks on (N, rows, cols) boards, each of which has one that is legal."""
        flat = boards.reshape(len(boards), -1)
        chances = np.nan_to_num(self._taken(boards, self._posteriors(boards)), nan=1.0).reshape(flat.shape)
        certain = np.asarray((legal & (chances <= TIE)).any(axis=1))
        begun = np.asarray((flat <= self.config.codes.max_count).any(axis=1))
        self.tallies["guesses"] += count_risky(begun[~certain], self.config)
        if self._open_threshold is not None:
            chances[chances <= 1.0 - self._open_threshold + TIE] = 0.0
        clicks = np.empty(len(boards), np.int64)
        choose_least_risks(flat, legal, self.config.codes.max_count, self._first_cell, chances, self._around, clicks)
        return clicks

    def _taken(self, boards: Boards, chances: Chances) -> Chances:
        """Returns the chances once those above the threshold are taken for mines; the old ones where none can be."""
        if self._flag_threshold is None:
            return chances
        taken = (boards > self.config.codes.max_count) & (chances >= self._flag_threshold)
        changed = taken.any(axis=(1, 2)) & (taken.sum(axis=(1, 2)) <= self.config.mines)
        if not changed.any():
            return chances
        known = np.where(taken, self.config.codes.mine, boards).astype(np.int8)
        given = self._posteriors(known[changed])
        possible = ~np.isnan(given).any(axis=(1, 2), keepdims=True)
        # Those taken for mines keep their chances, for where there is nothing else to click.
        chances[changed] = np.where(possible & ~taken[changed], given, chances[changed])
        return chances

    def _posteriors(self, boards: Boards) -> Chances:
        """Returns (N, rows, cols): the chances of a mine; NaN on boards that contradict themselves."""
        if self._network is not None:
            before = self._network.queries
            chances = np.stack([self._network.chances(board) for board in boards])
            self.tallies["queries"] += self._network.queries - before
            return chances
        opened = boards <= self.config.codes.max_count
        beside = ~opened & (neighbour_sums(opened, self.config.radius) > 0) & (boards != self.config.codes.mine)
        self.tallies["queries"] += int(beside.sum())
        try:
            return self._native(boards)
        except InconsistentBoardError:
            return np.concatenate([self._native_or_nan(board[None]) for board in boards])

    def _native(self, boards: Boards) -> Chances:
        return mine_probabilities_batch(boards, self.config.mines, prior=self._prior, radius=self.config.radius)

    def _native_or_nan(self, board: Boards) -> Chances:
        try:
            return self._native(board)
        except InconsistentBoardError:
            return np.full(board.shape, np.nan)


def check_inference(inference: str) -> None:
    """Raises a ValueError if there is no such inference."""
    if inference not in INFERENCES:
        raise ValueError(f"inference must be one of {', '.join(INFERENCES)}, not {inference!r}")


def check_threshold(name: str, value: float | None) -> float | None:
    """Returns a threshold; raises a ValueError if it is neither None nor a number from 0 to 1."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must be a number from 0 to 1, or None, not {value!r}")
    return float(value)
