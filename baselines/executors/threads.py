"""Threads of numerical libraries in worker processes: one each, because there is a worker for each processor."""

from __future__ import annotations

import os
import sys

VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def use_one_thread() -> None:
    """Lets this process compute with one thread, unless its environment sets another number."""
    for name in VARIABLES:
        os.environ.setdefault(name, "1")
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(int(os.environ[VARIABLES[0]]))
