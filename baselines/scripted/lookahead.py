"""`lookahead`: plays to win the game rather than to survive the next click."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.choosing import CERTAIN
from baselines.scripted.exact import Boards, Cells, ExactPolicy
from baselines.scripted.weighing import weigh_clicks
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.inference.endgame import load_layouts, search_loaded
from minesweeper_env.inference.layouts import consistent_layouts
from minesweeper_env.inference.search_room import make_search_room
from minesweeper_env.inference.workspace import Room

_ROUNDING = 1e-6
"""What a logarithm of a number of layouts may be off by."""


class LookaheadPolicy(ExactPolicy):
    """Clicks what is certain, as `exact` does; where there is a risk, it asks what the risk is worth.

    Once few enough layouts are left, it finds the play that wins the most of them, by exact search: dead cells
    bring nothing there, and 50/50s that nothing can break cost what they must. Before that, a click is worth the
    sum, over what the cell can show, of the chance that it does times the worth of the board then; and a board is
    worth the safety of its safest cell times N ** -discount, if N layouts fit it.

    All budgets are numbers of layouts, nodes and clicks, so that play does not depend on the machine.
    """

    games_at_once = 100

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
        self._layouts = whole_number("layouts", layouts, 0)
        self._nodes = whole_number("nodes", nodes, 1)
        self._breadth = whole_number("breadth", breadth, 1)
        for name, value in (("slack", slack), ("discount", discount)):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value < math.inf:
                raise ValueError(f"{name} must be a number of at least 0, not {value!r}")
        self._slack, self._discount = float(slack), float(discount)
        super().__init__(config)
        room = make_search_room(max(1, self._layouts), config.cells, self._max_count)
        self._search_arrays = room.arrays()
        self._warm_up()

    def _warm_up(self) -> None:
        """Has the kernels compiled, so that no game waits for it."""
        covered = np.full((1, self.config.cells), self.config.codes.hidden, np.int8)
        legal = np.ones(covered.shape, np.bool_)
        self._weigh(covered, legal, np.zeros(1, np.int64))
        self._end_game(covered[0], legal[0], 0.0)
        load_layouts(np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.uint8), *self._search_arrays)
        search_loaded(1, *self._search_arrays)

    def _choose(self, boards: Boards, legal: NDArray[np.bool_]) -> Cells:
        clicks, log_layouts = self._least_risks(boards, legal)
        open_ones = []
        for i in np.flatnonzero(log_layouts != CERTAIN):
            cell = self._end_game(boards[i], legal[i], log_layouts[i])
            if cell is None:
                open_ones.append(i)
            else:
                clicks[i] = cell
        if open_ones:
            clicks[open_ones] = self._weigh(boards[open_ones], legal[open_ones], clicks[open_ones])
        return clicks

    def _end_game(self, board: Boards, legal: NDArray[np.bool_], log_layouts: float) -> int | None:
        """Returns the click that wins the most layouts; None if there are too many, or if it is not allowed."""
        if math.exp(min(log_layouts, 700.0)) > self._layouts + 0.5:
            return None
        limit = math.ceil(math.exp(log_layouts + _ROUNDING))
        config = self.config
        try:
            found = consistent_layouts(
                board.reshape(config.rows, config.cols), config.mines, limit, radius=config.radius
            )
        except PositionTooHardError:
            return None
        load_layouts(found.mines, found.counts, *self._search_arrays)
        column, _, _ = search_loaded(self._nodes, *self._search_arrays)
        cell = int(found.cells[column])
        return cell if legal[cell] else None

    def _weigh(self, boards: Boards, legal: NDArray[np.bool_], clicks: Cells) -> Cells:
        """Returns the clicks on (N, n) boards that are worth the most; `clicks` are those of least risk."""
        chances = np.empty((3, boards.shape[1]))
        mines, max_count = self.config.mines, self._max_count
        slack, breadth, discount = self._slack, self._breadth, self._discount

        def weigh(room: Room, begin: int) -> tuple[int, int]:
            return weigh_clicks(
                boards, legal, max_count, mines, slack, breadth, discount, begin, clicks, chances, *room
            )

        self._run(weigh, boards)
        return clicks
