"""Layouts of games without guesses, made ahead by a thread for the first cells that games ask for.

The layout of a game follows from the state of its generator and its first cell, and from nothing else. So it makes no
difference who searches it: the thread, ahead of time, or the caller, at the first click.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import combinations, islice
from math import comb

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import NEXT
from minesweeper_env.no_guess.search import (
    MAX_ATTEMPTS,
    REJECTIONS,
    Found,
    Searcher,
    compile_search,
    search_config,
)
from minesweeper_env.threads import Lender, ThreadPool, split

FEW_LAYOUTS = 20_000
"""The largest number of layouts that are all tried before a board is called impossible."""


class GenerationError(ValueError):
    """No board was found; the two errors below say why."""


class ImpossibleBoardError(GenerationError):
    """No layout of this configuration can be won without a guess from this first cell."""


class AttemptsExceededError(GenerationError):
    """The search has played as many layouts as allowed, and none could be won without a guess."""


def failure(searcher: Searcher, cell: int, level: str, attempts: int) -> GenerationError:
    """Returns the error of a search in vain from a first cell; where there are few layouts, it tries all of them."""
    config = searcher.config
    row, col = divmod(cell, config.cols)
    board = (
        f"{config.rows}x{config.cols} with {config.mines} mines, first_click {config.first_click!r} and first cell "
        f"({row}, {col})"
    )
    if has_few_layouts(config, cell):
        free = _unprotected(config, cell)
        layouts = np.zeros((comb(len(free), config.mines), config.cells), np.bool_)
        for layout, mines in zip(layouts, combinations(free, config.mines), strict=True):
            layout[list(mines)] = True
        if not searcher.solves(layouts, cell, level).any():
            return ImpossibleBoardError(
                f"no layout of {board} can be won by logic of level {level!r}; choose another number of mines"
            )
    return AttemptsExceededError(
        f"{attempts} layouts of {board} were played, and logic of level {level!r} won none; allow more attempts, or "
        "choose fewer mines"
    )


def has_few_layouts(config: BoardConfig, cell: int) -> bool:
    """Returns whether the layouts for a first cell are so few that all of them can be tried."""
    return comb(len(_unprotected(config, cell)), config.mines) <= FEW_LAYOUTS


def _unprotected(config: BoardConfig, cell: int) -> list[int]:
    """Returns the cells that may be mines when the first click is on `cell`."""
    protected = {cell}
    if config.first_click in ("opening", "corners"):
        protected.update(neighbour_table(config.rows, config.cols, config.radius)[cell].tolist())
    return [each for each in range(config.cells) if each not in protected]


LEAST_PORTION = 0.1
"""The portion of the recent first clicks from which boards for a cell are made ahead."""

RECENT = 512
"""The number of recent first clicks that decide, to which a batch adds two for each of its games."""

Key = tuple[int, int]
"""The state of a generator and a first cell."""


class BoardSupply:
    """Lays out games at their first click; one environment owns it."""

    def __init__(self, config: BoardConfig, count: int, pool: ThreadPool) -> None:
        """Prepares for `count` games of a configuration with `no_guess`; `pool` searches what no thread made ahead."""
        self._config, self._count, self._pool = config, count, pool
        compile_search()
        _check_first_cells(search_config(config), str(config.no_guess))
        self._searchers = Lender(partial(Searcher, search_config(config)))
        self._begin()

    def _begin(self) -> None:
        """Forgets all boards; in a forked process no thread runs, and another one may have held the lock."""
        self._process = os.getpid()
        self._asked = np.zeros(self._config.cells)
        self._following = np.zeros(self._count, np.uint64)
        self._ready: dict[Key, NDArray[np.bool_]] = {}
        self._wanted: dict[Key, None] = {}
        self._changed = threading.Condition()
        self._running = False

    def __reduce__(self) -> tuple[type[BoardSupply], tuple[BoardConfig, int, ThreadPool]]:
        """Leaves the boards made ahead out of pickles and copies, as they can be made again."""
        return type(self), (self._config, self._count, self._pool)

    def lay_out(self, games: Games, actions: NDArray[np.int64]) -> None:
        """Lays out the games that begin with one of these actions, (N,) int64; the engine then places no mines.

        Raises:
            GenerationError: no layout was found for a first cell; no game has changed.
        """
        chosen = games.first_clicks(actions)
        if len(chosen) == 0:
            return
        if os.getpid() != self._process:
            self._begin()
        states, cells = games.boards.rng[chosen], actions[chosen]
        following = games.boards.progress[chosen, NEXT].view(np.uint64)
        games.lay_out(self._take(states, cells), chosen)
        # A first game after a seed is often the only one, as in an evaluation, so its successor waits.
        goes_on = self._following[chosen] == states
        self._following[chosen] = following
        if goes_on.any():
            self._order(following[goes_on], cells[goes_on])

    def _take(self, states: NDArray[np.uint64], cells: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Returns (K, rows, cols) layouts: those made ahead, and the others at once."""
        layouts = np.empty((len(cells), self._config.rows, self._config.cols), np.bool_)
        missing = []
        with self._changed:
            for place, key in enumerate(zip(states.tolist(), cells.tolist(), strict=True)):
                self._wanted.pop(key, None)
                ready = self._ready.pop(key, None)
                if ready is None:
                    missing.append(place)
                else:
                    layouts[place] = ready
        if missing:
            layouts[missing] = self._search(cells[missing], states[missing])
        return layouts

    def _search(self, cells: NDArray[np.int64], states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Returns (K, rows, cols) layouts, which all threads search."""
        level = str(self._config.no_guess)

        def search(part: slice) -> Found:
            with self._searchers.lend() as searcher:
                return searcher.search(
                    cells[part], states[part], level, MAX_ATTEMPTS, on_attempts=lambda _: self._pool.check()
                )

        # In eight parts for each thread: one whose boards were easy takes another part.
        found = self._pool.run(search, split(len(cells), 8 * self._pool.threads if self._pool.threads > 1 else 1))
        solved = np.concatenate([part.solved for part in found])
        if not solved.all():
            with self._searchers.lend() as searcher:
                raise failure(searcher, int(cells[np.flatnonzero(~solved)[0]]), level, MAX_ATTEMPTS)
        return np.concatenate([part.layouts for part in found])

    def _order(self, states: NDArray[np.uint64], cells: NDArray[np.int64]) -> None:
        """Orders the boards of the next games, for the cells that first clicks have asked for."""
        np.add.at(self._asked, cells, 1.0)
        if self._asked.sum() > 2 * (RECENT + 2 * self._count):
            self._asked /= 2.0
        likely = np.flatnonzero(self._asked >= LEAST_PORTION * self._asked.sum()).tolist()
        with self._changed:
            self._wanted.update(dict.fromkeys((state, cell) for state in states.tolist() for cell in likely))
            most = (self._count + 1) * max(1, len(likely))
            for kept in (self._wanted, self._ready):
                # The oldest ones belong to games that went elsewhere.
                for key in list(islice(kept, max(0, len(kept) - most))):
                    del kept[key]
            if self._wanted and not self._running:
                self._running = True
                threading.Thread(target=_make_ahead, args=(weakref.ref(self), self._config)).start()
            self._changed.notify()

    def next_orders(self) -> list[Key]:
        """Returns orders of some 1000 cells for the thread, which waits a while for them; none end the thread."""
        with self._changed:
            self._changed.wait_for(lambda: self._wanted, timeout=0.2)
            self._running = bool(self._wanted) and threading.main_thread().is_alive()
            return list(islice(self._wanted, max(1, 1024 // self._config.cells))) if self._running else []

    def deliver(self, orders: Sequence[Key], layouts: NDArray[np.bool_], solved: NDArray[np.bool_]) -> None:
        """Takes layouts from the thread; those that nobody waits for any longer are dropped."""
        with self._changed:
            for key, layout, is_solved in zip(orders, layouts, solved.tolist(), strict=True):
                if self._wanted.pop(key, self) is None and is_solved:
                    self._ready[key] = layout


@lru_cache(maxsize=64)
def _check_first_cells(config: BoardConfig, level: str) -> None:
    """Raises an ImpossibleBoardError for the first cell that no layout serves, where layouts are few enough to try."""
    # A first cell in the middle leaves the fewest layouts. Asking cell by cell takes seconds on a large board.
    if comb(config.max_mines, config.mines) > FEW_LAYOUTS:
        return
    cells = np.array([cell for cell in range(config.cells) if has_few_layouts(config, cell)], np.int64)
    searcher = Searcher(config)
    found = searcher.search(cells, np.zeros(len(cells), np.uint64), level, REJECTIONS)
    for cell in cells[~found.solved].tolist():
        error = failure(searcher, cell, level, REJECTIONS)
        if isinstance(error, ImpossibleBoardError):
            raise error


def _make_ahead(owner: weakref.ref[BoardSupply], config: BoardConfig) -> None:
    """Searches the layouts that a supply orders, as long as there are orders and the supply is in use."""
    searcher = Searcher(search_config(config))
    while (supply := owner()) is not None and (orders := supply.next_orders()):
        # Without this reference the supply, and its orders, end with their environment.
        del supply
        cells = np.array([cell for _, cell in orders])
        # Without the dtype, a mix of small and large numbers would become floating-point numbers.
        states = np.array([state for state, _ in orders], np.uint64)
        found = searcher.search(cells, states, str(config.no_guess), MAX_ATTEMPTS)
        if (supply := owner()) is not None:
            supply.deliver(orders, found.layouts, found.solved)
