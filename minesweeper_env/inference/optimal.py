"""Optimal play on small boards: the best click and the exact win probability, also before the first click.

For a set S of layouts let V(S) be the number that perfect play wins (see `search.branch_and_bound`). The value of a
first cell c is V(S) / N. S has the layouts in which c is free, and under "opening" its neighbours too. N is the size of
S under "opening" and "safe"; under "any" it is the number of all layouts, since the first click may lose.
Symmetric cells have the same value, and symmetric sets the same V.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.cell_sets import neighbour_table, symmetry_table
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig, one_of
from minesweeper_env.inference.boards import PositionTooHardError, check_boards
from minesweeper_env.inference.search.endgame import solve_endgame
from minesweeper_env.inference.search.layouts import MAX_ENTRIES, consistent_layouts
from minesweeper_env.inference.search.small_boards import MAX_LAYOUTS, SmallBoard
from minesweeper_env.threads import ObjectPool

__all__ = ["BestClick", "OptimalPlay", "best_click", "first_cell_values", "win_probability"]

_MAX_LISTED = 20_000
"""The most layouts of a position that `best_click` lists."""

_MAX_DIGITS = 20
"""Numbers of layouts with more digits are only estimated."""


class BestClick(NamedTuple):
    """A click after which perfect play wins with the largest probability.

    Attributes:
        cell: (row, col).
        win_probability: that probability, as an exact fraction.
    """

    cell: tuple[int, int]
    win_probability: Fraction


class OptimalPlay:
    """Perfect play on boards of one size and number of mines; searches share a transposition table.

    Threads may share an object; threads that search at the same time use tables of their own.
    """

    def __init__(self, rows: int, cols: int, mines: int, first_click: str = "opening", *, radius: int = 1) -> None:
        """Prepares to play.

        Args:
            rows: the number of rows.
            cols: the number of columns.
            mines: the number of mines; at least 1, and few enough for the first-click rule.
            first_click: "opening", "safe" or "any".
            radius: neighbourhood radius, 1 to 5.

        Raises:
            PositionTooHardError: a first cell leaves more than 1 000 000 layouts, or fewer on a large board. The other
                methods raise it too, where a search exceeds its limit.
        """
        one_of("first_click", first_click, UNIFORM_FIRST_CLICKS)
        self.config = BoardConfig(rows, cols, mines, first_click, ("click",), radius)
        rows, cols, mines, radius = self.config.rows, self.config.cols, self.config.mines, self.config.radius
        self._neighbours = neighbour_table(rows, cols, radius)
        # Cell 0, a corner, has the smallest zone, and so the most layouts.
        free = self.config.cells - len(self._zone(0))
        log10_max = (math.lgamma(free + 1) - math.lgamma(mines + 1) - math.lgamma(free - mines + 1)) / math.log(10.0)
        max_layouts = self._count_safe_layouts(0) if log10_max < _MAX_DIGITS else MAX_ENTRIES + 1
        limit = min(MAX_LAYOUTS, MAX_ENTRIES // self.config.cells)
        if max_layouts > limit:
            count = max_layouts if log10_max < _MAX_DIGITS else f"10**{log10_max:.0f}"
            raise PositionTooHardError(
                f"perfect play is found for at most {limit} layouts after the first click, and {rows} x {cols} "
                f"with {mines} mines under {first_click!r} has up to {count}; choose a smaller board, or fewer mines"
            )
        self._pool = ObjectPool(partial(SmallBoard, rows, cols, radius, max_layouts))

    def first_cell_values(self) -> NDArray[np.object_]:
        """Returns (rows, cols) of `Fraction`: the win probability of perfect play after each first click."""
        values = np.empty(self.config.cells, np.object_)
        for cell, symmetric_cells in self._symmetry_classes():
            values[symmetric_cells] = Fraction(self._count_wins(cell, 0), self._count_allowed_layouts(cell))
        return values.reshape(self.config.rows, self.config.cols)

    def best_first_click(self) -> BestClick:
        """Returns the best first click; among equally good ones, the first that the search finds."""
        best, best_cell = Fraction(0), -1
        for cell, _ in self._symmetry_classes():
            # With no more wins than this the cell is no better than the best so far, and an upper bound is enough.
            goal = math.floor(best * self._count_allowed_layouts(cell))
            wins = self._count_wins(cell, goal)
            if wins > goal:
                best, best_cell = Fraction(wins, self._count_allowed_layouts(cell)), cell
        return BestClick(divmod(best_cell, self.config.cols), best)

    def best_click(self, board: ArrayLike) -> BestClick:
        """Returns the best click on a visible board, (rows, cols) cell codes; the board may have no open cell.

        Flags and question marks are no evidence.

        Raises:
            ValueError: the board is not allowed, or has no free cell left.
            InconsistentBoardError: no layout fits the board.
        """
        config = self.config
        codes, *_ = check_boards(board, 2, config.mines, config.radius)
        if codes.shape != (config.rows, config.cols):
            raise ValueError(f"the board must have the shape {(config.rows, config.cols)}, not {codes.shape}")
        if ((config.codes.max_count < codes) & (codes < config.codes.mine)).all():
            return self.best_first_click()
        _check_unfinished(codes, config.mines, config.codes.max_count)
        layouts = consistent_layouts(codes, config.mines, MAX_LAYOUTS, radius=config.radius)
        with self._pool.lend() as small_board:
            cell, wins = small_board.solve(layouts)
        return BestClick(divmod(cell, config.cols), Fraction(wins, len(layouts.mines)))

    def _zone(self, cell: int) -> set[int]:
        """Returns the cells that are free in all layouts in which a first click on this cell does not lose."""
        if self.config.first_click != "opening":
            return {cell}
        return {cell, *self._neighbours[cell].tolist()} - {self.config.cells}

    def _count_wins(self, cell: int, goal: int) -> int:
        """Returns how many layouts are won after a first click; only an upper bound if the result is at most `goal`."""
        covered = np.setdiff1d(np.arange(self.config.cells), list(self._zone(cell)))
        with self._pool.lend() as small_board:
            return small_board.solve_everywhere(covered, self.config.mines, goal)

    def _count_safe_layouts(self, cell: int) -> int:
        """Returns the number of layouts in which a first click on a cell does not lose."""
        return math.comb(self.config.cells - len(self._zone(cell)), self.config.mines)

    def _count_allowed_layouts(self, cell: int) -> int:
        """Returns the number of layouts that the first-click rule allows for a first click on a cell."""
        if self.config.first_click == "any":
            return math.comb(self.config.cells, self.config.mines)
        return self._count_safe_layouts(cell)

    def _symmetry_classes(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yields the first cell and all cells of each symmetry class; classes with the fewest layouts come first."""
        # Column k of the table has the cells that the symmetries map to cell k.
        class_of = [np.unique(images) for images in symmetry_table(self.config.rows, self.config.cols).T]
        firsts = [cell for cell in range(self.config.cells) if class_of[cell][0] == cell]
        for cell in sorted(firsts, key=self._count_safe_layouts):
            yield cell, class_of[cell]


def win_probability(rows: int, cols: int, mines: int, first_click: str = "opening", *, radius: int = 1) -> Fraction:
    """Returns the probability that perfect play wins, with the best first click; arguments as for `OptimalPlay`."""
    return OptimalPlay(rows, cols, mines, first_click, radius=radius).best_first_click().win_probability


def first_cell_values(
    rows: int, cols: int, mines: int, first_click: str = "opening", *, radius: int = 1
) -> NDArray[np.object_]:
    """Returns (rows, cols) of `Fraction`: the probability that perfect play wins after each first click.

    The arguments are those of `OptimalPlay`, and the largest value is `win_probability`.
    """
    return OptimalPlay(rows, cols, mines, first_click, radius=radius).first_cell_values()


def best_click(board: ArrayLike, mines: int, *, radius: int = 1) -> BestClick:
    """Returns the best click in a game under way, on a board of any size with few layouts left.

    All layouts that fit the board count as equally likely, as they are after the first click. The arguments and errors
    are those of `mine_probabilities`.

    Raises:
        ValueError: no free cell is left.
        PositionTooHardError: more than 20 000 layouts fit, or the search exceeds its limit.
    """
    codes, mines, radius = check_boards(board, 2, mines, radius)
    layouts = consistent_layouts(codes, mines, _MAX_LISTED, radius=radius)
    _check_unfinished(codes, mines, (2 * radius + 1) ** 2 - 1)
    endgame = solve_endgame(layouts.mines, layouts.counts)
    if not endgame.exact:
        raise PositionTooHardError(f"the best click was not found among {endgame.nodes} sets of layouts")
    cell = divmod(int(layouts.cells[endgame.cell]), codes.shape[1])
    return BestClick(cell, Fraction(endgame.wins, len(layouts.mines)))


def _check_unfinished(codes: NDArray[np.integer], mines: int, max_count: int) -> None:
    """Raises a ValueError if there are only as many covered cells as mines."""
    if np.count_nonzero(codes > max_count) == mines:
        raise ValueError("all covered cells of this board are mines: no click is left")
