"""`lookahead`: guess to win the game, instead of surviving the next click.

It searches one or two clicks ahead, and the end of the game exactly as `minesweeper_env.inference.optimal` does.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.checks import number_within
from baselines.scripted.oracle_play.click_values import Search, make_scratch, weigh_clicks
from baselines.scripted.oracle_play.exact import CERTAIN, Boards, Cells, ExactPolicy, Flags
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.inference.kernels import EndgameSearcher, consistent_layouts, run_boards

MOST_LAYOUTS = 1_000_000
"""The largest number of layouts that an option may set; memory for them is set aside."""

_ROUNDING = 1e-6
"""Tolerance for the natural logarithm of a number of layouts."""


class Ending(NamedTuple):
    """The best click of an endgame, and the N layouts that fit its board of k covered cells."""

    cell: int  # row * cols + col
    win_probability: float  # with this click; a lower bound if not `exact`
    exact: bool  # False if the search gave up
    # The covered cells, (k,); and of each layout the mines and the clues that these cells would show, (N, k) each.
    layouts: tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.uint8]]


class Endings:
    """Searches for the click that wins the most layouts, on boards with few enough layouts.

    The limits count layouts and sets of layouts, so the result does not depend on the speed of the machine.

    Attributes:
        most: the natural logarithm of the largest number of layouts to search, plus a tolerance.
        searcher: searches sets of layouts.
    """

    def __init__(self, config: BoardConfig, layouts: int, nodes: int) -> None:
        """Compiles the kernels; a search of up to `layouts` layouts gives up after `nodes` sets of them."""
        self._config, self._nodes = config, whole_number("nodes", nodes, 1)
        self.most = math.log(whole_number("layouts", layouts, 0, MOST_LAYOUTS) + 0.5)
        self.searcher = EndgameSearcher(max(1, layouts), config.cells, config.codes.max_count)
        # Both calls serve to compile alone.
        self.find(np.full(config.cells, config.codes.hidden, np.int8), 0.0)
        self.searcher.search(np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.uint8), 1)

    def find(self, board: Boards, log_layouts: float) -> Ending | None:
        """Returns the best click on a board, (n,) int8 codes; None if too many layouts fit it.

        `log_layouts` is the natural logarithm of their number. At least one covered cell is free.
        """
        if log_layouts > self.most:
            return None
        config, limit = self._config, math.ceil(math.exp(log_layouts + _ROUNDING))
        grid = board.reshape(config.rows, config.cols)
        try:
            layouts = consistent_layouts(grid, config.mines, limit, radius=config.radius)
        except PositionTooHardError:
            return None
        best = self.searcher.search(layouts.mines, layouts.counts, self._nodes)
        # `best.cell` is an index among the covered cells.
        return Ending(int(layouts.cells[best.cell]), best.wins / len(layouts.mines), best.exact, layouts)


BREADTH, SLACK = {1: 20, 2: 8}, {1: 0.15, 2: 0.12}
"""The candidates of `lookahead` for each number of clicks that it looks ahead, unless options say otherwise."""


class LookaheadPolicy(ExactPolicy):
    """Clicks certainly safe cells as `exact` does, and chooses guesses by their estimated win probability.

    If at most `layouts` layouts match the board, an exact search finds the play that wins the most of them. Before
    that, the policy takes the click of largest value; the module `click_values` defines the values.

    All budgets count layouts, nodes and clicks, so the play does not depend on the speed of the machine.
    """

    batch_size = 100

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
        """Compiles the kernels; raises ValueError if an option is out of range.

        Args:
            config: the games.
            layouts: maximum number of layouts for the exact search, 0 to `MOST_LAYOUTS`; 0 turns it off.
            nodes: sets of layouts that a search visits before it returns the best play found, at least 1.
            breadth: maximum number of candidate clicks before the exact search, at least 1; None for 20 one click
                ahead, and 8 two clicks ahead.
            slack: maximum mine probability of a candidate above the minimum, at least 0; None for 0.15 one click ahead,
                and 0.12 two clicks ahead.
            discount: exponent of the number of layouts in the value of a board, at least 0.
            clicks: the number of clicks to look ahead, 1 or 2.
            next_breadth: maximum number of candidates for the second click, at least 1; used two clicks ahead.
            first: the first click: "exact" or None for that of `exact`, "middle", or a cell, row * cols + col.
        """
        clicks = whole_number("clicks", clicks, 1, 2)
        self._search = Search(
            config.codes.max_count,
            config.mines,
            number_within("slack", SLACK[clicks] if slack is None else slack, 0),
            whole_number("breadth", BREADTH[clicks] if breadth is None else breadth, 1),
            whole_number("next_breadth", next_breadth, 1) * (clicks - 1),
            number_within("discount", discount, 0),
        )
        self._endings = Endings(config, layouts, nodes)
        super().__init__(config, first)
        covered = np.full((1, config.cells), config.codes.hidden, np.int8)
        self._weigh(covered, np.ones(covered.shape, np.bool_), np.zeros(1, np.int64))  # Compiles.

    def _choose(self, boards: Boards, legal: Flags) -> Cells:
        """Returns the clicks on (N, n) boards: a certain one, else that of an exact search, else that of most value."""
        clicks, log_layouts = self._least_risks(boards, legal)
        unsolved = []
        for i in np.flatnonzero(log_layouts != CERTAIN):
            ending = self._endings.find(boards[i], log_layouts[i])
            if ending is not None and legal[i, ending.cell]:
                clicks[i] = ending.cell
            else:
                unsolved.append(i)
        if unsolved:
            clicks[unsolved] = self._weigh(boards[unsolved], legal[unsolved], clicks[unsolved])
        return clicks

    def _weigh(self, boards: Boards, legal: Flags, clicks: Cells) -> Cells:
        """Replaces the clicks of least risk, (N,), on (N, n) boards with too many layouts to search; returns them."""
        arguments = (boards, legal, self._search, clicks, *make_scratch(boards.shape[1], self._max_count))
        run_boards(self.config, weigh_clicks, arguments, boards.__getitem__)
        return clicks
