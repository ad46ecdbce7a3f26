"""Layouts drawn at random from all layouts that fit a board.

    P(o, k | o', m)  =  F_(g-1)(o, m - k) w_g(k) / F_g(o', m)        over all o and k with o --k--> o'

The forward pass leaves the weights F of `counting.forward_pass`. A draw begins at the last state of a component, goes
back group by group, and draws the mines k of each; within a group all cells are alike. Each layout has probability 1/N.
This is forward filtering and backward sampling (Carter and Kohn 1994).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.config import whole_number
from minesweeper_env.inference.boards import check_boards
from minesweeper_env.inference.counting import backward_pass as backward
from minesweeper_env.inference.counting import workspace as ws
from minesweeper_env.inference.counting.forward_pass import FIXED_TOTAL, Weighting, level_span, weigh_group
from minesweeper_env.inference.counting.frontier import read_board
from minesweeper_env.inference.counting.posterior import failure, matching_density, run_forward_pass, run_with_workspace
from minesweeper_env.inference.counting.workspace import Floats, Frontier, Tables, Totals, Workspace
from minesweeper_env.inference.reading import MINE, UNKNOWN, Ints


class Position(NamedTuple):
    """The point that each layout has reached on its way back through the tables: (size,) int32 each."""

    total: Ints  # the mines of the components not yet drawn, above their minimum
    state: Ints  # the present state, counted from the first one of its level
    used: Ints  # the mines used up to that state, above its minimum


@kernel
def draw_layouts(
    board: NDArray[np.int8],
    mines: int,
    density: float,
    uniforms: Floats,
    in_group: Ints,
    position: NDArray[np.int32],
    layouts: NDArray[np.bool_],
    *arrays: Any,
) -> int:
    """Draws layouts that fit a board, independently and all with equal probability; returns the outcome.

    The first and last arguments are as in `posteriors`, for one board of n cells; the others are these arrays:

        uniforms  (size, 3 * n + 1) float64, random numbers from [0, 1)
        in_group  (size, n + 1) int32, filled with the mines of each group, and last of the cells outside
        position  (3, size) int32, scratch; the fields of a `Position`
        layouts   (size, n) bool, filled
    """
    work = Workspace(*arrays)
    frontier, tables = ws.frontier_of(work), ws.tables_of(work)
    outcome = read_board(work, board)
    if outcome != ws.OK:
        return outcome
    outcome, _, weighting, totals = run_forward_pass(frontier, tables, mines, density, FIXED_TOTAL)
    if outcome != ws.OK:
        return outcome
    reached = Position(position[0], position[1], position[2])
    outcome = _draw_counts(frontier, tables, totals, weighting, uniforms, in_group, reached)
    if outcome == ws.OK:
        for i in range(len(layouts)):
            _choose_cells(frontier, totals.outside, uniforms[i, 2 * len(board) + 1 :], in_group[i], layouts[i])
    return outcome


@inlined
def _draw_counts(
    frontier: Frontier,
    tables: Tables,
    totals: Totals,
    weighting: Weighting,
    uniforms: Floats,
    in_group: Ints,
    position: Position,
) -> int:
    """Draws the mine counts of all groups and of the cells outside, in all layouts; returns the outcome."""
    values = tables.values
    joint, width, low, _ = backward.join_forward(tables, totals.components, weighting)
    spare = joint + 2 * width
    if joint < 0 or spare >= len(values):
        return ws.NEED_VALUES
    after = values[joint + width : spare]
    mines = totals.mines - low
    backward.weigh_outside(after, mines, totals.outside, weighting)
    total = 0.0
    for m in range(width):
        after[m] *= values[joint + m]
        total += after[m]
    if total == 0.0:
        return backward.UNDERFLOW
    for i in range(len(uniforms)):
        position.total[i] = _draw(after, uniforms[i, 0] * total)
        in_group[i, len(frontier.neighbours)] = mines - position.total[i]
    column = 1
    for component in range(totals.components - 1, -1, -1):
        last = tables.last_level[component]
        begin, end = level_span(tables, last)
        fill = values[begin:end]
        # The array of all components before this one lies directly in front, shorter by the component's range.
        width -= len(fill) - 1
        joint -= width
        before, weights = values[joint : joint + width], after[: len(fill)]
        for i in range(len(uniforms)):
            _draw_component(before, fill, weights, uniforms[i, column], position, i)
        column += 1
        if not _draw_groups(frontier, tables, weighting, component, spare, uniforms[:, column:], in_group, position):
            return ws.NEED_VALUES
        column += tables.place[last]
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
def _draw_component(before: Floats, fill: Floats, weights: Floats, uniform: float, position: Position, i: int) -> None:
    """Draws the mine count of a component in layout i, given that of all components up to it; both above the minimum.

    `weights` is scratch, as long as `fill`.
    """
    total = 0.0
    for m in range(len(fill)):
        at = position.total[i] - m
        weights[m] = fill[m] * before[at] if 0 <= at < len(before) else 0.0
        total += weights[m]
    chosen = _draw(weights, uniform * total)
    position.total[i] -= chosen
    position.state[i], position.used[i] = 0, chosen


@inlined
def _draw_groups(
    frontier: Frontier,
    tables: Tables,
    weighting: Weighting,
    component: int,
    spare: int,
    uniforms: Floats,
    in_group: Ints,
    position: Position,
) -> bool:
    """Draws the mine count of each group of a component, the last group first; returns whether there was space."""
    last = tables.last_level[component]
    largest = backward.largest_level(tables, last)
    # A component has one level more than groups; the shift turns a level into the position of its group.
    shift = frontier.end[component] - last
    for level in range(last - 1, last - tables.place[last] - 1, -1):
        if not backward.restore_level(frontier, tables, weighting, level, shift, spare, largest):
            return False
        group = frontier.order[level + shift]
        weigh_group(tables.weight, frontier.size[group], weighting)
        # All layouts take this step together, so that a dropped level is recomputed only once.
        for i in range(len(uniforms)):
            in_group[i, group] = _step_back(tables, level, uniforms[i, last - 1 - level], position, i)
    return True


@inlined
def _step_back(tables: Tables, level: int, uniform: float, position: Position, i: int) -> int:
    """Draws the state of a level that leads layout i to its position; returns the mine count of the group between."""
    state, following, low = tables.first_state[level], tables.first_state[level + 1], tables.low
    total = 0.0
    for source in range(following - state):
        weight, _ = _link_weight(tables, level, source, position, i)
        total += weight
    # Weights are computed twice: the threshold needs their total, and there is no array to keep them.
    threshold, chosen = uniform * total, -1
    for source in range(following - state):
        weight, _ = _link_weight(tables, level, source, position, i)
        if weight > 0.0:
            chosen = source
            if threshold < weight:
                break
            threshold -= weight
    _, mines = _link_weight(tables, level, chosen, position, i)
    position.used[i] += low[following + position.state[i]] - mines - low[state + chosen]
    position.state[i] = chosen
    return mines


@inlined
def _link_weight(tables: Tables, level: int, source: int, position: Position, i: int) -> tuple[float, int]:
    """Returns the weight of all ways of layout i through a state of a level, and the mine count of its group."""
    state, low = tables.first_state[level] + source, tables.low
    target = tables.first_state[level + 1] + position.state[i]
    mines = int(tables.least[state])
    for link in range(tables.first_link[state], tables.first_link[state + 1]):
        if tables.links[link] == position.state[i]:
            at = position.used[i] + low[target] - mines - low[state]
            if 0 <= at <= tables.high[state] - low[state]:
                value = tables.values[tables.first_value[level] + source * tables.width[level] + at]
                return tables.weight[mines] * value, mines
        mines += 1
    return 0.0, mines


@inlined
def _choose_cells(
    frontier: Frontier, outside: int, uniforms: Floats, in_group: Ints, layout: NDArray[np.bool_]
) -> None:
    """Draws the cells of each group: each cell is a mine with probability mines left / cells left."""
    left, cells = frontier.scratch[0], len(layout)
    for group in range(cells):
        left[group] = frontier.size[group]
    left[cells] = outside
    for cell in range(cells):
        layout[cell] = frontier.known[cell] == MINE
        if frontier.known[cell] == UNKNOWN:
            group = frontier.group_at[cell] if frontier.group_at[cell] >= 0 else cells
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
    array, mines, radius = check_boards(board, 2, mines, radius)
    size = whole_number("size", size, 0)
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, not {type(rng).__name__}")
    layouts = np.empty((size, array.size), np.bool_)
    many = min(_CHUNK, max(1, _CHUNK_CELLS // array.size))
    for begin in range(0, max(size, 1), many):
        chunk = layouts[begin : begin + many]
        uniforms = rng.random((len(chunk), 3 * array.size + 1))
        fill_layouts(array, mines, radius, uniforms, chunk)
    return layouts.reshape(size, *array.shape)


def fill_layouts(
    board: NDArray[np.int8], mines: int, radius: int, uniforms: NDArray[np.float64], layouts: NDArray[np.bool_]
) -> None:
    """Fills (size, n) layouts from (size, 3 * n + 1) random numbers."""
    in_group = np.empty((len(layouts), board.size + 1), np.int32)
    position = np.empty((3, len(layouts)), np.int32)

    def draw(workspace: Workspace, density: float) -> int:
        return draw_layouts(board.ravel(), mines, density, uniforms, in_group, position, layouts, *workspace)

    outcome = run_with_workspace(draw, *board.shape, radius, 0.0)
    if outcome == backward.UNDERFLOW:
        outcome = run_with_workspace(draw, *board.shape, radius, matching_density(board, mines, radius))
    if outcome != ws.OK:
        raise failure(board, mines, radius, outcome)
