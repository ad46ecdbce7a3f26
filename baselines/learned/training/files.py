"""Files of a run folder: `run.json`, the checkpoint, the log, and a check that they and the training fit the machine.

Weights & Biases gets the log, too, if the user asks; the variable WANDB_PROJECT names another project.
"""

from __future__ import annotations

import os
import platform
import shutil
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
from baselines.learned.networks import BoardPlanes
from baselines.learned.settings import TrainingSettings, scaled
from baselines.learned.training.curves import ROW
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

CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
_FLOAT = 4
_WEIGHT_COPIES = 4
"""Copies of the weights in memory: the weights, their gradients, and the two moments of Adam."""

Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]


class Progress(msgspec.Struct):
    """State of a training that is not its learner's.

    Attributes:
        seconds: trained so far.
        evaluation_seconds: time that the evaluations took.
        kept: facts about the agent in the run folder; None before the first one.
        highest: best win rate so far.
        references: win rates of the scripted policies by board; None before they have played.
    """

    seconds: Seconds
    evaluation_seconds: Seconds
    kept: Kept | None
    highest: Rate
    references: dict[str, dict[str, Rate]] | None


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


def earlier_run(path: Path) -> Run:
    """Returns the content of a `run.json`, without sessions if there is no such file; raises ValueError on damage."""
    return read_as(path, Run) if path.exists() else Run([])


def record_session(
    path: Path, settings: TrainingSettings, command: str, steps: int, start: dict[str, Any] | None = None
) -> None:
    """Writes the settings to a `run.json` and appends a session.

    Args:
        path: the file; earlier sessions in it are kept.
        settings: the settings of the training.
        command: the command line of the session.
        steps: the number of steps in earlier sessions.
        start: `training_of` the agent that the weights come from; None keeps what the file says.
    """
    earlier = earlier_run(path)
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
    identity = own_identity()._asdict()
    content = {"settings": settings.to_json(), "identity": identity, "sessions": [*earlier.sessions, session]}
    write_json(path, content if start is None else content | {START: start})


class Log(Logger):
    """Logger of one session: progress.csv, one file a session, with numbered rows, and TensorBoard files.

    Args:
        folder: the run folder.
    """

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
        self.record("time/minutes", minutes)
        self.record("eval/win_rate", score.win_rate)
        self.record("eval/seconds", seconds)
        for board, rate in score.win_rates.items():
            self.record(f"eval/{file_name(board)}", rate)
            for policy, reference in references.get(board, {}).items():
                self.record(f"eval/{file_name(board)}/{policy}", reference)


def start_tracking(folder: Path, settings: TrainingSettings) -> Any:
    """Returns the run of Weights & Biases that a folder continues, or begins; call it before the log is opened.

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


def check_resources(settings: TrainingSettings, folder: Path) -> None:
    """Checks that this machine has about the memory and the disk space that a training needs.

    Args:
        settings: the settings of the training.
        folder: the run folder; it need not exist yet.

    Raises:
        ValueError: the training needs more memory than the machine has, or more disk space than is free.
    """
    own, width = settings.own, settings.channels
    weights = _FLOAT * _WEIGHT_COPIES * (9 * width * (BoardPlanes.COUNT + 2 * width) + 2 * width * width)
    # A stored board has two boards of codes, a map of outcomes and four numbers.
    stored = sum(own.buffer_size * (3 * config.cells + 24) for config in settings.configs)
    passes, rollouts = 0, 0
    for config in settings.configs:
        games, batch = scaled(settings.envs, config.cells), scaled(own.batch_size, config.cells)
        learning = batch * ((3 * settings.depth + 4) * width + BoardPlanes.COUNT)
        passes = max(passes, _FLOAT * config.cells * max(learning, games * (3 * width + BoardPlanes.COUNT)))
        # A board and a mask of float32, twice while minibatches are made of them.
        rollouts += 4 * _FLOAT * getattr(own, "n_steps", 0) * games * config.cells
    needed, there = weights + stored + passes + rollouts, _machine_memory()
    if needed > there:
        raise ValueError(
            f"the training needs about {_amount(needed)} of memory, and this machine has {_amount(there)}; "
            "choose a smaller batch_size, buffer_size, envs, channels or board"
        )
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    needed, free = 2 * (weights + stored), shutil.disk_usage(existing).free
    if needed > free:
        raise ValueError(f"the checkpoints need {_amount(needed)} of disk, and {_amount(free)} are free for {folder}")


def _amount(size: float) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def _machine_memory() -> int:
    """Returns the memory of this machine in bytes, or the limit of its control group if that is lower."""
    installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 1 << 62
    try:
        return min(installed, int(CGROUP_LIMIT.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return installed
