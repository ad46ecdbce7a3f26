"""Report of the best move."""

from __future__ import annotations

import argparse

from azulejos_env.position import Position
from azulejos_env.search import search
from azulejos_env.searching.searcher import SearchResult
from azulejos_env.tree import search_tree
from minesweeper_env.config import counted
from minesweeper_env.notices import say


def report_move(position: Position, options: argparse.Namespace) -> None:
    """Prints the best move of a position, and writes the tree if it is asked for.

    Raises:
        OSError: the tree cannot be written.
    """
    result = _search(position, options)
    print(_text(result))


def _search(position: Position, options: argparse.Namespace) -> SearchResult:
    limits = {"depth": options.depth, "seconds": options.maxtime, "prune": options.prune}
    if options.tree is None:
        return search(position, **limits)
    tree = search_tree(position, levels=options.levels, **limits)
    tree.save(options.tree)
    say(
        f"Wrote {options.tree}: {counted(len(tree.nodes), 'position')} of the tree, {counted(tree.levels, 'move')} deep"
    )
    return tree.result


def _text(result: SearchResult) -> str:
    if result.move is None:
        player = "first" if result.value > 0 else "second"
        ahead = f"the {player} player is {counted(abs(result.value), 'point')} ahead"
        return f"No group is left: the game is over, and {ahead if result.value else 'the scores are equal'}."
    rows = {
        "move": _cell(result.move),
        "value": f"{counted(result.value, 'point')} for the first player, {counted(result.depth, 'move')} later",
        "line": " ".join(map(_cell, result.line)),
        "positions": f"{result.nodes}",
        "depth": f"{result.depth}{', to the end of every line' if result.final else ''}",
        "time": f"{result.seconds:.3f} s",
    }
    return "\n".join([rows.pop("move"), *(f"{name:<10} {value}" for name, value in rows.items())])


def _cell(cell: tuple[int, int]) -> str:
    return f"({cell[0]},{cell[1]})"
