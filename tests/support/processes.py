"""Processes that a test starts, and that never outlive it."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from support import ROOT


def run_python(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs Python in the root of the project, which it can import, and returns its status and what it printed.

    `options` are those of `subprocess.run`; the variables in `env` are added to those of this process.
    """
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    default: dict[str, Any] = {"cwd": ROOT, "env": variables, "capture_output": True, "text": True, "check": False}
    return subprocess.run([sys.executable, *map(str, words)], **{**default, **options})


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


@contextmanager
def full_disk(most: int) -> Iterator[None]:
    """Lets the system refuse to write beyond `most` bytes of a file, as on a full disk; skips where it cannot."""
    resource = pytest.importorskip("resource")
    kept = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, kept[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, kept)
