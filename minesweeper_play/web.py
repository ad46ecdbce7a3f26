"""`play.py --serve`: the terminal game as a web page; each visitor plays in a process of their own."""

import asyncio
import logging
import os
import shlex
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp_jinja2
from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.server import Server, to_int

from baselines.checks import MissingExtraError
from baselines.policy import PolicyError
from baselines.process import BAD_ARGUMENTS, INTERRUPTED, explain
from minesweeper_env.console import say
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.game.watched_policy import load_policies
from minesweeper_play.options import PlayOptions

MOST_VISITORS = 8
"""The largest number of games at once; the process of each takes some 200 MB."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""The names of this computer that no other one can use."""

MEMORY = 2 << 30
"""The most bytes of memory that the process of a visitor may take, where the system can limit it."""

USUAL = {"width": 80, "height": 24}
"""The columns and lines of a screen whose page sends no size."""

LARGEST = (500, 250)
"""The most columns and lines of the screen of a visitor."""

LONGEST_MESSAGE = 1 << 16
"""The most bytes of a message from a visitor, such as a pasted text."""

GRACE_SECONDS = 3.0
"""The longest wait, in seconds, for each step of the end of a visitor's process before it is killed."""

_START = f"""
import sys
from contextlib import suppress
with suppress(ImportError, OSError, ValueError):
    import resource
    resource.setrlimit(resource.RLIMIT_DATA, ({MEMORY}, {MEMORY}))
from baselines.process import run_command
sys.exit(run_command("minesweeper_play.command"))
"""


def serve(options: PlayOptions) -> int:
    """Serves the game until Ctrl-C; returns the exit status 130, or 2 where a policy or the address cannot be used."""
    catalogue, host, port = Catalogue(options.language), options.host, options.port
    try:
        load_policies(options)
        # Binding fails here if another program listens there, or if this computer has no such address.
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        socket.create_server(address[:2], family=family).close()
    except (ValueError, PolicyError, MissingExtraError) as error:
        say(f"{options.program}: {explain(error)}")
        return BAD_ARGUMENTS
    except OSError as error:
        reason = catalogue.text("serving_not", port=port, host=host, reason=error)
        say(f"{options.program}: {reason}")
        return BAD_ARGUMENTS
    # The processes of visitors import this project from where this process found it. They have the same arguments.
    folders = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, folders))
    command = shlex.join([sys.executable, "-c", _START, *options.words])
    # Without a shell between them, the end of the process that textual-serve knows is the end of the game.
    GameServer(f"exec {command}" if os.name == "posix" else command, host, port, catalogue).serve()
    return INTERRUPTED


class Visitor(AppService):
    """The process of a visitor: its screen has at most the size `LARGEST`, and it ends when the visitor leaves."""

    async def start(self, width: int, height: int) -> None:
        await super().start(*_bounded(width, height))

    async def set_terminal_size(self, width: int, height: int) -> None:
        await super().set_terminal_size(*_bounded(width, height))

    async def stop(self) -> None:
        """Asks the process to end, and ends it if it does not answer."""
        if self._process is None:
            return
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(super().stop(), GRACE_SECONDS)
                await asyncio.wait_for(self._process.wait(), GRACE_SECONDS)
        finally:
            if self._process.returncode is None:
                self._process.kill()
            await self._process.wait()


def _bounded(width: int, height: int) -> tuple[int, int]:
    """Returns the columns and lines, from 1 to `LARGEST`; raises a TypeError or a ValueError if they are no numbers."""
    columns, lines = (min(max(int(side), 1), limit) for side, limit in zip((width, height), LARGEST, strict=True))
    return columns, lines


class GameServer(Server):
    """A server whose page names no other address than that of the request, and asks no other computer for anything.

    On a loopback address it answers only requests for such an address, it never lets pages of other sites play, and it
    lets at most `MOST_VISITORS` play at once.
    """

    def __init__(self, command: str, host: str, port: int, catalogue: Catalogue) -> None:
        super().__init__(command, host, port, catalogue.text("title"), templates_path=Path(__file__).parent)
        self._catalogue = catalogue
        self._visitors: set[web.WebSocketResponse] = set()

    def initialize_logging(self) -> None:
        logging.basicConfig(level=logging.WARNING, format="%(message)s")

    async def on_startup(self, app: web.Application) -> None:  # noqa: ARG002 - the signature is that of `Server`
        say(self._catalogue.text("serving", url=f"{self.public_url}/"))

    async def on_shutdown(self, app: web.Application) -> None:  # noqa: ARG002 - the signature is that of `Server`
        for connection in tuple(self._visitors):
            await connection.close()

    async def handle_index(self, request: web.Request) -> web.StreamResponse:
        self._check(request)
        text = self._catalogue.text
        context: dict[str, Any] = {
            "app_websocket_url": f"{'wss' if request.scheme == 'https' else 'ws'}://{request.host}/ws",
            "config": {"static": {"url": "/static/"}},
            "application": {"name": self.title},
            "language": self._catalogue.language,
            **{name: text(f"web_{name}") for name in ("starting", "ended", "again", "flag_mode")},
        }
        return aiohttp_jinja2.render_template("page.html", request, context)

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Plays with a visitor until the visitor leaves, the page sends a malformed message, or the game ends."""
        self._check(request)
        connection = web.WebSocketResponse(heartbeat=15, max_msg_size=LONGEST_MESSAGE)
        if not connection.can_prepare(request):
            raise web.HTTPBadRequest(text="this address is for the page of the game alone")

        async def close() -> None:
            await connection.close()

        visitor = Visitor(
            self.command,
            write_bytes=connection.send_bytes,
            write_str=connection.send_str,
            close=close,
            download_manager=self.download_manager,
        )
        self._visitors.add(connection)
        try:
            await connection.prepare(request)
            await visitor.start(*(to_int(request.query.get(side, ""), usual) for side, usual in USUAL.items()))
            # Another page than ours may send malformed messages.
            with suppress(ValueError, TypeError, LookupError, AttributeError, AssertionError, OverflowError):
                await self._process_messages(connection, visitor)
        finally:
            # The server may cancel this call when the connection is lost, but not the end of the process.
            end = asyncio.ensure_future(visitor.stop())
            end.add_done_callback(lambda _: self._visitors.discard(connection))
            await asyncio.shield(end)
            await connection.close()
        return connection

    def _check(self, request: web.Request) -> None:
        """Refuses requests that a page of another site has sent, that name another computer, or have no room."""
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            raise web.HTTPForbidden(text="this page is open to its own origin alone")
        hostname = urlsplit(f"//{request.host}").hostname or ""
        if self.host in LOOPBACK and hostname not in LOOPBACK:
            raise web.HTTPForbidden(text="this page is open to this computer alone")
        if len(self._visitors) >= MOST_VISITORS:
            raise web.HTTPServiceUnavailable(text=self._catalogue.text("web_full"))
