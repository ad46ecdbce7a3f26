"""`python play.py`: play, or watch, or look at statistics."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import TextIO

from baselines.cli.arguments import BAD_ARGUMENTS, FAILED
from baselines.cli.failures import explain
from baselines.support.extras import MissingExtraError, missing_extra
from minesweeper_env.notices import say, show_compilations
from minesweeper_play.cli.arguments import read_options
from minesweeper_play.cli.modes import MODES
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.options import PlayOptions

PROGRAM = "play.py"

CHARACTERS = "\u25a0\u2691\u00b7\u00d7\u256d\u23ce\u2026"
"""Characters that the full screen has to show."""


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.

    Returns:
        The exit status: 0 when the player has left, 1 after a failure, 2 after a bad argument, 130 after Ctrl-C.
    """
    mode, options = read_options(arguments, program)
    catalogue = Catalogue(options.language)
    # The text is the same for all that is compiled.
    announce = cache(partial(say, catalogue.text("compiling"), replaces=True))
    show_compilations(lambda _: announce())
    if mode == "terminal" and (lack := _lack_of_screen(sys.stdout, os.environ, catalogue)) is not None:
        if options.policy is not None or options.versus is not None:
            reason = f": {lack}" if lack else ""
            say(f"{program}: --policy and --versus need a terminal, or --serve for a web page{reason}")
            return BAD_ARGUMENTS
        if lack:
            say(f"{program}: {catalogue.text('line_by_line', reason=lack)}")
        mode = "classic"
    return _run(mode, options)


def _lack_of_screen(stdout: TextIO, environment: Mapping[str, str], catalogue: Catalogue) -> str | None:
    """Returns why the full-screen game cannot be shown; "" where nobody expects it, None where it can."""
    if not MODES["terminal"].is_there:
        return ""
    # textual-serve sets the variable, and then a web page is the terminal.
    if "TEXTUAL_DRIVER" in environment:
        return None
    if not (sys.stdin.isatty() and stdout.isatty()):
        return ""
    if environment.get("TERM") == "dumb":
        return catalogue.text("lack_of_screen")
    try:
        CHARACTERS.encode(stdout.encoding)
    except UnicodeEncodeError:
        return catalogue.text("lack_of_characters", encoding=stdout.encoding)
    return None


def _run(mode: str, options: PlayOptions) -> int:
    """Runs a mode; an error becomes one line, and the exit status."""
    from minesweeper_play.game.saved import SavedGameError

    try:
        return MODES[mode].load()(options)
    except BrokenPipeError:
        raise
    except ModuleNotFoundError as error:
        say(f"{options.program}: {missing_extra(str(error.name), 'play')}")
        return FAILED
    except (SavedGameError, MissingExtraError, OSError) as error:
        say(f"{options.program}: {explain(error)}")
        return BAD_ARGUMENTS if isinstance(error, SavedGameError) else FAILED
