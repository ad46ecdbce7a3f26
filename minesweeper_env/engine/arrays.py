"""Arrays for the results of steps, from a pool where they are large."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ArrayPool:
    """Supplies arrays of one shape, and reuses each one once no view of it is left.

    Freeing a large array returns its memory to the operating system, which supplies the next array page by page.
    On a large board that takes most of the time of a step.
    """

    SPARE = 4
    """The largest number of arrays that a pool keeps."""

    WORTHWHILE = 1 << 15
    """The size in bytes from which a pool saves time."""

    def __init__(self, shape: tuple[int, ...], dtype: type) -> None:
        """Prepares an empty pool of arrays of this shape and dtype."""
        self._shape = shape
        self._dtype = dtype
        self._arrays: list[NDArray[Any]] = []

    def take(self) -> NDArray[Any]:
        """Returns a view of an uninitialised array that no other view shares."""
        for array in self._arrays:
            if sys.getrefcount(array) <= _HELD_BY_POOL:
                return array[...]
        array = np.empty(self._shape, self._dtype)
        if len(self._arrays) < self.SPARE:
            self._arrays.append(array)
        return array[...]

    def __getstate__(self) -> dict[str, Any]:
        """Leaves the spare arrays out of pickles and copies."""
        return {**self.__dict__, "_arrays": []}


def array_maker(shape: tuple[int, ...], dtype: type) -> Callable[[], NDArray[Any]]:
    """Returns a function that makes uninitialised arrays, from a pool if they are large."""
    if math.prod(shape) * np.dtype(dtype).itemsize >= ArrayPool.WORTHWHILE:
        return ArrayPool(shape, dtype).take
    return partial(np.empty, shape, np.dtype(dtype))


def _references_in_a_loop() -> int:
    """Returns the reference count that a loop variable shows for an array that only a list holds."""
    for array in [np.empty(1)]:
        return sys.getrefcount(array)
    raise AssertionError


_HELD_BY_POOL = _references_in_a_loop()
