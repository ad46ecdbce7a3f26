"""Base of the trackers of experiments: a writer of log rows, and the id of a run in its run folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from numbers import Real
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter

from baselines.support.files import replace_file
from minesweeper_env.compilation.live_line import say

PROJECT = "minesweeper-env"
"""Name of the project, or the experiment, unless an environment variable of the tracker names another."""


class Tracker(KVWriter):
    """Writes the rows of a log to a tracker. A failure ends the logging, and not the training."""

    def __init__(self, name: str, log: Callable[[dict[str, float], int], object], close: Callable[[], object]) -> None:
        """Takes the name, what logs the numbers of a step, and what ends the session."""
        self._name, self._log, self._close = name, log, close
        self._works = True

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Logs the numbers of a row."""
        numbers = {
            key: float(value)
            for key, value in key_values.items()
            if isinstance(value, Real) and type(self).__name__ not in (key_excluded[key] or ())
        }
        self._call(lambda: self._log(numbers, step))

    def close(self) -> None:
        """Ends the session."""
        self._call(self._close)

    def _call(self, work: Callable[[], object]) -> None:
        if not self._works:
            return
        try:
            work()
        except Exception as error:
            self._works = False
            say(f"{self._name} fails, and the training goes on without it: {str(error).splitlines()[0]}")


def project_named_by(variable: str) -> str:
    """Returns the value of an environment variable, or `PROJECT` without one."""
    return os.environ.get(variable, PROJECT)


def kept_id(folder: Path, tracker: str) -> str | None:
    """Returns the id of the run that a run folder continues; None for a new one."""
    path = folder / f"{tracker}.id"
    return path.read_text(encoding="utf-8").strip() if path.is_file() else None


def keep_id(folder: Path, tracker: str, run: str) -> None:
    """Writes the id of a run into the run folder.

    Raises:
        OSError: the file cannot be written.
    """
    replace_file(folder / f"{tracker}.id", f"{run}\n".encode())
