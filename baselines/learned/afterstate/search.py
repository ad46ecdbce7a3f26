"""Search one click ahead: the worth of each click at a guess, by the network's own safety, counts and worth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.networks.symmetry import symmetries, transform, transform_cells
from minesweeper_env.config import BoardConfig

AT_ONCE = 512
"""Upper bound on the boards of 64 cells in one pass of the network, so that its features stay in the cache."""

_SLACK_CELLS = 64
"""Largest number of cells on which the slack holds as given; with more cells it falls in inverse proportion."""

_LEAST_COUNT = 0.02
"""Counts of lower probability are left out; the others are rescaled to sum to 1."""

Boards = NDArray[np.int8]
Floats = NDArray[np.float32]


class Limits(NamedTuple):
    """Limits of the search.

    Attributes:
        slack: clicks are weighed if their rating is at most this much below the highest one on the board.
        breadth: upper bound on the clicks weighed on each board; those of the highest ratings stay.
    """

    slack: float
    breadth: int

    @classmethod
    def on(cls, config: BoardConfig, slack: float, breadth: int) -> Limits:
        """Returns the limits of a search on a board; the slack falls on boards of more than `_SLACK_CELLS` cells.

        The logarithm of the worth is a sum over the covered cells, so its error grows with them. On a large board the
        worth therefore decides between clicks of nearly equal safety alone.

        Args:
            config: the board.
            slack: the slack on a board of at most `_SLACK_CELLS` cells.
            breadth: see the class.
        """
        return cls(slack * min(1.0, _SLACK_CELLS / config.cells), breadth)


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
    for part in _parts(boards):
        safety, shown = _rated_part(network, mines, _on_device(network, boards[part]), counts, averaged)
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
    for symmetry in _views(codes, averaged):
        features = network.features(transform(codes, symmetry), mines)
        back = transform_cells(cells, rows, cols, symmetry)
        safeties.append(torch.sigmoid(network.safety_logits(features))[:, back])
        if counts:
            distributions.append(torch.softmax(network.count_logits(features), dim=1)[:, :, back])
    return torch.stack(safeties).mean(dim=0), torch.stack(distributions).mean(dim=0) if counts else None


@torch.no_grad()
def worths(network: AfterstateNetwork, mines: int, boards: Boards, averaged: bool = False) -> Floats:
    """Returns the probability of winning from afterstates, (N,) float32, for codes (N, rows, cols).

    Args:
        network: on any device.
        mines: the number of mines on the boards.
        boards: (N, rows, cols) int8 codes.
        averaged: whether to average it over all rotations and reflections of the board.
    """
    parts = []
    for part in _parts(boards):
        codes = _on_device(network, boards[part])
        views = [torch.exp(network.log_worth(transform(codes, each), mines)) for each in _views(codes, averaged)]
        parts.append(torch.stack(views).mean(dim=0))
    return torch.cat(parts).cpu().numpy() if parts else np.zeros(0, np.float32)


def _on_device(network: AfterstateNetwork, boards: Boards) -> Tensor:
    return torch.as_tensor(boards, device=next(network.parameters()).device)


def _views(codes: Tensor, averaged: bool) -> list[tuple[int, bool]]:
    """Returns the symmetries of boards (N, rows, cols), or the identity alone."""
    return symmetries(*codes.shape[1:])[: None if averaged else 1]


def click_values(
    network: AfterstateNetwork,
    mines: int,
    boards: Boards,
    ratings: Ratings,
    clicks: NDArray[np.bool_],
    averaged: bool = False,
) -> NDArray[np.float64]:
    """Weighs clicks: safety times the sum over counts of P(count) W(the board with this count in the cell).

    Args:
        network: on any device.
        mines: the number of mines on the boards.
        boards: (N, rows, cols) int8 codes.
        ratings: of these boards, with counts.
        clicks: (N, rows * cols) bool, the clicks to weigh; see `candidates`.
        averaged: whether to average the worth over all rotations and reflections of the board.

    Returns:
        (N, rows * cols) float64, the estimated probability of winning with each click; -1 for clicks not weighed.
    """
    assert ratings.counts is not None
    rows, cells = np.nonzero(clicks)
    shown = ratings.counts[rows, :, cells]
    pairs, counts = np.nonzero(shown > _LEAST_COUNT)
    after = afterstates(boards[rows[pairs]], cells[pairs], counts)
    weights = shown[pairs, counts]
    sums = np.bincount(pairs, weights * worths(network, mines, after, averaged), len(rows))
    values = np.full(ratings.safety.shape, -1.0)
    values[rows, cells] = ratings.safety[rows, cells] * sums / np.bincount(pairs, weights, len(rows))
    return values


def candidates(ratings: NDArray[np.floating[Any]], limits: Limits) -> NDArray[np.bool_]:
    """Returns (N, n) bool, True for the clicks of high ratings: at least one per board where a rating is positive.

    Args:
        ratings: (N, n), of safety or of values; 0 or less where a click is out of the question.
        limits: how far below the highest rating of a board, and how many.
    """
    near = (ratings >= ratings.max(axis=1, keepdims=True) - limits.slack) & (ratings > 0)
    if ratings.shape[1] <= limits.breadth:
        return near
    least = -np.partition(-ratings, limits.breadth - 1, axis=1)[:, limits.breadth - 1, None]
    chosen = near & (ratings >= least)
    # Exact ties at the last place may exceed the breadth: those further on in reading order are left out.
    return chosen & (np.cumsum(chosen, axis=1) <= limits.breadth)


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
    covered = np.full((1, config.rows, config.cols), config.codes.hidden, np.int8)
    ratings = rate(network, config.mines, covered, np.ones((1, config.cells), np.bool_), counts=True)
    assert ratings.counts is not None
    if config.first_click != "any":
        ratings.safety[:] = 1.0
    if config.first_click in ("opening", "corners"):
        ratings.counts[:] = np.eye(ratings.counts.shape[1])[0][None, :, None]
    values = click_values(network, config.mines, covered, ratings, np.ones((1, config.cells), np.bool_))
    board = values.reshape(config.rows, config.cols)
    mirrored = (board + board[::-1] + board[:, ::-1] + board[::-1, ::-1]) / 4
    return ((mirrored + mirrored.T) / 2 if config.rows == config.cols else mirrored).reshape(-1)


def _parts(boards: Boards) -> list[slice]:
    size = max(1, AT_ONCE * 64 // (boards.shape[1] * boards.shape[2]))
    return [slice(start, start + size) for start in range(0, len(boards), size)]
