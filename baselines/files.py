"""Files of results: checks before the work starts, atomic writes, bounded reads, and locks of folders."""

import errno
import json
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from minesweeper_env.escape import printable

NAME_LETTERS = 50
"""Number of letters of a file's name in the name of its temporary file, which may have at most 255 bytes."""

_TEMPORARY = re.compile(r"\..*\.[0-9a-f]{16}\.minesweeper-tmp", re.DOTALL)
"""Matches names of temporary files, which no other program and no user gives a file by chance."""

MOST_BYTES = 1 << 26
"""Size of the largest file that is read whole, in bytes: a stranger's file must not fill the memory."""

COPIES = "MINESWEEPER_COPIES"
"""Environment variable of Ray's workers: a JSON object from the user's path of a file or folder to its copy there."""


def check_writable(path: Path) -> None:
    """Raises ValueError unless a file can be written; called before hours are spent on its content."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder, and must be a file")
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise ValueError(f"the folder of {path} does not exist")
    # `replace_file` renames, which needs a writable folder, and would also replace a file that is read-only.
    targets = ([path] if path.exists() else []) + ([] if _is_written_in_place(path) else [folder])
    if not all(os.access(target, os.W_OK) for target in targets):
        raise ValueError(f"{path} cannot be written")


def replace_file(path: Path, content: bytes, *, follow: bool = False) -> None:
    """Writes a file atomically: at any moment its path holds either the old content or the whole new content.

    A symbolic link is replaced, since a folder from a stranger may link to any file. With `follow`, for a path that the
    user chose, the link stays and its target is replaced; a device, a pipe, or a link to an open file such as
    /dev/stdout is written in place. Raises OSError with the path.
    """
    try:
        if follow and _is_written_in_place(path):
            with path.open("ab") as file:
                file.write(content)
        else:
            _replace(Path(os.path.realpath(path)) if follow else path, content)
    except OSError as error:
        # On a full disk, write and fsync raise errors without a path.
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _replace(path: Path, content: bytes) -> None:
    temporary = temporary_path(path)
    # The flag "x" follows no link and opens no existing file.
    stream = temporary.open("xb")
    try:
        with stream:
            if path.is_file() and not path.is_symlink():
                os.chmod(temporary, stat.S_IMODE(path.stat().st_mode))
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def temporary_path(path: Path) -> Path:
    """Returns a new hidden path in the folder of `path`: write a file there, and rename it to `path` once complete."""
    return path.with_name(f".{path.name[:NAME_LETTERS]}.{secrets.token_hex(8)}.minesweeper-tmp")


def _is_written_in_place(path: Path) -> bool:
    """Returns whether a path is a device, a pipe, or a link to an open file of a process, such as /dev/stdout."""
    folder = path.parent.resolve()
    is_descriptor = path.is_symlink() and (folder == Path("/dev") or folder.is_relative_to("/proc"))
    return path.exists() and (is_descriptor or not path.is_file())


def remove_link(path: Path) -> None:
    """Removes a symbolic link, which a stranger may have put into a folder, before a library writes through it."""
    if path.is_symlink():
        path.unlink()


def is_empty(folder: Path) -> bool:
    """Returns whether a folder holds nothing but the temporary files of killed processes."""
    return all(_TEMPORARY.fullmatch(path.name) for path in folder.iterdir())


@contextmanager
def hold_folder(folder: Path) -> Generator[Callable[[int], None]]:
    """Locks a folder against other processes within the block; the end of the process releases the lock, too.

    Yields `sweep(depth)`, which removes temporary files of killed processes from the folder, and from its subfolders
    down to a depth. Call `sweep` only once the command knows that the folder is its own. `sweep` follows no link and
    enters no subfolder that another process holds. On Windows, and on file systems without locks, nothing is locked or
    removed. Raises BlockingIOError if another process holds the lock.
    """
    if sys.platform == "win32":
        yield lambda _depth: None
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        is_held = _lock(handle, folder)
        yield lambda depth: _remove_temporary_files(folder, depth) if is_held else None
    finally:
        os.close(handle)


def _remove_temporary_files(folder: Path, depth: int) -> None:
    for path in folder.iterdir():
        is_folder, is_temporary = path.is_dir() and not path.is_symlink(), _TEMPORARY.fullmatch(path.name)
        if is_temporary and not is_folder:
            path.unlink(missing_ok=True)
        elif is_folder and (is_temporary or depth > 0):
            with suppress(OSError), hold_folder(path) as sweep:
                shutil.rmtree(path) if is_temporary else sweep(depth - 1)


@contextmanager
def hidden_folder(path: Path) -> Generator[Path]:
    """Yields a new hidden folder beside a path: rename complete files out of it; the block's end removes it.

    First removes the hidden folders that killed processes left beside the path.
    """
    with suppress(BlockingIOError), hold_folder(path.parent) as sweep:
        sweep(0)
    folder = temporary_path(path)
    folder.mkdir()
    try:
        with hold_folder(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _lock(handle: int, folder: Path) -> bool:
    """Locks a folder, open as the descriptor `handle`; returns False on file systems that cannot lock."""
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise BlockingIOError(error.errno, "another process is writing into it", str(folder)) from error
    except OSError:
        return False
    # Between our `os.open` and the lock, another command may have removed the folder that it had just created.
    if not os.path.samestat(os.fstat(handle), os.stat(folder)):
        raise FileNotFoundError(errno.ENOENT, "another process has replaced it", str(folder))
    return True


def write_json(path: Path, content: dict[str, Any], *, follow: bool = False) -> None:
    """Writes a JSON file as `replace_file` does."""
    replace_file(path, (json.dumps(content, indent=2) + "\n").encode(), follow=follow)


def read_bounded(path: Path, most: int = MOST_BYTES, opened: Callable[..., Any] = open) -> bytes:
    """Reads a file with `opened`, such as `gzip.open`; raises OSError for a named pipe or more than `most` bytes."""
    # Opening a named pipe could wait for ever. A shell's pipe passes: then the real path of /dev/stdin does not exist.
    if Path(os.path.realpath(path)).is_fifo():
        raise OSError(errno.EINVAL, "is a named pipe, and must be a file", str(path))
    with opened(path, "rb") as file:
        content: bytes = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"has more than {most} bytes", str(path))
    return content


def read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON object; raises ValueError, in one line, if the file cannot be read or holds no JSON object."""
    try:
        content = json.loads(read_bounded(path).decode("utf-8-sig"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or first_line(error)}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} holds no valid JSON: {first_line(error)}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} must hold a JSON object, not {type(content).__name__}")
    return content


def first_line(error: BaseException) -> str:
    """Returns the first line of an error's message, made printable, or the name of its class if it has none."""
    return printable((str(error) or type(error).__name__).splitlines()[0])


def file_name(name: str) -> str:
    """Returns the name of a board as files and logs spell it: "16x30-99" for "16x30/99"."""
    return name.replace("/", "-").replace(" ", "-")


def local_path(name: str) -> Path:
    """Returns the path of a user's file or folder: of its copy if `COPIES` names one, as on a node of Ray."""
    return Path(json.loads(os.environ.get(COPIES, "{}")).get(name, name))
