"""Nodes of a cluster: their room for calls, refused ones, and clusters without room."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from baselines.cluster import nodes as nodes_module
from baselines.cluster.connection import ClusterError
from baselines.cluster.nodes import UNIT_DEMAND, Demand, Nodes

GIB = 1 << 30


def node(key, cpus, memory=64 * GIB, alive=True):
    return {"NodeID": key, "NodeManagerHostname": f"host-{key}", "Alive": alive,
            "Resources": {"CPU": cpus, "memory": memory} if cpus else {"memory": memory}}  # fmt: skip


def watched(*nodes, demand=UNIT_DEMAND):
    found = list(nodes)
    return found, Nodes(SimpleNamespace(nodes=lambda: found), demand)


def test_room_is_limited_by_processors_and_memory_and_read_again(monkeypatch):
    monkeypatch.setattr(nodes_module, "LOOK_SECONDS", 0.01)
    found, nodes = watched(node("a", 4), node("b", 16, memory=3.5 * GIB), node("c", 8, alive=False), node("head", 0))
    assert nodes.room == 4 + 3
    found.append(node("late", 2))
    end = time.monotonic() + 5
    while nodes.room != 9:
        assert time.monotonic() < end
        time.sleep(0.01)
    nodes.close()
    assert Demand(4, GIB).room({"CPU": 7.0, "memory": 9.0 * GIB}) == 1


def test_a_refused_node_is_named_once_and_gets_no_calls(capsys):
    _, nodes = watched(node("a", 4), node("b", 2))
    assert nodes.selector() == {}
    for _ in range(2):
        nodes.refuse("a", "numpy 2.3.1, not 2.4.6")
    assert capsys.readouterr().err == "node host-a is refused: numpy 2.3.1, not 2.4.6\n"
    assert (nodes.room, nodes.selector()) == (2, {"ray.io/node-id": "!in(a)"})
    nodes.check()
    nodes.refuse("b", "precision bf16, not float32")
    with pytest.raises(ClusterError, match=r"^no node of the cluster can play these games: node host-a is refused: .*"):
        nodes.check()
    nodes.close()


def test_a_cluster_without_room_is_waited_for_with_one_line(capsys):
    _, nodes = watched(node("head", 0), node("small", 8, memory=GIB / 2))
    nodes.check()
    nodes.check()
    assert capsys.readouterr().err == "waiting for a node: none has 1 CPU and 1.0 GiB of memory for a call\n"
    nodes.close()
