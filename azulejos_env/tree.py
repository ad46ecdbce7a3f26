"""Tree of a search, in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from azulejos_env.alpha_beta import (
    COUNT,
    CUT,
    DEEPEST,
    MOVE,
    NEXT,
    NONE,
    OPEN,
    PARENT,
    PLY,
    RECORD,
    RECORDED,
    STATUS,
    TURN,
    VALUE,
    VALUED,
    Search,
)
from azulejos_env.engine import cell_of
from azulejos_env.position import Position
from azulejos_env.search import Cell, Searcher, SearchResult, check_limits

__all__ = ["MAX_NODES", "NodeKind", "SearchTree", "TreeNode", "search_tree"]

MAX_NODES = 5_000
"""Number of nodes from which a tree leaves out its deepest level: more than Graphviz lays out in some seconds."""


class NodeKind(Enum):
    """What the search did with a position."""

    VALUED = "valued"
    CHOSEN = "chosen"
    CUT = "cut"
    TIMED_OUT = "timed out"


@dataclass(frozen=True)
class TreeNode:
    """A position of the tree.

    Attributes:
        name: the moves that lead to it from the root, such as "(3,6) (1,2)"; "Start" for the root.
        parent: the name of the position before; None for the root.
        move: the last of these moves; None for the root.
        level: the number of these moves.
        value: score of the player who moves at the root minus that of the other, with best play; None if the
            position was cut.
        kind: what the search did with it; CHOSEN is the best child of its parent.
    """

    name: str
    parent: str | None
    move: tuple[int, int] | None
    level: int
    value: int | None
    kind: NodeKind


@dataclass(frozen=True)
class SearchTree:
    """The tree of the last depth that a search began.

    Attributes:
        result: what the search found, at the last depth that it finished.
        nodes: the positions; each one comes after its parent.
        levels: the number of levels that are kept below the root; all in a tree of fewer than 5000 nodes.
        player: the player who moves at the root, 0 or 1.
    """

    result: SearchResult
    nodes: tuple[TreeNode, ...]
    levels: int
    player: int

    def dot(self) -> str:
        """Returns the tree in the language of Graphviz, from left to right, with a legend above.

        A box is a position where the player of the root moves, and an ellipse one where the other player moves. The
        best child of a position is blue. A dashed branch was cut: a green one by alpha-beta, an orange one by the time
        limit.
        """
        kinds = {node.kind for node in self.nodes}
        player = ("first", "second")[self.player]
        legend = [shape.format(player) for shape in _SHAPES]
        legend += (text for kind, text in _LEGEND.items() if kind in kinds)
        label = "".join(f"{line}\\l" for line in legend)
        # Graphs that grow to the right are as tall as they have leaves, and texts lie side by side: a page to scroll.
        head = [f'  graph [label="{label}", {_GRAPH}];', f"  node [{_NODE}];", f"  edge [{_EDGE}];"]
        return "".join(f"{line}\n" for line in ["digraph search {", *head, *self._dot_lines(), "}"])

    def _dot_lines(self) -> Iterator[str]:
        for node in self.nodes:
            attributes = {"label": _label(node), "shape": ("box", "ellipse")[node.level % 2], **_STYLES[node.kind]}
            listed = ", ".join(f'{key}="{value}"' for key, value in attributes.items())
            yield f'  "{node.name}" [{listed}];'
            if node.parent is not None:
                style = _EDGE_STYLES.get(node.kind, "")
                yield f'  "{node.parent}" -> "{node.name}"{style};'


_STYLES: dict[NodeKind, dict[str, str]] = {
    NodeKind.VALUED: {},
    NodeKind.CHOSEN: {"style": "filled", "fillcolor": "#9ecae1", "color": "#08519c"},
    NodeKind.CUT: {"style": "filled,dashed", "fillcolor": "#c7e9c0", "color": "#238b45"},
    NodeKind.TIMED_OUT: {"style": "filled,dashed", "fillcolor": "#fdd0a2", "color": "#d94801"},
}


_GRAPH = 'labelloc="t", labeljust="l", rankdir="LR", nodesep="0.08", ranksep="0.7", fontname="Helvetica", fontsize="12"'
_NODE = 'fontname="Helvetica", fontsize="12", height="0.25", margin="0.08,0.03"'
_EDGE = 'color="#737373", arrowsize="0.5"'
_EDGE_STYLES: dict[NodeKind, str] = {
    NodeKind.CHOSEN: ' [color="#08519c", penwidth="2"]',
    NodeKind.CUT: ' [color="#238b45", style="dashed"]',
    NodeKind.TIMED_OUT: ' [color="#d94801", style="dashed"]',
}

_SHAPES = (
    "Each node: its move, and its value in points for the {} player.",
    "Box: the {} player is to move; ellipse: the other one.",
)
_LEGEND: dict[NodeKind, str] = {
    NodeKind.CHOSEN: "Blue: the best move of its position.",
    NodeKind.CUT: "Green, dashed: cut by alpha-beta.",
    NodeKind.TIMED_OUT: "Orange, dashed: cut by the time limit.",
}


def _label(node: TreeNode) -> str:
    move = "Start" if node.move is None else f"({node.move[0]},{node.move[1]})"
    return move if node.value is None else f"{move}: {node.value}"


def search_tree(
    position: Position, *, depth: int | None = None, seconds: float | None = None, prune: bool = True
) -> SearchTree:
    """Searches as `search` does without a transposition table, and returns the tree.

    With a time limit the tree is that of the depth which the limit cut short, and the move of its root is that of the
    last finished depth.

    Args:
        position: the position.
        depth: the largest depth; None sets no limit.
        seconds: the time limit; None sets no limit.
        prune: whether to cut branches that cannot change the value.

    Raises:
        ValueError: a limit is missing or not allowed.
    """
    most, limits = check_limits(depth, seconds, None)
    searcher = Searcher(position, most, prune=prune, table=False, record=MAX_NODES)
    result = searcher.deepen(position, most if seconds is None else 1, limits)
    nodes = tuple(_nodes(searcher, position, result))
    return SearchTree(result, nodes, max(node.level for node in nodes), position.player)


def _nodes(searcher: Searcher, position: Position, result: SearchResult) -> Iterator[TreeNode]:
    """Yields the recorded nodes, and then the moves that a time limit left untried."""
    arrays, cols = searcher.arrays, position.config.cols
    count = int(arrays.counters[RECORDED])
    rows: list[list[int]] = arrays.record[:count].tolist()
    rows += _untried(arrays)
    rows[0][VALUE], rows[0][STATUS] = result.value, VALUED
    cells = [None if row[MOVE] == NONE else cell_of(row[MOVE], cols) for row in rows]
    best = _best_children(rows, cells, result.move)
    names: list[str] = []
    for index, (row, cell) in enumerate(zip(rows, cells, strict=True)):
        parent = None if cell is None else names[row[PARENT]]
        names.append("Start" if cell is None else f"{parent} ({cell[0]},{cell[1]})".removeprefix("Start "))
        kind = NodeKind.CHOSEN if index in best else _KINDS[row[STATUS]]
        value = (-1) ** row[TURN] * row[VALUE] if row[STATUS] == VALUED else None
        yield TreeNode(names[index], parent, cell, row[TURN], value, kind)


def _untried(arrays: Search) -> list[list[int]]:
    """Returns rows for the moves of the levels that a time limit left open."""
    rows = []
    for ply in range(int(arrays.counters[PLY]) + 1):
        level = arrays.levels[ply]
        if ply < arrays.counters[DEEPEST]:
            moves = arrays.moves[ply, level[NEXT] : level[COUNT]].tolist()
            rows += [[int(level[RECORD]), move, ply + 1, 0, OPEN] for move in moves]
    return rows


def _best_children(rows: list[list[int]], cells: list[Cell | None], move: Cell | None) -> set[int]:
    """Returns the rows of the best children: of the root the move that was found, else the first with the value."""
    best: dict[int, int] = {}
    for index, row in enumerate(rows[1:], start=1):
        parent, status = row[PARENT], row[STATUS]
        if parent == 0:
            is_best = cells[index] == move
        else:
            is_best = status == rows[parent][STATUS] == VALUED and row[VALUE] == -rows[parent][VALUE]
        if is_best:
            best.setdefault(parent, index)
    return set(best.values())


_KINDS = {VALUED: NodeKind.VALUED, CUT: NodeKind.CUT, OPEN: NodeKind.TIMED_OUT}
