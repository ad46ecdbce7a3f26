"""`play.py --serve`: the terminal game as a web page; each visitor plays in a process of their own."""

from __future__ import annotations

import ipaddress
import logging
import os
import shlex
import socket
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp_jinja2
from aiohttp import web
from textual_serve.server import Server

from baselines.cli.start import BAD_ARGUMENTS, INTERRUPTED, explain
from baselines.policy import PolicyError
from baselines.support.extras import MissingExtraError
from minesweeper_env.notices import say
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.player import load_players

MOST_VISITORS = 8
"""The largest number of games at once; the process of each takes some 200 MB."""

_START = (
    "import sys; from baselines.support.processes import run_command; sys.exit(run_command('minesweeper_play.command'))"
)


def serve(options: PlayOptions) -> int:
    """Serves the game until Ctrl-C; returns the exit status 130, or 2 where a policy or the address cannot be used."""
    catalogue = Catalogue(options.language)
    try:
        load_players(options)
        check_address(options.host, options.port)
    except (ValueError, PolicyError, MissingExtraError) as error:
        say(f"{options.program}: {explain(error)}")
        return BAD_ARGUMENTS
    except OSError as error:
        values = {"port": options.port, "host": options.host, "reason": error.strerror or error}
        say(f"{options.program}: {catalogue.text('serving_not', **values)}")
        return BAD_ARGUMENTS
    # The processes of visitors import this project from where this process found it. They have the same arguments.
    places = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, places))
    command = shlex.join([sys.executable, "-c", _START, *options.words])
    GameServer(command, options.host, options.port, catalogue).serve()
    return INTERRUPTED


class GameServer(Server):
    """A server whose page names no other address than that of the request, and asks no other computer for anything.

    On a loopback address it answers only requests for such an address, it never lets pages of other sites play, and it
    lets at most `MOST_VISITORS` play at once.
    """

    def __init__(self, command: str, host: str, port: int, catalogue: Catalogue) -> None:
        """Prepares to serve the game of a command line at an address, with a page in the language of a catalogue."""
        super().__init__(command, host, port, catalogue.text("title"), templates_path=Path(__file__).parent)
        self._catalogue = catalogue
        self._visitors = 0

    def initialize_logging(self) -> None:
        """Logs warnings alone."""
        logging.basicConfig(level=logging.WARNING, format="%(message)s")

    async def on_startup(self, app: web.Application) -> None:  # noqa: ARG002 - the signature is that of `Server`
        """Says where the page is."""
        say(self._catalogue.text("serving", url=f"{self.public_url}/"))

    async def handle_index(self, request: web.Request) -> web.StreamResponse:
        """Returns the page."""
        self._check(request)
        self._check_room()
        text = self._catalogue.text
        context: dict[str, Any] = {
            "font_size": request.query.get("fontsize", "16") if request.query.get("fontsize", "").isdigit() else "16",
            "app_websocket_url": f"{'wss' if request.scheme == 'https' else 'ws'}://{request.host}/ws",
            "config": {"static": {"url": "/static/"}},
            "application": {"name": self.title},
            "language": self._catalogue.language,
            "starting": text("web_starting"),
            "ended": text("web_ended"),
            "again": text("web_again"),
            "flag_mode": text("web_flag_mode"),
        }
        return aiohttp_jinja2.render_template("page.html", request, context)

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Connects the page of a visitor with a game."""
        self._check(request)
        if not web.WebSocketResponse().can_prepare(request).ok:
            raise web.HTTPBadRequest(text="this address is for the page of the game alone")
        self._check_room()
        self._visitors += 1
        try:
            return await super().handle_websocket(request)
        finally:
            self._visitors -= 1

    def _check_room(self) -> None:
        """Refuses a visitor for whom there is no room."""
        if self._visitors >= MOST_VISITORS:
            raise web.HTTPServiceUnavailable(text=self._catalogue.text("web_full"))

    def _check(self, request: web.Request) -> None:
        """Refuses requests that a page of another site has sent, or that name another computer."""
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            raise web.HTTPForbidden(text="this page is open to its own origin alone")
        asked = urlsplit(f"//{request.host}").hostname or ""
        if is_loopback(self.host) and not is_loopback(asked):
            raise web.HTTPForbidden(text="this page is open to this computer alone")


def is_loopback(host: str) -> bool:
    """Returns whether a name or an address means this computer alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_address(host: str, port: int) -> None:
    """Raises an OSError if somebody else listens on an address, or the host is none of this computer."""
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    socket.create_server(address[:2], family=family).close()
