"""Addresses of clusters, clusters that are not there, and the identity of an installation."""

from __future__ import annotations

import re
import socket
from importlib import import_module
from importlib.util import find_spec

import pytest
from support.commands import complaint

from baselines.cli import train
from baselines.cluster import connection
from baselines.cluster.connection import ClusterError, Connection, connected, parse_address
from baselines.support.reuse import own_identity

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray")


@pytest.mark.parametrize("text", ["auto", "local", "10.0.0.1:6379", "head.cluster:1", "[::1]:65535"])
def test_addresses(text):
    assert parse_address(text) == text


@pytest.mark.parametrize("text", ["", "here", "ray://head:10001", "head", "head:0", "head:65536", "a b:1", ":6379"])
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="the address of a cluster is auto, local or HOST:PORT such as"):
        parse_address(text)


@needs_ray
def test_a_cluster_that_is_not_there_is_named_at_once():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = f"there is no cluster of Ray at 127.0.0.1:{port}; is `ray start` running?"
    with pytest.raises(ClusterError, match=f"^{re.escape(line)}$"), connected(f"127.0.0.1:{port}"):
        pass


@needs_ray
def test_a_training_that_reaches_no_cluster_has_no_checkpoint(tmp_path, capsys):
    pytest.importorskip("torch")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    run = tmp_path / "run"
    assert train.main(["--steps", "9", "--ray", address, "--out", str(run)]) == 1
    line = complaint(capsys.readouterr().err)
    assert line == f"train.py: there is no cluster of Ray at {address}; is `ray start` running?"
    assert not run.exists()


def test_a_head_node_that_stops_answering_counts_as_gone(monkeypatch):
    monkeypatch.setattr(connection, "PROBE_SECONDS", 0.01)
    monkeypatch.setattr(connection, "GONE_SECONDS", 0.5)
    left = []
    monkeypatch.setattr(connection, "leave_at_exit", left.append)
    with socket.create_server(("127.0.0.1", 0)) as head:
        watched = Connection(socket, f"127.0.0.1:{head.getsockname()[1]}")
        assert not watched._over.wait(0.8)
        watched.check()
    assert not watched._over.wait(1.0)
    with pytest.raises(ClusterError, match=r"the head node of the cluster at 127\.0\.0\.1:.* does not answer any more"):
        watched.check()
    watched.close()
    assert left == [socket]


@needs_ray
@pytest.mark.slow
def test_a_local_cluster_leaves_the_settings_of_ray_as_they_were():
    constants = import_module("ray._private.ray_constants")
    for enabled in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(constants, "ENABLE_RAY_CLUSTER", enabled)
            with connected("local", cpus=1):
                pass
            assert constants.ENABLE_RAY_CLUSTER is enabled


def test_differences_of_installations_are_named():
    here = own_identity()
    assert here.differences(here) == ""
    other = here._replace(package="0" * 12, precision="bf16")
    assert here.differences(other) == f"package {'0' * 12}, not {here.package}; precision bf16, not float32"
