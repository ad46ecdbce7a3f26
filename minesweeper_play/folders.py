"""Folders of the user for statistics and settings, whose files several programs may write at once."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from baselines.support.extras import import_extra
from baselines.support.files import hold_folder, replace_file

NAME = "minesweeper-env"
"""The name of both folders."""

LOCK_SECONDS, RETRY_SECONDS = 5.0, 0.02
"""Seconds after which a program stops waiting for another one that writes, and seconds between two tries."""


class NoHomeError(OSError):
    """The user has no home folder: no HOME, and no entry in the list of users."""


def data_folder() -> Path:
    r"""Returns the user's data folder of this program, which need not exist yet.

    It follows the rules of the platform: `$XDG_DATA_HOME/minesweeper-env` or `~/.local/share/minesweeper-env` on Linux,
    `~/Library/Application Support/minesweeper-env` on macOS, `%APPDATA%\minesweeper-env` on Windows.

    Raises:
        MissingExtraError: platformdirs is not installed.
        NoHomeError: the user has no home folder.
    """
    return _user_folder("user_data_path")


def config_folder() -> Path:
    """Returns the user's folder for the settings of this program, which need not exist yet.

    It is `$XDG_CONFIG_HOME/minesweeper-env` or `~/.config/minesweeper-env` on Linux, and the data folder on macOS and
    Windows.

    Raises:
        MissingExtraError: platformdirs is not installed.
        NoHomeError: the user has no home folder.
    """
    return _user_folder("user_config_path")


def _user_folder(function: str) -> Path:
    platformdirs = import_extra("platformdirs", "play")
    try:
        return Path(getattr(platformdirs, function)(NAME, appauthor=False, roaming=True))
    except RuntimeError as error:
        raise NoHomeError("this user has no home folder; set HOME") from error


@contextmanager
def hold(folder: Path) -> Generator[None]:
    """Keeps other programs from writing into a folder, after at most `LOCK_SECONDS` of waiting for one that does.

    Raises:
        OSError: the folder cannot be opened, or another program does not finish.
    """
    end = time.monotonic() + LOCK_SECONDS
    with ExitStack() as stack:
        while True:
            try:
                stack.enter_context(hold_folder(folder))
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
                time.sleep(RETRY_SECONDS)
        yield


def set_aside(path: Path) -> Path:
    """Copies a damaged file to a new name next to it, such as "games-damaged-1.jsonl", and returns its path.

    Raises:
        OSError: the file cannot be read, or the copy cannot be written.
    """
    numbers = iter(range(1, 10**6))
    names = (path.with_name(f"{path.stem}-damaged-{number}{path.suffix}") for number in numbers)
    aside = next(name for name in names if not name.exists())
    replace_file(aside, path.read_bytes())
    return aside
