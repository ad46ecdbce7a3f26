"""Layouts drawn at random from all layouts that fit a board."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.config import whole_number
from minesweeper_env.inference.boards import check_boards, check_radius
from minesweeper_env.inference.counting import workspace as ws
from minesweeper_env.inference.counting.backward_pass import (
    UNDERFLOW,
    join_forward,
    largest_level,
    recompute,
    weigh_outside,
)
from minesweeper_env.inference.counting.forward_pass import DROPPED, FIXED_TOTAL, Weighting, level_span, weigh_group
from minesweeper_env.inference.counting.frontier import read_board
from minesweeper_env.inference.counting.posterior import failure, matching_density, run_forward_pass, run_with_workspace
from minesweeper_env.inference.counting.workspace import Floats, Workspace
from minesweeper_env.inference.reading import MINE, UNKNOWN, Ints

TOTAL, STATE, USED = range(3)
"""Columns of `position`, the point that a layout has reached on its way back.

    TOTAL  the mines of the components not yet drawn, above their minimum
    STATE  the present state, counted from the first one of its level
    USED   the mines used up to that state, above its minimum
"""


@kernel
def draw_layouts(
    board: NDArray[np.int8],
    mines: int,
    density: float,
    uniforms: Floats,
    in_group: Ints,
    position: Ints,
    layouts: NDArray[np.bool_],
    *arrays: Any,
) -> int:
    """Draws layouts that fit a board, independently and all with equal probability; returns the outcome.

    The first and last arguments are as in `posteriors`, for one board of n cells; the others are these arrays:

        uniforms  (size, 3 * n + 1) float64, random numbers from [0, 1)
        in_group  (size, n + 1) int32, filled with the mines of each group, and last of the cells outside
        position  (size, 3) int32, scratch; see TOTAL
        layouts   (size, n) bool, filled
    """
    work = Workspace(*arrays)
    outcome = read_board(work, board)
    if outcome != ws.OK:
        return outcome
    outcome, _, weighting = run_forward_pass(work, mines, density, FIXED_TOTAL)
    if outcome != ws.OK:
        return outcome
    outcome = _draw_counts(work, weighting, uniforms, in_group, position)
    if outcome == ws.OK:
        for i in range(len(layouts)):
            _choose_cells(work, uniforms[i, 2 * len(board) + 1 :], in_group[i], layouts[i])
    return outcome


@inlined
def _draw_counts(work: Workspace, weighting: Weighting, uniforms: Floats, in_group: Ints, position: Ints) -> int:
    """Draws the mine counts of all groups and of the cells outside, in all layouts; returns the outcome."""
    values = work.values
    joint, width, low, _ = join_forward(work, weighting)
    spare = joint + 2 * width
    if joint < 0 or spare >= len(values):
        return ws.NEED_VALUES
    after = values[joint + width : spare]
    mines = work.longs[ws.MINES] - low
    weigh_outside(after, mines, work.longs[ws.OUTSIDE], weighting)
    total = 0.0
    for m in range(width):
        after[m] *= values[joint + m]
        total += after[m]
    if total == 0.0:
        return UNDERFLOW
    for i in range(len(position)):
        position[i, TOTAL] = _draw(after, uniforms[i, 0] * total)
        in_group[i, len(work.neighbours)] = mines - position[i, TOTAL]
    column = 1
    for component in range(work.longs[ws.COMPONENTS] - 1, -1, -1):
        last = work.levels[component, ws.LAST]
        begin, end = level_span(work, last)
        # The array of all components before this one lies directly in front, shorter by the component's range.
        width -= end - begin - 1
        joint -= width
        before, fill, weights = values[joint : joint + width], values[begin:end], after[: end - begin]
        for i in range(len(position)):
            _draw_component(before, fill, weights, uniforms[i, column], position[i])
        column += 1
        if not _draw_groups(work, weighting, component, spare, uniforms[:, column:], in_group, position):
            return ws.NEED_VALUES
        column += work.levels[last, ws.PLACE]
    return ws.OK


@inlined
def _draw(weights: Floats, threshold: float) -> int:
    """Returns the first index whose cumulative weight exceeds `threshold`; never an index of weight 0."""
    # Rounding can leave a rest of the threshold; the last index with a weight takes it.
    chosen = 0
    for m in range(len(weights)):
        if weights[m] > 0.0:
            chosen = m
            if threshold < weights[m]:
                break
            threshold -= weights[m]
    return chosen


@inlined
def _draw_component(before: Floats, fill: Floats, weights: Floats, uniform: float, position: Ints) -> None:
    """Draws the mine count of a component, given the count of all components up to it; both above their minimum.

    `weights` is scratch, as long as `fill`.
    """
    total = 0.0
    for m in range(len(fill)):
        at = position[TOTAL] - m
        weights[m] = fill[m] * before[at] if 0 <= at < len(before) else 0.0
        total += weights[m]
    chosen = _draw(weights, uniform * total)
    position[TOTAL] -= chosen
    position[STATE], position[USED] = 0, chosen


@inlined
def _draw_groups(
    work: Workspace, weighting: Weighting, component: int, spare: int, uniforms: Floats, in_group: Ints, position: Ints
) -> bool:
    """Draws the mine count of each group of a component, the last group first; returns whether there was space."""
    last = work.levels[component, ws.LAST]
    largest = largest_level(work, last)
    # A component has one level more than groups; the shift turns a level into the position of its group.
    shift = work.cells[ws.END, component] - last
    for level in range(last - 1, last - work.levels[last, ws.PLACE] - 1, -1):
        if work.levels[level, ws.VALUE] == DROPPED and not recompute(work, weighting, level, shift, spare, largest):
            return False
        group = work.cells[ws.ORDER, level + shift]
        weigh_group(work.floats[ws.WEIGHT], work.cells[ws.SIZE, group], weighting)
        # All layouts take this step together, so that a dropped level is recomputed only once.
        for i in range(len(position)):
            in_group[i, group] = _step_back(work, level, uniforms[i, last - 1 - level], position[i])
    return True


@inlined
def _step_back(work: Workspace, level: int, uniform: float, position: Ints) -> int:
    """Draws the state of a level that leads to `position`; returns the mine count of the group in between."""
    total = 0.0
    for i in range(work.levels[level, ws.STATES]):
        weight, _ = _link_weight(work, level, i, position)
        total += weight
    # Weights are computed twice: the threshold needs their total, and there is no array to keep them.
    threshold, chosen = uniform * total, -1
    for i in range(work.levels[level, ws.STATES]):
        weight, _ = _link_weight(work, level, i, position)
        if weight > 0.0:
            chosen = i
            if threshold < weight:
                break
            threshold -= weight
    _, mines = _link_weight(work, level, chosen, position)
    states, state, following = work.states, work.levels[level, ws.FIRST], work.levels[level + 1, ws.FIRST]
    position[USED] += states[following + position[STATE], ws.LOW] - mines - states[state + chosen, ws.LOW]
    position[STATE] = chosen
    return mines


@inlined
def _link_weight(work: Workspace, level: int, source: int, position: Ints) -> tuple[float, int]:
    """Returns the weight of all ways through a state of a level to `position`, and the group's mine count."""
    states, levels = work.states, work.levels
    state = levels[level, ws.FIRST] + source
    low, following = states[state, ws.LOW], states[levels[level + 1, ws.FIRST] + position[STATE], ws.LOW]
    mines = int(states[state, ws.LEAST])
    for link in range(states[state, ws.LINK], states[state + 1, ws.LINK]):
        if work.links[link] == position[STATE]:
            at = position[USED] + following - mines - low
            if 0 <= at <= states[state, ws.HIGH] - low:
                value = work.values[levels[level, ws.VALUE] + source * levels[level, ws.WIDTH] + at]
                return work.floats[ws.WEIGHT, mines] * value, mines
        mines += 1
    return 0.0, mines


@inlined
def _choose_cells(work: Workspace, uniforms: Floats, in_group: Ints, layout: NDArray[np.bool_]) -> None:
    """Draws the cells of each group: each cell is a mine with probability mines left / cells left."""
    left, cells = work.cells[ws.SPARE], len(layout)
    for group in range(cells):
        left[group] = work.cells[ws.SIZE, group]
    left[cells] = work.longs[ws.OUTSIDE]
    for cell in range(cells):
        layout[cell] = work.cells[ws.KNOWN, cell] == MINE
        if work.cells[ws.KNOWN, cell] == UNKNOWN:
            group = work.cells[ws.GROUP, cell] if work.cells[ws.GROUP, cell] >= 0 else cells
            layout[cell] = uniforms[cell] * left[group] < in_group[group]
            in_group[group] -= layout[cell]
            left[group] -= 1


_CHUNK, _CHUNK_CELLS = 256, 1 << 20
"""Layouts, and cells of layouts, per forward pass, at most; they bound the memory for random numbers."""


def sample_layouts(
    board: ArrayLike, mines: int, size: int, rng: np.random.Generator, *, radius: int = 1
) -> NDArray[np.bool_]:
    """Returns `size` layouts drawn independently and uniformly from all layouts that fit the board.

    `rng` is the only source of randomness. The other arguments and the errors are those of `mine_probabilities`.

    Returns:
        (size, rows, cols) bool, True for a mine.
    """
    array = check_boards(board, 2, mines, check_radius(radius))
    whole_number("size", size, 0)
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, not {type(rng).__name__}")
    layouts = np.empty((size, array.size), np.bool_)
    many = min(_CHUNK, max(1, _CHUNK_CELLS // array.size))
    for begin in range(0, max(size, 1), many):
        chunk = layouts[begin : begin + many]
        uniforms = rng.random((len(chunk), 3 * array.size + 1))
        _fill(array, mines, radius, uniforms, chunk)
    return layouts.reshape(size, *array.shape)


def _fill(
    board: NDArray[np.int8], mines: int, radius: int, uniforms: NDArray[np.float64], layouts: NDArray[np.bool_]
) -> None:
    """Fills (size, n) layouts from (size, 3 * n + 1) random numbers."""
    in_group = np.empty((len(layouts), board.size + 1), np.int32)
    position = np.empty((len(layouts), 3), np.int32)

    def draw(workspace: Workspace, density: float) -> int:
        return draw_layouts(board.ravel(), mines, density, uniforms, in_group, position, layouts, *workspace)

    outcome = run_with_workspace(draw, *board.shape, radius, 0.0)
    if outcome == UNDERFLOW:
        outcome = run_with_workspace(draw, *board.shape, radius, matching_density(board, mines, radius))
    if outcome != ws.OK:
        raise failure(board, mines, radius, outcome)
