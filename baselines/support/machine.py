"""The machine that a program runs on."""

from __future__ import annotations

import platform
from pathlib import Path


def processor_name() -> str:
    """Returns the model name of the processor on Linux, and the machine type elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
