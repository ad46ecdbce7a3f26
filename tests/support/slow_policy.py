"""Policy that pauses at each decision, so that a kill hits a unit in play, with little work for the processor."""

import os
import time

import numpy as np

PAUSE = "SLOW_POLICY_PAUSE"
"""Variable of the environment with the duration of a decision in seconds (default 0.03)."""


class SlowPolicy:
    """Clicks legal cells at random, five games side by side."""

    batch_size = 5

    def __init__(self, **_settings: object) -> None:
        self._random = np.random.default_rng()

    def reset(self, seed: int) -> None:
        """Begins a batch of games."""
        self._random = np.random.default_rng(seed)

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """Returns a legal click for each game."""
        time.sleep(float(os.environ.get(PAUSE, "0.03")))
        legal = action_masks.reshape(len(observations), -1)
        return (self._random.random(legal.shape) * legal).argmax(1)
