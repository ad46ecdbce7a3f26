"""Ratings of cells by the network: their safety, and the counts that they would show."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.search.clues import fitted_safety
from baselines.learned.afterstate.search.outcomes import Boards, Flags, Floats
from baselines.learned.afterstate.search.passes import boards_on_device, parts_of, views_of
from baselines.learned.networks.masks import covered_cells
from baselines.learned.networks.symmetry import transform, transform_cells


class Ratings(NamedTuple):
    """Ratings of the cells of N boards by the network.

    Attributes:
        safety: (N, n) float32, the probability that a cell is safe; 0 where a click is not legal.
        counts: (N, COUNTS, n) float32, probabilities of the counts that a safe cell shows; None unless asked for.
    """

    safety: Floats
    counts: Floats | None


def rate(
    network: AfterstateNetwork,
    mines: int,
    boards: Boards,
    legal: Flags,
    counts: bool,
    averaged: bool = False,
) -> Ratings:
    """Rates all cells of boards.

    Args:
        network: on any device.
        mines: the number of mines on the boards.
        boards: (N, rows, cols) int8 codes.
        legal: (N, rows * cols) bool, the legal clicks.
        counts: whether to rate the counts too.
        averaged: whether to average the probabilities over the half turn and the reflections of the board.
    """
    safeties, distributions = [], []
    for part in parts_of(boards):
        safety, shown = _rated_part(network, mines, boards_on_device(network, boards[part]), counts, averaged)
        safeties.append(safety.cpu().numpy())
        if shown is not None:
            distributions.append(shown.cpu().numpy())
    return Ratings(np.concatenate(safeties) * legal, np.concatenate(distributions) if counts else None)


@torch.no_grad()
def _rated_part(
    network: AfterstateNetwork, mines: int, codes: Tensor, counts: bool, averaged: bool
) -> tuple[Tensor, Tensor | None]:
    """Returns the safety (N, n) of boards (N, rows, cols), and the counts (N, COUNTS, n) or None, as probabilities."""
    rows, cols = codes.shape[1:]
    cells = torch.arange(rows * cols, device=codes.device)
    safeties, distributions = [], []
    for symmetry in views_of(averaged):
        features = network.features(transform(codes, symmetry), mines)
        back = transform_cells(cells, rows, cols, symmetry)
        safeties.append(torch.sigmoid(network.safety_logits(features))[:, back])
        if counts:
            distributions.append(torch.softmax(network.count_logits(features), dim=1)[:, :, back])
    return torch.stack(safeties).mean(dim=0), torch.stack(distributions).mean(dim=0) if counts else None


def next_safety(network: AfterstateNetwork, mines: int, boards: Boards) -> Floats:
    """Returns the safety of the safest cell of each board, fitted to its clues, (N,) float32; 1 if the board is won.

    Args:
        network: on any device.
        mines: the number of mines on the boards.
        boards: (N, rows, cols) int8 codes.
    """
    if len(boards) == 0:
        return np.zeros(0, np.float32)
    covered = covered_cells(boards)
    safety = fitted_safety(rate(network, mines, boards, covered, counts=False).safety, boards, mines)
    return np.where(covered.sum(axis=1) <= mines, np.float32(1), safety.max(axis=1))
