"""The decorators that turn Python functions into machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit
from numba.core import config

Function = TypeVar("Function", bound=Callable[..., Any])

# Kernels allocate nothing, so reference counting, whose atomic operations would cost half the time,
# is left out; the numpy error model leaves out the checks for a division by zero.
_OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False, "error_model": "numpy"}


def kernel(function: Function) -> Function:
    """Compiles a function that Python calls, and keeps the machine code on disk where it can.

    Kernels take arrays and numbers, and mean the same as plain Python when the environment variable
    ``NUMBA_DISABLE_JIT`` is 1.

    Args:
        function: the function to compile at its first call.

    Returns:
        The compiled function, called as the original is.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        # The generator's unsigned arithmetic wraps around on purpose; NumPy scalars would warn.
        return np.errstate(over="ignore")(function)
    try:
        return njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:
        # Neither the package's folder nor the user's own cache can be written.
        return njit(**_OPTIONS)(function)


def inlined(function: Function) -> Function:
    """Compiles a function into each kernel that calls it; besides, it may take named tuples.

    It stands in the same file as those kernels: numba compiles a cached kernel anew when the kernel's
    own file has changed, and does not look at others.

    Args:
        function: the function to compile.

    Returns:
        A function that kernels can call.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return njit(forceinline=True, **_OPTIONS)(function)
