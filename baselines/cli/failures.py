"""One-line messages of errors."""

from __future__ import annotations


def play_errors() -> tuple[type[Exception], ...]:
    """Returns the errors that end play.

    They are an unwritable file, a broken policy, a position that is too hard, a killed worker, and damaged files.
    """
    from baselines.policy import PolicyError
    from baselines.suites.parts import DamagedPartError
    from baselines.workers import WorkerError
    from minesweeper_env.inference import PositionTooHardError

    return (OSError, PolicyError, PositionTooHardError, WorkerError, DamagedPartError)


def explain(error: Exception) -> str:
    """Returns the message of an error in one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.strerror is not None:
        return error.strerror
    return " ".join(str(error).split())
