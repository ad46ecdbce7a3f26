"""What can go wrong while games are played, and how the commands say so."""

from __future__ import annotations

from baselines.playing import PolicyError
from baselines.suites.parts import DamagedPartError
from baselines.workers import WorkerError
from minesweeper_env.inference import PositionTooHardError

PLAY_ERRORS = (OSError, PolicyError, PositionTooHardError, WorkerError, DamagedPartError)
"""What ends the play of games: an unwritable file, a broken policy, a position that is too hard, a killed worker, or
games on disk that something else has changed meanwhile."""


def explain(error: Exception) -> str:
    """Returns what went wrong in one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())
