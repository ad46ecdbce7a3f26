"""Setting of the C library's allocator that speeds up repeated passes of a network."""

from __future__ import annotations

import numpy as np

_BLOCK = (32 << 20) - (1 << 16)
"""Bytes; just below the largest block that glibc adapts its threshold to."""


def keep_freed_memory() -> None:
    """Makes glibc keep up to 64 MiB of freed memory instead of returning it to the system.

    A pass allocates and frees megabytes. Memory returned between two passes must be mapped again, page by page. glibc
    keeps twice the size of the largest separately mapped block that was ever freed, up to 32 MiB (mallopt(3),
    M_MMAP_THRESHOLD). So this function frees a block of nearly 32 MiB without touching its pages. With other C
    libraries it has no effect.
    """
    np.empty(_BLOCK, np.uint8)
