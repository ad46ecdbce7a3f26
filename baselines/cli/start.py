"""Words of a command: its name as the user typed it, and its errors in one line."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

FAILED, BAD_ARGUMENTS, INTERRUPTED = 1, 2, 130
"""Exit statuses; 0 means that all is done."""

MODULE = "python -m baselines"
"""The program that runs every command by its name."""


def typed_command(program: str, arguments: Sequence[str] | None) -> str:
    """Returns the command line as the user typed it; None stands for the arguments in `sys.argv`.

    The program is "evaluate.py", "minesweeper evaluate" or "python -m baselines evaluate", for example.
    """
    words = ["python", program] if program.endswith(".py") else program.split()
    return shlex.join([*words, *(sys.argv[1:] if arguments is None else arguments)])


def explain(error: Exception) -> str:
    """Returns the message of an error in one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.strerror is not None:
        return error.strerror
    return " ".join(str(error).split())
