"""Worker processes that a test may kill, as Linux lists them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

BUSY = "ray::_carry_out"
"""Title of a worker of Ray that carries out a call."""


def children(process: int) -> list[int]:
    """Returns the child processes of a process; none if it has ended."""
    try:
        return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def title(process: int) -> str:
    """Returns the command line of a process; "" if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def busy_workers(raylet: int) -> list[int]:
    """Returns the workers of a node of Ray that carry out a call."""
    return [each for each in children(raylet) if title(each).startswith(BUSY)]


def pool_workers(driver: int) -> list[int]:
    """Returns the workers of a local pool."""
    return [each for each in children(driver) if "spawn_main" in title(each)]


def kill(process: int) -> bool:
    """Kills a process without notice; returns False if it has ended before."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
