"""What is known of the returns before learning starts, and how a head expresses them."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from baselines.learned.networks.masks import click_masks
from minesweeper_env.codes import FLAGGED

WITHIN_ZERO_AND_ONE = ("win",)
WITHIN_ZERO_AND_ONE_UNDISCOUNTED = ("safe_click",)


def is_probability(reward: str, gamma: float) -> bool:
    """Returns whether every return lies in [0, 1], so that its mean is the probability of some event.

    With "safe_click" and gamma = 0 it is the probability that the click is safe; with "win", that the game
    will be won (discounted). The returns of other schemes are of either sign.
    """
    return reward in WITHIN_ZERO_AND_ONE or (reward in WITHIN_ZERO_AND_ONE_UNDISCOUNTED and gamma == 0)


def to_return(outputs: Tensor, probability: bool) -> Tensor:
    """Maps the outputs of a head to returns: through the sigmoid if they are probabilities."""
    return torch.sigmoid(outputs) if probability else outputs


def to_fitted_return(outputs: Tensor, probability: bool) -> Tensor:
    """Returns what `to_return` does, made for a squared loss that cannot be changed.

    For probabilities the gradient passes by the sigmoid, so the squared error descends as the cross-entropy
    does: d/dz (sigmoid(z) - r)^2 becomes 2 (sigmoid(z) - r), twice the gradient of the cross-entropy in z.
    """
    return torch.sigmoid(outputs).detach() + (outputs - outputs.detach()) if probability else outputs


def value_losses(outputs: Tensor, targets: Tensor, probability: bool) -> Tensor:
    """Returns the loss of each output of a head, in the shape that outputs and targets share.

    It is the cross-entropy if returns are probabilities, whose gradient does not fade where the sigmoid is
    flat, and else the Huber loss that DQN is known by.
    """
    if probability:
        return functional.binary_cross_entropy_with_logits(outputs, targets, reduction="none")
    return functional.smooth_l1_loss(outputs, targets, reduction="none")


def hindsight_losses(outputs: Tensor, codes: Tensor, safe: Tensor, isolated_weight_cap: float) -> Tensor:
    """Returns the cross-entropy of the chance to be safe, summed over the cells that could be clicked.

    The cells that no count touches are all alike, and on a large board there are hundreds of them, whose luck would
    drown what the counts tell; so there is a limit to what they count for.

    Args:
        outputs: (N, rows * cols), logits of the chance to be safe.
        codes: (N, rows, cols), the boards.
        safe: (N, rows * cols), 1 or 0, or -1 in all cells of a board for which it is not known.
        isolated_weight_cap: cap on the total weight, in cells, of covered cells without an open neighbour.

    Returns:
        (N, 1), 0 for a board for which it is not known.
    """
    targets = safe.clamp(min=0).to(outputs.dtype)
    losses = functional.binary_cross_entropy_with_logits(outputs, targets, reduction="none")
    return (losses * _weights(codes, isolated_weight_cap) * (safe >= 0)).sum(dim=1, keepdim=True)


def _weights(codes: Tensor, isolated_weight_cap: float) -> Tensor:
    """Returns how much each cell counts in `hindsight_losses`, (N, rows * cols)."""
    covered = click_masks(codes)
    is_open = (codes < FLAGGED).to(torch.float32)
    touched = functional.max_pool2d(is_open[:, None], 3, stride=1, padding=1).flatten(start_dim=1) > 0
    apart = covered & ~touched
    share = (isolated_weight_cap / apart.sum(dim=1, keepdim=True)).clamp(max=1.0)
    return (covered & touched) + apart * share
