"""`optimal`: the play of maximal win probability, on boards small enough."""

import numpy as np
from numpy.typing import NDArray

from baselines.policy import checked_act
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import OptimalPlay, mine_probabilities


class OptimalPolicy:
    """Plays with the largest win probability from the first click on, without randomness.

    It searches all continuations of a position, and remembers its click on each board. The first click may take from
    milliseconds to minutes; `minesweeper_env.inference.optimal` states the limits.
    """

    def __init__(self, config: BoardConfig) -> None:
        """Prepares to play games of this configuration.

        Raises:
            ValueError: the first-click rule is "corners", under which layouts are not equally likely.
            PositionTooHardError: the board is too large, or has too many mines.
        """
        self.config = config
        self._play = OptimalPlay(config.rows, config.cols, config.mines, config.first_click, radius=config.radius)
        self._clicks: dict[bytes, int] = {}

    def reset(self, seed: int) -> None:
        """Does nothing, since the play has no randomness."""

    @checked_act
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Returns a click for each of N games; see `baselines.policy.Policy`. Games may be over.

        It never flags. If a flag bars the best click, it takes the legal click of least risk, or the first legal action
        where no click is legal.

        Raises:
            InconsistentBoardError: no layout fits one of the boards.
            PositionTooHardError: a search exceeds its limit.
        """
        # Marks are no evidence, so boards that differ in marks alone share one search.
        boards = np.minimum(observations, self.config.codes.flagged)
        clicks = np.array([self._click(board) for board in boards], np.int64)
        for game in np.flatnonzero(np.take_along_axis(action_masks, clicks[:, None], axis=1) == 0):
            clicks[game] = self._least_risk(boards[game], action_masks[game])
        return clicks

    def _click(self, board: NDArray[np.int8]) -> int:
        """Returns the best click on a board, (rows, cols); each board is searched once."""
        key = board.tobytes()
        if key not in self._clicks:
            covered = np.flatnonzero(board > self.config.codes.max_count)
            if len(covered) == self.config.mines:
                # The game is won, and any click will do.
                return int(covered[0])
            row, col = self._play.best_click(board).cell
            self._clicks[key] = row * self.config.cols + col
        return self._clicks[key]

    def _least_risk(self, board: NDArray[np.int8], mask: NDArray[np.int8]) -> int:
        """Returns the legal click of least risk, or the first legal action where no click is legal."""
        legal = np.flatnonzero(mask[: self.config.cells])
        if len(legal) == 0:
            return int(mask.argmax())
        risks = mine_probabilities(board, self.config.mines, radius=self.config.radius).ravel()
        return int(legal[risks[legal].argmin()])
