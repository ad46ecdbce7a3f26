"""Candidates of the search: the clicks that are worth weighing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.search.clues import fitted_safety
from baselines.learned.afterstate.search.outcomes import Boards, Flags, Floats, boards_on_device, parts_of, views_of
from baselines.learned.networks import covered_cells, transform, transform_cells
from minesweeper_env.config import BoardConfig


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


_SMALL_CELLS = 64
"""Largest number of cells of a small board. With more cells the slack falls."""

_OPENING_BONUS = 0.1
"""Added to the order of the clicks to weigh, as a fraction of the safety, for a cell that would certainly show 0.

On a large board hundreds of cells may be equally safe, far more than are weighed. A 0 opens its neighbours too, so the
likeliest zeros, at corners and edges, must be among those that are.
"""


class Limits(NamedTuple):
    """Limits of the search.

    Attributes:
        slack: clicks are weighed if their rating is at most this much below the highest one on the board.
        breadth: upper bound on the clicks weighed on each board.
    """

    slack: float
    breadth: int

    @classmethod
    def on(cls, config: BoardConfig, slack: float, breadth: int, power: float) -> Limits:
        """Returns the limits of a search on a board; the slack falls on boards of more than `_SMALL_CELLS` cells.

        The logarithm of the worth is a sum over the covered cells, so its error grows with them. On a large board the
        worth therefore decides between clicks of nearly equal safety alone.

        Args:
            config: the board.
            slack: the slack on a board of at most `_SMALL_CELLS` cells.
            breadth: see the class.
            power: the slack falls with this power of the cells.
        """
        return cls(slack * min(1.0, _SMALL_CELLS / config.cells) ** power, breadth)


def clicks_to_weigh(ratings: Ratings, limits: Limits) -> Flags:
    """Returns the clicks to weigh at a guess, (N, n) bool: those within the slack, likely zeros first if they are many.

    Args:
        ratings: of N boards, with counts.
        limits: how much less safe than the safest click, and how many.
    """
    assert ratings.counts is not None
    return candidates(ratings.safety, limits, ratings.safety * (1 + _OPENING_BONUS * ratings.counts[:, 0]))


def candidates(
    ratings: NDArray[np.floating[Any]], limits: Limits, order: NDArray[np.floating[Any]] | None = None
) -> Flags:
    """Returns (N, n) bool, True for the clicks of high ratings: at least one per board where a rating is positive.

    Args:
        ratings: (N, n), of safety or of values; 0 or less where a click is out of the question.
        limits: how far below the highest rating of a board, and how many.
        order: (N, n), positive. The clicks where it is highest stay if the breadth is too low for all; None for the
            order of the ratings.
    """
    near = (ratings >= ratings.max(axis=1, keepdims=True) - limits.slack) & (ratings > 0)
    places = np.where(near, ratings if order is None else order, 0)
    first = np.argsort(-places, axis=1, kind="stable")[:, : limits.breadth]
    chosen = np.zeros_like(near)
    np.put_along_axis(chosen, first, True, axis=1)
    return chosen & near
