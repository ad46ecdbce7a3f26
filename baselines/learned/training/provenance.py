"""Record of the sessions of a training: command, time, commit, versions and processor."""

from __future__ import annotations

import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import minesweeper_env
from baselines.learned.common.tensor_files import read_json, write_json
from baselines.learned.settings.training import TrainingSettings

PACKAGES = ("gymnasium", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")


def record_session(path: Path, settings: TrainingSettings, command: str, steps: int) -> None:
    """Writes the settings and adds a session to a `run.json`.

    Args:
        path: of the file; an existing one keeps its earlier sessions.
        settings: of the training.
        command: that started the session.
        steps: taken by earlier sessions.
    """
    sessions = read_json(path)["sessions"] if path.exists() else []
    session = describe_session(command) | {"from_step": steps}
    write_json(path, {"settings": settings.to_json(), "sessions": [*sessions, session]})


def describe_session(command: str) -> dict[str, Any]:
    """Returns what a session of a training was started with, when, and by which versions, as JSON-able values."""
    return {
        "command": command,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "versions": _versions(),
        "processor": _processor(),
    }


def _versions() -> dict[str, str]:
    own = {"minesweeper-env": minesweeper_env.__version__, "python": platform.python_version()}
    return own | {name: version(name) for name in PACKAGES}


def _commit() -> str | None:
    """Returns the commit of the source tree that this is run from, if it is one."""
    command = ["git", "rev-parse", "HEAD"]
    try:
        answer = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip()


def _processor() -> str:
    """Returns the name of the processor, where Linux tells it, or else of its kind."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
