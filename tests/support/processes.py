"""Processes that a test starts, and that never outlive it."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

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
