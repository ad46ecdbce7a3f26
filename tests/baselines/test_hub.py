"""Agents that are taken from the hub and sent to it, with a stand-in for the client's calls, whose arguments count."""

import json
import os
import sys
from fnmatch import fnmatch
from hashlib import sha1
from types import SimpleNamespace
from unittest.mock import create_autospec

import pytest
import torch
from support import tiny_suites
from support.commands import refused
from support.tiny_training import tiny

import baselines
from baselines import hub
from baselines.__main__ import main
from baselines.benchmark import suites
from baselines.checks import MissingExtraError
from baselines.evaluation.seeds import DEVELOPMENT_SEEDS
from baselines.hub import HUB_NAME, HubError, hub_folder, parse_hub_name
from baselines.learned.agents import save_agent
from baselines.learned.configurations import record_session
from baselines.learned.networks import BoardNetwork
from baselines.learned.settings import NetworkSize
from baselines.registry import Specification, find_policy

huggingface_hub = pytest.importorskip("huggingface_hub")

SMALL = ("--size", "4x5", "--mines", "2", "--games", "20")
SENT = ["README.md", "agent.json", "agent.safetensors", "curves.png", "run.json"]
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class StandIn:
    """Repositories on the hub, each a map from revisions to files; the cache of the client, and its calls so far."""

    def __init__(self, cache):
        self.repositories, self.private, self.cache, self.calls, self.is_offline = {}, set(), cache, [], False

    def add(self, repository, files, branch="main"):
        """Adds files to a branch; returns the new commit."""
        revisions = self.repositories.setdefault(repository, {})
        files = revisions.get(branch, (None, {}))[1] | files
        commit = sha1(repr(sorted(files.items())).encode()).hexdigest()
        revisions[branch] = revisions[commit] = (commit, files)
        return commit

    def find(self, call, repository, revision):
        self.calls.append(call)
        if self.is_offline:
            raise huggingface_hub.errors.OfflineModeIsEnabled("HF_HUB_OFFLINE is set")
        if revision not in self.repositories.get(repository, {}):
            response = SimpleNamespace(status_code=404, headers={}, request=None)
            raise huggingface_hub.errors.HfHubHTTPError("Repository not found", response=response)
        return self.repositories[repository][revision]

    def model_info(self, repository, revision="main", **_):
        commit, files = self.find("model_info", repository, revision)
        siblings = [SimpleNamespace(rfilename=name, size=len(content)) for name, content in files.items()]
        return SimpleNamespace(sha=commit, siblings=siblings, private=repository in self.private)

    def snapshot_download(self, repository, revision, allow_patterns, local_files_only=False):
        if local_files_only and not (self.cache / revision).exists():
            raise huggingface_hub.errors.LocalEntryNotFoundError("not in the cache")
        reference = self.cache / repository / revision
        known = reference.read_text() if reference.exists() else revision
        if (self.cache / known).exists() and (self.is_offline or known == revision):
            return str(self.cache / known)
        commit, files = self.find("snapshot_download", repository, revision)
        for path in (reference, self.cache / commit / "file"):
            path.parent.mkdir(parents=True, exist_ok=True)
        reference.write_text(commit)
        for name, content in files.items():
            if any(fnmatch(name, pattern) for pattern in allow_patterns):
                (self.cache / commit / name).write_bytes(content)
        return str(self.cache / commit)

    def create_repo(self, repository, private, exist_ok):
        assert exist_ok
        if self.is_offline:
            raise huggingface_hub.errors.OfflineModeIsEnabled("HF_HUB_OFFLINE is set")
        if repository not in self.repositories:
            self.add(repository, {".gitattributes": b""})
            self.private |= {repository} if private else set()

    def create_branch(self, repository, branch, exist_ok):
        assert exist_ok
        self.repositories[repository].setdefault(branch, self.repositories[repository]["main"])

    def create_commit(self, repository, operations, commit_message, revision):
        self.message = commit_message
        files = {each.path_in_repo: each.path_or_fileobj for each in operations}
        return SimpleNamespace(oid=self.add(repository, files, revision))


@pytest.fixture
def server(tmp_path, monkeypatch):
    """The hub, without repositories. The client checks each call by the signatures of the real one."""
    server = StandIn(tmp_path / "cache")
    client = create_autospec(huggingface_hub.HfApi, instance=True)
    for name in ("model_info", "snapshot_download", "create_repo", "create_branch", "create_commit"):
        getattr(client, name).side_effect = getattr(server, name)
    monkeypatch.setattr("huggingface_hub.HfApi", lambda **_: client)
    hub_folder.cache_clear()
    yield server
    hub_folder.cache_clear()


def agent_files(folder, seed=0):
    """Returns the files of a small agent without training, which it writes into a folder."""
    torch.manual_seed(seed)
    size = NetworkSize(4, 1)
    kept = {"win_rate": 0.6, "win_rates": {"4x5/2": 0.6}, "games": 50, "first_seed": 1 << 30, "steps": 1200}
    trained_on = {"boards": ["4x5/2"], "first_click": "opening"}
    facts = {"algo": "dqn", "trained_on": trained_on, "selected_by": kept}
    folder.mkdir(parents=True, exist_ok=True)
    save_agent(folder, BoardNetwork.of_size(size), size, facts)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def commit(server, tmp_path):
    """The commit of an agent on the hub, beside a file that is not ours."""
    return server.add("ana/mines", agent_files(tmp_path / "agent") | {"run.json": b"{}", "model.pkl": b"pickled"})


def test_an_evaluation_plays_the_agent_and_names_its_commit(commit, tmp_path, capsys):
    found, local = tmp_path / "results.json", str(tmp_path / "agent")
    assert main(["evaluate", *SMALL, "--policy", "hf:ana/mines", local, "--json", str(found)]) == 0
    rows = json.loads(found.read_text())["results"]
    assert [row["policy"] for row in rows] == [f"hf:ana/mines@{commit}", local]
    assert rows[0]["wins"] == rows[1]["wins"]
    assert f"hf:ana/mines@main is hf:ana/mines@{commit}" in capsys.readouterr().err


def test_only_known_files_come_and_only_once(commit, server, tmp_path):
    folder = hub_folder("hf:ana/mines")
    assert sorted(path.name for path in folder.iterdir()) == ["agent.json", "agent.safetensors", "run.json"]
    server.calls.clear()
    policy = baselines.make_policy(f"hf:ana/mines@{commit}:symmetries=true", size=(4, 5), mines=2)
    assert policy.name == f"hf:ana/mines@{commit}:symmetries=true"
    assert baselines.make_policy("hf:ana/mines", size=(4, 5), mines=2).name == f"hf:ana/mines@{commit}"
    assert server.calls == []
    wide = server.add("ana/mines", agent_files(tmp_path / "wide", seed=1), "wide")
    assert Specification.of("hf:ana/mines@wide").pinned().name == f"hf:ana/mines@{wide}"
    digests = [Specification.of(name).digest() for name in ("hf:ana/mines", "hf:ana/mines@wide", f"{tmp_path}/wide")]
    assert digests[0] != digests[1] == digests[2]


@pytest.mark.parametrize("is_pinned", [False, True])
def test_a_file_that_is_too_large_is_not_downloaded(commit, server, is_pinned, monkeypatch, capsys):
    monkeypatch.setattr(hub, "MOST_BYTES", 100)
    name = f"hf:ana/mines@{commit if is_pinned else 'main'}"
    said = refused(capsys, main, "evaluate", *SMALL, "--policy", name)
    assert f"{name}: agent." in said
    assert said.endswith("and may have 100")
    assert "snapshot_download" not in server.calls


def test_offline_a_branch_means_the_commit_of_the_last_download(commit, server, capsys):
    Specification.of("hf:ana/mines").pinned()
    hub_folder.cache_clear()
    server.is_offline = True
    for name in ("hf:ana/mines", f"hf:ana/mines@{commit}"):
        assert find_policy(name).name == f"hf:ana/mines@{commit}"
    assert f"hf:ana/mines@main is hf:ana/mines@{commit}" in capsys.readouterr().err
    with pytest.raises(HubError, match=r"^hf:ana/mines@v2: .*HF_HUB_OFFLINE"):
        Specification.of("hf:ana/mines@v2").pinned()


def test_a_suite_keeps_the_commit_and_the_digest(commit, tmp_path, monkeypatch):
    monkeypatch.setitem(suites.SUITES, "tiny", tiny_suites.TINY)
    out = tmp_path / "out"
    assert main(["suite", "tiny", "--games", "20", "--out", str(out), "--policy", "hf:ana/mines"]) == 0
    name, digest = f"hf:ana/mines@{commit}", Specification.of(str(tmp_path / "agent")).digest()
    assert json.loads((out / "suite.json").read_text())["policies"] == {name: digest}
    boards = json.loads((out / "results.json").read_text())["boards"]
    assert all(name in [row["policy"] for row in board["results"]] for board in boards)


def test_what_the_hub_refuses_or_is_no_agent_of_ours_is_told_in_one_line(server, capsys):
    server.add("ana/text", {"README.md": b"text", "agent.pkl": b"pickled"})
    server.add("ana/other", {"agent.json": b'{"architectures": ["Llama"]}', "agent.safetensors": b""})
    server.add("ana/list", {"agent.json": b"[1]", "agent.safetensors": b""})
    for repository, message in (
        ("ana/none", "Repository not found; log in with: hf auth login"),
        ("ana/text", "hf:ana/text@main holds no agent of train.py"),
        ("ana/other", "agent.json is damaged: Object missing required field"),
        ("ana/list", "agent.json must hold a JSON object, not list"),
    ):
        assert message in refused(capsys, main, "evaluate", *SMALL, "--policy", f"hf:{repository}")


def test_a_missing_client_is_told_before_any_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[hub\]'$"):
        find_policy("hf:ana/mines@v3")
    for name in (f"hf:user/agent@{COMMIT}:precision=float32", "exact", "bayes:prior=count", "path/file.py:NAME"):
        assert Specification.of(name).pinned().name == name


def test_a_revision_may_be_a_reference_and_only_a_whole_commit_is_pinned():
    for name in ("hf:user/agent@refs/pr/1", f"hf:user/my-agent_1.0@{COMMIT}"):
        assert Specification.of(name).base == name
    assert str(parse_hub_name("hf:user/agent")) == "hf:user/agent@main"
    assert parse_hub_name(f"hf:user/agent@{COMMIT}").is_pinned
    assert not parse_hub_name(f"hf:user/agent@{COMMIT[:12]}").is_pinned


@pytest.mark.parametrize("text", ["hf:", "hf:agent", "hf:user/agent@", "hf:a/b/c", "hf:user/a gent", "hf:u/agent@a@b"])
def test_another_form_is_refused_in_one_line(text):
    assert not HUB_NAME.fullmatch(text)
    with pytest.raises(ValueError, match=r"^write an agent of the Hugging Face hub as hf:user/repo@revision[^\n]*$"):
        Specification.of(text).check()


@pytest.fixture
def folder(tmp_path):
    """A run folder with files that are sent and files that are not."""
    folder = tmp_path / "mine"
    agent_files(folder)
    record_session(folder, tiny("dqn"), "python train.py --algo dqn", 0)
    for name in ("curves.png", "checkpoint.safetensors", "progress.csv", "model.pkl"):
        (folder / name).write_bytes(b"content")
    return folder


def test_results_of_other_weights_are_refused_and_development_games_are_called_so(folder, tmp_path, capsys):
    found = tmp_path / "results.json"
    row = {"policy": str(folder), "games": 20, "win_rate": 0.5, "ci95": [0.3, 0.7]}
    board = {"config": {"size": [5, 5], "mines": 5, "first_click": "safe"}, "seed": DEVELOPMENT_SEEDS[0]}
    words = ["push", str(folder), "ana/mines", "--dry-run", "--results", str(found)]
    digest = Specification.of(str(folder)).digest()
    for spelled in (str(folder), f"{folder}/", os.path.relpath(folder)):
        found.write_text(json.dumps({**board, "results": [row | {"policy": spelled, "digest": digest}]}))
        assert main(words) == 0
        assert "| development | 20 |" in capsys.readouterr().out
    found.write_text(json.dumps({**board, "results": [row | {"digest": "0" * 64}]}))
    assert "games of other weights" in refused(capsys, main, *words)


def test_a_sent_agent_comes_back_the_same_with_a_card(server, folder, tmp_path, capsys):
    found = tmp_path / "results.json"
    row = {"policy": str(folder), "games": 1000, "win_rate": 0.616, "ci95": [0.585, 0.646]}
    config = {"size": [8, 8], "mines": 14, "first_click": "safe"}
    found.write_text(json.dumps({"config": config, "seed": 0, "games": 1000, "results": [row]}))
    options = ["--message", "First agent", "--license", "cc-by-4.0", "--results", str(found)]
    assert main(["push", str(folder), "ana/mines", *options]) == 0
    commit, files = server.repositories["ana/mines"]["main"]
    assert capsys.readouterr().out.splitlines()[-1] == f"sent as hf:ana/mines@{commit}"
    assert sorted(files.keys() - {".gitattributes"}) == SENT
    assert (server.private, server.message) == (set(), "First agent")
    name = f"hf:ana/mines@{commit}"
    assert Specification.of(name).digest() == Specification.of(str(folder)).digest()
    assert baselines.make_policy(name, size=(4, 5), mines=2).name == name
    for line in (
        "license: cc-by-4.0",
        '| 8x8/14, first click "safe" | test | 1000 | 0 to 999 | 61.6% | 58.5% to 64.6% |',
        "| 4x5/2 | selection | 50 | 1073741824 to 1073741873 | 60.0% | 46.2% to 72.4% |",
        "minesweeper evaluate --policy hf:ana/mines@main exact",
        "- `python train.py --algo dqn`",
    ):
        assert f"\n{line}\n" in files["README.md"].decode()


def test_texts_of_the_agent_are_shown_in_the_card_and_not_obeyed(folder, capsys):
    hostile = "<img src=x onerror=alert(1)> | [a](javascript:b) `c` \x1b[2J"
    path = folder / "agent.json"
    content = json.loads(path.read_text())
    content |= {"algo": hostile, "trained_on": {"boards": [hostile], "first_click": hostile}}
    content["selected_by"]["win_rates"] = {hostile: 0.5}
    path.write_text(json.dumps(content))
    record_session(folder, tiny("dqn"), hostile, 0)
    assert main(["push", str(folder), "ana/mines", "--dry-run"]) == 0
    card = capsys.readouterr().out
    assert card.count("&#60;img") == 5
    assert not [each for each in ("<img", "](", "\x1b", "`c`") if each in card]


@pytest.mark.parametrize(("rule", "name"), [({"luck": False}, "no-luck"), ({"no_guess": "exact"}, "no-guess exact")])
def test_the_card_names_the_kind_of_boards_that_an_agent_was_trained_and_selected_on(folder, capsys, rule, name):
    path = folder / "agent.json"
    content = json.loads(path.read_text())
    content["trained_on"] |= rule
    path.write_text(json.dumps(content))
    assert main(["push", str(folder), "ana/mines", "--dry-run"]) == 0
    assert capsys.readouterr().out.count(f"4x5/2 {name}") == 2


def test_a_dry_run_lists_the_files_and_asks_nobody(server, capsys):
    assert main(["push", "dqn", "ana/mines", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert [line.split()[0] for line in shown.splitlines()[:5]] == [*SENT[1:3], "run.json", "curves.png", "README.md"]
    assert "\nlicense: mit\n" in shown
    assert server.repositories == {}


def test_a_branch_is_made_and_what_is_to_be_private_never_becomes_public(server, folder, capsys):
    assert main(["push", str(folder), "ana/mines", "--private", "--revision", "wide"]) == 0
    revisions = server.repositories["ana/mines"]
    assert server.private == {"ana/mines"}
    assert "agent.json" in revisions["wide"][1].keys() - revisions["main"][1].keys()
    server.add("ana/open", {"README.md": b"text"})
    assert main(["push", str(folder), "ana/open", "--private"]) == 1
    assert "ana/open exists and is public; leave --private out" in capsys.readouterr().err
    assert server.repositories["ana/open"]["main"][1] == {"README.md": b"text"}


def test_what_is_no_agent_or_cannot_be_sent_is_one_line(server, folder, capsys, tmp_path):
    server.is_offline = True
    assert main(["push", str(folder), "ana/mines"]) == 1
    assert "HF_HUB_OFFLINE is set; the hub has no new commit" in capsys.readouterr().err
    assert "is no run folder with agent.json" in refused(capsys, main, "push", tmp_path, "ana/mines")
    assert "USER/REPO and the branch as --revision BRANCH" in refused(capsys, main, "push", folder, "mines")
    (folder / "agent.safetensors").write_bytes(b"\x80\x04pickled")
    assert "agent.safetensors cannot be used" in refused(capsys, main, "push", folder, "ana/mines")
