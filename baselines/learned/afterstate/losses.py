"""Losses of the heads: hindsight for safety and counts, targets for the worth of afterstates."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from baselines.learned.afterstate.self_play import MINE, UNKNOWN
from baselines.learned.common.losses import hindsight_weights

_LEAST_LOSS = 1e-5
"""Lower bound of -log W, which keeps the logarithm of 1 - W finite."""


def cell_losses(
    safety: Tensor, counts: Tensor, codes: Tensor, labels: Tensor, isolated_weight_cap: float
) -> tuple[Tensor, Tensor]:
    """Returns the losses of safety and counts, each the mean over the boards of a weighted sum over their cells.

    Both are cross-entropies with the weights of `hindsight_weights`; counts leave out mines.

    Args:
        safety: (N, n) float32, logits.
        counts: (N, COUNTS, n) float32, logits.
        codes: (N, rows, cols), the boards.
        labels: (N, n) int64, counts, MINE or UNKNOWN.
        isolated_weight_cap: see `baselines.learned.common.losses.hindsight_losses`.
    """
    cells = hindsight_weights(codes, isolated_weight_cap) * (labels != UNKNOWN)
    safe = (labels != MINE).to(torch.float32)
    safety_losses = functional.binary_cross_entropy_with_logits(safety, safe, reduction="none")
    count_losses = functional.cross_entropy(counts, labels.clamp(0, MINE - 1), reduction="none")
    return (cells * safety_losses).sum(dim=1).mean(), (cells * safe * count_losses).sum(dim=1).mean()


def worth_loss(log_worth: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Returns the weighted mean of the cross-entropies of the probability of winning and its target.

    Args:
        log_worth: (N,) float32.
        targets: (N,) float32, within 0 and 1.
        weights: (N,) float32, not all 0.
    """
    log_worth = log_worth.clamp(max=-_LEAST_LOSS)
    losses = -(targets * log_worth + (1 - targets) * torch.log(-torch.expm1(log_worth)))
    return (weights * losses).sum() / weights.sum()
