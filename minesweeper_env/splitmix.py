"""The SplitMix64 generator (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators")."""

import numpy as np

from minesweeper_env.compiled import inlined

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio, odd: the step from one state of the generator to the next."""

_NEXT_STREAM = np.uint64(0xD1B54A32D192ED03)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_27, _30, _31 = np.uint64(27), np.uint64(30), np.uint64(31)


@inlined
def mix(word: np.uint64) -> np.uint64:
    """Returns the output of the generator in the state `word`: each of its bits depends on every bit of `word`."""
    word = word + GOLDEN
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@inlined
def next_stream(state: np.uint64) -> np.uint64:
    """Returns the first state of the next game's stream, given the first `state` of this game's stream.

    The result depends on no number that was drawn, so game k of a seed depends on the seed and k alone.
    """
    return mix(state ^ _NEXT_STREAM)
