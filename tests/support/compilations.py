"""Functions that stand for the compiler in worker processes."""

from __future__ import annotations

import time
from pathlib import Path


def note(folder_and_name):
    """Notes that a part is compiled; the worker calls it in place of the compiler."""
    folder, _, name = folder_and_name.rpartition("/")
    time.sleep(0.05)
    with Path(folder, "log").open("a") as file:
        file.write(f"{name}\n")


def fail(_):
    raise RuntimeError("no compiler\nat all")
