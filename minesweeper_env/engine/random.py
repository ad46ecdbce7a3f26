"""Random numbers inside kernels."""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined
from minesweeper_env.engine.state import Generators, Int

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32 = (np.uint64(bits) for bits in (27, 30, 31, 32))
_2_TO_32 = np.uint64(1 << 32)
_LOW_32 = np.uint64((1 << 32) - 1)


@inlined
def random_below(rng: Generators, i: int, bound: Int) -> np.int64:
    """Draws one of 0..bound-1 from SplitMix64, exactly uniformly (Lemire 2019: multiply and reject)."""
    limit = np.uint64(bound)
    while True:
        rng[i] += _GOLDEN
        mixed = rng[i]
        mixed = (mixed ^ (mixed >> _30)) * _MIX_1
        mixed = (mixed ^ (mixed >> _27)) * _MIX_2
        product = ((mixed ^ (mixed >> _31)) >> _32) * limit
        low = product & _LOW_32
        if low >= limit or low >= (_2_TO_32 - limit) % limit:
            return np.int64(product >> _32)
