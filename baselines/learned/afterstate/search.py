"""Search one click ahead: the worth of each click at a guess, by the network's own safety, counts and worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from baselines.learned.afterstate.network import AfterstateNetwork
from minesweeper_env.config import BoardConfig

AT_ONCE = 512
"""Upper bound on the boards of 64 cells in one pass of the network, so that its features stay in the cache."""

_LEAST_COUNT = 0.02
"""Counts of lower probability are left out; the others are rescaled to sum to 1."""

Boards = NDArray[np.int8]
Floats = NDArray[np.float32]


class Limits(NamedTuple):
    """Limits of the search.

    Attributes:
        slack: clicks are weighed if their safety is at most this much below the highest safety on the board.
        breadth: upper bound on the clicks weighed on each board; the safest ones stay.
    """

    slack: float
    breadth: int


class Ratings(NamedTuple):
    """Ratings of the cells of N boards by the network.

    Attributes:
        safety: (N, n) float32, the probability that a cell is safe; 0 where a click is not legal.
        counts: (N, COUNTS, n) float32, probabilities of the counts that a safe cell shows; None unless asked for.
    """

    safety: Floats
    counts: Floats | None


def rate(network: AfterstateNetwork, mines: int, boards: Boards, legal: NDArray[np.bool_], counts: bool) -> Ratings:
    """Rates all cells of boards.

    Args:
        network: on any device.
        mines: the number of mines on the boards.
        boards: (N, rows, cols) int8 codes.
        legal: (N, rows * cols) bool, the legal clicks.
        counts: whether to rate the counts too.
    """
    device = next(network.parameters()).device
    safeties, distributions = [], []
    with torch.no_grad():
        for part in _parts(boards):
            features = network.features(torch.as_tensor(boards[part], device=device), mines)
            safeties.append(torch.sigmoid(network.safety_logits(features)).cpu().numpy())
            if counts:
                distributions.append(torch.softmax(network.count_logits(features), dim=1).cpu().numpy())
    return Ratings(np.concatenate(safeties) * legal, np.concatenate(distributions) if counts else None)


def worths(network: AfterstateNetwork, mines: int, boards: Boards) -> Floats:
    """Returns the probability of winning from afterstates, (N,) float32, for codes (N, rows, cols)."""
    device = next(network.parameters()).device
    with torch.no_grad():
        parts = [network.log_worth(torch.as_tensor(boards[part], device=device), mines) for part in _parts(boards)]
    return torch.exp(torch.cat(parts)).cpu().numpy() if parts else np.zeros(0, np.float32)


def click_values(
    network: AfterstateNetwork, mines: int, boards: Boards, ratings: Ratings, limits: Limits
) -> NDArray[np.float64]:
    """Weighs clicks: safety times the sum over counts of P(count) W(the board with this count in the cell).

    Args:
        network: on any device.
        mines: the number of mines on the boards.
        boards: (N, rows, cols) int8 codes.
        ratings: of these boards, with counts.
        limits: which clicks are weighed.

    Returns:
        (N, rows * cols) float64, the estimated probability of winning with each click; -1 for clicks not weighed.
    """
    assert ratings.counts is not None
    rows, cells = np.nonzero(candidates(ratings.safety, limits))
    shown = ratings.counts[rows, :, cells]
    pairs, counts = np.nonzero(shown > _LEAST_COUNT)
    after = afterstates(boards[rows[pairs]], cells[pairs], counts)
    weights = shown[pairs, counts]
    sums = np.bincount(pairs, weights * worths(network, mines, after), len(rows))
    values = np.full(ratings.safety.shape, -1.0)
    values[rows, cells] = ratings.safety[rows, cells] * sums / np.bincount(pairs, weights, len(rows))
    return values


def candidates(safety: Floats, limits: Limits) -> NDArray[np.bool_]:
    """Returns (N, n) bool, True for the clicks to weigh: at least one per board, the safest of those within the slack.

    Args:
        safety: (N, n) float32, 0 where a click is not legal.
        limits: which clicks are weighed.
    """
    near = (safety >= safety.max(axis=1, keepdims=True) - limits.slack) & (safety > 0)
    if safety.shape[1] <= limits.breadth:
        return near
    least = -np.partition(-safety, limits.breadth - 1, axis=1)[:, limits.breadth - 1, None]
    chosen = near & (safety >= least)
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
    values = click_values(network, config.mines, covered, ratings, Limits(np.inf, config.cells))
    board = values.reshape(config.rows, config.cols)
    mirrored = (board + board[::-1] + board[:, ::-1] + board[::-1, ::-1]) / 4
    return ((mirrored + mirrored.T) / 2 if config.rows == config.cols else mirrored).reshape(-1)


def _parts(boards: Boards) -> list[slice]:
    size = max(1, AT_ONCE * 64 // (boards.shape[1] * boards.shape[2]))
    return [slice(start, start + size) for start in range(0, len(boards), size)]
