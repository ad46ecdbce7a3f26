"""One-line messages of errors, and the exit statuses that follow from them."""

from __future__ import annotations

from collections.abc import Callable

from baselines.cli.arguments import FAILED, INTERRUPTED
from minesweeper_env.notices import say


def play_errors() -> tuple[type[Exception], ...]:
    """Returns the errors that end play.

    They are an unwritable file, a broken policy, a position that is too hard, a killed worker, and damaged files.
    """
    from baselines.executors.errors import WorkerError
    from baselines.policy import PolicyError
    from baselines.suites.parts import DamagedPartError
    from minesweeper_env.inference import PositionTooHardError

    return (OSError, PolicyError, PositionTooHardError, WorkerError, DamagedPartError)


def explain(error: Exception) -> str:
    """Returns the message of an error in one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.strerror is not None:
        return error.strerror
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
        say("interrupted: nothing was written")
        return INTERRUPTED
    except OSError as error:
        say(f"{program}: {explain(error)}")
        return FAILED
    return 0
