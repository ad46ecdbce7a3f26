"""The small transformer of the examples learns to reply, goes on where it stopped, and plays through the door."""

import importlib
import json
import threading
from http.server import HTTPServer

import pytest
import torch
from support import ROOT

import baselines


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    module = importlib.import_module("text_transformer")
    for name, value in {"WIDTH": 48, "DEPTH": 2, "GAMES": 16}.items():
        monkeypatch.setattr(module, name, value)
    return module


@pytest.mark.slow
def test_it_learns_resumes_and_plays_through_a_chat_server(example, tmp_path, monkeypatch):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    example.imitate(tmp_path, 1, 100)
    example.imitate(tmp_path, 1, 300)
    losses = [row["loss"] for row in json.loads((tmp_path / "imitate.json").read_text())]
    assert len(losses) == 3
    assert losses[-1] < 12 < 30 < losses[0]
    example.learn(tmp_path, 1, "sound", 16)
    example.learn(tmp_path, 1, "sound", 32)
    assert [row["games"] for row in json.loads((tmp_path / "sound.json").read_text())] == [16, 32]

    servers = []

    def serve(server):
        servers.append(server)
        threading.Thread(target=HTTPServer.serve_forever, args=(server, 0.05), daemon=True).start()

    class Server(HTTPServer):
        serve_forever = serve

    monkeypatch.setattr(example, "HTTPServer", Server)
    example.serve(tmp_path, "sound", 0)
    url = f"http://127.0.0.1:{servers[0].server_address[1]}/v1"
    policy = f"chat:model=tiny,url={url},transcripts={tmp_path}/transcripts"
    (found,) = baselines.evaluate(policy, 5, 3, 5, against=()).policies
    HTTPServer.shutdown(servers[0])
    servers[0].server_close()
    assert found.games == 5
    assert found.counters["tokens"] > 0
