"""What can go wrong while games are played, and how the commands say so."""

from __future__ import annotations

import sys
from collections.abc import Callable

from baselines.cli.arguments import FAILED, INTERRUPTED
from baselines.evaluation.games import PolicyError
from baselines.evaluation.workers import WorkerError
from baselines.suites.parts import DamagedPartError
from minesweeper_env.inference import PositionTooHardError

PLAY_ERRORS = (OSError, PolicyError, PositionTooHardError, WorkerError, DamagedPartError)
"""What ends the play of games: an unwritable file, a broken policy, a position that is too hard, a killed worker, or
games on disk that something else has changed meanwhile."""


def explain(error: Exception) -> str:
    """Returns what went wrong in one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


def carry_out(program: str, work: Callable[[], object]) -> int:
    """Does work that writes its files at its end, if at all.

    Args:
        program: the name of the command, for its complaints.
        work: what to do.

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
