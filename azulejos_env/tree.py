"""Tree of a search, in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from azulejos_env.position import Cell, Position
from azulejos_env.search import INFINITE, Searcher, SearchResult

__all__ = ["CHOSEN", "CUT", "MAX_NODES", "TIMED_OUT", "VALUED", "SearchTree", "TreeNode", "search_tree"]

MAX_NODES = 5_000
"""Number of nodes from which a tree leaves out its deepest level: more than Graphviz lays out in some seconds."""

VALUED, CHOSEN, CUT, TIMED_OUT = "valued", "chosen", "cut", "timed out"
"""What the search did with a position."""


@dataclass
class TreeNode:
    """A position of the tree."""

    line: tuple[Cell, ...]  # the moves that lead to it from the root
    kind: str  # what the search did with it; CHOSEN is the best child of its parent
    value: int | None = None  # the lead of the player who moves at the root, with best play; None if it was cut


@dataclass(frozen=True)
class SearchTree:
    """The tree of the last depth that a search began."""

    result: SearchResult  # what the search found, at the last depth that it finished
    nodes: tuple[TreeNode, ...]  # the positions; each one comes after its parent
    player: int  # the player who moves at the root, 0 or 1

    @property
    def levels(self) -> int:
        """The number of levels that are kept below the root; all in a tree of fewer than 5000 nodes."""
        return max(len(node.line) for node in self.nodes)

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
            moves = [f"({row},{col})" for row, col in node.line]
            name, parent = " ".join(moves) or "Start", " ".join(moves[:-1]) or "Start"
            label = (moves or ["Start"])[-1] + ("" if node.value is None else f": {node.value}")
            yield f'  "{name}" [label="{label}", shape="{("box", "ellipse")[len(moves) % 2]}"{style}];'
            if moves:
                yield f'  "{parent}" -> "{name}"{edge};'


_GRAPH = 'labelloc="t", labeljust="l", rankdir="LR", nodesep="0.08", ranksep="0.7", fontname="Helvetica", fontsize="12"'
_NODE = 'fontname="Helvetica", fontsize="12", height="0.25", margin="0.08,0.03"'
_EDGE = 'color="#737373", arrowsize="0.5"'
_SHAPES = (
    "Each node: its move, and its value in points for the {} player.",
    "Box: the {} player is to move; ellipse: the other one.",
)
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
    TIMED_OUT: (
        "Orange, dashed: cut by the time limit.",
        ', style="filled,dashed", fillcolor="#fdd0a2", color="#d94801"',
        ' [color="#d94801", style="dashed"]',
    ),
}
"""Line of the legend, and attributes of the node and of the edge to it."""


def search_tree(
    position: Position, *, depth: int | None = None, seconds: float | None = None, prune: bool = True
) -> SearchTree:
    """Searches as `search` does, with the same arguments, and returns the tree.

    With a time limit the tree is that of the depth which the limit cut short, and the move of its root is that of the
    last finished depth.
    """
    searcher = _TreeSearcher(position, depth, seconds, None, prune=prune)
    result = searcher.deepen(position)
    root, *others = searcher.kept
    root.value, root.kind = result.value, VALUED
    for node in others:
        if node.line == (result.move,):
            node.kind = CHOSEN
    return SearchTree(result, tuple(searcher.kept), position.player)


class _TreeSearcher(Searcher):
    """Minimax that keeps its nodes, and leaves the levels below the kept ones to the kernel."""

    def search(
        self, position: Position, depth: int, alpha: int = -INFINITE, beta: int = INFINITE
    ) -> SearchResult | None:
        if self.reached():
            return None
        self.kept: list[TreeNode] = []
        self._aim = self._deepest = depth
        found = self._visit(position, self._add((), TIMED_OUT), alpha, beta)
        return found and replace(found, depth=depth)

    def _add(self, line: tuple[Cell, ...], kind: str) -> TreeNode:
        """Returns a new node; the deepest level goes where there are too many."""
        node = TreeNode(line, kind)
        while len(line) <= self._deepest and len(self.kept) >= MAX_NODES:
            self._deepest -= 1
            self.kept = [each for each in self.kept if len(each.line) <= self._deepest]
        if len(line) <= self._deepest:
            self.kept.append(node)
        return node

    def _visit(self, position: Position, node: TreeNode, alpha: int, beta: int) -> SearchResult | None:
        """Values a node between bounds; None if the time is up."""
        level = len(node.line)
        if level >= self._deepest or position.over:
            found = super().search(position, self._aim - level, alpha, beta)
        else:
            found = self._try_moves(position, node, alpha, beta)
        if found is not None:
            node.value, node.kind = (-1) ** level * found.value, VALUED
        return found

    def _try_moves(self, position: Position, node: TreeNode, alpha: int, beta: int) -> SearchResult | None:
        best, chosen, is_final = SearchResult(None, -INFINITE, 0, (), 0, 0.0, True), node, True
        below: SearchResult | None = best
        rest = list(position.groups)
        self.count_node()
        while rest and best.value < beta and below is not None:
            # In the order of the kernel: the largest group changes places with the first.
            largest = max(range(len(rest)), key=lambda index: rest[index].size)
            rest[0], rest[largest] = rest[largest], rest[0]
            move = rest.pop(0)[:2]
            child = self._add((*node.line, move), TIMED_OUT)
            bounds = (-beta, -max(alpha, best.value)) if self.prune else (-INFINITE, INFINITE)
            below = self._visit(position.play(*move), child, *bounds)
            if below is not None:
                is_final = is_final and below.final
                if -below.value > best.value:
                    best, chosen = replace(below, move=move, value=-below.value, line=(move, *below.line)), child
        for group in rest:
            self._add((*node.line, group[:2]), TIMED_OUT if below is None else CUT)
        if below is None:
            return None
        chosen.kind = CHOSEN
        return replace(best, final=is_final)
