"""Distillation of the oracle: a loss against the exact probability that each cell is safe."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from baselines.learned.networks.masks import click_masks
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import mine_probabilities_batch


def distillation_loss(outputs: Tensor, codes: Tensor, config: BoardConfig) -> Tensor:
    """Returns the cross-entropy between a network's and the oracle's safety, over all legal clicks.

    Args:
        outputs: (N, rows * cols), logits of the probability that a cell is safe.
        codes: (N, rows, cols), boards of games in progress.
        config: the board and the rules.

    Returns:
        (N, 1), the mean over the cells of each board.
    """
    boards = codes.cpu().numpy().astype(np.int8)
    mines = mine_probabilities_batch(boards, config.mines).reshape(len(boards), -1)
    safe = torch.as_tensor(1.0 - mines, dtype=outputs.dtype, device=outputs.device)
    legal = click_masks(codes)
    losses = functional.binary_cross_entropy_with_logits(outputs, safe, reduction="none")
    return (losses * legal).sum(dim=1, keepdim=True) / legal.sum(dim=1, keepdim=True)
