"""`lookahead`: plays to win the game instead of surviving the next click.

It searches one click ahead, and the end of the game exactly as `minesweeper_env.inference.optimal` does.
"""

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
    """Clicks certainly safe cells as `exact` does, and chooses guesses by their estimated win probability.

    If at most `layouts` layouts match the board, an exact search finds the play that wins the most of them. Before
    that, the value of a click is the expected value of the next board over the clues that the cell can show. The
    value of a board is the safety of its safest cell times N ** -discount, where N is its number of layouts.

    All budgets count layouts, nodes and clicks, so the play does not depend on the speed of the machine.
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
        """Checks the options, and compiles the kernels.

        Args:
            config: the games.
            layouts: maximum number of layouts for the exact search, at least 0; 0 turns it off.
            nodes: sets of layouts that a search visits before it returns the best play found, at least 1.
            breadth: maximum number of candidate clicks before the exact search, at least 1.
            slack: maximum mine probability of a candidate above the minimum, at least 0.
            discount: exponent of the number of layouts in the value of a board, at least 0.

        Raises:
            ValueError: an option is out of range.
        """
        self._breadth = whole_number("breadth", breadth, 1)
        for name, value in (("slack", slack), ("discount", discount)):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value < math.inf:
                raise ValueError(f"{name} must be a number of at least 0, not {value!r}")
        self._slack, self._discount = float(slack), float(discount)
        super().__init__(config, layouts, nodes)

    def _weigh(self, boards: Boards, legal: NDArray[np.bool_], clicks: Cells) -> Cells:
        scratch = np.empty((3, boards.shape[1]))
        mines, max_count = self.config.mines, self._max_count
        slack, breadth, discount = self._slack, self._breadth, self._discount

        def weigh(workspace: Workspace, begin: int) -> tuple[int, int]:
            return weigh_clicks(
                boards, legal, max_count, mines, slack, breadth, discount, begin, clicks, scratch, *workspace
            )

        self._run(weigh, boards)
        return clicks
