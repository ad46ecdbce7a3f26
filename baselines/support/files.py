"""Result files: checked before the work starts, and written atomically."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


def check_writable(path: Path) -> None:
    """Checks that a file can be written, before hours are spent on its content.

    Raises:
        ValueError: its folder does not exist or cannot be written, or the path is a folder.
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
    """Writes a file atomically: at any moment its path holds either the old content or the whole new content.

    Raises:
        OSError: the file cannot be written; `filename` is its path.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        # On a full disk, write and fsync raise errors without a path.
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def hold_folder(folder: Path) -> Generator[None]:
    """Locks a folder against other processes that call this function; the end of the process releases the lock.

    Windows has no such lock, and the function does nothing there.

    Raises:
        BlockingIOError: another process holds the lock.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BlockingIOError(error.errno, "another process is writing into it", str(folder)) from error
        except OSError:
            # Some network file systems cannot lock folders.
            pass
        yield
    finally:
        os.close(handle)
