"""Agents that are taken from the hub, by the real client from a stand-in of the hub."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from support import ROOT, hub, tiny_suites

import baselines
from baselines import hub as cache
from baselines.benchmark import suites
from baselines.cli import evaluate, suite
from baselines.hub import UnreachableHubError, hub_folder, is_hub_name, parse_hub_name, pin
from baselines.registry import check_name, find_policy, pinned, policy_digest, read_specification
from baselines.support.extras import MissingExtraError

pytest.importorskip("huggingface_hub")
SMALL = ("--size", "4x5", "--mines", "2", "--games", "20")


@pytest.fixture
def server():
    with hub.running_hub() as running:
        yield running


@pytest.fixture
def patch(server, tmp_path):
    """Lets the client ask the stand-in; what it yields patches more of the client."""
    with hub.client_of(server, tmp_path / "cache") as patch:
        yield patch


@pytest.fixture
def commit(server, patch, tmp_path):
    """The commit of an agent on the hub, beside a file that is not ours."""
    files = hub.agent_files(tmp_path / "agent") | {"run.json": b"{}", "model.pkl": b"pickled"}
    return server.add("ana/mines", files)


def refused(capsys, name: str) -> str:
    """Returns the last line on stderr of an evaluation that exits with status 2."""
    with pytest.raises(SystemExit) as exit_info:
        evaluate.main([*SMALL, "--policy", name])
    assert exit_info.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()[-1]


def test_an_evaluation_plays_the_agent_and_names_its_commit(commit, server, tmp_path, capsys):
    found = tmp_path / "results.json"
    local = str(tmp_path / "agent")
    assert evaluate.main([*SMALL, "--policy", "hf:ana/mines", local, "--json", str(found)]) == 0
    rows = json.loads(found.read_text())["results"]
    assert [row["policy"] for row in rows] == [f"hf:ana/mines@{commit}", local]
    assert rows[0]["wins"] == rows[1]["wins"]
    assert f"hf:ana/mines@main is hf:ana/mines@{commit}" in capsys.readouterr().err
    assert not [request for request in server.requests if "model.pkl" in request]


def test_only_known_files_come_and_only_once(commit, server):
    folder = hub_folder("hf:ana/mines")
    assert sorted(path.name for path in folder.iterdir()) == ["agent.json", "agent.safetensors", "run.json"]
    server.requests.clear()
    policy = baselines.make_policy(f"hf:ana/mines@{commit}:symmetries=true", size=(4, 5), mines=2)
    assert policy.name == f"hf:ana/mines@{commit}:symmetries=true"
    assert baselines.make_policy("hf:ana/mines", size=(4, 5), mines=2).name == f"hf:ana/mines@{commit}"
    assert server.requests == []


def test_a_branch_a_tag_and_a_short_commit_are_resolved(commit, server, tmp_path):
    newer = server.repositories["ana/mines"].commit(hub.agent_files(tmp_path / "newer", seed=1), "wide")
    assert pin("hf:ana/mines@wide") == f"hf:ana/mines@{newer}"
    assert pin(f"hf:ana/mines@{commit[:9]}") == pin("hf:ana/mines") == f"hf:ana/mines@{commit}"
    assert policy_digest("hf:ana/mines@wide") == policy_digest(str(tmp_path / "newer"))
    assert policy_digest("hf:ana/mines") != policy_digest("hf:ana/mines@wide")


def test_after_a_download_no_network_is_needed(commit, server, patch, capsys):
    pin("hf:ana/mines")
    offline(patch, server)
    for name in ("hf:ana/mines", f"hf:ana/mines@{commit}"):
        assert find_policy(name).name == f"hf:ana/mines@{commit}"
    assert f"hf:ana/mines@main was hf:ana/mines@{commit} at the last download" in capsys.readouterr().err
    with pytest.raises(UnreachableHubError, match=r"^hf:ana/mines@v2 is not in the cache"):
        pin("hf:ana/mines@v2")


def test_the_client_can_be_told_to_stay_offline(commit, patch, server):
    pin("hf:ana/mines")
    server.requests.clear()
    hub.client_offline(patch)
    assert find_policy("hf:ana/mines").name == f"hf:ana/mines@{commit}"
    with pytest.raises(UnreachableHubError, match="HF_HUB_OFFLINE"):
        pin("hf:ana/other")
    assert server.requests == []


def offline(patch, server) -> None:
    """Sends the client to a port where nothing listens."""
    from huggingface_hub import constants

    cache._resolve.cache_clear()
    patch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")


def test_a_suite_keeps_the_commit_and_the_digest(commit, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(suites.SUITES, "tiny", tiny_suites.TINY)
    out = tmp_path / "out"
    added = ["tiny", "--games", "20", "--out", str(out), "--policy", "hf:ana/mines"]
    assert suite.main(added) == 0
    name = f"hf:ana/mines@{commit}"
    digest = policy_digest(str(tmp_path / "agent"))
    assert json.loads((out / "suite.json").read_text())["policies"] == {name: digest}
    boards = json.loads((out / "results.json").read_text())["boards"]
    assert all(name in [row["policy"] for row in board["results"]] for board in boards)
    capsys.readouterr()
    assert suite.main([*added[:-1], name]) == 0
    assert "not named" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hf:ana/none", "log in with: hf auth login"),
        ("hf:ana/gated", "log in with: hf auth login"),
        ("hf:ana/mines@v9", "hf:ana/mines@v9: "),
        ("hf:ana/text", "holds no agent of train.py: it lacks agent.json and agent.safetensors"),
        ("hf:ana/mi--nes", "hf:ana/mi--nes@main: Cannot have -- or .. in repo_id"),
    ],
)
def test_what_the_hub_refuses_is_told_in_one_line(commit, server, capsys, name, message):
    server.add("ana/gated", {}, gated=True)
    server.add("ana/text", {"README.md": b"text", "agent.pkl": b"pickled"})
    assert message in refused(capsys, name)


def test_a_file_that_is_too_large_is_not_downloaded(commit, server, capsys):
    server.sizes["agent.safetensors"] = 600 << 20
    assert "has 600.0 MiB, and must have at most 512 MiB" in refused(capsys, "hf:ana/mines")
    assert not [request for request in server.requests if "/resolve/" in request]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"agent.json": b"[1]"}, "/agent.json must hold a JSON object, not list"),
        ({"agent.json": b'{"architectures": ["Llama"]}'}, "/agent.json is damaged: Object missing required field"),
        ({"agent.json": b"\x80\x04"}, "/agent.json holds no valid JSON"),
        ({"agent.safetensors": b"\x80\x04pickled"}, "/agent.safetensors cannot be used: "),
    ],
)
def test_files_that_are_not_ours_are_named_by_the_hub_and_not_by_the_cache(commit, server, capsys, files, message):
    newer = server.repositories["ana/mines"].commit(files)
    told = refused(capsys, "hf:ana/mines")
    assert f"hf:ana/mines@{newer}{message}" in told
    assert "snapshots" not in told.split(": ", 1)[1].split(" is missing")[0]


def test_a_missing_client_is_told_before_any_work(commit, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'minesweeper-env\[hub\]'$"):
        find_policy("hf:ana/mines@v3")


@pytest.mark.slow
def test_address_cache_and_offline_mode_come_from_the_environment(server, tmp_path):
    commit = server.add("ana/mines", hub.agent_files(tmp_path / "agent"))
    environment = {**os.environ, "HF_ENDPOINT": server.endpoint, "HF_HOME": str(tmp_path), "HF_HUB_DISABLE_XET": "1"}
    code = "from baselines.registry import find_policy; print(find_policy('hf:ana/mines').name)"
    for state in ({}, {"HF_HUB_OFFLINE": "1"}):
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=ROOT, env=environment | state, capture_output=True, text=True, timeout=300)
        assert done.stdout == f"hf:ana/mines@{commit}\n", done.stderr
    assert (tmp_path / "hub" / "models--ana--mines").is_dir()


COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_repository_revision_and_options_are_told_apart():
    found = read_specification(f"hf:user/my-agent_1.0@{COMMIT}:precision=bfloat16,symmetries=true")
    assert found.base == f"hf:user/my-agent_1.0@{COMMIT}"
    assert found.options == {"precision": "bfloat16", "symmetries": True}
    assert found.attribute is None
    assert read_specification("hf:user/agent@refs/pr/1").base == "hf:user/agent@refs/pr/1"
    assert read_specification("hf:user/agent").options == {}


def test_a_name_without_revision_means_the_default_branch():
    assert str(parse_hub_name("hf:user/agent")) == "hf:user/agent@main"
    assert not parse_hub_name("hf:user/agent@v1").is_pinned
    assert parse_hub_name(f"hf:user/agent@{COMMIT}").is_pinned
    assert not parse_hub_name(f"hf:user/agent@{COMMIT[:12]}").is_pinned


@pytest.mark.parametrize(
    "text", ["hf:", "hf:agent", "hf:user/agent@", "hf:a/b/c", "hf:user/a gent", "hf:user/agent@a@b"]
)
def test_another_form_is_refused_in_one_line(text):
    assert not is_hub_name(text)
    with pytest.raises(ValueError, match=r"^write an agent of the Hugging Face hub as hf:user/repo@revision[^\n]*$"):
        check_name(text)


def test_a_pinned_name_and_other_policies_are_returned_as_they_are_without_the_client(monkeypatch):
    monkeypatch.setattr("baselines.hub.client", None)
    for name in (f"hf:user/agent@{COMMIT}:precision=float32", "exact", "bayes:prior=count", "path/file.py:NAME"):
        assert pinned(name) == name
