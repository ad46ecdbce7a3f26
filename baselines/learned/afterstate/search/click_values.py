"""Search one click ahead: the value of each click at a guess, by the network's own safety, counts and worth."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.search.candidates import (
    Limits,
    Ratings,
    candidates,
    clicks_to_weigh,
    next_safety,
    rate,
)
from baselines.learned.afterstate.search.outcomes import (
    Boards,
    Flags,
    Floats,
    Outcomes,
    boards_on_device,
    parts_of,
    views_of,
)
from baselines.learned.networks import transform, transform_cells
from minesweeper_env.config import BoardConfig

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


_CLOSE = Limits(slack=0.015, breadth=3)
"""Values so near to the best one are weighed again with all views."""

_LIKELY = Limits(slack=1.0, breadth=4)
"""Clicks whose next safety is rated first."""


def best_clicks(
    network: AfterstateNetwork,
    mines: int,
    boards: Boards,
    ratings: Ratings,
    limits: Limits,
    symmetries: bool = True,
    onward: bool = True,
) -> NDArray[np.int64]:
    """Weighs clicks one click ahead, and returns the best one of each board.

    The value of a click is its safety times the sum over counts of P(count) W(the board then). With `onward`, W is
    multiplied by the safety of the safest next click, fitted to the clues. W sums over all covered cells, and its
    errors hide which click uncovers a safe cell. `lookahead:clicks=1` uses this safety alone, exactly.

    Args:
        network: on any device.
        mines: the number of mines on the boards.
        boards: (N, rows, cols) int8 codes.
        ratings: of these boards, with counts.
        limits: which clicks to weigh.
        symmetries: whether the clicks of nearly the best value are weighed again, with W averaged over the half
            turn and the reflections of the board.
        onward: see above.

    Returns:
        (N,) int64, row * cols + col.
    """
    assert ratings.counts is not None
    outcomes = Outcomes.of(boards, ratings.counts, clicks_to_weigh(ratings, limits))
    worth = worths(network, mines, outcomes)
    further = _further_safety(network, mines, outcomes, ratings.safety, worth) if onward else np.ones_like(worth)
    values = outcomes.click_values(ratings.safety, further * worth)
    if symmetries:
        values = _finer_values(network, mines, outcomes, ratings.safety, further, values)
    return values.argmax(axis=1)


def _finer_values(
    network: AfterstateNetwork,
    mines: int,
    outcomes: Outcomes,
    safety: Floats,
    further: NDArray[np.float64],
    values: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Returns the values of the clicks near the best one, averaged over all views; -1 for the other clicks.

    A board with a single such click keeps its values.
    """
    close = candidates(values, _CLOSE)
    close &= close.sum(axis=1, keepdims=True) > 1
    which = outcomes.are_of(close)
    again = outcomes.chosen(which)
    finer = again.click_values(safety, further[which] * worths(network, mines, again, averaged=True))
    return np.where(close.any(axis=1, keepdims=True), finer, values)


def _further_safety(
    network: AfterstateNetwork, mines: int, outcomes: Outcomes, safety: Floats, worth: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns the safety of the safest cell after each outcome, (K,); 1 where it cannot change which clicks are best.

    A value without this safety is an upper bound, so a click whose bound is far below the best value needs no pass.
    """
    further = np.ones_like(worth)

    def enter(clicks: Flags) -> None:
        which = outcomes.are_of(clicks)
        further[which] = next_safety(network, mines, outcomes.after[which])

    bounds = outcomes.click_values(safety, worth)
    likely = candidates(bounds, _LIKELY)
    enter(likely)
    best = np.where(likely, outcomes.click_values(safety, further * worth), 0).max(axis=1, keepdims=True)
    enter(~likely & (bounds >= best - _CLOSE.slack))
    return further


def click_values(
    network: AfterstateNetwork, mines: int, boards: Boards, ratings: Ratings, clicks: Flags, alone: bool = False
) -> NDArray[np.float64]:
    """Returns the value of clicks by W alone, (N, rows * cols) float64; -1 for the other cells.

    Args:
        network: on any device.
        mines: the number of mines on the boards.
        boards: (N, rows, cols) int8 codes.
        ratings: of these boards, with counts.
        clicks: (N, rows * cols) bool, the clicks to weigh; see `clicks_to_weigh`.
        alone: whether the worth of each afterstate counts alone, `worths_alone`, instead of `worths`.
    """
    assert ratings.counts is not None
    outcomes = Outcomes.of(boards, ratings.counts, clicks)
    worth = worths_alone(network, mines, outcomes.after) if alone else worths(network, mines, outcomes)
    return outcomes.click_values(ratings.safety, worth)


def first_click_values(network: AfterstateNetwork, config: BoardConfig) -> NDArray[np.float64]:
    """Weighs all first clicks; symmetric cells have equal values.

    The rule of the first click decides what it can meet. Under "opening" and "corners" it is safe and shows 0, but
    under "corners" a crowded board may break this, which is neglected. Under "safe" it is safe, and the network knows
    the counts. Under "any" the network knows both.

    Returns:
        (n,) float64, the estimated probability of winning with each first click.
    """
    everywhere = np.ones((1, config.cells), np.bool_)
    covered = np.full((1, config.rows, config.cols), config.codes.hidden, np.int8)
    ratings = rate(network, config.mines, covered, everywhere, counts=True)
    assert ratings.counts is not None
    if config.first_click != "any":
        ratings.safety[:] = 1.0
    if config.first_click in ("opening", "corners"):
        ratings.counts[:] = np.eye(ratings.counts.shape[1])[0][None, :, None]
    # The first click may open much of the board, so it changes distant hazards too.
    values = click_values(network, config.mines, covered, ratings, everywhere, alone=True)
    board = values.reshape(config.rows, config.cols)
    mirrored = (board + board[::-1] + board[:, ::-1] + board[::-1, ::-1]) / 4
    return ((mirrored + mirrored.T) / 2 if config.rows == config.cols else mirrored).reshape(-1)
