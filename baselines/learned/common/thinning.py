"""Thinning: random subsampling of clicks that were almost certainly safe, since they carry little gradient."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples


def keep_probabilities(errors: NDArray[np.float32], scale: float, least: float) -> NDArray[np.float32]:
    """Returns the probability that each sample is kept, clip(scale * error, least, 1).

    Args:
        errors: (N,) float32, the expected error of each prediction.
        scale: the factor; 0 keeps every sample.
        least: lower bound of the probabilities.

    Returns:
        (N,) float32.
    """
    if scale == 0:
        return np.ones(len(errors), np.float32)
    return np.clip(scale * errors, least, 1.0).astype(np.float32)


class ThinnedRolloutBuffer(MaskableRolloutBuffer):
    """A rollout buffer whose minibatches leave out most of the steps that were expected to be safe.

    The keep probability depends only on V of the board, which is known before the click. So given (board, click) the
    kept returns have the same mean as all of them, and the critic's targets stay unbiased. The advantages left out
    are nearly 0.

    Attributes:
        keep_scale: a step is kept with probability `keep_scale` * (1 - V), where returns are probabilities; 0 keeps
            every step.
        keep_min: lower bound of this probability.
        drawn: number of steps in the minibatches of the last `get`.
    """

    keep_scale = 0.0
    keep_min = 0.0
    drawn = 0

    def get(self, batch_size: int | None = None) -> Iterator[MaskableRolloutBufferSamples]:  # type: ignore[override]
        """Yields minibatches of about `batch_size` kept steps in random order; None yields a single one."""
        (everything,) = super().get(None)
        errors = 1 - everything.old_values.cpu().numpy().astype(np.float32)
        probabilities = keep_probabilities(errors, self.keep_scale, self.keep_min)
        probabilities[errors.argmax()] = 1.0  # so that there is a minibatch
        kept = np.flatnonzero(np.random.random(len(errors)) < probabilities)  # noqa: NPY002 - the base class's generator
        self.drawn = len(kept)
        count = max(1, round(len(kept) / batch_size)) if batch_size else 1
        for indices in np.array_split(kept, count):
            chosen = torch.as_tensor(indices, device=everything.actions.device)
            yield MaskableRolloutBufferSamples(*(field[chosen] for field in everything))
