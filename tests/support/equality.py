"""Comparison of the values that environments return, types and dtypes included."""

from __future__ import annotations

from typing import Any

import numpy as np


def assert_same(left: Any, right: Any, where: str = "") -> None:
    """Raises an AssertionError unless two nested structures are equal, with equal types, dtypes and shapes."""
    assert type(left) is type(right), f"{where}: {type(left)} is not {type(right)}"
    if isinstance(left, dict):
        assert set(left) == set(right), f"{where}: {sorted(left)} are not {sorted(right)}"
        for key in left:
            assert_same(left[key], right[key], f"{where}[{key!r}]")
    elif isinstance(left, (list, tuple)) or (isinstance(left, np.ndarray) and left.dtype == object):
        assert len(left) == len(right), where
        for i, (one, other) in enumerate(zip(left, right, strict=True)):
            assert_same(one, other, f"{where}[{i}]")
    elif isinstance(left, np.ndarray):
        assert (left.dtype, left.shape) == (right.dtype, right.shape), where
        assert np.array_equal(left, right), f"{where}:\n{left}\nis not\n{right}"
    else:
        assert left == right, f"{where}: {left!r} is not {right!r}"
