"""Choice among legal actions by scores: the highest one, or a sample of their softmax."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.policy import PolicyError


def choose(
    name: str, scores: NDArray[np.floating], masks: NDArray[np.bool_], rng: np.random.Generator | None = None
) -> NDArray[np.int64]:
    """Returns one legal action per game, (N,) int64.

    Args:
        name: name of the policy, for the error.
        scores: (N, actions), logits or Q-values; the scores of illegal actions have no effect.
        masks: (N, actions) bool, True for each legal action.
        rng: samples an action with probability softmax(scores) among the legal ones, by the Gumbel-max trick; None
            takes the highest score, and of equal ones the first.

    Raises:
        PolicyError: the score of a legal action is not a number.
    """
    legal = scores[masks].astype(np.float64)
    if np.isnan(legal).any():
        raise PolicyError(f"{name} gives a legal action a score that is not a number (NaN)")
    if rng is not None:
        legal += rng.gumbel(size=legal.shape)
    # A legal action with score -inf still goes before the illegal ones.
    filled = np.full(scores.shape, -np.inf)
    filled[masks] = np.maximum(legal, np.finfo(np.float64).min)
    return filled.argmax(axis=1)


def random_legal(masks: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """Returns a uniformly random legal action per game, (N,) int64."""
    return np.where(masks, rng.random(masks.shape), -1.0).argmax(axis=1)
