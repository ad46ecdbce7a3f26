"""Files of a run folder: `run.json`, the checkpoint and the log.

Weights & Biases gets the log, too, if the user asks; the variable WANDB_PROJECT names another project.
"""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import msgspec
from stable_baselines3.common.logger import Logger, make_output_format

import minesweeper_env
from baselines.learned.common.tensor_files import Tensors, read_tensors, write_tensors
from baselines.learned.configurations import START
from baselines.learned.settings import TrainingSettings
from baselines.learned.training.curves import MINUTES, ROW
from baselines.learned.training.evaluation import References, Score
from baselines.registry import CHECKPOINT_FILE
from baselines.support.board_names import file_name
from baselines.support.extras import import_extra
from baselines.support.files import first_line, replace_file, write_json
from baselines.support.provenance import own_identity, processor_name, source_commit
from baselines.support.structs import Kept, Rate, Run, convert, read_as

PACKAGES = ("gymnasium", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
PROJECT, ID_FILE = "minesweeper-env", "wandb.id"
"""Project of Weights & Biases, and the file of a run folder with the id of the run that a training continues."""

Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]


class Progress(msgspec.Struct):
    """State of a training that is not its learner's; None stands for what there is not yet."""

    seconds: Seconds  # trained so far
    evaluation_seconds: Seconds
    kept: Kept | None  # the agent in the run folder
    highest: Rate  # best win rate so far
    references: dict[str, dict[str, Rate]] | None  # win rates of the scripted policies by board


def write_checkpoint(folder: Path, tensors: Tensors, state: dict[str, Any], progress: Progress) -> None:
    """Writes the snapshot of a learner and the progress of its training."""
    content = {"learner": state, "progress": msgspec.structs.asdict(progress)}
    write_tensors(folder / CHECKPOINT_FILE, tensors, content)


def restore(learner: Any, checkpoint: Path) -> Progress:
    """Restores the learner from a checkpoint, and returns the rest of it; raises ValueError if it is damaged."""
    tensors, state = read_tensors(checkpoint)
    try:
        progress = convert(state["progress"], Progress, "its progress")
        learner.restore(tensors, state["learner"])
        return progress
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise ValueError(f"{checkpoint} cannot be resumed: {error}") from error


def record_session(
    path: Path, settings: TrainingSettings, command: str, steps: int, start: dict[str, Any] | None = None
) -> None:
    """Writes the settings to a `run.json`, and appends a session that began after so many steps.

    `start` is `training_of` the agent that the weights come from; None keeps what the file says.
    """
    earlier = read_as(path, Run) if path.exists() else Run([])
    start = start or earlier.start
    own = {"minesweeper-env": minesweeper_env.__version__, "python": platform.python_version()}
    session = {
        "command": command,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": source_commit(),
        "versions": own | {name: version(name) for name in PACKAGES},
        "processor": processor_name(),
        "from_step": steps,
    }
    identity = own_identity()
    content = {"settings": settings.to_json(), "identity": identity, "sessions": [*earlier.sessions, session]}
    write_json(path, content if start is None else content | {START: start})


class Log(Logger):
    """Logger of one session in a run folder: progress.csv with numbered rows, one file a session, and TensorBoard."""

    def __init__(self, folder: Path) -> None:
        """Opens the files."""
        earlier, self.rows = len(list(folder.glob("progress*.csv"))), 0
        formats = [make_output_format("csv", str(folder), f"-{earlier + 1}" if earlier else "")]
        if find_spec("tensorboard"):
            formats.append(make_output_format("tensorboard", f"{folder}/tensorboard"))
        super().__init__(str(folder), formats)

    def dump(self, step: int = 0) -> None:
        """Writes a row with its number, so that a reader notices lost ones."""
        self.rows += 1
        self.record(ROW, self.rows, exclude="tensorboard")
        super().dump(step)

    def record_evaluation(self, score: Score, references: References, minutes: float, seconds: float) -> None:
        """Records an evaluation after so many minutes of training that took so many seconds."""
        self.record(MINUTES, minutes)
        self.record("eval/win_rate", score.win_rate)
        self.record("eval/seconds", seconds)
        for board, rate in score.win_rates.items():
            self.record(f"eval/{file_name(board)}", rate)
            for policy, reference in references.get(board, {}).items():
                self.record(f"eval/{file_name(board)}/{policy}", reference)


def start_tracking(folder: Path, settings: TrainingSettings) -> Any:
    """Returns the run of Weights & Biases that a folder continues, or begins; call it before the log is opened."""
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
