"""Learns less often from clicks that were certain to be safe, of which there is little to learn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples


def chances_to_keep(errors: NDArray[np.float32], scale: float, least: float) -> NDArray[np.float32]:
    """Returns the chance of each sample to be learned from, in [least, 1]: `scale` times its error.

    Args:
        errors: (N,) float32, how wrong the prediction is, or is expected to be.
        scale: what they are multiplied by; 0 keeps all samples.
        least: the least chance.
    """
    if scale == 0:
        return np.ones(len(errors), np.float32)
    return np.clip(scale * errors, least, 1.0).astype(np.float32)


class ThinnedRolloutBuffer(MaskableRolloutBuffer):
    """A rollout buffer whose minibatches leave out most of the steps that were expected to be safe.

    The chance to stay rests on V of the board, which was known before the click. So whatever stays has, given its
    board and its click, the same return on average as all of them: the critic's targets have no bias, and the
    advantages that are left out are nearly 0.

    Attributes:
        scale: the chance is `scale` times 1 - V, for returns that are probabilities; 0 keeps all steps.
        least: the least chance.
        drawn: the steps in the minibatches of the last `get`.
    """

    scale = 0.0
    least = 0.0
    drawn = 0

    def get(self, batch_size: int | None = None) -> Iterator[MaskableRolloutBufferSamples]:  # type: ignore[override]
        """Yields minibatches of about `batch_size` in random order, one of all steps that are kept if it is None."""
        (everything,) = super().get(None)
        errors = 1 - everything.old_values.cpu().numpy().astype(np.float32)
        chances = chances_to_keep(errors, self.scale, self.least)
        chances[errors.argmax()] = 1.0  # so that there is a minibatch
        kept = np.flatnonzero(np.random.random(len(chances)) < chances)  # noqa: NPY002 - the generator of the base class
        self.drawn = len(kept)
        count = max(1, round(len(kept) / batch_size)) if batch_size else 1
        for indices in np.array_split(kept, count):
            chosen = torch.as_tensor(indices, device=everything.actions.device)
            yield MaskableRolloutBufferSamples(*(part[chosen] for part in everything))
