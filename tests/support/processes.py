"""Processes that a test starts, and that never outlive it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from support import ROOT


@contextmanager
def started(command: Sequence[str], **options) -> Iterator[subprocess.Popen]:
    """Starts a process in the root of the project; the end of the block kills it, unless it has ended, and reaps it.

    A process that survives a failed assertion would warn in a later test, which then fails too.
    """
    with subprocess.Popen(command, **{"cwd": ROOT, **options}) as process:
        try:
            yield process
        finally:
            process.kill()
