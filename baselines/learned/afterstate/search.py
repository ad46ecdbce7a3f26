"""Search one click ahead: the worth of each click at a guess, by the network's own safety, counts and worth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines.learned.afterstate.clues import fitted_safety
from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.passes import boards_on_device, parts_of, views_of
from baselines.learned.afterstate.worths import worths, worths_alone
from baselines.learned.networks.masks import covered_cells
from baselines.learned.networks.symmetry import transform, transform_cells
from minesweeper_env.config import BoardConfig

_SMALL_CELLS = 64
"""Largest number of cells of a small board. With more cells the slack falls in inverse proportion."""

WHEN = ("large", "always", "never")
"""Values of the options `clues` and `onward` of the policy; see `applies`."""

_OPENING_BONUS = 0.1
"""Added to the order of the clicks to weigh, as a fraction of the safety, for a cell that would certainly show 0.

On a large board hundreds of cells may be equally safe, far more than are weighed. A 0 opens its neighbours too, so the
likeliest zeros, at corners and edges, must be among those that are.
"""

_LEAST_COUNT = 0.02
"""Counts of lower probability are left out; the others are rescaled to sum to 1."""

Boards = NDArray[np.int8]
Floats = NDArray[np.float32]


class Limits(NamedTuple):
    """Limits of the search.

    Attributes:
        slack: clicks are weighed if their rating is at most this much below the highest one on the board.
        breadth: upper bound on the clicks weighed on each board.
    """

    slack: float
    breadth: int

    @classmethod
    def on(cls, config: BoardConfig, slack: float, breadth: int) -> Limits:
        """Returns the limits of a search on a board; the slack falls on boards of more than `_SMALL_CELLS` cells.

        The logarithm of the worth is a sum over the covered cells, so its error grows with them. On a large board the
        worth therefore decides between clicks of nearly equal safety alone.

        Args:
            config: the board.
            slack: the slack on a board of at most `_SMALL_CELLS` cells.
            breadth: see the class.
        """
        return cls(slack * min(1.0, _SMALL_CELLS / config.cells), breadth)


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
    legal: NDArray[np.bool_],
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
        averaged: whether to average the probabilities over all rotations and reflections of the board.
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
    for symmetry in views_of(codes, averaged):
        features = network.features(transform(codes, symmetry), mines)
        back = transform_cells(cells, rows, cols, symmetry)
        safeties.append(torch.sigmoid(network.safety_logits(features))[:, back])
        if counts:
            distributions.append(torch.softmax(network.count_logits(features), dim=1)[:, :, back])
    return torch.stack(safeties).mean(dim=0), torch.stack(distributions).mean(dim=0) if counts else None


def click_values(
    network: AfterstateNetwork,
    mines: int,
    boards: Boards,
    ratings: Ratings,
    clicks: NDArray[np.bool_],
    averaged: bool = False,
    alone: bool = False,
    onward: bool = False,
) -> NDArray[np.float64]:
    """Weighs clicks: safety times the sum over counts of P(count) W(the board with this count in the cell).

    With `onward`, W is multiplied by the safety of the safest next click, fitted to the clues. W sums over all covered
    cells, and its errors hide which click uncovers a safe cell. `lookahead:clicks=1` uses this safety alone, exactly.

    Args:
        network: on any device.
        mines: the number of mines on the boards.
        boards: (N, rows, cols) int8 codes.
        ratings: of these boards, with counts.
        clicks: (N, rows * cols) bool, the clicks to weigh; see `clicks_to_weigh`.
        averaged: whether to average the worth over all rotations and reflections of the board.
        alone: whether the worth of each afterstate counts alone, `worths_alone`, instead of `worths`.
        onward: see above.

    Returns:
        (N, rows * cols) float64, the estimated probability of winning with each click; -1 for clicks not weighed.
    """
    assert ratings.counts is not None
    rows, cells = np.nonzero(clicks)
    shown = ratings.counts[rows, :, cells]
    pairs, counts = np.nonzero(shown > _LEAST_COUNT)
    after = afterstates(boards[rows[pairs]], cells[pairs], counts)
    weights = shown[pairs, counts]
    if alone:
        worth = worths_alone(network, mines, after, averaged)
    else:
        worth = worths(network, mines, after, rows[pairs], cells[pairs], weights, averaged)
    if onward:
        worth = worth * next_safety(network, mines, after)
    sums = np.bincount(pairs, weights * worth, len(rows))
    values = np.full(ratings.safety.shape, -1.0)
    values[rows, cells] = ratings.safety[rows, cells] * sums / np.bincount(pairs, weights, len(rows))
    return values


def applies(when: str, config: BoardConfig) -> bool:
    """Returns whether an option of `WHEN` is on for a board: "large" means more than `_SMALL_CELLS` cells."""
    return when == "always" or (when == "large" and config.cells > _SMALL_CELLS)


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


def clicks_to_weigh(ratings: Ratings, limits: Limits) -> NDArray[np.bool_]:
    """Returns the clicks to weigh at a guess, (N, n) bool: those within the slack, likely zeros first if they are many.

    Args:
        ratings: of N boards, with counts.
        limits: how much less safe than the safest click, and how many.
    """
    assert ratings.counts is not None
    return candidates(ratings.safety, limits, ratings.safety * (1 + _OPENING_BONUS * ratings.counts[:, 0]))


def candidates(
    ratings: NDArray[np.floating[Any]], limits: Limits, order: NDArray[np.floating[Any]] | None = None
) -> NDArray[np.bool_]:
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


def afterstates(boards: Boards, cells: NDArray[np.int64], counts: NDArray[np.int64]) -> Boards:
    """Returns copies of boards (N, rows, cols) where one cell each shows a count, and nothing else has opened."""
    after = boards.copy()
    after.reshape(len(after), boards.shape[1] * boards.shape[2])[np.arange(len(after)), cells] = counts
    return after


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
