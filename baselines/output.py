"""Result files: checked before the work, and replaced as a whole."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def check_writable(path: Path) -> None:
    """Makes sure that a file can be written in its folder, before hours are spent on what goes into it.

    Raises:
        ValueError: the folder does not exist or cannot be written, or the path is a folder.
    """
    if path.is_dir():
        raise ValueError(f"{path} is a folder, and must be a file")
    if not path.parent.is_dir():
        raise ValueError(f"the folder of {path} does not exist")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise ValueError(f"the folder of {path} cannot be written: {error.strerror}") from error


def replace_file(path: Path, content: bytes) -> None:
    """Writes a file such that, whatever happens meanwhile, its path holds the old content or all of the new.

    Raises:
        OSError: it cannot be written; `filename` is its path.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        # A full disk shows in calls that know of no path.
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
