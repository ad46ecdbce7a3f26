"""One-line messages of errors, and the exit statuses that follow from them."""

from __future__ import annotations

import sys
from collections.abc import Callable

from baselines.cli.arguments import FAILED, INTERRUPTED


def explain(error: Exception) -> str:
    """Returns the message of an error in one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


def carry_out(program: str, work: Callable[[], object]) -> int:
    """Runs work that writes its files only at its end.

    Args:
        program: name of the command, for error messages.
        work: the work.

    Returns:
        The exit status: 0 when all is done, 130 after Ctrl-C, 1 when a file could not be written.
    """
    try:
        work()
    except KeyboardInterrupt:
        print("interrupted: nothing was written", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        print(f"{program}: {explain(error)}", file=sys.stderr)
        return FAILED
    return 0
