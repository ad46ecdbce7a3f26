"""Folder for the temporary files of this user on this machine, which no other user can write."""

from __future__ import annotations

import getpass
import os
import stat
import tempfile
from pathlib import Path


def private_folder() -> Path:
    """Returns the folder; makes it if there is none.

    Raises:
        OSError: it cannot be made, or another user owns it or may write it.
    """
    folder = Path(tempfile.gettempdir()) / f"minesweeper-env-{_user()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "getuid") and _is_open_to_others(found)):
        raise PermissionError(f"{folder} must be a folder that belongs to this user, and that others cannot write")
    return folder


def _user() -> str:
    # A container may run under a number that has no name.
    return str(os.getuid()) if hasattr(os, "getuid") else getpass.getuser()


def _is_open_to_others(found: os.stat_result) -> bool:
    return found.st_uid != os.getuid() or bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
