"""Result files: checked before the work, and replaced as a whole."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
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


@contextmanager
def hold_folder(folder: Path) -> Generator[None]:
    """Keeps other processes out of a folder, as far as they ask; a process that ends, however it does, lets go.

    Raises:
        BlockingIOError: another process holds it.
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
            # Some network file systems can lock no folder.
            pass
        yield
    finally:
        os.close(handle)
