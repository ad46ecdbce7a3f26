"""Words of a command: its name as the user typed it, its first line, and its errors in one line."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import fill

from minesweeper_env.notices import say

FAILED, BAD_ARGUMENTS, INTERRUPTED = 1, 2, 130
"""Exit statuses; 0 means that all is done."""

MODULE = "python -m baselines"
"""The program that runs every command by its name."""

MOST_NAMES = 6
"""Number of names up to which an announcement lists all."""


def typed_command(program: str, arguments: Sequence[str] | None) -> str:
    """Returns the command line as the user typed it; None stands for the arguments in `sys.argv`.

    The program is "evaluate.py", "minesweeper evaluate" or "python -m baselines evaluate", for example.
    """
    words = ["python", program] if program.endswith(".py") else program.split()
    return shlex.join([*words, *(sys.argv[1:] if arguments is None else arguments)])


def sibling(program: str, own: str, other: str) -> str:
    """Returns the start of the command line that runs `other` as `program`, such as "train.py", runs `own`, "train"."""
    head, _, tail = program.rpartition(own)
    return typed_command(f"{head}{other}{tail}", ())


def listed(names: Sequence[object]) -> str:
    """Returns names as a list; a list longer than `MOST_NAMES` becomes its first name and the number of the others."""
    if len(names) > MOST_NAMES:
        return f"{names[0]} and {len(names) - 1} others"
    return ", ".join(map(str, names))


def announce(line: str) -> None:
    """Prints on stderr what a command is about to do: wrapped on a terminal, in one line elsewhere."""
    if sys.stderr.isatty():
        width = get_terminal_size().columns
        line = fill(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    say(line)


def explain(error: Exception) -> str:
    """Returns the message of an error in one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.strerror is not None:
        return error.strerror
    return " ".join(str(error).split())
