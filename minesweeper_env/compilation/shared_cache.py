"""Numba's cache of machine code, with a lock: one process compiles a kernel, and the others wait for it."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from typing import Any

from numba.core.caching import FunctionCache

from minesweeper_env.compilation.cold_start import COLD_START
from minesweeper_env.compilation.private_folder import private_folder

MOST_SECONDS = 300.0
"""Time that a process waits for another one, which may have been stopped, before it compiles the kernel itself."""

LOOK_SECONDS = 0.1
"""Time between two attempts to acquire the lock."""


class SharedCache(FunctionCache):
    """The cache of one kernel.

    A process that finds no machine code acquires the lock of the kernel, looks again, and keeps the lock until it has
    stored the code. The end of the process releases it.
    """

    _lock: int | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Returns the stored code of a kernel for a signature; None if this process has to compile it."""
        found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        if found is None and self._lock is None and self._acquire():
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
            if found is not None:
                self._release()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Stores the code of a kernel."""
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        finally:
            self._release()

    def _acquire(self) -> bool:
        """Acquires the lock; returns False where there are no locks, or after `MOST_SECONDS`."""
        if sys.platform == "win32":
            return False
        import fcntl

        try:
            handle = os.open(self._lock_path(), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        end, is_told = time.monotonic() + MOST_SECONDS, False
        while time.monotonic() < end:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not is_told:
                    is_told = True
                    COLD_START.wait(f"{self._py_func.__module__}:{self._py_func.__name__}")
                time.sleep(LOOK_SECONDS)
            except OSError:
                break
            else:
                self._lock = handle
                return True
        os.close(handle)
        return False

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _lock_path(self) -> str:
        """Returns the file whose lock stands for the kernel; the path of its index names it."""
        folder = private_folder() / "locks"
        folder.mkdir(exist_ok=True)
        return str(folder / hashlib.sha256(self._cache_file._index_path.encode()).hexdigest())
