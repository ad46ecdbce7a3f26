"""Exact win probabilities of afterstates, which a search of all layouts computes at late guesses."""

import numpy as np
from numpy.typing import NDArray

from baselines.learned.afterstate.clues import Boards, Doubles
from baselines.learned.afterstate.search import Cells, Flags, afterstates
from baselines.scripted.oracle_play.lookahead import Endings
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.inference.kernels import consistent_layouts

MOST_LAYOUTS = 10_000
"""The most layouts of a late guess."""

_NODES = 2_000_000
"""The most sets of layouts that one search visits."""

_SLACK, _SAFEST, _DRAWN = 0.3, 6, 4
"""Clicks taught at a guess: their risk above the least one, how many of the safest, and how many of the others."""

_LEAST_CHANCE = 0.04
"""Counts of lower probability are left out: the search of the agent leaves out nearly the same."""


class Teacher:
    """Computes the probability of winning, by perfect play, after clicks at late guesses.

    It sees the visible boards and the number of mines alone, not the layouts of the games.
    """

    def __init__(self, config: BoardConfig) -> None:
        self._config = config
        self._searcher = Endings(config, MOST_LAYOUTS, _NODES).searcher  # the exact search, compiled

    def afterstates(self, boards: Boards, rng: np.random.Generator) -> tuple[Boards, Doubles, Flags]:
        """Returns what clicks near the safest one lead to, at the late guesses among boards (K, rows, cols).

        A board with a certainly safe cell is no guess. A board that stands there twice is searched once.

        Returns:
            The afterstates, (M, rows, cols); their win probabilities, (M,); and which of the boards are late guesses or
            have a certainly safe cell, (K,) bool.
        """
        distinct, inverse = np.unique(boards, axis=0, return_inverse=True)
        is_late = np.ones(len(distinct), np.bool_)
        after, values = [boards[:0]], []
        for number, board in enumerate(distinct):
            try:
                cells, counts, wins = self._outcomes(board, rng)
            except PositionTooHardError:
                is_late[number] = False
                continue
            after.append(afterstates(np.repeat(board[None], len(cells), axis=0), cells, counts))
            values.append(wins)
        return np.concatenate(after), np.concatenate([np.zeros(0), *values]), is_late[inverse.reshape(-1)]

    def _outcomes(self, board: Boards, rng: np.random.Generator) -> tuple[Cells, Cells, Doubles]:
        """Returns the outcomes of clicks on a board, (M,) each: the clicked cells, their counts, and the values then.

        Raises PositionTooHardError if more than `MOST_LAYOUTS` layouts fit the board, or a search gives up.
        """
        layouts = consistent_layouts(board, self._config.mines, MOST_LAYOUTS)
        is_safe, outcomes = layouts.mines == 0, []
        for column in _clicks(is_safe.mean(axis=0), rng):
            shown, safe_layouts = layouts.counts[:, column], is_safe[:, column]
            counts, numbers = np.unique(shown[safe_layouts], return_counts=True)
            for count in counts[numbers >= _LEAST_CHANCE * safe_layouts.sum()]:
                matching = safe_layouts & (shown == count)
                best = self._searcher.search(layouts.mines[matching], layouts.counts[matching], _NODES)
                if not best.exact:
                    raise PositionTooHardError(f"a win probability was not found among {_NODES} sets of layouts")
                outcomes.append((layouts.cells[column], count, best.wins / matching.sum()))
        cells, shown_counts, values = np.array(outcomes).reshape(-1, 3).T
        return cells.astype(np.int64), shown_counts.astype(np.int64), values


def _clicks(safety: Doubles, rng: np.random.Generator) -> NDArray[np.int64]:
    """Returns the clicks to teach, indices of safety (k,): the safest ones, and some drawn; none if one is certain."""
    if safety.max() == 1:
        return np.zeros(0, np.int64)
    near = np.argsort(-safety, kind="stable")[: np.count_nonzero(safety >= safety.max() - _SLACK)]
    others = near[_SAFEST:]
    return np.concatenate([near[:_SAFEST], rng.choice(others, min(_DRAWN, len(others)), replace=False)])
