"""Race of clicks: playouts on more and more common layouts, without the clicks that have fallen behind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from baselines.rollouts.estimates import estimate
from baselines.rollouts.guess_games import Boards, Cells, Flags, Floats
from baselines.rollouts.playouts import Playouts

FIRST_LAYOUTS = 125
"""The number of layouts before the first comparison; it doubles from one comparison to the next."""

BEHIND = 2.0
"""A click drops out once it is this many standard errors behind the best one."""


class Race:
    """Compares clicks on one board by playouts; the first click is the favourite.

    The layouts are common to all clicks. A click drops out when it is clearly behind (Maron and Moore 1993, "Hoeffding
    races"; here the errors are those of paired differences), or when the limit of playouts is too low for all that are
    left (as in Karnin, Koren and Somekh 2013, "Almost optimal exploration in multi-armed bandits").
    """

    def __init__(
        self,
        playouts: Playouts,
        board: Boards,
        layouts: Flags,
        cells: Sequence[int],
        safety: Floats,
        margin: float,
        limit: int,
    ) -> None:
        """Prepares to play.

        Args:
            playouts: plays the games.
            board: (n,) int8, cell codes.
            layouts: (L, rows, cols) bool, drawn uniformly from the layouts that fit the board.
            cells: M covered cells; the favourite is the first one.
            safety: (M,) float64, the exact probabilities that the cells are free; none is 0.
            margin: what another click must be worth more than the favourite to win.
            limit: upper bound on the playouts, at least 2 * FIRST_LAYOUTS.
        """
        self._playouts, self._board, self._layouts = playouts, board, layouts
        self._cells, self._safety, self._margin = list(cells), safety, margin
        self._free = ~layouts.reshape(len(layouts), -1)[:, self._cells].T
        self._values, self._luck = np.zeros((2, *self._free.shape))
        self._left = limit

    def winner(self) -> int:
        """Plays the race; returns the number of the click that wins it."""
        running, played = np.arange(len(self._cells)), 0
        worth = np.zeros(len(running))
        for count in _stages(len(self._layouts)):
            affordable = self._affordable(worth, count - played)
            if len(affordable) < 2:
                break
            running = running[affordable]
            self._play(running, slice(played, count))
            played = count
            worth, errors = self._compare(running, count)
            ahead = worth.max() - worth <= BEHIND * errors
            running, worth = running[ahead], worth[ahead]
            if not errors[ahead].any():
                break
        return int(running[worth.argmax()])

    def _affordable(self, worth: Floats, layouts: int) -> Cells:
        """Returns the indices of the best clicks, as many as the limit still allows on some more layouts, in order."""
        return np.sort(np.argsort(-worth, kind="stable")[: self._left // layouts])

    def _play(self, running: Cells, layouts: slice) -> None:
        """Plays the clicks that are still running on some layouts."""
        cells = [self._cells[click] for click in running]
        played = self._playouts.play(self._board, self._layouts[layouts], cells)
        self._values[running, layouts], self._luck[running, layouts] = played
        self._left -= len(cells) * (layouts.stop - layouts.start)

    def _compare(self, running: Cells, count: int) -> tuple[Floats, Floats]:
        """Returns the worth of each running click, margin included, and the error of its distance to the best one."""
        found = estimate(
            self._values[running, :count],
            self._free[running, :count],
            self._safety[running],
            self._luck[running, :count],
        )
        worth = found.worth - self._margin * (running != 0)
        return worth, found.errors(int(worth.argmax()))


def _stages(layouts: int) -> Iterator[int]:
    """Yields the numbers of layouts after which the clicks are compared; the last one is all of them."""
    count = FIRST_LAYOUTS
    while count < layouts:
        yield count
        count *= 2
    yield layouts
