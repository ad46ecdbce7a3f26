"""Record of the sessions of a training: command, time, commit, versions and processor."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import minesweeper_env
from baselines.learned.settings.lineage import START
from baselines.learned.settings.training import TrainingSettings
from baselines.support.files import write_json
from baselines.support.machine import processor_name, source_commit
from baselines.support.reuse import own_identity
from baselines.support.structs import Run, read_as

PACKAGES = ("gymnasium", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")


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
    session = describe_session(command) | {"from_step": steps}
    identity = own_identity()._asdict()
    content = {"settings": settings.to_json(), "identity": identity, "sessions": [*earlier.sessions, session]}
    write_json(path, content if start is None else content | {START: start})


def earlier_run(path: Path) -> Run:
    """Returns the content of a `run.json`, without sessions if there is no such file.

    Raises:
        ValueError: the file is damaged; the message is one line.
    """
    return read_as(path, Run) if path.exists() else Run([])


def describe_session(command: str) -> dict[str, Any]:
    """Returns the command, start time, commit, versions and processor of a session, as JSON-able values."""
    return {
        "command": command,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": source_commit(),
        "versions": _versions(),
        "processor": processor_name(),
    }


def _versions() -> dict[str, str]:
    own = {"minesweeper-env": minesweeper_env.__version__, "python": platform.python_version()}
    return own | {name: version(name) for name in PACKAGES}
