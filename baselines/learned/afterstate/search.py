"""Search one or two clicks ahead at a guess: candidate clicks, their outcomes, and their values."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from baselines.learned.afterstate.clues import Boards, Doubles, Floats, fitted_safety
from baselines.learned.afterstate.network import COUNTS, AfterstateNetwork
from baselines.learned.networks import covered_cells, new_cells, transform
from baselines.learned.settings import USUAL_CELLS
from minesweeper_env.config import BoardConfig

Cells = NDArray[np.int64]
Flags = NDArray[np.bool_]

REACH = 3
"""Distance up to which a click is taken to change the hazards of cells, in rows and in columns."""

AT_ONCE = 512
"""Upper bound on the boards of 64 cells in one pass of the network, so that its features stay in the cache."""

_LEAST_CHANCE = 0.05
"""Counts of lower probability are left out; the others are rescaled to sum to 1."""

_OPENING_BONUS = 0.1
"""Added to the order of the clicks to weigh, as a fraction of the safety, for a cell that would certainly show 0.

On a large board hundreds of cells may be equally safe, far more than are weighed. A 0 opens its neighbours too, so the
likeliest zeros, at corners and edges, must be among those that are.
"""

_VIEWS = [(turns, mirrored) for turns in (0, 2) for mirrored in (False, True)]
"""Symmetries that every board has: the identity, the reflections and the half turn.

On a square board the other four bring nothing measurable, and double the time.
"""


class Limits(NamedTuple):
    """Limits on the clicks that a search weighs on each board."""

    slack: float  # how far below the highest rating a click may be
    breadth: int  # how many clicks, at most

    @classmethod
    def on(cls, config: BoardConfig, slack: float, breadth: int, power: float) -> Self:
        """Returns the limits on a board; the slack falls with a power of the cells if they are more than 64.

        The logarithm of the worth is a sum over the covered cells, so its error grows with them. On a large board the
        worth therefore decides between clicks of nearly equal safety alone.
        """
        return cls(slack * min(1.0, USUAL_CELLS / config.cells) ** power, breadth)


_CLOSE = Limits(slack=0.015, breadth=3)
"""Values so near to the best one are weighed again with all views."""

_LATE = 36
"""A guess is late if at most so many cells are covered.

On 8x8/14 these are nearly the guesses of at most 10 000 layouts, where `benchmarks/guesses.py prices` is exact.
"""

_TIED = Limits(slack=0.03, breadth=4)
"""Values so near to the best one are weighed again two clicks ahead."""

_NEXT, _NEXT_SURE = Limits(slack=0.2, breadth=3), 0.99
"""The second clicks of a search two clicks ahead: those near the safest one, or that one alone if it is so safe."""

_LIKELY = Limits(slack=1.0, breadth=4)
"""Clicks whose next safety is rated first."""


class Ratings(NamedTuple):
    """Ratings of the cells of N boards by the network."""

    safety: Floats  # (N, n): the probability that a cell is safe; 0 where a click is not legal
    counts: Floats  # (N, COUNTS, n): the probabilities of the counts that a safe cell shows; no COUNTS if not asked for


class Outcomes(NamedTuple):
    """The K outcomes of clicks on N boards if they hit no mine."""

    after: Boards  # (K, rows, cols): the afterstates, boards with the count in the clicked cell and nothing else opened
    guesses: Cells  # (K,): the number of the board
    cells: Cells  # (K,): the clicked cell
    chances: Floats  # (K,): the probability of the count; those of one click sum to 1

    @classmethod
    def of(cls, boards: Boards, counts: Floats, clicks: Flags) -> Self:
        """Returns the outcomes of clicks (N, n) bool on boards, by the chances (N, COUNTS, n) of the counts."""
        guesses, cells = np.nonzero(clicks)
        chances = counts[guesses, :, cells]  # (clicks, COUNTS)
        chances[chances <= _LEAST_CHANCE] = 0
        chances /= chances.sum(axis=1, keepdims=True)
        click, count = np.nonzero(chances)
        after = afterstates(boards[guesses[click]], cells[click], count)
        return cls(after, guesses[click], cells[click], chances[click, count])

    def chosen(self, which: Flags) -> Self:
        """Returns the outcomes that (K,) bool selects."""
        columns: Any = [column[which] for column in self]
        return type(self)(*columns)

    def click_values(self, safety: Floats, worth: Doubles) -> Doubles:
        """Returns the value of each click, (N, n): its safety times the mean of `worth` (K,); -1 without outcomes."""
        clicks = self.guesses * safety.shape[1] + self.cells  # indices of flattened (N, n) arrays
        means = np.bincount(clicks, self.chances * worth, safety.size).reshape(safety.shape)
        has_outcomes = np.bincount(clicks, minlength=safety.size).reshape(safety.shape) > 0
        return np.where(has_outcomes, safety * means, -1.0)


def afterstates(boards: Boards, cells: Cells, counts: Cells) -> Boards:
    """Returns copies of boards (N, rows, cols) where one cell each shows a count, and nothing else has opened."""
    after = boards.copy()
    after.reshape(len(after), boards.shape[1] * boards.shape[2])[np.arange(len(after)), cells] = counts
    return after


@torch.no_grad()
def _evaluate(
    network: AfterstateNetwork, boards: Boards, averaged: bool, outputs_of: Callable[[Tensor], Sequence[Tensor]]
) -> list[Tensor]:
    """Returns the outputs that `outputs_of` computes from codes, (N, ..., cells), or their means over the views."""
    codes = torch.as_tensor(boards, device=next(network.parameters()).device)
    rows, cols = codes.shape[1:]
    views = []
    for symmetry in _VIEWS[: None if averaged else 1]:
        cells = new_cells(rows, cols, symmetry, codes.device)  # This index undoes the symmetry.
        views.append([output[..., cells] for output in outputs_of(transform(codes, symmetry))])
    return [torch.stack(outputs).mean(dim=0).cpu() for outputs in zip(*views, strict=True)]


def _batches(boards: NDArray[Any]) -> list[slice]:
    """Returns slices of boards (N, rows, cols), one for each pass of the network."""
    size = max(1, AT_ONCE * USUAL_CELLS // (boards.shape[1] * boards.shape[2]))
    return [slice(start, start + size) for start in range(0, len(boards), size)]


def rate(
    network: AfterstateNetwork, mines: int, boards: Boards, legal: Flags, counts: bool, averaged: bool = False
) -> Ratings:
    """Rates all cells of boards.

    Args:
        network: on any device.
        mines: the number of mines on the boards.
        boards: (N, rows, cols) int8 codes.
        legal: (N, rows * cols) bool, the legal clicks.
        counts: whether to rate the counts too.
        averaged: whether to average over the views.
    """

    def outputs_of(codes: Tensor) -> list[Tensor]:
        features = network.tower(codes, mines)
        safety = torch.sigmoid(network.safety_logits(features))
        return [safety, torch.softmax(network.count_logits(features), dim=1)] if counts else [safety]

    by_batch = [_evaluate(network, boards[batch], averaged, outputs_of) for batch in _batches(boards)]
    safety, *rated = (torch.cat(outputs).numpy() for outputs in zip(*by_batch, strict=True))
    no_counts = np.zeros((len(boards), 0, legal.shape[1]), np.float32)
    return Ratings(safety * legal, rated[0] if counts else no_counts)


def next_safety(network: AfterstateNetwork, mines: int, boards: Boards) -> Floats:
    """Returns the largest safety on each board after the fit to its clues, (N,) float32; 1 if the board is won."""
    if len(boards) == 0:
        return np.zeros(0, np.float32)
    covered = covered_cells(boards)
    safety = fitted_safety(rate(network, mines, boards, covered, counts=False).safety, boards, mines)
    return np.where(covered.sum(axis=1) <= mines, np.float32(1), safety.max(axis=1))


def clicks_to_weigh(ratings: Ratings, limits: Limits) -> Flags:
    """Returns the clicks to weigh at a guess, (N, n) bool: those within the slack, likely zeros first if many."""
    return candidates(ratings.safety, limits, ratings.safety * (1 + _OPENING_BONUS * ratings.counts[:, 0]))


def candidates(
    ratings: NDArray[np.floating[Any]], limits: Limits, order: NDArray[np.floating[Any]] | None = None
) -> Flags:
    """Returns the clicks of high ratings, (N, n) bool: at least one per board where a rating is positive.

    Ratings (N, n) are of safety or of values; 0 or less where a click is out of the question. If more clicks than the
    breadth are within the slack, those of highest `order` stay, (N, n) and positive; its default is the ratings.
    """
    within_slack = (ratings >= ratings.max(axis=1, keepdims=True) - limits.slack) & (ratings > 0)
    priorities = np.where(within_slack, ratings if order is None else order, 0)
    first = np.argsort(-priorities, axis=1, kind="stable")[:, : limits.breadth]
    chosen = np.zeros_like(within_slack)
    np.put_along_axis(chosen, first, True, axis=1)
    return chosen & within_slack


def worths(network: AfterstateNetwork, mines: int, outcomes: Outcomes, averaged: bool = False) -> Doubles:
    """Returns the probability of winning after each outcome of clicks, (K,) float64.

    The logarithm of the worth is a sum of hazards over all covered cells. A click changes it near the cell, but the
    hazards of distant cells have errors that differ from one afterstate to the next, and on a large board their sum
    hides the change. So distant hazards are replaced by their mean over all afterstates of the guess for which they are
    distant, weighted by their chances. The outcomes are those of all clicks that are compared; `averaged` averages the
    hazards over the views.
    """
    after = outcomes.after
    if len(after) == 0:
        return np.zeros(0)
    guesses, chances = torch.as_tensor(outcomes.guesses), torch.as_tensor(outcomes.chances).double()
    near, size = _near(torch.as_tensor(outcomes.cells), *after.shape[1:])
    # Of each guess and cell of the padded board: the hazards where it is distant, by chance, and these chances.
    hazard_sums, chance_sums = torch.zeros(2, int(outcomes.guesses.max()) + 1, size, dtype=torch.float64)
    near_sums = []
    for batch in _batches(after):
        hazards = _hazards(network, mines, after[batch], averaged)
        # A margin of zeros on every side lets each cell have as many cells near it.
        padded = functional.pad(hazards, (REACH,) * 4).flatten(start_dim=1)
        near_hazards, chance = padded.gather(1, near[batch]), chances[batch][:, None]
        # Add all cells of the board, then subtract those near the click.
        hazard_sums.index_add_(0, guesses[batch], chance * padded)
        chance_sums.index_add_(0, guesses[batch], chance.expand_as(padded))
        near_in_sums = (guesses[batch][:, None] * size + near[batch]).flatten()
        hazard_sums.view(-1).index_add_(0, near_in_sums, -(chance * near_hazards).flatten())
        chance_sums.view(-1).index_add_(0, near_in_sums, -chance.expand_as(near_hazards).flatten())
        near_sums.append(near_hazards.sum(dim=1))
    # Cells that are near every click have no mean; what rounding leaves of their chances does not count.
    means = torch.where(chance_sums > 1e-9, hazard_sums / chance_sums.clamp(min=1e-9), 0.0)
    distant = means.sum(dim=1)[guesses] - means.view(-1)[guesses[:, None] * size + near].sum(dim=1)
    return np.asarray(torch.exp(-(torch.cat(near_sums) + distant)).numpy())


def _near(cells: Tensor, rows: int, cols: int) -> tuple[Tensor, int]:
    """Returns the indices (K, (2 * REACH + 1) ** 2) of the cells near cells (K,) on a padded board, and its size."""
    width, side = cols + 2 * REACH, torch.arange(2 * REACH + 1)
    steps = (side[:, None] * width + side[None]).flatten()
    # The margin moves a cell by REACH both ways, to the middle of the square that begins at its old row and column.
    return (cells // cols * width + cells % cols)[:, None] + steps, (rows + 2 * REACH) * width


def _hazards(network: AfterstateNetwork, mines: int, boards: Boards, averaged: bool) -> Tensor:
    """Returns the hazards of the cells of boards, (N, rows, cols) float64; 0 for open cells."""
    (flat,) = _evaluate(network, boards, averaged, lambda codes: [network.hazards(codes, mines).flatten(start_dim=1)])
    return flat.reshape(boards.shape).double()


class Search(NamedTuple):
    """How clicks are weighed at guesses; see the options of `AfterstatePolicy`."""

    limits: Limits  # which clicks are weighed
    symmetries: bool  # whether the worth is averaged over the views
    onward: bool  # whether the safety of the next click counts
    clicks: int  # how many clicks to look ahead, 1 or 2


def best_clicks(
    network: AfterstateNetwork, mines: int, boards: Boards, ratings: Ratings, search: Search
) -> NDArray[np.int64]:
    """Returns the best click of each board, (N,) int64.

    The value of a click is its safety times the sum over counts of P(count) W(the board then), where W is the worth.
    With `search.clicks` 2, W is estimated otherwise at late guesses, see `_late_values` and `_early_values`.
    """
    is_late = (covered_cells(boards).sum(axis=1) <= _LATE) & (search.clicks == 2)
    best = np.zeros(len(boards), np.int64)
    for chosen, values_of in ((is_late, _late_values), (~is_late, _early_values)):
        if chosen.any():
            own_ratings = Ratings(*(column[chosen] for column in ratings))
            outcomes = Outcomes.of(boards[chosen], own_ratings.counts, clicks_to_weigh(own_ratings, search.limits))
            best[chosen] = values_of(network, mines, outcomes, own_ratings.safety, search).argmax(axis=1)
    return best


def _late_values(network: AfterstateNetwork, mines: int, outcomes: Outcomes, safety: Floats, search: Search) -> Doubles:
    """Returns the values of clicks, (N, n), two clicks ahead.

    W is averaged over the views, and sums the hazards of a board as they are. The clicks of nearly the best value are
    weighed again by the mean of W and `next_values`, because these two estimates err in different ways.
    """
    worth = plain_worths(network, mines, outcomes.after, search.symmetries)

    def mean_of_both(close: Outcomes, which: Flags) -> Doubles:
        return (worth[which] + next_values(network, mines, close.after, search.symmetries)) / 2

    return _weigh_close_again(outcomes.click_values(safety, worth), outcomes, safety, _TIED, mean_of_both)


def _early_values(
    network: AfterstateNetwork, mines: int, outcomes: Outcomes, safety: Floats, search: Search
) -> Doubles:
    """Returns the values of clicks, (N, n), with distant hazards averaged, see `worths`.

    With `onward`, W is multiplied by the safety of the safest next click, fitted to the clues. W sums over all covered
    cells, and its errors hide which click uncovers a safe cell. `lookahead:clicks=1` uses this safety alone, exactly.
    With `symmetries` the clicks of nearly the best value, if there are several, are weighed again, with W averaged over
    the views.
    """
    worth = worths(network, mines, outcomes)
    onward_safety = _onward_safety(network, mines, outcomes, safety, worth) if search.onward else np.ones_like(worth)
    values = outcomes.click_values(safety, onward_safety * worth)
    if not search.symmetries:
        return values

    def averaged(close: Outcomes, which: Flags) -> Doubles:
        return onward_safety[which] * worths(network, mines, close, averaged=True)

    return _weigh_close_again(values, outcomes, safety, _CLOSE, averaged)


def _weigh_close_again(
    values: Doubles, outcomes: Outcomes, safety: Floats, limits: Limits, worth_of: Callable[[Outcomes, Flags], Doubles]
) -> Doubles:
    """Returns values (N, n); on boards with several clicks near the best one, these are weighed again by `worth_of`.

    `worth_of` takes their outcomes, and which of all outcomes these are, (K,) bool. The other clicks on such a board
    get -1.
    """
    close_clicks = candidates(values, limits)
    close_clicks &= close_clicks.sum(axis=1, keepdims=True) > 1
    which = close_clicks[outcomes.guesses, outcomes.cells]
    close = outcomes.chosen(which)
    new_values = close.click_values(safety, worth_of(close, which))
    return np.where(close_clicks.any(axis=1, keepdims=True), new_values, values)


def plain_worths(network: AfterstateNetwork, mines: int, boards: Boards, averaged: bool) -> Doubles:
    """Returns the probability of winning on each board, (K,): exp(-sum of its hazards), or 1 if the board is won."""
    if len(boards) == 0:
        return np.zeros(0)
    by_batch = (_hazards(network, mines, boards[batch], averaged) for batch in _batches(boards))
    worth = torch.exp(-torch.cat([hazards.sum(dim=(1, 2)) for hazards in by_batch])).numpy()
    return np.where(covered_cells(boards).sum(axis=1) <= mines, 1.0, worth)


def next_values(network: AfterstateNetwork, mines: int, after: Boards, averaged: bool) -> Doubles:
    """Returns the value of the best click on each afterstate, (K,), one click ahead; 1 if the board is won."""
    if len(after) == 0:
        return np.zeros(0)
    boards, inverse = np.unique(after, axis=0, return_inverse=True)
    covered = covered_cells(boards)
    safety, counts = rate(network, mines, boards, covered, counts=True, averaged=averaged)
    safety = np.where(covered, fitted_safety(safety, boards, mines), np.float32(0))
    highest = safety.max(axis=1, keepdims=True)
    is_sure = highest >= _NEXT_SURE
    # A sure cell is clicked without weighing others, and counts as certain.
    ratings = Ratings(np.where(is_sure & (safety == highest), np.float32(1), safety), counts)
    clicks = np.where(is_sure, clicks_to_weigh(ratings, Limits(0, 1)), clicks_to_weigh(ratings, _NEXT))
    outcomes = Outcomes.of(boards, counts, clicks)
    values = outcomes.click_values(ratings.safety, plain_worths(network, mines, outcomes.after, averaged)).max(axis=1)
    return np.asarray(np.where(covered.sum(axis=1) <= mines, 1.0, values)[inverse])


def _onward_safety(
    network: AfterstateNetwork, mines: int, outcomes: Outcomes, safety: Floats, worth: Doubles
) -> Doubles:
    """Returns the safety of the safest cell after each outcome, (K,); 1 where it cannot change which clicks are best.

    A value without this safety is an upper bound, so a click whose bound is far below the best value needs no pass.
    """
    onward_safety = np.ones_like(worth)

    def fill_in(clicks: Flags) -> None:
        which = clicks[outcomes.guesses, outcomes.cells]
        onward_safety[which] = next_safety(network, mines, outcomes.after[which])

    bounds = outcomes.click_values(safety, worth)
    likely = candidates(bounds, _LIKELY)
    fill_in(likely)
    best = np.where(likely, outcomes.click_values(safety, onward_safety * worth), 0).max(axis=1, keepdims=True)
    fill_in(~likely & (bounds >= best - _CLOSE.slack))
    return onward_safety


def first_click_values(network: AfterstateNetwork, config: BoardConfig) -> Doubles:
    """Returns the estimated probability of winning with each first click, (n,) float64; equal for symmetric cells.

    The first-click rule decides the outcomes. Under "opening" and "corners" the cell is safe and shows 0. Under "safe"
    the cell is safe, and the network estimates the counts. Under "any" the network estimates safety and counts.
    """
    everywhere = np.ones((1, config.cells), np.bool_)
    covered = np.full((1, config.rows, config.cols), config.codes.hidden, np.int8)
    safety, counts = rate(network, config.mines, covered, everywhere, counts=True)
    if config.first_click != "any":
        safety[:] = 1.0
    if config.first_click in ("opening", "corners"):
        counts[:] = (np.arange(COUNTS) == 0)[:, None]
    outcomes = Outcomes.of(covered, counts, everywhere)
    # The first click may open much of the board, so it changes distant hazards too.
    worth = plain_worths(network, config.mines, outcomes.after, averaged=False)
    values = outcomes.click_values(safety, worth).reshape(config.rows, config.cols)
    # Sums of two numbers do not depend on their order, so symmetric cells are equal to the last bit on each processor.
    both_ways = values + values[::-1]
    symmetric = (both_ways + both_ways[:, ::-1]) / 4
    return ((symmetric + symmetric.T) / 2 if config.rows == config.cols else symmetric).reshape(-1)
