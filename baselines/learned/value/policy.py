"""`value`: the oracle says what is certain and what a click can show, and a network what the boards are worth then."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from baselines.learned.value.limits import BREADTH, LAYOUTS, NODES, SLACK
from baselines.learned.value.network import ValueNetwork, chances_to_win
from baselines.learned.value.outcomes import outcomes_of
from baselines.scripted.oracle_play.endgame import EndingPolicy
from baselines.scripted.oracle_play.exact import Boards, Cells
from minesweeper_env.config import BoardConfig, whole_number

_TIE = 1e-6
"""Worths that differ by less are equal: they come from float32 sums whose order depends on the batch."""


def best_clicks(
    network: ValueNetwork, config: BoardConfig, boards: Boards, legal: NDArray[np.bool_], slack: float, breadth: int
) -> tuple[Cells, NDArray[np.float64]]:
    """Finds the clicks that are worth most.

    Args:
        network: on any device.
        config: the games.
        boards: (N, n) int8, cell codes; they are written to, and put back.
        legal: (N, n) bool, the clicks that are allowed; at least one on each board.
        slack: how much more than the least risk a click may have to be considered.
        breadth: how many clicks are considered at most, those of least risk.

    Returns:
        (N,), the clicks, -1 where all that is allowed is certainly a mine, or the board is too hard to look ahead on;
        and (N,), what they are worth, 0 where there is none.
    """
    clicks, best = np.full(len(boards), -1), np.zeros(len(boards))
    for outcomes in outcomes_of(config, boards, legal, slack, breadth):
        worths = outcomes.shares * chances_to_win(network, outcomes.after)
        # The outcomes of a click follow each other, and so do the clicks on a board.
        firsts = np.flatnonzero(np.diff(outcomes.boards * config.cells + outcomes.cells, prepend=-1))
        for first, worth in zip(firsts, np.add.reduceat(worths, firsts) if len(firsts) else (), strict=True):
            board = outcomes.boards[first]
            if clicks[board] < 0 or worth > best[board] + _TIE:
                clicks[board], best[board] = outcomes.cells[first], worth
    return clicks, best


class ValuePolicy(EndingPolicy):
    """Clicks what is certain, as `exact` does; at a risk, what is worth most, and the end of the game exactly.

    A click is worth the sum, over what the cell can show, of the chance that it does times the chance that the game is
    won from there: the oracle knows the first, and the network estimates the second. All is seen on the visible board.
    Nothing about the play is random.
    """

    batch_size = 1000

    def __init__(
        self,
        config: BoardConfig,
        network: ValueNetwork,
        layouts: int = LAYOUTS,
        nodes: int = NODES,
        slack: float = SLACK,
        breadth: int = BREADTH,
    ) -> None:
        """Prepares to play games of this configuration.

        Args:
            config: the games, of radius 1.
            network: what weighs the risks, on any device; it is used as it is.
            layouts: how many layouts, at most, are searched exactly; 0 for none.
            nodes: how many sets of layouts such a search examines before it takes the best it has found.
            slack: how much more than the least risk a click may have to be considered.
            breadth: how many clicks are considered at most, those of least risk.

        Raises:
            ValueError: an option is not allowed; the message says what is.
        """
        if config.radius != 1:
            raise ValueError(f"a learned agent plays boards of radius 1, not {config.radius}")
        if isinstance(slack, bool) or not isinstance(slack, (int, float)) or not 0.0 <= slack < math.inf:
            raise ValueError(f"slack must be a number of at least 0, not {slack!r}")
        self._network, self._slack = network, float(slack)
        self._breadth = whole_number("breadth", breadth, 1)
        super().__init__(config, layouts, nodes)

    def _weigh(self, boards: Boards, legal: NDArray[np.bool_], clicks: Cells) -> Cells:
        found, _ = best_clicks(self._network, self.config, boards, legal, self._slack, self._breadth)
        return np.where(found >= 0, found, clicks)
