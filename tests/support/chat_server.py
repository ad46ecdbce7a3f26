"""A chat server on the loopback, whose answers a function of the messages gives."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env import HIDDEN
from minesweeper_env.inference import mine_probabilities


class Raw(NamedTuple):
    """An answer as it is, after some seconds, with a pause after each byte."""

    status: int
    body: bytes
    seconds: float = 0.0
    kind: str = "application/json"
    pause: float = 0.0


def board_in(text: str) -> NDArray[np.int8]:
    """Returns the codes of the last board in the style "grid"."""
    rows = [line.partition(":")[2].split() for line in text.splitlines() if re.match(r" *\d+: ", line)]
    return np.array([[HIDDEN if cell == "#" else int(cell) for cell in row] for row in rows], np.int8)


def best_move(text: str, mines: int = 5, worst: bool = False) -> tuple[int, int]:
    """Returns the cell of least risk, or of most, on the last board in a text."""
    board = board_in(text)
    risks = np.where(board == HIDDEN, mine_probabilities(board, mines), -1.0 if worst else 2.0)
    row, col = divmod(int(risks.argmax() if worst else risks.argmin()), board.shape[1])
    return row, col


def completion(content: Any, finish: str = "stop", usage: Any = None) -> bytes:
    """Returns a chat completion of a content, or of a whole message, which is a dict."""
    plain = {"role": "assistant", "content": content, "reasoning_content": "hm"}
    message = content if isinstance(content, dict) else plain
    choice = {"index": 0, "message": message, "finish_reason": finish}
    usage = usage or {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
    body = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    return json.dumps(body).encode()


class ChatServer:
    """Answers `reply(messages)`, a text, a whole message or a `Raw`; keeps `requests`, `models` and `keys`."""

    def __init__(self, reply: Callable[[list[dict[str, Any]]], Any]) -> None:
        self.requests: list[list[dict[str, Any]]] = []
        self.keys: set[str] = set()
        self.models: set[str] = set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(request["messages"])
                outer.models.add(request["model"])
                outer.keys.add(self.headers["Authorization"])
                answer = reply(request["messages"])
                found = answer if isinstance(answer, Raw) else Raw(200, completion(answer))
                time.sleep(found.seconds)
                # A client that has read enough hangs up. A traceback of this thread could disturb pytest's own parsing.
                with suppress(ConnectionError):
                    self.send(found)

            def send(self, found: Raw) -> None:
                self.send_response(found.status)
                self.send_header("Content-Type", found.kind)
                self.send_header("Content-Length", str(len(found.body)))
                self.end_headers()
                for at in range(len(found.body) if found.pause else 0):
                    self.wfile.write(found.body[at : at + 1])
                    time.sleep(found.pause)
                if not found.pause:
                    self.wfile.write(found.body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ChatServer:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
