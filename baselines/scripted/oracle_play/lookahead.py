"""`lookahead`: plays to win the game instead of surviving the next click.

It searches one or two clicks ahead, and the end of the game exactly as `minesweeper_env.inference.optimal` does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.endgame import EndingPolicy
from baselines.scripted.oracle_play.exact import Boards, Cells
from baselines.scripted.oracle_play.one_click_ahead import weigh_clicks
from baselines.scripted.oracle_play.two_clicks_ahead import make_scratch, weigh_two_clicks
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.inference.kernels import Workspace


class _Candidates(NamedTuple):
    breadth: int
    slack: float


CANDIDATES = {1: _Candidates(20, 0.15), 2: _Candidates(8, 0.12)}
"""The candidates of `lookahead` for each number of clicks that it looks ahead, unless options say otherwise."""


class LookaheadPolicy(EndingPolicy):
    """Clicks certainly safe cells as `exact` does, and chooses guesses by their estimated win probability.

    If at most `layouts` layouts match the board, an exact search finds the play that wins the most of them. Before
    that, the value of a click is the expected value of the next board over the clues that the cell can show. One click
    ahead, the value of a board with N layouts is the safety of its safest cell times N ** -discount. Two clicks ahead,
    it is the largest value that a click on this board has one click ahead.

    All budgets count layouts, nodes and clicks, so the play does not depend on the speed of the machine.
    """

    def __init__(
        self,
        config: BoardConfig,
        layouts: int = 10_000,
        nodes: int = 100_000,
        breadth: int | None = None,
        slack: float | None = None,
        discount: float = 0.02,
        clicks: int = 2,
        next_breadth: int = 6,
        first: str | int | None = None,
    ) -> None:
        """Checks the options, and compiles the kernels.

        Args:
            config: the games.
            layouts: maximum number of layouts for the exact search, at least 0; 0 turns it off.
            nodes: sets of layouts that a search visits before it returns the best play found, at least 1.
            breadth: maximum number of candidate clicks before the exact search, at least 1; None for 20 one click
                ahead, and 8 two clicks ahead.
            slack: maximum mine probability of a candidate above the minimum, at least 0; None for 0.15 one click ahead,
                and 0.12 two clicks ahead.
            discount: exponent of the number of layouts in the value of a board, at least 0.
            clicks: the number of clicks to look ahead, 1 or 2.
            next_breadth: maximum number of candidates for the second click, at least 1; used two clicks ahead.
            first: the first click: "exact" or None for that of `exact`, "middle", or a cell, row * cols + col.

        Raises:
            ValueError: an option is out of range.
        """
        self._clicks = whole_number("clicks", clicks, 1)
        if self._clicks > 2:
            raise ValueError(f"clicks must be 1 or 2, not {clicks!r}")
        usual = CANDIDATES[self._clicks]
        self._breadth = whole_number("breadth", usual.breadth if breadth is None else breadth, 1)
        self._next_breadth = whole_number("next_breadth", next_breadth, 1)
        self._slack = nonnegative_number("slack", usual.slack if slack is None else slack)
        self._discount = nonnegative_number("discount", discount)
        super().__init__(config, layouts, nodes, first)

    def _weigh(self, boards: Boards, legal: NDArray[np.bool_], clicks: Cells) -> Cells:
        (self._weigh_one if self._clicks == 1 else self._weigh_two)(boards, legal, clicks)
        return clicks

    def _weigh_one(self, boards: Boards, legal: NDArray[np.bool_], clicks: Cells) -> None:
        scratch = np.empty((3, boards.shape[1]))
        mines, max_count = self.config.mines, self._max_count
        slack, breadth, discount = self._slack, self._breadth, self._discount

        def weigh(workspace: Workspace, begin: int) -> tuple[int, int]:
            return weigh_clicks(
                boards, legal, max_count, mines, slack, breadth, discount, begin, clicks, scratch, *workspace
            )

        self._run(weigh, boards)

    def _weigh_two(self, boards: Boards, legal: NDArray[np.bool_], clicks: Cells) -> None:
        scratch, values = make_scratch(boards.shape[1], self._max_count), np.empty(len(boards))
        limits = (self._slack, self._breadth, self._next_breadth, self._discount)

        def weigh(workspace: Workspace, begin: int) -> tuple[int, int]:
            return weigh_two_clicks(
                boards, legal, self._max_count, self.config.mines, *limits, begin, clicks, values, *scratch, *workspace
            )

        self._run(weigh, boards)


def nonnegative_number(name: str, value: float) -> float:
    """Returns a checked option that is a finite number of at least 0.

    Raises:
        ValueError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value < math.inf:
        raise ValueError(f"{name} must be a number of at least 0, not {value!r}")
    return float(value)
