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

    mines_above: Ints  # the mines of the components not yet drawn, minus the least possible number
    state: Ints  # the present state, counted from the first one of its level
    used_above: Ints  # the mines in the groups up to that state, minus `min_used` of the state


@kernel
def draw_layouts(
    board: NDArray[np.int8], mines: int, density: float, uniforms: Floats, in_group: Ints,
    position: NDArray[np.int32], layouts: NDArray[np.bool_], *arrays: Any,
) -> int:  # fmt: skip
    """Draws layouts that fit a board, independently and all with equal probability; returns the outcome.

    `board` (of n cells), `mines`, `density` and `arrays` are as in `posteriors`; the others are these arrays:

        uniforms  (size, 3 * n + 1) float64, random numbers from [0, 1)
        in_group  (size, n + 1) int32, filled with the mines in each group and, last, in the cells outside
        position  (3, size) int32, scratch for the fields of a `Position`
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
        # The draws of counts take up to 2 * n + 1 random numbers of each layout, and the draws of cells the other n.
        for i in range(len(layouts)):
            _choose_cells(frontier, totals.outside, uniforms[i, 2 * len(board) + 1 :], in_group[i], layouts[i])
    return outcome


@inlined
def _draw_counts(
    frontier: Frontier, tables: Tables, totals: Totals, weighting: Weighting,
    uniforms: Floats, in_group: Ints, position: Position,
) -> int:  # fmt: skip
    """Draws the mine counts of all groups and of the cells outside, for all layouts; returns the outcome."""
    values = tables.values
    joint_begin, width, min_mines, _ = backward.join_forward(tables, totals.components, weighting)
    spare = joint_begin + 2 * width
    if joint_begin < 0 or spare >= len(values):
        return ws.NEED_VALUES
    after = values[joint_begin + width : spare]
    max_outside_mines = totals.mines - min_mines
    backward.weigh_outside(after, max_outside_mines, totals.outside, weighting)
    total = 0.0
    for m in range(width):
        after[m] *= values[joint_begin + m]  # now the weight of all layouts with this mine count in the components
        total += after[m]
    if total == 0.0:
        return backward.UNDERFLOW
    for i in range(len(uniforms)):
        position.mines_above[i] = _draw_index(after, uniforms[i, 0] * total)
        in_group[i, len(frontier.neighbours)] = max_outside_mines - position.mines_above[i]
    column = 1
    for component in range(totals.components - 1, -1, -1):
        last = tables.last_level[component]
        begin, end = level_span(tables, last)
        ways = values[begin:end]
        # Back to the array of `join_forward` for the components before this one, which ends where this one begins.
        width -= len(ways) - 1
        joint_begin -= width
        before, weights = values[joint_begin : joint_begin + width], after[: len(ways)]
        for i in range(len(uniforms)):
            _draw_component(before, ways, weights, uniforms[i, column], position, i)
        column += 1
        if not _draw_groups(frontier, tables, weighting, component, spare, uniforms[:, column:], in_group, position):
            return ws.NEED_VALUES
        column += tables.levels_before[last]
    return ws.OK


@inlined
def _draw_index(weights: Floats, threshold: float) -> int:
    """Returns the first index whose cumulative weight exceeds `threshold`; never an index of weight 0."""
    # Rounding can leave the threshold above the total; then the last index with a weight is chosen.
    chosen = 0
    for m in range(len(weights)):
        if weights[m] > 0.0:
            chosen = m
            if threshold < weights[m]:
                break
            threshold -= weights[m]
    return chosen


@inlined
def _draw_component(before: Floats, ways: Floats, weights: Floats, uniform: float, position: Position, i: int) -> None:
    """Draws the mine count of a component in layout i, given the mine count of all components up to this one.

    `ways` and `before` have the weights of the component, and of those before it, by mine count above the minimum.
    `weights` is scratch, as long as `ways`.
    """
    total = 0.0
    for m in range(len(ways)):
        index = position.mines_above[i] - m
        weights[m] = ways[m] * before[index] if 0 <= index < len(before) else 0.0
        total += weights[m]
    mines = _draw_index(weights, uniform * total)
    position.mines_above[i] -= mines
    position.state[i], position.used_above[i] = 0, mines


@inlined
def _draw_groups(
    frontier: Frontier, tables: Tables, weighting: Weighting, component: int, spare: int,
    uniforms: Floats, in_group: Ints, position: Position,
) -> bool:  # fmt: skip
    """Draws the mine count of each group of a component, the last group first; returns whether `values` had space."""
    last = tables.last_level[component]
    largest = backward.largest_level(tables, last)
    # A component has one level more than groups; level + shift is the position in `order` of the group after a level.
    shift = frontier.component_end[component] - last
    for level in range(last - 1, last - tables.levels_before[last] - 1, -1):
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
    """Draws the state of `level` from which layout i reaches its state; returns the mine count of the group between."""
    first, next_first, min_used = tables.first_state[level], tables.first_state[level + 1], tables.min_used
    total = 0.0
    for source in range(next_first - first):
        weight, _ = _link_weight(tables, level, source, position, i)
        total += weight
    # Weights are computed again, since the threshold needs their total, and no array keeps them.
    threshold, chosen = uniform * total, -1
    for source in range(next_first - first):
        weight, _ = _link_weight(tables, level, source, position, i)
        if weight > 0.0:
            chosen = source
            if threshold < weight:
                break
            threshold -= weight
    _, mines = _link_weight(tables, level, chosen, position, i)
    position.used_above[i] += min_used[next_first + position.state[i]] - mines - min_used[first + chosen]
    position.state[i] = chosen
    return mines


@inlined
def _link_weight(tables: Tables, level: int, source: int, position: Position, i: int) -> tuple[float, int]:
    """Returns the weight of all ways through state `source` of a level to layout i's state, and its group's mines."""
    state, min_used = tables.first_state[level] + source, tables.min_used
    target = tables.first_state[level + 1] + position.state[i]
    mines = int(tables.min_mines[state])
    for link in range(tables.first_link[state], tables.first_link[state + 1]):
        if tables.links[link] == position.state[i]:
            # The mines used up to `state`, minus its `min_used`, are the index of its value.
            index = position.used_above[i] + min_used[target] - mines - min_used[state]
            if 0 <= index <= tables.max_used[state] - min_used[state]:
                value = tables.values[tables.first_value[level] + source * tables.width[level] + index]
                return tables.weight[mines] * value, mines
        mines += 1
    return 0.0, mines


@inlined
def _choose_cells(
    frontier: Frontier, outside: int, uniforms: Floats, in_group: Ints, layout: NDArray[np.bool_]
) -> None:
    """Fills a layout by the mine counts of its groups: a cell is a mine with probability mines left / cells left."""
    # Entry `cells` is for the cells outside, as if they were one more group.
    cells_left, cells = frontier.scratch[0], len(layout)
    for group in range(cells):
        cells_left[group] = frontier.size[group]
    cells_left[cells] = outside
    for cell in range(cells):
        layout[cell] = frontier.known[cell] == MINE
        if frontier.known[cell] == UNKNOWN:
            group = frontier.group_at[cell] if frontier.group_at[cell] >= 0 else cells
            layout[cell] = uniforms[cell] * cells_left[group] < in_group[group]
            in_group[group] -= layout[cell]
            cells_left[group] -= 1


_CHUNK, _CHUNK_CELLS = 256, 1 << 20
"""The most layouts, and the most cells of all layouts, per forward pass: they bound the memory for random numbers."""


def sample_layouts(
    board: ArrayLike, mines: int, size: int, rng: np.random.Generator, *, radius: int = 1
) -> NDArray[np.bool_]:
    """Returns `size` layouts, (size, rows, cols) bool with True for a mine, drawn from all layouts that fit the board.

    The draws are independent and uniform, and `rng` is their only source of randomness. The other arguments and the
    errors are those of `mine_probabilities`.
    """
    array, mines, radius = check_boards(board, 2, mines, radius)
    size = whole_number("size", size, 0)
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, not {type(rng).__name__}")
    layouts = np.empty((size, array.size), np.bool_)
    chunk_size = min(_CHUNK, max(1, _CHUNK_CELLS // array.size))
    # Once even for no layouts, to raise the errors of the board.
    for begin in range(0, max(size, 1), chunk_size):
        chunk = layouts[begin : begin + chunk_size]
        uniforms = rng.random((len(chunk), 3 * array.size + 1))
        fill_layouts(array, mines, radius, uniforms, chunk)
    return layouts.reshape(size, *array.shape)


def fill_layouts(
    board: NDArray[np.int8], mines: int, radius: int, uniforms: NDArray[np.float64], layouts: NDArray[np.bool_]
) -> None:
    """Fills `layouts`, (size, n) bool, from (size, 3 * n + 1) random numbers in [0, 1), as `sample_layouts` does."""
    in_group = np.empty((len(layouts), board.size + 1), np.int32)
    position = np.empty((3, len(layouts)), np.int32)

    def draw(workspace: Workspace, density: float) -> int:
        return draw_layouts(board.ravel(), mines, density, uniforms, in_group, position, layouts, *workspace)

    outcome = run_with_workspace(draw, *board.shape, radius, 0.0)
    if outcome == backward.UNDERFLOW:
        outcome = run_with_workspace(draw, *board.shape, radius, matching_density(board, mines, radius))
    if outcome != ws.OK:
        raise failure(board, mines, radius, outcome)
