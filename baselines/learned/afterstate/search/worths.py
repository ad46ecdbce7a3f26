"""Worth of the afterstates of a guess, where clicks differ only by the cells near them."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.search.outcomes import Boards, Outcomes
from baselines.learned.afterstate.search.passes import boards_on_device, parts_of, views_of
from baselines.learned.networks.symmetry import transform, transform_cells

REACH = 3
"""Distance up to which a click is taken to change the hazards of cells, in rows and in columns."""


def worths(network: AfterstateNetwork, mines: int, outcomes: Outcomes, averaged: bool = False) -> NDArray[np.float64]:
    """Returns the probability of winning after each outcome of clicks, (K,) float64.

    The logarithm of the worth is a sum of hazards over all covered cells. A click changes it near the cell, but the
    hazards of distant cells have errors that differ from one afterstate to the next, and on a large board their sum
    hides the change. So distant hazards are replaced by their mean over all afterstates of the guess for which they are
    distant.

    Args:
        network: on any device.
        mines: the number of mines on the boards.
        outcomes: K outcomes, of all clicks that are compared; their chances are the weights of the mean.
        averaged: whether to average the hazards over the half turn and the reflections of the board.
    """
    after = outcomes.after
    if len(after) == 0:
        return np.zeros(0)
    owners, clicked = torch.as_tensor(outcomes.guesses), torch.as_tensor(outcomes.cells)
    weights = torch.as_tensor(outcomes.chances).double()
    near = _Near(after.shape[1], after.shape[2])
    means = _DistantMeans(int(outcomes.guesses.max()) + 1, near)
    sums = []
    for part in parts_of(after):
        hazards = near.padded(_hazards(network, mines, after[part], averaged))
        inside = hazards.gather(1, near.of(clicked[part]))
        means.add(owners[part], clicked[part], hazards, inside, weights[part])
        sums.append(inside.sum(dim=1))
    return np.asarray(torch.exp(-(torch.cat(sums) + means.distant(owners, clicked))).numpy())


def worths_alone(network: AfterstateNetwork, mines: int, after: Boards) -> NDArray[np.float64]:
    """Returns the probability of winning from each afterstate by its own hazards alone, (K,) float64.

    Args:
        network: on any device.
        mines: the number of mines on the boards.
        after: (K, rows, cols) int8, codes of afterstates.
    """
    sums = [_hazards(network, mines, after[part], averaged=False).sum(dim=(1, 2)) for part in parts_of(after)]
    return np.asarray(torch.exp(-torch.cat(sums)).numpy())


@torch.no_grad()
def _hazards(network: AfterstateNetwork, mines: int, boards: Boards, averaged: bool) -> Tensor:
    """Returns the hazards of the cells of boards, (N, rows, cols) float64; 0 for open cells."""
    codes = boards_on_device(network, boards)
    rows, cols = codes.shape[1:]
    cells = torch.arange(rows * cols, device=codes.device)
    views = []
    for symmetry in views_of(averaged):
        turned = network.hazards(transform(codes, symmetry), mines).flatten(start_dim=1)
        views.append(turned[:, transform_cells(cells, rows, cols, symmetry)])
    return torch.stack(views).mean(dim=0).reshape(codes.shape).cpu().double()


class _Near:
    """The cells near each cell of a board, as indices into the board with a margin of REACH cells on every side."""

    def __init__(self, rows: int, cols: int) -> None:
        self.cols, self.width = cols, cols + 2 * REACH
        self.size = (rows + 2 * REACH) * self.width
        side = torch.arange(2 * REACH + 1)
        self._steps = (side[:, None] * self.width + side[None]).flatten()

    def padded(self, values: Tensor) -> Tensor:
        """Returns values (N, rows, cols) with a margin of zeros, (N, size)."""
        return functional.pad(values, (REACH,) * 4).flatten(start_dim=1)

    def of(self, cells: Tensor) -> Tensor:
        """Returns the indices (K, (2 * REACH + 1) ** 2) of the cells near cells (K,)."""
        corners = cells // self.cols * self.width + cells % self.cols
        return corners[:, None] + self._steps


class _DistantMeans:
    """Weighted means of the hazards of each cell, over the afterstates of a guess whose click is distant from it."""

    def __init__(self, guesses: int, near: _Near) -> None:
        self._near = near
        self._sums = torch.zeros(guesses, near.size, dtype=torch.float64)
        self._weights = torch.zeros(guesses, near.size, dtype=torch.float64)

    def add(self, guesses: Tensor, cells: Tensor, hazards: Tensor, inside: Tensor, weights: Tensor) -> None:
        """Adds the hazards (K, size) of afterstates; `inside` are those of the cells near the click."""
        self._sums.index_add_(0, guesses, weights[:, None] * hazards)
        self._weights.index_add_(0, guesses, weights[:, None].expand_as(hazards))
        places = (guesses[:, None] * self._near.size + self._near.of(cells)).flatten()
        self._sums.view(-1).index_add_(0, places, -(weights[:, None] * inside).flatten())
        self._weights.view(-1).index_add_(0, places, -weights[:, None].expand_as(inside).flatten())

    def distant(self, guesses: Tensor, cells: Tensor) -> Tensor:
        """Returns the sums of the means over all cells distant from cells (K,), (K,)."""
        # Cells that are near every click have no mean; what rounding leaves of their weights does not count.
        known = self._weights > 1e-9
        means = torch.where(known, self._sums / self._weights.clamp(min=1e-9), 0.0)
        places = guesses[:, None] * self._near.size + self._near.of(cells)
        return means.sum(dim=1)[guesses] - means.view(-1)[places].sum(dim=1)
