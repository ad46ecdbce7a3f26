"""Copies of files that stand in for the paths of another machine, in a worker on a cluster."""

from __future__ import annotations

import json
import os
from pathlib import Path

COPIES = "MINESWEEPER_COPIES"
"""Variable of the environment of workers with the copy of each file or folder, as JSON, by its path elsewhere."""


def local_path(name: str) -> Path:
    """Returns the copy that stands in for a path, or the path itself."""
    return Path(json.loads(os.environ.get(COPIES, "{}")).get(name, name))
