"""Agents that are sent to the hub, by the real client to a stand-in of the hub."""

from __future__ import annotations

import json

import pytest
from support import hub

import baselines
from baselines.__main__ import main
from baselines.registry import policy_digest

pytest.importorskip("huggingface_hub")
# The client itself calls its HTTP library in a way that is to go.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
SENT = ["README.md", "agent.json", "agent.safetensors", "curves.png", "run.json"]
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def server(tmp_path):
    with hub.running_hub() as running, hub.client_of(running, tmp_path / "cache", hub.TOKEN):
        yield running


@pytest.fixture
def folder(tmp_path):
    """A run folder with files that are sent and files that are not."""
    folder = tmp_path / "mine"
    hub.agent_files(folder)
    (folder / "run.json").write_text(json.dumps({"sessions": [{"command": "python train.py --algo dqn"}]}))
    (folder / "curves.png").write_bytes(PNG)
    for name in ("checkpoint.safetensors", "progress.csv", "model.pkl"):
        (folder / name).write_bytes(b"stays")
    return folder


def refused(capsys, *arguments) -> str:
    """Returns the last line on stderr of a push that exits with status 2."""
    with pytest.raises(SystemExit) as exit_info:
        main(["push", *map(str, arguments)])
    assert exit_info.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


def test_a_sent_agent_comes_back_the_same(server, folder, capsys):
    assert main(["push", str(folder), "ana/mines", "--message", "First agent"]) == 0
    repository = server.repositories["ana/mines"]
    commit = repository.branches["main"]
    assert capsys.readouterr().out.splitlines()[-1] == f"sent as hf:ana/mines@{commit}"
    files = repository.commits[commit]
    assert sorted(files.keys() - {".gitattributes"}) == SENT
    assert (repository.private, repository.messages[-1]) == (False, "First agent")
    name = f"hf:ana/mines@{commit}"
    assert policy_digest(name) == policy_digest(str(folder))
    assert baselines.make_policy(name, size=(4, 5), mines=2).name == name
    large = [request for request in server.requests if request.startswith("PUT /stored/")]
    assert len(large) == 2


def test_texts_of_the_agent_are_shown_in_the_card_and_not_obeyed(folder, capsys):
    hostile = "<img src=x onerror=alert(1)> | [a](javascript:b) `c` \x1b[2J"
    path = folder / "agent.json"
    content = json.loads(path.read_text())
    content |= {"algo": hostile, "trained_on": {"boards": [hostile], "first_click": hostile}}
    content["selected_by"]["win_rates"] = {hostile: 0.5}
    path.write_text(json.dumps(content))
    (folder / "run.json").write_text(json.dumps({"sessions": [{"command": hostile}]}))
    assert main(["push", str(folder), "ana/mines", "--dry-run"]) == 0
    card = capsys.readouterr().out
    assert card.count("&#60;img") == 5
    assert not [each for each in ("<img", "](", "\x1b", "`c`") if each in card]


def test_the_card_says_what_the_agent_is(server, folder, tmp_path):
    found = tmp_path / "results.json"
    row = {"policy": str(folder), "games": 1000, "win_rate": 0.616, "ci95": [0.585, 0.646]}
    config = {"size": [8, 8], "mines": 14, "first_click": "safe"}
    found.write_text(json.dumps({"config": config, "seed": 0, "games": 1000, "results": [row]}))
    assert main(["push", str(folder), "ana/mines", "--license", "cc-by-4.0", "--results", str(found)]) == 0
    repository = server.repositories["ana/mines"]
    card = repository.commits[repository.branches["main"]]["README.md"].decode()
    assert "\nlicense: cc-by-4.0\n" in card
    assert "value: 0.616" in card
    assert '| 8x8/14, first click "safe" | test | 1000 | 0 to 999 | 61.6% | 58.5% to 64.6% |' in card
    assert "| 4x5/2 | selection | 50 | 1073741824 to 1073741873 | 60.0% | 46.2% to 72.4% |" in card
    assert "minesweeper evaluate --policy hf:ana/mines@main exact" in card
    assert "`python train.py --algo dqn`" in card


def test_a_dry_run_lists_the_files_and_asks_nobody(server, capsys):
    assert main(["push", "dqn", "ana/mines", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert [line.split()[0] for line in shown.splitlines()[:5]] == [*SENT[1:3], "run.json", "curves.png", "README.md"]
    assert "\nlicense: mit\n" in shown
    assert all(len(line) <= 80 for line in shown.splitlines()[:5])
    assert server.requests == []


def test_a_branch_is_made_and_a_private_repository_stays_private(server, folder):
    assert main(["push", str(folder), "ana/mines", "--private", "--revision", "wide"]) == 0
    repository = server.repositories["ana/mines"]
    assert repository.private
    assert "agent.json" in repository.commits[repository.branches["wide"]]
    assert "agent.json" not in repository.commits[repository.branches["main"]]
    assert main(["push", str(folder), "ana/mines", "--private"]) == 0


def test_an_agent_that_is_to_be_private_never_becomes_public(server, folder, capsys):
    server.add("ana/open", {"README.md": b"text"})
    assert main(["push", str(folder), "ana/open", "--private"]) == 1
    assert "ana/open exists and is public; leave --private out" in capsys.readouterr().err
    assert len(server.repositories["ana/open"].commits) == 1


def test_without_a_token_or_a_network_nothing_is_sent(server, folder, capsys, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    assert main(["push", str(folder), "ana/mines"]) == 1
    assert "log in with: hf auth login" in capsys.readouterr().err
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    assert main(["push", str(folder), "ana/mines"]) == 1
    assert "hf:ana/mines@main was not sent" in capsys.readouterr().err
    assert server.repositories == {}


def test_what_is_no_agent_is_refused_before_anything_is_sent(server, folder, capsys, tmp_path):
    assert "is no run folder with agent.json, and no shipped agent" in refused(capsys, tmp_path, "ana/mines")
    assert "USER/REPO and the branch as --revision BRANCH" in refused(capsys, folder, "mines")
    (folder / "agent.safetensors").write_bytes(b"\x80\x04pickled")
    assert "agent.safetensors cannot be used" in refused(capsys, folder, "ana/mines")
    assert server.requests == []
