"""Tree of a search, in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from azulejos_env.position import Position
from azulejos_env.search import INFINITE, Cell, Limits, Searcher, SearchResult, check_limits, deepen

__all__ = ["MAX_NODES", "NodeKind", "SearchTree", "TreeNode", "search_tree"]

MAX_NODES = 5_000
"""Number of nodes from which a tree leaves out its deepest level: more than Graphviz lays out in some seconds."""


class NodeKind(Enum):
    """What the search did with a position."""

    VALUED = "valued"
    CHOSEN = "chosen"
    CUT = "cut"
    TIMED_OUT = "timed out"


@dataclass
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
        """Returns the tree in the language of Graphviz, from left to right, below a legend."""
        kinds = {node.kind for node in self.nodes}
        legend = [shape.format(("first", "second")[self.player]) for shape in _SHAPES]
        legend += (text for kind, (text, *_) in _STYLES.items() if kind in kinds)
        label = "".join(f"{line}\\l" for line in legend)
        # Graphs that grow to the right are as tall as they have leaves, and texts lie side by side: a page to scroll.
        head = [f'  graph [label="{label}", {_GRAPH}];', f"  node [{_NODE}];", f"  edge [{_EDGE}];"]
        return "".join(f"{line}\n" for line in ["digraph search {", *head, *self._dot_lines(), "}"])

    def _dot_lines(self) -> Iterator[str]:
        for node in self.nodes:
            _, style, edge = _STYLES.get(node.kind, ("", "", ""))
            label = "Start" if node.move is None else f"({node.move[0]},{node.move[1]})"
            label += "" if node.value is None else f": {node.value}"
            yield f'  "{node.name}" [label="{label}", shape="{("box", "ellipse")[node.level % 2]}"{style}];'
            if node.parent is not None:
                yield f'  "{node.parent}" -> "{node.name}"{edge};'


_GRAPH = 'labelloc="t", labeljust="l", rankdir="LR", nodesep="0.08", ranksep="0.7", fontname="Helvetica", fontsize="12"'
_NODE = 'fontname="Helvetica", fontsize="12", height="0.25", margin="0.08,0.03"'
_EDGE = 'color="#737373", arrowsize="0.5"'
_SHAPES = (
    "Each node: its move, and its value in points for the {} player.",
    "Box: the {} player is to move; ellipse: the other one.",
)
_STYLES: dict[NodeKind, tuple[str, str, str]] = {
    NodeKind.CHOSEN: (
        "Blue: the best move of its position.",
        ', style="filled", fillcolor="#9ecae1", color="#08519c"',
        ' [color="#08519c", penwidth="2"]',
    ),
    NodeKind.CUT: (
        "Green, dashed: cut by alpha-beta.",
        ', style="filled,dashed", fillcolor="#c7e9c0", color="#238b45"',
        ' [color="#238b45", style="dashed"]',
    ),
    NodeKind.TIMED_OUT: (
        "Orange, dashed: cut by the time limit.",
        ', style="filled,dashed", fillcolor="#fdd0a2", color="#d94801"',
        ' [color="#d94801", style="dashed"]',
    ),
}
"""Line of the legend, and attributes of the node and of the edge to it."""


def search_tree(
    position: Position, *, depth: int | None = None, seconds: float | None = None, prune: bool = True
) -> SearchTree:
    """Searches as `search` does without a transposition table, with the same arguments, and returns the tree.

    With a time limit the tree is that of the depth which the limit cut short, and the move of its root is that of the
    last finished depth.
    """
    most, limits = check_limits(depth, seconds, None)
    walk = _Walk(position, most, prune)
    result = deepen(walk.search, position, most if seconds is None else 1, most, limits)
    root = walk.nodes[0]
    root.value, root.kind = result.value, NodeKind.VALUED
    for node in walk.nodes:
        if node.level == 1 and node.move == result.move:
            node.kind = NodeKind.CHOSEN
    return SearchTree(result, tuple(walk.nodes), max(node.level for node in walk.nodes), position.player)


class _Walk:
    """Minimax that keeps its nodes, and leaves the levels below the kept ones to the kernel."""

    def __init__(self, root: Position, depth: int, prune: bool) -> None:
        self._searcher, self._prune = Searcher(root, depth, prune=prune, table=False), prune
        self.nodes: list[TreeNode] = []
        self._opened = 0

    def search(self, position: Position, depth: int, limits: Limits) -> SearchResult | None:
        """Searches to a depth as `Searcher.search` does."""
        if limits.reached(self._count()):
            return None
        self.nodes, self._depth, self._deepest, self._limits = [], depth, depth, limits
        found = self._visit(position, self._add(None, None, NodeKind.TIMED_OUT), -INFINITE, INFINITE)
        return found and replace(found, depth=depth, nodes=self._count())

    def _count(self) -> int:
        return self._searcher.nodes + self._opened

    def _add(self, parent: TreeNode | None, move: Cell | None, kind: NodeKind) -> TreeNode:
        """Returns a new node; the deepest level goes where there are too many."""
        name = "Start" if move is None else f"({move[0]},{move[1]})"
        if parent is not None and parent.move is not None:
            name = f"{parent.name} {name}"
        level = 0 if parent is None else parent.level + 1
        while level <= self._deepest and len(self.nodes) >= MAX_NODES:
            self._deepest -= 1
            self.nodes = [node for node in self.nodes if node.level <= self._deepest]
        node = TreeNode(name, None if parent is None else parent.name, move, level, None, kind)
        if level <= self._deepest:
            self.nodes.append(node)
        return node

    def _visit(self, position: Position, node: TreeNode, alpha: int, beta: int) -> SearchResult | None:
        """Values a node between bounds; None if the time is up."""
        if node.level >= self._deepest or position.over:
            found = self._searcher.search(position, self._depth - node.level, self._limits, alpha, beta)
        else:
            found = self._try_moves(position, node, alpha, beta)
        if found is not None:
            node.value, node.kind = (-1) ** node.level * found.value, NodeKind.VALUED
        return found

    def _try_moves(self, position: Position, node: TreeNode, alpha: int, beta: int) -> SearchResult | None:
        best, chosen, is_final = SearchResult(None, -INFINITE, 0, (), 0, 0.0, True), node, True
        below: SearchResult | None = best
        rest = list(position.groups)
        self._opened += 1
        while rest and best.value < beta and below is not None:
            # In the order of the kernel: the largest group changes places with the first.
            largest = max(range(len(rest)), key=lambda index: rest[index].size)
            rest[0], rest[largest] = rest[largest], rest[0]
            move = rest.pop(0)[:2]
            child = self._add(node, move, NodeKind.TIMED_OUT)
            bounds = (-beta, -max(alpha, best.value)) if self._prune else (-INFINITE, INFINITE)
            below = self._visit(position.play(*move), child, *bounds)
            if below is not None:
                is_final = is_final and below.final
                if -below.value > best.value:
                    best, chosen = replace(below, move=move, value=-below.value, line=(move, *below.line)), child
        for group in rest:
            self._add(node, group[:2], NodeKind.TIMED_OUT if below is None else NodeKind.CUT)
        if below is None:
            return None
        chosen.kind = NodeKind.CHOSEN
        return replace(best, final=is_final)
