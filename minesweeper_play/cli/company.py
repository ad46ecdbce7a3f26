"""Options of `play.py` that do not go together, or mean nothing in a mode: each is refused with one line."""

from __future__ import annotations

import argparse
from collections.abc import Container, Mapping

BOARD = ("preset", "size", "mines", "first_click", "no_guess", "seed")
"""The options of the board."""

MEANINGS: Mapping[str, tuple[str, ...]] = {
    "terminal": (*BOARD, "load", "language", "icons", "palette", "animation", "no_settings", "policy", "versus"),
    "serve": (*BOARD, "language", "icons", "palette", "animation", "no_settings", "policy", "versus", "host", "port"),
    "classic": (*BOARD, "load", "language", "icons", "palette", "animation", "no_settings"),
    "window": (*BOARD, "load", "language", "palette", "no_settings"),
    "analyse": ("mines", "first_click", "language", "json", "quick", "plot"),
    "stats": ("language",),
}
"""The options that mean something in each mode."""

WITHOUT_A_PLAYER = ("load", "animation")
"""Options that have no effect while policies play."""


def check_company(options: argparse.Namespace, given: Container[str], mode: str) -> None:
    """Checks that all options of a command line go together.

    Args:
        options: the parsed command line.
        given: the names of the options that it states.
        mode: a key of `MODES`.

    Raises:
        ValueError: two options do not go together, or one means nothing; the message says which to leave out.
    """
    watched = [name for name in ("policy", "versus") if name in given]
    if len(watched) > 1:
        raise ValueError("choose one of --policy and --versus")
    if watched and mode not in ("terminal", "serve"):
        raise ValueError(f"--{watched[0]} needs the full terminal or --serve; leave out --{mode}")
    _check_mode(options, given, mode)
    if watched and (idle := next((name for name in WITHOUT_A_PLAYER if name in given), None)):
        raise ValueError(f"{_typed(idle, options)} means nothing with --{watched[0]}; leave it out")
    _check_board(given, mode)


def _check_mode(options: argparse.Namespace, given: Container[str], mode: str) -> None:
    """Raises a ValueError for an option that means nothing in a mode."""
    for name in vars(options):
        if name not in given or name == mode or name in MEANINGS[mode]:
            continue
        modes = [each for each, meanings in MEANINGS.items() if name in meanings]
        if len(modes) == 1 and modes != ["terminal"]:
            raise ValueError(f"{_typed(name, options)} needs --{modes[0]}")
        raise ValueError(f"{_typed(name, options)} means nothing with --{mode}; leave it out")


def _check_board(given: Container[str], mode: str) -> None:
    """Raises a ValueError for options of the board that contradict each other."""
    if "preset" in given and ("size" in given or "mines" in given):
        raise ValueError("--preset has its own size and mines; leave out --size and --mines, or --preset")
    if "mines" in given and "size" not in given and mode != "analyse":
        raise ValueError("--mines needs --size")
    if "load" in given and any(name in given for name in BOARD):
        raise ValueError("--load takes board and seed from the file; leave out the options of the board")


def _typed(name: str, options: argparse.Namespace) -> str:
    """Returns an option as the user typed it."""
    if name == "animation" and not options.animation:
        return "--no-animation"
    return "--lang" if name == "language" else f"--{name.replace('_', '-')}"
