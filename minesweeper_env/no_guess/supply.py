"""Supply of layouts for games without guesses, searched at the first click.

The layout of a game follows from the state of its generator and its first cell, and from nothing else.
"""

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.no_guess import AttemptsExceededError, GenerationError, ImpossibleBoardError, search
from minesweeper_env.no_guess.search import Searcher, SearchResults
from minesweeper_env.threads import ThreadPool, split

FEW_LAYOUTS = 20_000
"""The largest number of layouts that are all tried before a board is called impossible."""


def failure(searcher: Searcher, cell: int, level: str, attempts: int) -> GenerationError:
    """Returns the error of a search that found no board for a first cell; it tries all layouts where they are few."""
    config = searcher.config
    row, col = divmod(cell, config.cols)
    board = f"{config.rows}x{config.cols} with {config.mines} mines, first_click {config.first_click!r} and first cell "
    board += f"({row}, {col})"
    # "Impossible" is a proof, so it needs all layouts; otherwise only the attempts are known.
    if has_few_layouts(config, cell):
        free = _possible_mines(config, cell)
        layouts = np.zeros((comb(len(free), config.mines), config.cells), np.bool_)
        for layout, mines in zip(layouts, combinations(free, config.mines), strict=True):
            layout[list(mines)] = True
        if not searcher.solves(layouts, cell, level).any():
            return ImpossibleBoardError(
                f"no layout of {board} can be won by logic of level {level!r}; choose another number of mines"
            )
    return AttemptsExceededError(
        f"{attempts} layouts of {board} were played, and logic of level {level!r} won none; choose fewer mines, or "
        "call `generate` with a larger `max_attempts`"
    )


def has_few_layouts(config: BoardConfig, cell: int) -> bool:
    """Returns whether the layouts for a first cell are so few that all of them can be tried."""
    return comb(len(_possible_mines(config, cell)), config.mines) <= FEW_LAYOUTS


def _possible_mines(config: BoardConfig, cell: int) -> list[int]:
    """Returns the cells that may be mines when the first click is on `cell`."""
    # The first cell itself is free under every rule, "any" included: see `make_arena`.
    protected = {cell}
    if config.first_click in ("opening", "corners"):
        protected.update(neighbour_table(config.rows, config.cols, config.radius)[cell].tolist())
    return [other for other in range(config.cells) if other not in protected]


class BoardSupply:
    """Lays out games at their first click; each environment owns a `BoardSupply`."""

    def __init__(self, config: BoardConfig, pool: ThreadPool) -> None:
        """Prepares for games of a configuration with `no_guess`; the threads of `pool` share a search."""
        self._level, self._pool = str(config.no_guess), pool
        search.compile_search()
        _check_first_cells(search.search_config(config), self._level)
        self._searchers = search.searchers(search.search_config(config))

    def set_mines(self, games: Games, actions: NDArray[np.int64]) -> None:
        """Lays out the games whose action, in (N,) int64 `actions`, is a first click; the engine then places no mines.

        Raises:
            GenerationError: no layout was found for a first cell; no game has changed.
        """
        # Most steps begin no game, and cost only this check.
        chosen = games.first_clicks(actions)
        if len(chosen) > 0:
            games.set_mines(self._search(actions[chosen], games.boards.rng[chosen]), chosen)

    def _search(self, cells: NDArray[np.int64], states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Returns (K, rows, cols) bool layouts for K first cells and the K states of the games' generators."""

        def search_part(part: slice) -> SearchResults:
            with self._searchers.lend() as searcher:
                return searcher.search(cells[part], states[part], self._level, on_attempts=lambda _: self._pool.check())

        # Eight parts for each thread: a thread whose boards were easy takes another part.
        parts = self._pool.run(search_part, split(len(cells), 8 * self._pool.threads if self._pool.threads > 1 else 1))
        solved = np.concatenate([part.solved for part in parts])
        if not solved.all():
            with self._searchers.lend() as searcher:
                raise failure(searcher, int(cells[np.flatnonzero(~solved)[0]]), self._level, search.MAX_ATTEMPTS)
        return np.concatenate([part.layouts for part in parts])


@lru_cache(maxsize=64)
def _check_first_cells(config: BoardConfig, level: str) -> None:
    """Raises an ImpossibleBoardError if some first cell has no solved layout, where layouts are few enough to try."""
    # A first cell in the middle leaves the fewest layouts, on `max_mines` cells. A large board would take seconds.
    if comb(config.max_mines, config.mines) > FEW_LAYOUTS:
        return
    cells = np.array([cell for cell in range(config.cells) if has_few_layouts(config, cell)], np.int64)
    searcher = Searcher(config)
    results = searcher.search(cells, np.zeros(len(cells), np.uint64), level, search.REJECTIONS)
    for cell in cells[~results.solved].tolist():
        error = failure(searcher, cell, level, search.REJECTIONS)
        if isinstance(error, ImpossibleBoardError):
            raise error
