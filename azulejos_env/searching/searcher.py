"""Searches of positions of one game, which have a transposition table in common."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from azulejos_env.config import GameConfig
from azulejos_env.engine.boards import cell_of, with_border
from azulejos_env.engine.rules import compile_rules
from azulejos_env.position import Position
from azulejos_env.searching.alpha_beta import advance, begin
from azulejos_env.searching.limits import Limits
from azulejos_env.searching.stack import BEST, HORIZON, NODES, SIZE, make_search

TABLE_BITS = 19
"""Binary logarithm of the largest number of entries of a transposition table."""

_PAUSE = 0.004
"""Seconds of search between two looks at the clock, where Ctrl-C is answered, too."""

_FIRST_STEP = 256
"""Number of positions to evaluate before the first look at the clock."""

_NEVER = 1 << 62

Cell = tuple[int, int]


@dataclass(frozen=True)
class SearchResult:
    """What a search found.

    Attributes:
        move: the best move as the (row, col) of the first cell of its group; None if the game is over.
        value: score of the player to move minus that of the other, `depth` moves later with best play.
        depth: the number of moves looked ahead, of the last depth that was finished.
        line: the moves that both players are expected to make, `move` first.
        nodes: the number of positions evaluated, those of an unfinished depth included.
        seconds: the time taken.
        final: whether every line ends with the game, so that no deeper search gives another value.
    """

    move: Cell | None
    value: int
    depth: int
    line: tuple[Cell, ...]
    nodes: int
    seconds: float
    final: bool


class Searcher:
    """Searches with the same arrays and the same transposition table."""

    def __init__(
        self, position: Position, depth: int, *, prune: bool, table: bool, record: int = 0, levels: int = 0
    ) -> None:
        """Prepares searches.

        Args:
            position: the position; others of its game can be searched too.
            depth: the largest depth.
            prune: whether to cut branches that cannot change the value.
            table: whether to keep the values of positions.
            record: number of nodes of the tree to record.
            levels: number of levels of the tree to record, the root not counted.
        """
        config = position.config
        self._begun = time.perf_counter()
        self._cols = config.cols
        self._prune = prune
        self._rules = compile_rules(config)
        self._most = min(depth, max(config.cells // 2, 1))
        self._levels = levels
        self.arrays = make_search(
            config.rows, config.cols, self._most, _entries(config.cells, self._most) if table else 0, record
        )

    def search(self, position: Position, depth: int, limits: Limits) -> SearchResult | None:
        """Searches to a depth, and returns None if a limit other than the depth comes first.

        If it is reached before the search begins, the record of the previous search is kept.
        """
        if self._is_reached(limits):
            return None
        arrays, own = self.arrays, position.scores[position.player]
        arrays.boards[0] = with_border(position.board)
        tiles = int((position.board > 0).sum())
        begin(arrays, own, position.scores[1 - position.player], tiles, min(depth, self._most), self._levels)
        return self._result(depth) if self._run(limits) else None

    def complete_line(self, position: Position, result: SearchResult) -> SearchResult:
        """Returns a result with the moves of its line that the transposition table had left out.

        The nodes and the seconds of the result are then those of all searches.
        """
        line, nodes = list(result.line), int(self.arrays.counters[NODES])
        for row, col in line:
            position = position.play(row, col)
        while len(line) < result.depth and not position.over:
            rest = self.search(position, result.depth - len(line), Limits(result.depth))
            assert rest is not None
            line += rest.line
            for row, col in rest.line:
                position = position.play(row, col)
        return replace(result, line=tuple(line), nodes=nodes, seconds=time.perf_counter() - self._begun)

    def _run(self, limits: Limits) -> bool:
        """Searches until the end or a limit, and returns whether the end came first."""
        step = _FIRST_STEP
        counters = self.arrays.counters
        while True:
            if self._is_reached(limits):
                return False
            nodes, begun = int(counters[NODES]), time.perf_counter()
            if advance(self._rules, self.arrays, self._prune, int(min(nodes + step, limits.nodes, _NEVER))):
                return True
            took = time.perf_counter() - begun
            step = max(1, min(2 * step, int(step * _PAUSE / took)))

    def _is_reached(self, limits: Limits) -> bool:
        nodes = int(self.arrays.counters[NODES])
        return nodes >= limits.nodes or limits.seconds_spent + _PAUSE >= limits.seconds

    def _result(self, depth: int) -> SearchResult:
        level = self.arrays.levels[0]
        line = [cell_of(int(move), self._cols) for move in self.arrays.lines[0, : level[SIZE]]]
        return SearchResult(
            move=line[0] if line else None,
            value=int(level[BEST]),
            depth=depth,
            line=tuple(line),
            nodes=int(self.arrays.counters[NODES]),
            seconds=time.perf_counter() - self._begun,
            final=not level[HORIZON],
        )


@cache
def compile_kernels() -> None:
    """Compiles the kernels of positions and of the search, or loads them from the disk, once a process."""
    position = Position(GameConfig(1, 4, 2), np.array([[1, 1, 2, 2]]))
    searcher = Searcher(position, 2, prune=True, table=True)
    result = searcher.search(position, 2, Limits(2))
    assert result is not None
    assert not position.over
    searcher.complete_line(position, result)


def _entries(cells: int, depth: int) -> int:
    """Returns the number of entries of a transposition table.

    A shallow search takes less time than to clear the largest table. It enters at most (cells / 2) ** (depth - 1)
    positions above its last level, since a move removes two tiles or more.
    """
    return 1 << min(TABLE_BITS, (max(cells // 2, 1) ** (depth - 1)).bit_length())
