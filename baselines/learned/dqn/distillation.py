"""What the oracle teaches: the chance of each cell to be safe, from the visible board and the number of mines."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from baselines.learned.networks.masks import click_masks
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import mine_probabilities_batch


def distillation_loss(outputs: Tensor, codes: Tensor, config: BoardConfig) -> Tensor:
    """Returns the cross-entropy of a network's safety against the oracle's, on all cells that can be clicked.

    Args:
        outputs: (N, rows * cols), logits of the chance to be safe.
        codes: (N, rows, cols), boards of games that go on.
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
