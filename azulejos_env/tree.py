"""Tree of a search, in the DOT language of Graphviz."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from azulejos_env.position import Cell, Position
from azulejos_env.search import INFINITE, Searcher, SearchResult, search

__all__ = ["BEGINNING", "CHOSEN", "CUT", "MAX_NODES", "VALUED", "SearchTree", "TreeNode", "search_tree"]

MAX_NODES = 5_000
"""Number of nodes at which a tree drops its deepest level, unless `levels` is given; Graphviz needs seconds for it."""

VALUED, CHOSEN, CUT = "valued", "chosen", "cut"
"""Kinds of nodes: what the search did with the position."""


@dataclass
class TreeNode:
    """A position of the tree."""

    line: tuple[Cell, ...]  # the moves that lead to it from the root
    kind: str  # what the search did with it; CHOSEN is the best child of its parent
    value: int | None = None  # the lead of the player who moves at the root, with best play; None if it was cut


@dataclass(frozen=True)
class SearchTree:
    """The tree of the last depth that a search finished."""

    result: SearchResult  # what the search found
    nodes: tuple[TreeNode, ...]  # the positions; each one comes after its parent
    player: int  # the player who moves at the root, 0 or 1

    @property
    def levels(self) -> int:
        """The number of levels that are kept below the root."""
        return max(len(node.line) for node in self.nodes)

    def dot(self) -> str:
        """Returns the tree in the language of Graphviz, from left to right, below a legend."""
        kinds = {node.kind for node in self.nodes}
        legend = [shape.format(("first", "second")[self.player]) for shape in _SHAPES]
        legend += (text for kind, (text, *_) in _STYLES.items() if kind in kinds)
        label = "".join(f"{line}\\l" for line in legend)
        # A graph that grows to the right is as tall as it has leaves, so its texts lie below each other, on a page.
        head = [f'{_HEAD}{label}", {_GRAPH}];', f"  node [{_NODE}];", f"  edge [{_EDGE}];"]
        return "".join(f"{line}\n" for line in [*head, *self._dot_lines(), "}"])

    def _dot_lines(self) -> Iterator[str]:
        """Yields a line for each node, and one for the edge from its parent; a node is named by its moves."""
        for node in self.nodes:
            _, style, edge_style = _STYLES.get(node.kind, ("", "", ""))
            moves = [f"({row},{col})" for row, col in node.line]
            name, parent = " ".join(moves) or "Start", " ".join(moves[:-1]) or "Start"
            label = (moves or ["Start"])[-1] + ("" if node.value is None else f": {node.value}")
            shape = ("box", "ellipse")[len(moves) % 2]  # The players take turns: that of the root moves at even depths.
            yield f'  "{name}" [label="{label}", shape="{shape}"{style}];'
            if moves:
                yield f'  "{parent}" -> "{name}"{edge_style};'


_GRAPH = 'labelloc="t", labeljust="l", rankdir="LR", nodesep="0.08", ranksep="0.7", fontname="Helvetica", fontsize="12"'
_NODE = 'fontname="Helvetica", fontsize="12", height="0.25", margin="0.08,0.03"'
_EDGE = 'color="#737373", arrowsize="0.5"'
_SHAPES = (
    "Each node: its move, and its value in points for the {} player.",
    "Box: the {} player is to move; ellipse: the other one.",
)
_HEAD = 'digraph search {\n  graph [label="'
BEGINNING = _HEAD + _SHAPES[0].partition("{}")[0]
"""How the text of every tree begins; a graph of somebody else may be called "search", too."""
_STYLES: dict[str, tuple[str, str, str]] = {
    CHOSEN: (
        "Blue: the best move of its position.",
        ', style="filled", fillcolor="#9ecae1", color="#08519c"',
        ' [color="#08519c", penwidth="2"]',
    ),
    CUT: (
        "Green, dashed: cut by alpha-beta.",
        ', style="filled,dashed", fillcolor="#c7e9c0", color="#238b45"',
        ' [color="#238b45", style="dashed"]',
    ),
}
"""By kind: the line of the legend, the attributes of the node, and those of the edge from its parent."""


def search_tree(
    position: Position,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    prune: bool = True,
    levels: int | None = None,
) -> SearchTree:
    """Searches as `search` does, with the same arguments, and returns the tree of the last depth that it finished.

    The tree has `levels` levels below the root, at most the depth; with None, as many as fit into 5000 nodes. To build
    the tree, that depth is searched again, and the time limit does not count it.
    """
    result = search(position, depth=depth, seconds=seconds, prune=prune)
    return SearchTree(result, tuple(_TreeBuilder(position, result.depth, prune, levels).nodes), position.player)


class _TreeBuilder:
    """Minimax that keeps the nodes of the upper levels, and asks the kernel for the values below them."""

    def __init__(self, position: Position, depth: int, prune: bool, levels: int | None) -> None:
        self._searcher = Searcher(position, depth, None, None, prune=prune)
        self._prune, self._depth, self._kept_levels = prune, depth, min(depth, levels or depth)
        self._max_nodes = MAX_NODES if levels is None else math.inf
        self.nodes: list[TreeNode] = []
        self._visit(position, self._add(()), -INFINITE, INFINITE)

    def _add(self, line: tuple[Cell, ...]) -> TreeNode:
        """Returns a new node, CUT until it is visited; drops the deepest levels while the tree has too many nodes."""
        node = TreeNode(line, CUT)
        while len(line) <= self._kept_levels and len(self.nodes) >= self._max_nodes:
            self._kept_levels -= 1
            self.nodes = [kept for kept in self.nodes if len(kept.line) <= self._kept_levels]
        if len(line) <= self._kept_levels:
            self.nodes.append(node)
        return node

    def _visit(self, position: Position, node: TreeNode, alpha: int, beta: int) -> int:
        """Returns the value of a node for the player to move, within bounds of alpha-beta; sets its kind and value."""
        level = len(node.line)
        if level >= self._kept_levels or position.over:
            result = self._searcher.search(position, self._depth - level, alpha, beta)
            assert result is not None
            value = result.value
        else:
            value = self._try_moves(position, node, alpha, beta)
        node.value, node.kind = (-1) ** level * value, VALUED  # a node stores its value for the player of the root
        return value

    def _try_moves(self, position: Position, node: TreeNode, alpha: int, beta: int) -> int:
        """Returns the value of the best move, and marks its node as CHOSEN; the moves that it leaves out stay CUT."""
        best, best_child, untried = -INFINITE, node, list(position.groups)
        while untried and best < beta:
            # In the order of the kernel: the largest group changes places with the first.
            largest = max(range(len(untried)), key=lambda index: untried[index].size)
            untried[0], untried[largest] = untried[largest], untried[0]
            move = untried.pop(0)[:2]
            child = self._add((*node.line, move))
            bounds = (-beta, -max(alpha, best)) if self._prune else (-INFINITE, INFINITE)
            value = -self._visit(position.play(*move), child, *bounds)
            if value > best:
                best, best_child = value, child
        for group in untried:
            self._add((*node.line, group[:2]))
        best_child.kind = CHOSEN
        return best
