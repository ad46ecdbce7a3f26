"""`play.py --serve`: the terminal game in a web page."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from baselines.cli.arguments import BAD_ARGUMENTS, INTERRUPTED
from baselines.cli.failures import explain
from baselines.policy import PolicyError
from baselines.support.board_names import size_name
from baselines.support.extras import MissingExtraError, import_extra
from minesweeper_env.notices import say
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.command import load_players

PORT = 8000
"""The port without --port."""

_START = (
    "import sys; from baselines.support.command import run_command; sys.exit(run_command('minesweeper_play.cli.play'))"
)


def serve(options: PlayOptions) -> int:
    """Serves the game until Ctrl-C; each visitor plays in a process of their own.

    Returns:
        The exit status: 130 after Ctrl-C, 2 where a policy or the address cannot be used.

    Raises:
        MissingExtraError: textual-serve is not installed.
    """
    import_extra("textual_serve", "web")
    from minesweeper_play.terminal.web.server import GameServer

    port = PORT if options.port is None else options.port
    if (problem := _problem(options, port)) is not None:
        say(f"{options.program}: {problem}")
        return BAD_ARGUMENTS
    # The processes of visitors import this project from where this process found it.
    places = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, places))
    command = shlex.join([sys.executable, "-c", _START, *arguments_of(options)])
    GameServer(command, options.host, port, Catalogue(options.language)).serve()
    return INTERRUPTED


def _problem(options: PlayOptions, port: int) -> str | None:
    """Returns why the page cannot be served, in one line; None where it can."""
    from minesweeper_play.terminal.web.server import check_address

    try:
        load_players(options)
        check_address(options.host, port)
    except (ValueError, PolicyError, MissingExtraError) as error:
        return explain(error)
    except OSError as error:
        reason = error.strerror or error
        return Catalogue(options.language).text("serving_not", port=port, host=options.host, reason=reason)
    return None


def arguments_of(options: PlayOptions) -> Sequence[str]:
    """Returns the arguments of `play.py` for the game of a visitor."""
    # Settings that one visitor changes are no business of the next one.
    arguments = ["--no-settings", "--lang", options.language, "--icons", options.icons, "--palette", options.palette]
    if options.config is not None:
        config = options.config
        arguments += ["--size", size_name(config.rows, config.cols), "--mines", str(config.mines)]
    arguments += ["--first-click", options.config.first_click if options.config else options.first_click]
    if options.seed is not None:
        arguments += ["--seed", str(options.seed)]
    if options.no_guess:
        arguments += ["--no-guess", options.no_guess]
    if not options.animation:
        arguments.append("--no-animation")
    if options.policy is not None:
        arguments += ["--policy", options.policy]
    if options.versus is not None:
        arguments += ["--versus", *options.versus]
    return arguments
