"""Search for the best move: negamax with alpha-beta cuts and iterative deepening.

Values are the score of the player to move minus that of the other, `depth` moves later (Knuth and Moore 1975, "An
analysis of alpha-beta pruning"). Without `prune` the bounds stay infinite, and every move is tried.
"""

import math
import time
from dataclasses import dataclass, replace
from itertools import takewhile
from threading import Thread
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import Rules
from azulejos_env.position import Cell, Cells, Position, cell_of, collapse, gather, list_groups, new_score, with_border
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.config import whole_number

__all__ = ["INFINITE", "MAX_DEPTH", "SearchResult", "Searcher", "check_limits", "search"]

MAX_DEPTH = 256
"""The largest number of moves that a search looks ahead."""

INFINITE = 1 << 40
"""More than any difference of scores."""

_ALL = 1 << 62
"""More positions than any search evaluates."""

_PAUSE = 0.004
"""Seconds between two looks at the clock."""

_QUICK = 200_000
"""Cells times positions of a search below which it takes only milliseconds."""


class _Arrays(NamedTuple):
    """Arrays of a search over D moves, on boards of B bordered cells with up to M groups."""

    boards: NDArray[np.int8]  # (D + 1, B): the board of each level
    moves: NDArray[np.int32]  # (D + 1, M): the moves of each level, the tried ones first
    sizes: NDArray[np.int32]  # (D + 1, M): the numbers of tiles of their groups
    lines: NDArray[np.int32]  # (D + 1, D + 1): the best line from each level; -1 ends it
    group: Cells  # scratch space for the cells of one group
    scratch: NDArray[np.int8]  # (B,): scratch space for one board
    counters: NDArray[np.int64]  # the number of positions evaluated, and the number from which the search stops


_NODES, _LIMIT = range(2)  # the entries of `_Arrays.counters`
_NONE, _STOPPED = -1, 2 * INFINITE  # no move, and the value of a search that a limit stopped


@inlined
def _last_move(rules: Rules, search: _Arrays, ply: int, count: int, own: int, other: int) -> tuple[int, bool]:
    """Returns the result of `_minimax` at depth 1; it makes no move, since the size of a group gives its score."""
    best, is_open, tiles = -INFINITE, False, 0
    for cell in range(len(search.boards[ply])):
        tiles += search.boards[ply, cell] > 0
    for move in range(count):
        clears = search.sizes[ply, move] == tiles  # the board, which ends the game
        value = new_score(rules, own, search.sizes[ply, move], clears) - other
        is_open = is_open or not clears
        if value > best:
            best, search.lines[ply, 0] = value, search.moves[ply, move]
    search.lines[ply, 1] = _NONE
    search.counters[_NODES] += count
    return best, is_open


@inlined
def _pick(search: _Arrays, ply: int, first: int, count: int) -> int:
    """Swaps the largest group among the moves `first` to `count` - 1 to the place `first`; returns its move."""
    moves, sizes = search.moves[ply], search.sizes[ply]
    best = first
    for move in range(first, count):
        if sizes[move] > sizes[best]:
            best = move
    moves[first], moves[best] = moves[best], moves[first]
    sizes[first], sizes[best] = sizes[best], sizes[first]
    return moves[first]


@inlined
def _make(rules: Rules, search: _Arrays, ply: int, move: int, own: int) -> int:
    """Writes the board after a move to level `ply` + 1, and returns the new score of the player."""
    for cell in range(len(search.scratch)):
        search.scratch[cell] = search.boards[ply, cell]
    size = gather(search.scratch, rules.cols, move, search.group)
    tiles = collapse(rules, search.scratch, search.boards[ply + 1])
    return new_score(rules, own, size, tiles == 0)


@kernel
def _minimax(
    rules: Rules, search: _Arrays, prune: bool, ply: int, own: int, other: int, depth: int, alpha: int, beta: int
) -> tuple[int, bool]:
    """Returns the value of the board at level `ply`, or _STOPPED, and whether a deeper search may change the value.

    `own` and `other` are the scores of the player to move and of the opponent; `depth` is the number of moves to look
    ahead. The player is sure of `alpha` elsewhere, and the opponent avoids a position of `beta` or more.
    """
    if search.counters[_NODES] >= search.counters[_LIMIT]:
        return _STOPPED, True
    search.counters[_NODES] += 1
    search.lines[ply, 0] = _NONE
    count = list_groups(rules, search.boards[ply], search.group, search.moves[ply], search.sizes[ply])
    if count == 0 or depth == 0:
        return own - other, count > 0
    if depth == 1:
        return _last_move(rules, search, ply, count, own, other)
    best, is_open, tried = -INFINITE, False, 0
    while tried < count and best < beta:
        move = _pick(search, ply, tried, count)
        score = _make(rules, search, ply, move, own)
        low, high = (-beta, -max(alpha, best)) if prune else (-INFINITE, INFINITE)  # from the view of the opponent
        child_value, child_open = _minimax(rules, search, prune, ply + 1, other, score, depth - 1, low, high)
        if search.counters[_NODES] >= search.counters[_LIMIT]:
            return _STOPPED, True
        is_open |= child_open
        tried += 1
        if -child_value > best:
            best = -child_value
            search.lines[ply, 0] = move
            for step in range(depth):  # followed by the best line of the opponent
                search.lines[ply, step + 1] = search.lines[ply + 1, step]
    return best, is_open


@dataclass(frozen=True)
class SearchResult:
    """Result of a search.

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


def search(
    position: Position,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    prune: bool = True,
) -> SearchResult:
    """Returns the result of the last depth that is finished within the limits.

    Within limits of time or positions the depths 1, 2, ... are searched one after the other, and depth 1 is always
    finished. Without `prune` the search is plain minimax.

    Args:
        position: the position.
        depth: the largest depth, 1 to 256; None for 256.
        seconds: the time limit; None sets no limit.
        nodes: the number of evaluated positions after which the search stops; None sets no limit.
        prune: whether to cut branches that cannot change the value.

    Raises:
        ValueError: no limit is given, or one is not allowed.
    """
    return Searcher(position, depth, seconds, nodes, prune=prune).deepen(position)


def check_limits(depth: int | None, seconds: float | None, nodes: int | None) -> tuple[int, float, int]:
    """Returns the limits of a search, or raises a ValueError if there is none, or one is not allowed."""
    if depth is seconds is nodes is None:
        raise ValueError("a search needs a limit: depth, seconds or nodes")
    if seconds is not None and not 0 < seconds < math.inf:
        raise ValueError(f"seconds must be a number above 0, not {seconds!r}")
    max_depth = MAX_DEPTH if depth is None else whole_number("depth", depth, 1, MAX_DEPTH)
    return max_depth, seconds or math.inf, _ALL if nodes is None else whole_number("nodes", nodes, 1, _ALL)


class Searcher:
    """Searcher of positions of one game, which keeps its arrays from search to search."""

    def __init__(
        self, position: Position, depth: int | None, seconds: float | None, nodes: int | None, *, prune: bool
    ) -> None:
        """Makes the arrays for searches of positions of this game within limits."""
        self._depth, self._seconds, self._max_nodes = check_limits(depth, seconds, nodes)
        config, max_groups = position.config, max(position.config.cells // 2, 1)
        self._start, self._deadline, self._node_limit = time.perf_counter(), math.inf, _ALL
        self._config, self._prune = config, prune
        self._max_plies = max_plies = min(self._depth, max_groups)  # each move removes two tiles or more
        entries = (config.rows + 2) * (config.cols + 1)  # of a bordered board
        moves, sizes = np.zeros((2, max_plies + 1, max_groups), np.int32)
        self._arrays = _Arrays(
            boards=np.zeros((max_plies + 1, entries), np.int8),
            moves=moves,
            sizes=sizes,
            lines=np.full((max_plies + 1, max_plies + 1), _NONE, np.int32),
            group=np.zeros(config.cells, np.int32),
            scratch=np.zeros(entries, np.int8),
            counters=np.zeros(2, np.int64),
        )

    @property
    def nodes(self) -> int:
        """The number of positions evaluated."""
        return int(self._arrays.counters[_NODES])

    def reached(self) -> bool:
        """Returns whether a limit is reached. The limits apply once `deepen` has finished its first depth."""
        return self.nodes >= self._node_limit or time.perf_counter() + _PAUSE >= self._deadline

    def deepen(self, position: Position) -> SearchResult:
        """Searches depth 1, 2, ... up to the limits, or at once a depth that is the only limit; returns the result."""
        first_depth = self._depth if self._seconds == math.inf and self._max_nodes == _ALL else 1
        result = self.search(position, first_depth)
        assert result is not None
        # The limits hold from here on, so that they do not count the time of the compiler.
        self._deadline, self._node_limit = time.perf_counter() + self._seconds, self._max_nodes
        for depth in range(first_depth + 1, self._depth + 1):
            deeper = None if result.final else self.search(position, depth)
            if deeper is None:
                break
            result = deeper
        return replace(result, nodes=self.nodes, seconds=time.perf_counter() - self._start)

    def search(
        self, position: Position, depth: int, alpha: int = -INFINITE, beta: int = INFINITE
    ) -> SearchResult | None:
        """Returns the result of one depth, within bounds of alpha-beta; None if a limit stops the search."""
        if self.reached():
            return None
        arrays, own = self._arrays, position.scores[position.player]
        other = position.scores[1 - position.player]
        arrays.boards[0] = with_border(position.board)
        arrays.counters[_LIMIT] = self._node_limit
        value, is_open = self._run_minimax(own, other, min(depth, self._max_plies), alpha, beta)
        if value == _STOPPED:
            return None
        moves = takewhile(lambda move: move != _NONE, arrays.lines[0].tolist())
        line = tuple(cell_of(move, self._config.cols) for move in moves)
        return SearchResult(line[0] if line else None, int(value), depth, line, self.nodes, 0.0, not is_open)

    def _run_minimax(self, own: int, other: int, depth: int, alpha: int, beta: int) -> tuple[int, bool]:
        """Returns the result of `_minimax`; a long search runs in a thread, so that the clock or Ctrl-C can stop it."""
        results: list[tuple[int, bool]] = []
        arguments = (self._config.rules, self._arrays, self._prune, 0, own, other, depth, alpha, beta)
        worker = Thread(target=lambda: results.append(_minimax(*arguments)), daemon=True)
        # A board has at most half as many groups as cells, so this bounds the work of a quick search.
        if depth < 2 or self._config.cells * (self._config.cells // 2) ** (depth - 1) < _QUICK:
            worker.run()  # in this thread
            return results[0]
        worker.start()
        try:
            while worker.is_alive() and not self.reached():
                worker.join(_PAUSE)
        finally:
            # The kernel reads this limit at each position, and stops.
            self._arrays.counters[_LIMIT] = 0
            worker.join()
        return results[0]
