"""`lookahead`: plays to win the game rather than to survive the next click."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.endgame import EndingPolicy
from baselines.scripted.oracle_play.exact import Boards, Cells
from baselines.scripted.oracle_play.one_click_ahead import weigh_clicks
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.inference.kernels import Workspace


class LookaheadPolicy(EndingPolicy):
    """Clicks what is certain, as `exact` does; where there is a risk, it asks what the risk is worth.

    Once few enough layouts are left, it finds the play that wins the most of them, by exact search: dead cells
    bring nothing there, and 50/50s that nothing can break cost what they must. Before that, a click is worth the
    sum, over what the cell can show, of the chance that it does times the worth of the board then; and a board is
    worth the safety of its safest cell times N ** -discount, if N layouts fit it.

    All budgets are numbers of layouts, nodes and clicks, so that play does not depend on the machine.
    """

    def __init__(
        self,
        config: BoardConfig,
        layouts: int = 10_000,
        nodes: int = 100_000,
        breadth: int = 20,
        slack: float = 0.15,
        discount: float = 0.02,
    ) -> None:
        """Prepares to play games of this configuration.

        Args:
            config: the games.
            layouts: how many layouts, at most, are searched exactly; 0 for none.
            nodes: how many sets of layouts such a search examines before it takes the best it has found.
            breadth: how many clicks are weighed before that, at most.
            slack: how much more than the least risk they may have.
            discount: the exponent above.

        Raises:
            ValueError: an option is not allowed; the message says what is.
        """
        self._breadth = whole_number("breadth", breadth, 1)
        for name, value in (("slack", slack), ("discount", discount)):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value < math.inf:
                raise ValueError(f"{name} must be a number of at least 0, not {value!r}")
        self._slack, self._discount = float(slack), float(discount)
        super().__init__(config, layouts, nodes)

    def _weigh(self, boards: Boards, legal: NDArray[np.bool_], clicks: Cells) -> Cells:
        chances = np.empty((3, boards.shape[1]))
        mines, max_count = self.config.mines, self._max_count
        slack, breadth, discount = self._slack, self._breadth, self._discount

        def weigh(workspace: Workspace, begin: int) -> tuple[int, int]:
            return weigh_clicks(
                boards, legal, max_count, mines, slack, breadth, discount, begin, clicks, chances, *workspace
            )

        self._run(weigh, boards)
        return clicks
