"""The small transformer of the examples learns to reply, goes on where it stopped, and plays through the door."""

import importlib
import json
import sys
import threading
from http.server import HTTPServer

import pytest
import torch
from support import ROOT

import baselines
from minesweeper_env.text import TextGame, split_of


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    module = importlib.import_module("text_transformer")
    for name, value in {"WIDTH": 48, "DEPTH": 2, "MINIBATCH": 16, "GROUP": 4}.items():
        monkeypatch.setattr(module, name, value)
    return module


def run(example, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["text_transformer.py", *map(str, arguments)])
    example.main()


def log(folder, name):
    return torch.load(folder / f"{name}.pt", weights_only=True)["rows"]


@pytest.mark.slow
def test_it_learns_resumes_and_plays_through_a_chat_server(example, tmp_path, monkeypatch, capsys):
    out = ("--out", tmp_path)
    run(example, monkeypatch, "imitate", *out, "--replies", 1600)
    run(example, monkeypatch, "imitate", *out, "--replies", 4800)
    run(example, monkeypatch, "imitate", "--out", tmp_path / "again", "--replies", 1600)
    losses, again = ([row["loss"] for row in log(folder, "imitate")] for folder in (tmp_path, tmp_path / "again"))
    assert again == losses[:1]
    assert len(losses) == 3
    assert losses[-1] < 12 < 20 < losses[0]
    for reward in ("win", "sound", "risk", "candidates"):
        run(example, monkeypatch, "learn", *out, "--reward", reward, "--replies", 100)
        run(example, monkeypatch, "learn", *out, "--reward", reward, "--replies", 300)
        rows = log(tmp_path, reward)
        for name in ("replies", "minutes"):
            assert [row[name] for row in rows] == sorted({row[name] for row in rows})
    capsys.readouterr()
    run(example, monkeypatch, "test", *out, "--reward", "sound", "--games", 8)
    assert json.loads(capsys.readouterr().out)["games"] == 8
    with pytest.raises(SystemExit):
        run(example, monkeypatch, "learn", *out, "--reward", "win", "--mines", 4)
    assert "mines" in capsys.readouterr().err

    servers = []

    def serve(server):
        servers.append(server)
        threading.Thread(target=HTTPServer.serve_forever, args=(server, 0.05), daemon=True).start()

    class Server(HTTPServer):
        serve_forever = serve

    monkeypatch.setattr(example, "HTTPServer", Server)
    monkeypatch.setattr(example, "PORT", 0)
    run(example, monkeypatch, "serve", *out, "--reward", "sound")
    url = f"http://127.0.0.1:{servers[0].server_address[1]}/v1"
    policy = f"chat:model=tiny,url={url},transcripts={tmp_path}/transcripts"
    (found,) = baselines.evaluate(policy, 5, 5, 5, against=()).policies
    HTTPServer.shutdown(servers[0])
    servers[0].server_close()
    assert found.games == 5
    assert found.counters["tokens"] > 0


@pytest.mark.parametrize(
    "content", [b"", b"garbage", {"setting": {"size": 5, "mines": 5, "no_guess": False, "seed": 1}}]
)
def test_a_damaged_file_is_refused_by_its_name(content, example, tmp_path, monkeypatch, capsys):
    path = tmp_path / "imitate.pt"
    path.write_bytes(content) if isinstance(content, bytes) else torch.save(content, path)
    with pytest.raises(SystemExit, match="2"):
        run(example, monkeypatch, "learn", "--out", tmp_path)
    assert str(path) in capsys.readouterr().err.splitlines()[-1]


def test_a_board_with_too_many_mines_is_refused(example, tmp_path, monkeypatch, capsys):
    with pytest.raises(SystemExit, match="2"):
        run(example, monkeypatch, "imitate", "--out", tmp_path, "--mines", 24)
    assert "mines must be 1 to 16" in capsys.readouterr().err


def test_imitated_replies_are_of_least_risk_on_layouts_of_the_training(example):
    game = TextGame(5, 5, opened="middle", split="train")
    replies = example.least_risk_replies(game, 1)
    for _ in range(60):
        board, reply = next(replies)
        if board != game.observation():
            assert (board.count("#"), reply) == (25, "open 2 2")
            continue
        assert split_of(game.env.get_state()["mines"]) == "train"
        game_after = example.copy.deepcopy(game)
        assert game_after.step(reply)[4]["excess_risk"] < 1e-9


def test_a_reply_is_compared_with_those_to_its_board_or_of_its_layout(example):
    group, count = example.GROUP, example.CANDIDATES
    sound = torch.tensor([1.0, 0, 0, 0] + [1.0] * count)
    found = example.advantages_of({"sound": sound}, "candidates")
    assert found[0] > 0 > found[1] == found[3]
    assert (found[count:] == 0).all()
    # The first game of each layout wins, with two replies; of the second layout all games win.
    games = torch.arange(2 * group).repeat_interleave(2)
    reward = ((games % group == 0) | (games >= group)).float() * torch.tensor([0.0, 1.0]).repeat(2 * group)
    found = example.advantages_of({"game": games, "reward": reward, "won": torch.zeros(2 * group)}, "win")
    assert found[0] == found[1] > 0 > found[2]
    assert (found[2 * group :] == 0).all()
