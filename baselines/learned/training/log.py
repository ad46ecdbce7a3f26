"""Log of a training: progress.csv and TensorBoard files in the run folder, and Weights & Biases if the user names it.

The environment variable WANDB_PROJECT names another project. A resumed training continues its run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from numbers import Real
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter, Logger, make_output_format

from baselines.learned.training.curves import ROW
from baselines.learned.training.evaluation import References, Score
from baselines.support.board_names import file_name
from baselines.support.extras import MissingExtraError, import_extra
from baselines.support.files import replace_file
from minesweeper_env.notices import say

PROJECT = "minesweeper-env"
ID_FILE = "wandb.id"
"""The file of a run folder with the id of the run that a training continues."""


class _NumberedRows(Logger):
    """Numbers the rows of progress.csv, so that a reader notices lost ones."""

    rows = 0

    def dump(self, step: int = 0) -> None:
        """Writes a row."""
        self.rows += 1
        self.record(ROW, self.rows, exclude=("tensorboard", "Tracker"))
        super().dump(step)


class Log:
    """The logger of one session; use it as a context manager.

    Args:
        folder: the run folder; each session that resumes a training writes a CSV file of its own.
        trackers: further writers of the rows, which the log closes.

    Attributes:
        logger: what learners record to.
    """

    def __init__(self, folder: Path, trackers: Sequence[KVWriter] = ()) -> None:
        """Opens the files."""
        earlier = len(list(folder.glob("progress*.csv")))
        suffix = f"-{earlier + 1}" if earlier else ""
        formats = [
            make_output_format("csv", str(folder), suffix),
            *([make_output_format("tensorboard", f"{folder}/tensorboard")] if find_spec("tensorboard") else []),
            *trackers,
        ]
        self.logger = _NumberedRows(str(folder), formats)

    def record(self, score: Score, references: References, minutes: float, seconds: float) -> None:
        """Records an evaluation; the learner then writes the row.

        Args:
            score: of the agent.
            references: win rates of the scripted policies on each board.
            minutes: time of training so far, over all sessions.
            seconds: time that the evaluation took.
        """
        record = self.logger.record
        record("time/minutes", minutes)
        record("eval/win_rate", score.win_rate)
        record("eval/seconds", seconds)
        for board, rate in score.win_rates.items():
            name = file_name(board)
            record(f"eval/{name}", rate)
            for policy, reference in references.get(board, {}).items():
                record(f"eval/{name}/{policy}", reference)

    def __enter__(self) -> Log:
        """Returns the log."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the files."""
        self.logger.close()


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


def open_tracker(name: str, folder: Path, settings: Any) -> Tracker:
    """Returns a tracker that continues the run of a folder, or begins one.

    Args:
        name: "wandb".
        folder: the run folder.
        settings: the settings of the training.

    Raises:
        MissingExtraError: the tracker is not installed.
        ConnectionError: the tracker refuses; the message is one line.
    """
    try:
        return {"wandb": _open_wandb}[name](folder, settings)
    except MissingExtraError:
        raise
    except Exception as error:
        raise ConnectionError(f"{name} cannot be used: {str(error).splitlines()[0]}") from error


def _open_wandb(folder: Path, settings: Any) -> Tracker:
    wandb, path = import_extra("wandb", "wandb"), folder / ID_FILE
    run = wandb.init(
        project=os.environ.get("WANDB_PROJECT", PROJECT),
        name=folder.name,
        dir=str(folder),
        id=path.read_text(encoding="utf-8").strip() if path.is_file() else None,
        resume="allow",
        config=settings.to_json(),
    )
    replace_file(path, f"{run.id}\n".encode())
    return Tracker("wandb", lambda numbers, step: run.log(numbers, step=step), run.finish)
