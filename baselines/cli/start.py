"""Start of a command: its name as the user typed it, and its first line, printed before anything heavy is imported."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

from minesweeper_env.compilation.cold_start import COLD_START
from minesweeper_env.compilation.live_line import say

MODULE = "python -m baselines"
"""The program that runs every command by its name."""


def typed_command(program: str, arguments: Sequence[str] | None) -> str:
    """Returns the command line as the user typed it.

    Args:
        program: "evaluate.py", "minesweeper-evaluate" or "python -m baselines evaluate", for example.
        arguments: those after the program; None for those that the process was started with.
    """
    words = ["python", program] if program.endswith(".py") else program.split()
    return shlex.join([*words, *(sys.argv[1:] if arguments is None else arguments)])


def sibling(program: str, own: str, other: str) -> str:
    """Returns the start of the command line that runs another command in the same way.

    Args:
        program: the program of a command, such as "train.py".
        own: the name of the command, such as "train".
        other: the name of the other command, such as "evaluate".
    """
    head, _, tail = program.rpartition(own)
    return typed_command(f"{head}{other}{tail}", ())


def announce(line: str) -> None:
    """Prints on stderr what a command is about to do; from then on, compilations are announced, too."""
    COLD_START.begin_command()
    say(line)
