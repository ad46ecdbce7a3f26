"""Keeps the C library from handing memory back to the system after each pass of a network."""

from __future__ import annotations

import numpy as np

_BLOCK = (32 << 20) - (1 << 16)
"""In bytes, just below the most that glibc adapts to."""


def keep_freed_memory() -> None:
    """Has glibc keep some 64 MiB that are free, where it would keep a few.

    A pass allocates and frees megabytes, and what is handed back between two passes must be mapped in again, page by
    page. glibc keeps twice as much as the largest block, up to 32 MiB, that was mapped on its own and then freed
    (mallopt(3), M_MMAP_THRESHOLD); so this frees one of nearly that size, whose pages are never touched. Elsewhere it
    changes nothing.
    """
    np.empty(_BLOCK, np.uint8)
