"""Losses for returns that are probabilities, for other returns, and for the cells of finished games."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from baselines.learned.networks import click_masks
from minesweeper_env.codes import FLAGGED


def is_probability(reward: str, gamma: float) -> bool:
    """Returns whether every return lies in [0, 1], so that its mean is the probability of an event.

    With "safe_click" and gamma 0 the event is a safe click. With "win" it is a won game, discounted by gamma. The
    returns of other reward schemes have either sign.
    """
    return reward == "win" or (reward == "safe_click" and gamma == 0)


def to_return(outputs: Tensor, probability: bool) -> Tensor:
    """Maps the outputs of a head to returns: by the sigmoid if returns are probabilities, else unchanged."""
    return torch.sigmoid(outputs) if probability else outputs


def hindsight_losses(outputs: Tensor, codes: Tensor, safe: Tensor, isolated_weight_cap: float) -> Tensor:
    """Returns the hindsight loss of boards: the cross-entropy of each legal cell's safety with its final outcome.

    Covered cells without an open neighbour all look alike, and a large board has hundreds of them. Their noise would
    dominate the sum, so `isolated_weight_cap` limits their total weight:

        loss = sum over legal cells i of w_i * BCE(outputs_i, safe_i),
        w_i = 1 with an open neighbour, else min(1, isolated_weight_cap / number of cells without one).

    Args:
        outputs: (N, rows * cols) float32, logits of safety.
        codes: (N, rows, cols), the boards.
        safe: (N, rows * cols), 1 safe, 0 mine; -1 in all cells of a board whose game has no outcome.
        isolated_weight_cap: cap on the total weight, in cells, of legal cells without an open neighbour.

    Returns:
        (N, 1) float32; 0 for a board without an outcome.
    """
    targets = safe.clamp(min=0).to(outputs.dtype)
    losses = functional.binary_cross_entropy_with_logits(outputs, targets, reduction="none")
    return (losses * hindsight_weights(codes, isolated_weight_cap) * (safe >= 0)).sum(dim=1, keepdim=True)


def hindsight_weights(codes: Tensor, isolated_weight_cap: float) -> Tensor:
    """Returns the weights w of `hindsight_losses`, (N, rows * cols) float32; 0 where a click is illegal."""
    legal = click_masks(codes)
    is_open = (codes < FLAGGED).to(torch.float32)
    touched = functional.max_pool2d(is_open[:, None], 3, stride=1, padding=1).flatten(start_dim=1) > 0
    isolated = legal & ~touched
    # Without isolated cells a cap of 0 would give 0 / 0, a NaN that their zero mask does not remove.
    weight = (isolated_weight_cap / isolated.sum(dim=1, keepdim=True).clamp(min=1)).clamp(max=1.0)
    return (legal & touched) + isolated * weight
