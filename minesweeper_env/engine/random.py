"""Random numbers inside kernels."""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined
from minesweeper_env.engine.state import Generators, Int
from minesweeper_env.splitmix import GOLDEN, mix

_32 = np.uint64(32)
_2_TO_32 = np.uint64(1 << 32)
_LOW_32 = np.uint64((1 << 32) - 1)


@inlined
def random_below(rng: Generators, i: Int, bound: Int) -> np.int64:
    """Draws one of 0..bound-1, exactly uniformly, from the SplitMix64 generator in row i (Lemire 2019)."""
    limit = np.uint64(bound)
    while True:
        product = (mix(rng[i]) >> _32) * limit
        rng[i] += GOLDEN
        low = product & _LOW_32
        # The first comparison decides most draws without the slow remainder. The second rejects the surplus values
        # that would make some results likelier than others.
        if low >= limit or low >= (_2_TO_32 - limit) % limit:
            return np.int64(product >> _32)
