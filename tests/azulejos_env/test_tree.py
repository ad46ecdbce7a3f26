"""Tree of a search: what was valued, chosen and cut, and files that Graphviz reads."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from azulejos_env.config import GameConfig
from azulejos_env.position import Position, random_board
from azulejos_env.search import Limits, search
from azulejos_env.tree import MAX_NODES, NodeKind, search_tree

CONFIG = GameConfig(4, 4, 3)


def position(seed=0, config=CONFIG):
    return Position(config, random_board(config, seed), (2, 1))


def children(tree, parent):
    """Returns the children of a node."""
    return [node for node in tree.nodes if node.parent == parent.name]


@pytest.mark.parametrize("seed", range(8))
def test_a_plain_tree_holds_all_lines_and_every_value_follows_from_below(seed):
    tree = search_tree(position(seed), depth=3, prune=False)
    assert len(tree.nodes) == len({node.name for node in tree.nodes})
    assert {node.kind for node in tree.nodes} <= {NodeKind.VALUED, NodeKind.CHOSEN}
    for node in tree.nodes:
        below = children(tree, node)
        if below:
            choose = min if node.level % 2 else max
            assert node.value == choose(child.value for child in below)
            assert [child.value for child in below if child.kind is NodeKind.CHOSEN] == [node.value]
    assert tree.nodes[0].value == search(position(seed), depth=3).value


@pytest.mark.parametrize("seed", range(8))
def test_cut_branches_are_in_the_tree_without_a_value(seed):
    plain, pruned = (search_tree(position(seed), depth=3, prune=prune) for prune in (False, True))
    cut = [node for node in pruned.nodes if node.kind is NodeKind.CUT]
    assert cut
    assert all(node.value is None and not children(pruned, node) for node in cut)
    assert {node.name for node in pruned.nodes} < {node.name for node in plain.nodes}
    assert pruned.nodes[0].value == plain.nodes[0].value


def test_the_chosen_moves_from_the_root_are_the_line_of_the_search():
    tree = search_tree(position(), depth=3)
    node, line = tree.nodes[0], []
    while below := [child for child in children(tree, node) if child.kind is NodeKind.CHOSEN]:
        node = below[0]
        line.append(node.move)
    assert tuple(line) == tree.result.line
    assert node.value == tree.result.value


def test_a_time_limit_shows_what_it_cut(monkeypatch):
    root = position(config=GameConfig(12, 12, 5))
    before = search_tree(root, depth=2, seconds=60.0).result.nodes
    # Time is up in the middle of depth 3.
    monkeypatch.setattr(Limits, "reached", lambda _, nodes: nodes > before + 10)
    tree = search_tree(root, seconds=60.0)
    assert tree.result.depth == 2
    timed_out = [node for node in tree.nodes if node.kind is NodeKind.TIMED_OUT]
    assert {node.level for node in timed_out} == {1, 2, 3}
    assert all(node.value is None for node in timed_out)
    chosen = [node.move for node in tree.nodes if node.level == 1 and node.kind is NodeKind.CHOSEN]
    assert chosen == [tree.result.move]


def test_a_limit_between_two_depths_leaves_the_tree_of_the_last_finished_one(monkeypatch):
    before = search_tree(position(), depth=2, seconds=60.0).result.nodes
    monkeypatch.setattr(Limits, "reached", lambda _, nodes: nodes >= before)
    tree = search_tree(position(), seconds=60.0)
    assert tree.result.depth == 2
    assert tree.nodes == search_tree(position(), depth=2).nodes


def test_a_large_tree_leaves_out_its_deepest_levels():
    root = position(config=GameConfig(12, 12, 4))
    tree = search_tree(root, depth=3, prune=False)
    assert tree.levels == 2
    assert MAX_NODES / 10 < len(tree.nodes) <= MAX_NODES
    assert len(tree.nodes) == 1 + len(root.groups) + sum(len(root.play(*group[:2]).groups) for group in root.groups)


def test_the_file_is_the_recorded_one():
    recorded = (Path(__file__).parent / "golden" / "tree.dot").read_text(encoding="ascii")
    assert search_tree(position(), depth=3).dot() == recorded
    assert "Green" in recorded
    assert "Green" not in search_tree(position(), depth=3, prune=False).dot()


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_reads_the_file():
    text = search_tree(position(), depth=2).dot()
    subprocess.run(["dot", "-Tplain"], input=text.encode(), check=True, capture_output=True)


@pytest.mark.parametrize(("player", "name"), [(0, "first"), (1, "second")])
def test_the_legend_names_the_player_of_the_root(player, name):
    dot = search_tree(Position(GameConfig(1, 2, 1), np.array([[1, 1]]), player=player), depth=1).dot()
    assert f"for the {name} player" in dot
    assert f"Box: the {name} player" in dot
