"""The web page: its address, its command line, and whom it answers."""

import asyncio
import json
import shlex
import socket
import sys
import time
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer
from support.processes import run_python

from minesweeper_play import web
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.command import main
from minesweeper_play.options import PlayOptions

UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket"}
UPGRADE |= {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
"""The headers with which a browser asks for a connection."""


def test_visitors_play_what_the_command_line_asks_for(monkeypatch):
    played = []
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    monkeypatch.setattr("minesweeper_play.terminal.app.run", lambda options: played.append(options) or 0)
    assert main(["--serve", "--size", "12x20", "--lang", "es", "--versus", "exact", "a b.py:Corner"]) == 0
    (options,) = played
    assert (options.language, options.versus, options.keeps_settings) == ("es", ("exact", "a b.py:Corner"), False)


def test_a_port_in_use_gives_one_line(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert web.serve(PlayOptions(host="127.0.0.1", port=port)) == 2
        (line,) = capsys.readouterr().err.splitlines()
    assert f"the port {port} of 127.0.0.1 cannot be used" in line
    assert "--port" in line


def test_a_misspelt_policy_gives_one_line_before_a_server_starts_and_ctrl_c_ends_it_with_130(capsys, monkeypatch):
    monkeypatch.setattr(web.GameServer, "serve", lambda _: pytest.fail("a server has started"))
    assert web.serve(PlayOptions(policy="exat")) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("play.py: ")
    assert "exat" in line
    monkeypatch.setattr(web.GameServer, "serve", lambda _: None)
    monkeypatch.setenv("PYTHONPATH", "")
    assert web.serve(PlayOptions(host="127.0.0.1", port=0)) == 130


def asked(path, host="127.0.0.1", language="en", **headers):
    """Returns the status and the text of a request."""

    async def ask():
        page = web.GameServer("false", host, 8000, Catalogue(language))
        async with TestClient(TestServer(await page._make_app())) as client:
            answer = await client.get(path, headers=headers)
            return answer.status, await answer.text()

    return asyncio.run(ask())


def test_the_page_asks_no_other_computer_for_anything():
    status, page = asked("/")
    assert status == 200
    assert "https://" not in page
    assert 'data-session-websocket-url="ws://127.0.0.1' in page
    assert "<title>Minesweeper</title>" in page
    assert "<title>Buscaminas</title>" in asked("/", language="es")[1]


def test_pages_of_other_sites_cannot_play_and_there_is_room_for_so_many_visitors(monkeypatch):
    assert asked("/ws", Origin="http://elsewhere.example")[0] == 403
    assert asked("/", Host="elsewhere.example")[0] == 403
    assert asked("/", host="0.0.0.0", Host="elsewhere.example")[0] == 200
    monkeypatch.setattr(web, "MOST_VISITORS", 0)
    assert [asked("/", language="es")[0], asked("/ws", **UPGRADE)[0]] == [503, 503]


def test_an_address_for_the_page_alone_is_refused_without_a_traceback(caplog):
    status, text = asked("/ws")
    assert (status, text.count("\n"), caplog.records) == (400, 0, [])


STUBBORN = """
import os, sys, time
open(sys.argv[1], "w").write(f"{os.getpid()} {os.environ['COLUMNS']} {os.environ['ROWS']}")
print("__GANGLION__", flush=True)
while data := os.read(0, 4096):
    open(sys.argv[1] + ".in", "ab").write(data)
time.sleep(60)
"""
"""A process that notes what it is sent, and does not end by itself."""

HUGE = 99_999_999_999


@pytest.mark.skipif(sys.platform != "linux", reason="it looks for processes in /proc")
@pytest.mark.parametrize(
    ("query", "message", "received"),
    [
        (f"?width={HUGE}&height={HUGE}", ["resize", {"width": 100, "height": 40}], (100, 40)),
        ("?width=-5&height=abc", ["resize", {"width": HUGE, "height": HUGE}], web.LARGEST),
        ("", ["resize", {"width": 1e300, "height": 0}], (web.LARGEST[0], 1)),
        ("", ["resize", {"width": float("inf"), "height": 5}], None),
        ("", ["resize", {"width": "a", "height": []}], None),
        ("", ["resize", {}], None),
        ("", {"no": "list"}, None),
        ("", ["stdin", "a" * web.LONGEST_MESSAGE], None),
    ],
)
def test_a_visitor_has_a_possible_size_and_a_process_that_ends(tmp_path, monkeypatch, caplog, query, message, received):
    monkeypatch.setattr(web, "GRACE_SECONDS", 0.2)
    noted, sent = tmp_path / "noted", tmp_path / "noted.in"
    command = f"exec {shlex.join([sys.executable, '-c', STUBBORN, str(noted)])}"

    async def visit():
        page = web.GameServer(command, "127.0.0.1", 0, Catalogue("en"))
        async with TestClient(TestServer(await page._make_app())) as client:
            async with client.ws_connect(f"/ws{query}") as visitor:
                while not noted.exists() or len(noted.read_text().split()) < 3:
                    await asyncio.sleep(0.01)
                await visitor.send_str(json.dumps(message))
                if received is None:
                    await visitor.receive(timeout=20)
                while received is not None and not sent.exists():
                    await asyncio.sleep(0.01)
            while page._visitors:
                await asyncio.sleep(0.01)

    asyncio.run(visit())
    pid, *size = map(int, noted.read_text().split())
    assert all(1 <= side <= most for side, most in zip(size, web.LARGEST, strict=True))
    if received is not None:
        found = json.loads(sent.read_bytes().partition(b"}")[0][5:] + b"}")
        assert (found["width"], found["height"]) == received
    ended = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < ended
        time.sleep(0.05)
    assert caplog.records == []


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no limits of processes")
def test_the_memory_of_a_visitor_is_limited():
    code = web._START.partition("from baselines")[0] + f"\nbytearray(2 * {web.MEMORY})\n"
    assert "MemoryError" in run_python("-c", code).stderr
