"""Log of a training: progress.csv and TensorBoard files in the run folder, and Weights & Biases if the user names it.

The environment variable WANDB_PROJECT names another project. A resumed training continues its run.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import Logger, make_output_format

from baselines.learned.settings.training import TrainingSettings
from baselines.learned.training.curves import ROW
from baselines.learned.training.evaluation import References, Score
from baselines.support.board_names import file_name
from baselines.support.extras import import_extra
from baselines.support.files import first_line, replace_file

PROJECT = "minesweeper-env"
ID_FILE = "wandb.id"
"""The file of a run folder with the id of the run that a training continues."""


class _NumberedRows(Logger):
    """Numbers the rows of progress.csv, so that a reader notices lost ones."""

    rows = 0

    def dump(self, step: int = 0) -> None:
        """Writes a row."""
        self.rows += 1
        self.record(ROW, self.rows, exclude="tensorboard")
        super().dump(step)


class Log:
    """The logger of one session; use it as a context manager.

    Args:
        folder: the run folder; each session that resumes a training writes a CSV file of its own.

    Attributes:
        logger: what learners record to.
    """

    def __init__(self, folder: Path) -> None:
        """Opens the files."""
        earlier = len(list(folder.glob("progress*.csv")))
        suffix = f"-{earlier + 1}" if earlier else ""
        formats = [
            make_output_format("csv", str(folder), suffix),
            *([make_output_format("tensorboard", f"{folder}/tensorboard")] if find_spec("tensorboard") else []),
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


def start_tracking(folder: Path, settings: TrainingSettings) -> Any:
    """Returns the run of Weights & Biases that a folder continues, or begins; call it before the log is opened.

    Args:
        folder: the run folder.
        settings: the settings of the training.

    Raises:
        MissingExtraError: wandb is not installed.
        ConnectionError: wandb refuses; the message is one line.
    """
    wandb, path = import_extra("wandb", "wandb"), folder / ID_FILE
    try:
        run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", PROJECT),
            name=folder.name,
            dir=str(folder),
            id=path.read_text(encoding="utf-8").strip() if path.is_file() else None,
            resume="allow",
            config=settings.to_json(),
            sync_tensorboard=True,
        )
    except Exception as error:
        raise ConnectionError(f"wandb cannot be used: {first_line(error)}") from error
    replace_file(path, f"{run.id}\n".encode())
    return run
