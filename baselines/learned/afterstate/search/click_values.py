"""Search one click ahead: the value of each click at a guess, by the network's own safety, counts and worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.search.candidates import Limits, candidates, clicks_to_weigh
from baselines.learned.afterstate.search.outcomes import Boards, Flags, Floats, Outcomes
from baselines.learned.afterstate.search.ratings import Ratings, next_safety, rate
from baselines.learned.afterstate.search.worths import worths, worths_alone
from minesweeper_env.config import BoardConfig

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
