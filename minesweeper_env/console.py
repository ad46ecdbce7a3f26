"""Lines on stderr for a user who waits: what is being compiled, and a cache that cannot be used."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from minesweeper_env.escape import printable

VARIABLE = "MINESWEEPER_COMPILE_NOTICE"
"""The environment variable that, set to 0, switches off the lines about compilation."""

_LABELS = {
    "minesweeper_env.engine": "the game engine",
    "minesweeper_env.inference": "the oracle",
    "minesweeper_env.no_guess": "the search for boards without guesses",
    "minesweeper_env.no_luck": "games without luck",
    "baselines": "the policies",
    "azulejos_env": "Azulejos",
}
"""What the kernels of a package are, as the object of "Compiling"."""

_said: set[str] = set()


def say(line: str, *, replaces: bool = False) -> None:
    """Prints a line, made printable, on stderr; a closed or missing stderr raises nothing.

    With `replaces`, it first erases, on a terminal, the line that the program draws again and again.
    """
    with suppress(OSError, ValueError):
        erase = "\r\x1b[K" if replaces and is_live(sys.stderr) else ""
        if sys.stderr is not None:  # `print` would take stdout.
            print(f"{erase}{printable(line)}", file=sys.stderr, flush=True)


def _say_compiling(label: str) -> None:
    say(f"Compiling parts of {label} that are new here, each once per installation")


_show: Callable[[str], object] = _say_compiling


def show_compilations(show: Callable[[str], object] | None) -> None:
    """Lets `show` announce, in the compiling thread, what is compiled, such as "the oracle"; None announces nothing."""
    global _show
    _show = show or (lambda _: None)


def compiling(module: str) -> None:
    """Announces that the kernels of a module are being compiled; modules with the same label are announced once."""
    label = next((label for package, label in _LABELS.items() if f"{module}.".startswith(f"{package}.")), module)
    if label not in _said and os.environ.get(VARIABLE) != "0":
        _said.add(label)
        _show(label)


def warn_of_cache(problem: str) -> None:
    """Warns of a problem with the compiled code on the disk, once a process."""
    if "cache" not in _said:
        _said.add("cache")
        say(f"{problem}; NUMBA_CACHE_DIR may name another folder for compiled code")


def is_live(stream: TextIO | None) -> bool:
    """Returns whether a stream is a terminal on which lines can be drawn again: TERM is neither unset nor "dumb"."""
    capable = os.name == "nt" or os.environ.get("TERM", "") not in ("", "dumb", "unknown")
    return capable and stream is not None and stream.isatty()
