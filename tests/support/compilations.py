"""Functions that stand for the compiler in worker processes."""

from __future__ import annotations

import time
from pathlib import Path

from minesweeper_env.compilation.cold_start import COLD_START


def note(folder_and_name):
    """Notes that a part is compiled; the worker calls it in place of the compiler."""
    folder, _, name = folder_and_name.rpartition("/")
    time.sleep(0.05)
    with Path(folder, "log").open("a") as file:
        file.write(f"{name}\n")


def compile_in_worker(_):
    """Reports the compilation of a kernel, as the compiler does."""
    COLD_START.begin("mine:own")
    COLD_START.end("mine:own")
    time.sleep(0.2)


def fail(_):
    raise RuntimeError("no compiler\nat all")
