"""Policy `value`: the oracle opens certain cells, a network values the outcomes of guesses.

The value of a click is the sum of P(outcome) * P(win | outcome) over its outcomes. The oracle gives the first factor
exactly, and the network estimates the second.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from baselines.learned.networks.radius import check_radius
from baselines.learned.settings.search_limits import BREADTH, LAYOUTS, NODES, SLACK
from baselines.learned.value.network import ValueNetwork, win_probabilities
from baselines.learned.value.outcomes import outcomes_of
from baselines.scripted.oracle_play.endgame import EndingPolicy
from baselines.scripted.oracle_play.exact import Boards, Cells
from baselines.support.threads import one_thread
from minesweeper_env.config import BoardConfig, whole_number

_TIE = 1e-6
"""Values that differ by less count as equal: the order of float32 sums, and so their error, depends on the batch."""


def best_clicks(
    network: ValueNetwork, config: BoardConfig, boards: Boards, legal: NDArray[np.bool_], slack: float, breadth: int
) -> tuple[Cells, NDArray[np.float64]]:
    """Finds the click with the highest value on each board.

    Args:
        network: on any device.
        config: the games.
        boards: (N, n) int8, cell codes; changed during the call, and the same afterwards.
        legal: (N, n) bool, True for each allowed click; at least one per board.
        slack: candidates have a risk of at most the lowest risk of the board plus this.
        breadth: upper bound on the number of candidates per board; the least risky ones stay.

    Returns:
        clicks: (N,) int64; -1 where every allowed cell is certainly a mine, or the position is too hard to look ahead.
        values: (N,) float64, their probabilities of winning; 0 where there is no click.
    """
    clicks, best = np.full(len(boards), -1), np.zeros(len(boards))
    for outcomes in outcomes_of(config, boards, legal, slack, breadth):
        weighted = outcomes.weights * win_probabilities(network, outcomes.after)
        # The outcomes of one click are adjacent, so one reduceat sums them for each click.
        firsts = np.flatnonzero(np.diff(outcomes.boards * config.cells + outcomes.cells, prepend=-1))
        for first, value in zip(firsts, np.add.reduceat(weighted, firsts) if len(firsts) else (), strict=True):
            board = outcomes.boards[first]
            if clicks[board] < 0 or value > best[board] + _TIE:
                clicks[board], best[board] = outcomes.cells[first], value
    return clicks, best


class ValuePolicy(EndingPolicy):
    """Opens certain cells as `exact` does, and plays the end of a game exactly; at a guess it clicks by value.

    The policy sees the visible board and the number of mines only, and makes no random choice.
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
        """Prepares to play games of one configuration.

        Args:
            config: the games, of radius 1.
            network: values the boards after a guess; it stays on its device.
            layouts: exact search starts when at most this many layouts fit; 0 turns it off.
            nodes: upper bound on the sets of layouts that one search examines; then its best move so far counts.
            slack: candidates at a guess have a risk of at most the lowest risk plus this.
            breadth: upper bound on the number of candidates; the least risky ones stay.

        Raises:
            ValueError: an option is not allowed; the message names the allowed values.
        """
        check_radius(config)
        if isinstance(slack, bool) or not isinstance(slack, (int, float)) or not 0.0 <= slack < math.inf:
            raise ValueError(f"slack must be a number of at least 0, not {slack!r}")
        self._network, self._slack = network, float(slack)
        self._breadth = whole_number("breadth", breadth, 1)
        super().__init__(config, layouts, nodes)

    @one_thread()
    def _weigh(self, boards: Boards, legal: NDArray[np.bool_], clicks: Cells) -> Cells:
        found, _ = best_clicks(self._network, self.config, boards, legal, self._slack, self._breadth)
        return np.where(found >= 0, found, clicks)
