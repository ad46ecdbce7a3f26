"""Search for the best move: minimax with alpha-beta cuts, a transposition table and iterative deepening."""

from __future__ import annotations

from collections.abc import Callable

from azulejos_env.position import Position
from azulejos_env.searching.limits import MAX_DEPTH, Limits
from azulejos_env.searching.searcher import Searcher, SearchResult, compile_kernels

__all__ = ["MAX_DEPTH", "SearchResult", "search"]


def search(
    position: Position,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    prune: bool = True,
    table: bool = True,
    report: Callable[[SearchResult], object] | None = None,
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
        prune: whether to cut branches that cannot change the value.
        table: whether to keep the values of positions in a transposition table; only with `prune`.
        report: called with the result of each depth when it is finished.

    Raises:
        ValueError: no limit is given, or one is not allowed.
    """
    # A time limit holds for the search alone, and not for the compiler before the first one.
    compile_kernels()
    limits = Limits.of(depth, seconds, nodes)
    searcher = Searcher(position, limits.depth, prune=prune, table=table and prune)
    depths = range(limits.depth if limits.only_depth and not prune else 1, limits.depth + 1)
    result = searcher.search(position, depths[0], Limits(limits.depth))
    assert result is not None
    for following in depths[1:]:
        if report is not None:
            report(result)
        deeper = None if result.final else searcher.search(position, following, limits)
        if deeper is None:
            break
        result = deeper
    return searcher.complete_line(position, result)
