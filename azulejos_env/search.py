"""Search for the best move: minimax with alpha-beta cuts, a transposition table and iterative deepening."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from azulejos_env import alpha_beta, engine
from azulejos_env.alpha_beta import BEST, HORIZON, NODES, SIZE, make_search
from azulejos_env.config import GameConfig, whole_in_range
from azulejos_env.engine import cell_of, rules_of, with_border
from azulejos_env.position import Position
from minesweeper_env.config import counted

__all__ = ["MAX_DEPTH", "Cell", "Limits", "SearchResult", "Searcher", "check_limits", "compile_kernels", "search"]

MAX_DEPTH = 256
"""The largest number of moves that a search looks ahead."""

_TABLE_BITS = 19
"""Binary logarithm of the largest number of entries of a transposition table."""

_PAUSE = 0.004
"""Seconds of search between two looks at the clock, where Ctrl-C is answered, too."""

_FIRST_STEP = 256
"""Number of positions to evaluate before the first look at the clock."""

Cell = tuple[int, int]
"""The (row, col) of a tile."""


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

    def text(self) -> str:
        """Returns the move and what the search found, as lines of text."""
        if self.move is None:
            player = "first" if self.value > 0 else "second"
            ahead = f"the {player} player is {counted(abs(self.value), 'point')} ahead"
            return f"No group is left: the game is over, and {ahead if self.value else 'the scores are equal'}."
        cells = [f"({row},{col})" for row, col in self.line]
        rows = {
            "value": f"{counted(self.value, 'point')} for the first player, {counted(self.depth, 'move')} later",
            "line": " ".join(cells),
            "positions": f"{self.nodes}",
            "depth": f"{self.depth}{', to the end of every line' if self.final else ''}",
            "time": f"{self.seconds:.3f} s",
        }
        return "\n".join([cells[0], *(f"{name:<10} {value}" for name, value in rows.items())])


class Limits:
    """Limits of a search that begins now: seconds, and a number of evaluated positions."""

    def __init__(self, seconds: float = math.inf, nodes: float = math.inf) -> None:
        """Starts the clock."""
        self.seconds, self.nodes = seconds, nodes
        self._begun = time.perf_counter()

    def reached(self, nodes: int) -> bool:
        """Returns whether a search that has evaluated so many positions must end."""
        return nodes >= self.nodes or time.perf_counter() - self._begun + _PAUSE >= self.seconds


def search(
    position: Position,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    prune: bool = True,
) -> SearchResult:
    """Returns the best move of a position, of the last depth that is finished within the limits.

    The depths 1, 2, ... are searched one after the other; each one begins with the best moves of the one before it.
    Depth 1 is always finished. Without `prune` the search is plain minimax, which needs no shallower depths where
    `depth` is the only limit.

    Args:
        position: the position.
        depth: the largest depth, 1 to 256; None for 256.
        seconds: the time limit; None sets no limit.
        nodes: the number of evaluated positions after which the search stops; None sets no limit.
        prune: whether to cut branches that cannot change the value; a search that does has a transposition table.

    Raises:
        ValueError: no limit is given, or one is not allowed.
    """
    most, limits = check_limits(depth, seconds, nodes)
    searcher = Searcher(position, most, prune=prune, table=prune)
    only_depth = seconds is nodes is None
    result = searcher.deepen(position, most if only_depth and not prune else 1, limits)
    return searcher.complete_line(position, result)


def check_limits(depth: int | None, seconds: float | None, nodes: int | None) -> tuple[int, Limits]:
    """Returns the largest depth, and the other limits of a search that begins now.

    Raises:
        ValueError: all are None, or one is not allowed.
    """
    if depth is None and seconds is None and nodes is None:
        raise ValueError("a search needs a limit: depth, seconds or nodes")
    if seconds is not None and not (isinstance(seconds, (int, float)) and 0 < seconds < math.inf):
        raise ValueError(f"seconds must be a number above 0, not {seconds!r}")
    most = MAX_DEPTH if depth is None else whole_in_range("depth", depth, 1, MAX_DEPTH)
    count = math.inf if nodes is None else whole_in_range("nodes", nodes, 1, 1 << 62)
    # A time limit holds for the search alone, and not for the compiler before the first one.
    compile_kernels()
    return most, Limits(seconds or math.inf, count)


class Searcher:
    """Searches of positions of one game, with the same arrays and the same transposition table."""

    def __init__(self, position: Position, depth: int, *, prune: bool, table: bool, record: int = 0) -> None:
        """Prepares searches.

        Args:
            position: the position; others of its game can be searched too.
            depth: the largest depth.
            prune: whether to cut branches that cannot change the value.
            table: whether to keep the values of positions.
            record: number of nodes of the tree to record.
        """
        config = position.config
        self._begun = time.perf_counter()
        self._cols, self._prune, self._rules, self._depth = config.cols, prune, rules_of(config), depth
        self._most = min(depth, max(config.cells // 2, 1))
        entries = _table_entries(config.cells, self._most) if table else 0
        self.arrays = make_search(config.rows, config.cols, self._most, entries, record)

    @property
    def _nodes(self) -> int:
        return int(self.arrays.counters[NODES])

    def deepen(self, position: Position, first: int, limits: Limits) -> SearchResult:
        """Searches the depths from `first` on, which no limit cuts short, and returns the result of the last one."""
        result = self.search(position, first, Limits())
        assert result is not None
        for depth in range(first + 1, self._depth + 1):
            deeper = None if result.final else self.search(position, depth, limits)
            if deeper is None:
                break
            result = deeper
        return result

    def search(self, position: Position, depth: int, limits: Limits) -> SearchResult | None:
        """Searches to a depth, and returns None if a limit comes first.

        If it is reached before the search begins, the record of the previous search is kept.
        """
        if limits.reached(self._nodes):
            return None
        arrays, own = self.arrays, position.scores[position.player]
        arrays.boards[0] = with_border(position.board)
        tiles = int((position.board > 0).sum())
        alpha_beta.begin(arrays, own, position.scores[1 - position.player], tiles, min(depth, self._most))
        return self._result(depth) if self._run(limits) else None

    def complete_line(self, position: Position, result: SearchResult) -> SearchResult:
        """Returns a result with the moves of its line that the transposition table had left out.

        The seconds of the result are then those of all searches.
        """
        line, nodes = list(result.line), self._nodes
        for row, col in line:
            position = position.play(row, col)
        while len(line) < result.depth and not position.over:
            rest = self.search(position, result.depth - len(line), Limits())
            assert rest is not None
            line += rest.line
            for row, col in rest.line:
                position = position.play(row, col)
        return replace(result, line=tuple(line), nodes=nodes, seconds=time.perf_counter() - self._begun)

    def _run(self, limits: Limits) -> bool:
        """Searches until the end or a limit, and returns whether the end came first."""
        step = _FIRST_STEP
        while not limits.reached(self._nodes):
            begun = time.perf_counter()
            limit = int(min(self._nodes + step, limits.nodes, 1 << 62))
            if alpha_beta.advance(self._rules, self.arrays, self._prune, limit):
                return True
            step = max(1, min(2 * step, int(step * _PAUSE / (time.perf_counter() - begun))))
        return False

    def _result(self, depth: int) -> SearchResult:
        level = self.arrays.levels[0]
        line = tuple(cell_of(int(move), self._cols) for move in self.arrays.lines[0, : level[SIZE]])
        return SearchResult(
            move=line[0] if line else None,
            value=int(level[BEST]),
            depth=depth,
            line=line,
            nodes=self._nodes,
            seconds=time.perf_counter() - self._begun,
            final=not level[HORIZON],
        )


@cache
def compile_kernels() -> None:
    """Compiles all kernels of the game, or loads them from the disk, once a process."""
    rng = np.zeros(2, np.uint64)
    engine.begin_stream(rng)
    engine.draw(rng[:1], 1, np.empty(1, np.int64))
    position = Position(GameConfig(1, 4, 2), np.array([[1, 1, 2, 2]]))
    searcher = Searcher(position, 2, prune=True, table=True)
    searcher.complete_line(position, searcher.deepen(position, 2, Limits()))


def _table_entries(cells: int, depth: int) -> int:
    """Returns the number of entries of a transposition table.

    A shallow search takes less time than to clear the largest table. It enters at most (cells / 2) ** (depth - 1)
    positions above its last level, since a move removes two tiles or more.
    """
    return 1 << min(_TABLE_BITS, (max(cells // 2, 1) ** (depth - 1)).bit_length())
