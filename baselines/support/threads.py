"""Threads of numerical libraries: one, because the networks are small, and other processes need the other cores."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def use_one_thread() -> None:
    """Let this process compute with one thread, unless OMP_NUM_THREADS sets another number."""
    if VARIABLES[0] in os.environ:
        return
    for name in VARIABLES:
        os.environ.setdefault(name, "1")
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


@contextmanager
def one_thread() -> Generator[None]:
    """Compute with one thread of PyTorch inside, and with as many as before afterwards.

    With OMP_NUM_THREADS in the environment, which every command sets, the number stays as it is.
    """
    torch = sys.modules["torch"]
    before = torch.get_num_threads()
    if before == 1 or VARIABLES[0] in os.environ:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
