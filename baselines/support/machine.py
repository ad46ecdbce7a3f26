"""The machine that a program runs on, and the commit of its source code."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from pathlib import Path

UNKNOWN = "unknown"
"""Stands for the commit where the code is no checkout of this project."""


def processor_name() -> str:
    """Returns the model name of the processor on Linux, and the machine type elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


@cache
def source_commit() -> str:
    """Returns the commit of this source tree, with "-dirty" after it if a tracked file was changed; or `UNKNOWN`.

    Another repository may enclose, or even track, the folder into which the package is installed. So the root of the
    repository must be the root of the source tree, and the repository must track this file. The answer is that of the
    first call in the process, since the code in memory stays that of the start.
    """
    file = Path(__file__).resolve()
    # A hook of git sets GIT_DIR to its own repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}

    def git(*words: str) -> str:
        command = ["git", *words]
        return subprocess.run(
            command, cwd=file.parent, env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", file.name)
        root, commit = (
            git("rev-parse", "--show-toplevel"),
            git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"),
        )
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return commit if Path(root).resolve() == file.parents[2] else UNKNOWN
