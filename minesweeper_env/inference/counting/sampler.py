"""The kernel that draws layouts: back through the levels, a filling with the chance that its weight gives it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.inference.counting.backward_pass import (
    UNDERFLOW,
    join_forward,
    largest_level,
    restore,
    weigh_outside,
)
from minesweeper_env.inference.counting.forward_pass import DROPPED, FIXED_TOTAL, Terms, level_span, weigh_group
from minesweeper_env.inference.counting.frontier import MINE, UNKNOWN, Ints
from minesweeper_env.inference.counting.posterior import count_settled, read_board
from minesweeper_env.inference.counting.states import NEED_VALUES, OK, Floats
from minesweeper_env.inference.counting.workspace import Work, Workspace, carve_work

TOTAL, STATE, USED = 0, 1, 2
"""What each layout has in hand: the mines of the parts that are not yet drawn, above their fewest; the state that
has been reached on the way back, counted from its level's first; and the mines used up to there, above its fewest."""


@kernel
def draw_layouts(
    board: NDArray[np.int8],
    max_count: int,
    mines: int,
    share: float,
    uniforms: Floats,
    in_group: Ints,
    hand: Ints,
    layouts: NDArray[np.bool_],
    *arrays: Any,
) -> int:
    """Draws layouts that fit a board, each with the same chance.

    Args:
        board: (n,) int8, cell codes.
        max_count: the largest count.
        mines: the number of mines.
        share: as in `posteriors`.
        uniforms: (size, 3 * n + 1) float64, random numbers from [0, 1).
        in_group: (size, n + 1) int32, filled with the mines of each group, and at last of the cells outside.
        hand: (size, 3) int32, room.
        layouts: (size, n) bool, filled.
        *arrays: the fields of a `Workspace`.

    Returns:
        The outcome.
    """
    workspace = Workspace(*arrays)
    work = carve_work(workspace)
    outcome = read_board(work, board, workspace.neighbours, max_count)
    if outcome != OK:
        return outcome
    outcome, parts, totals, _, terms = count_settled(work, workspace.neighbours, mines, share, FIXED_TOTAL)
    if outcome != OK:
        return outcome
    outcome = _draw_tallies(work, terms, parts, totals.mines, totals.outside, uniforms, in_group, hand)
    if outcome == OK:
        for i in range(len(layouts)):
            _choose_cells(work, uniforms[i, 2 * len(board) + 1 :], totals.outside, in_group[i], layouts[i])
    return outcome


@inlined
def _draw_tallies(
    work: Work, terms: Terms, parts: int, mines: int, outside: int, uniforms: Floats, in_group: Ints, hand: Ints
) -> int:
    """Draws how many mines each group gets, and the cells outside, in all layouts; returns the outcome."""
    values = work.values
    joint, width, low, _ = join_forward(work, terms, parts)
    spare = joint + 2 * width
    if joint < 0 or spare >= len(values):
        return NEED_VALUES
    after = values[joint + width : spare]
    weigh_outside(after, mines - low, outside, terms)
    total = 0.0
    for m in range(width):
        after[m] *= values[joint + m]
        total += after[m]
    if total == 0.0:
        return UNDERFLOW
    for i in range(len(hand)):
        hand[i, TOTAL] = _draw(after, uniforms[i, 0] * total)
        in_group[i, len(work.frontier.cell_of)] = mines - low - hand[i, TOTAL]
    column = 1
    for part in range(parts - 1, -1, -1):
        begin, end = level_span(work, work.plan.last_level[part])
        width -= end - begin - 1
        joint -= width
        for i in range(len(hand)):
            _draw_part(values[joint : joint + width], values[begin:end], uniforms[i, column], hand[i])
        column += 1
        if not _draw_groups(work, terms, part, spare, uniforms[:, column:], in_group, hand):
            return NEED_VALUES
        column += work.levels.place[work.plan.last_level[part]]
    return OK


@inlined
def _draw(weights: Floats, threshold: float) -> int:
    """Returns the first index up to which the weights add up to more than `threshold`; never one of weight 0."""
    chosen = 0
    for m in range(len(weights)):
        if weights[m] > 0.0:
            chosen = m
            if threshold < weights[m]:
                break
            threshold -= weights[m]
    return chosen


@inlined
def _draw_part(before: Floats, fill: Floats, uniform: float, hand: Ints) -> None:
    """Draws how many of the mines of this part and those before are in this part, above the fewest."""
    total = 0.0
    for m in range(len(fill)):
        if 0 <= hand[TOTAL] - m < len(before):
            total += fill[m] * before[hand[TOTAL] - m]
    threshold, chosen = uniform * total, 0
    for m in range(len(fill)):
        if 0 <= hand[TOTAL] - m < len(before):
            weight = fill[m] * before[hand[TOTAL] - m]
            if weight > 0.0:
                chosen = m
                if threshold < weight:
                    break
                threshold -= weight
    hand[TOTAL] -= chosen
    hand[STATE], hand[USED] = 0, chosen


@inlined
def _draw_groups(work: Work, terms: Terms, part: int, spare: int, uniforms: Floats, in_group: Ints, hand: Ints) -> bool:
    """Draws how many mines each group of a part gets, the last one first; returns whether there was room."""
    levels, plan = work.levels, work.plan
    last = plan.last_level[part]
    largest = largest_level(work, last)
    shift = plan.part_end[part] - last
    for level in range(last - 1, last - levels.place[last] - 1, -1):
        if levels.value[level] == DROPPED and not restore(work, terms, level, shift, spare, largest):
            return False
        group = plan.order[level + shift]
        weigh_group(work.weights, work.frontier.size[group], terms.wanted, terms.share)
        for i in range(len(hand)):
            in_group[i, group] = _step_back(work, level, uniforms[i, last - 1 - level], hand[i])
    return True


@inlined
def _step_back(work: Work, level: int, uniform: float, hand: Ints) -> int:
    """Draws the state of a level from which that in hand was reached, and the mines of the group between them."""
    total = 0.0
    for i in range(work.levels.states[level]):
        weight, _ = _link_weight(work, level, i, hand)
        total += weight
    threshold, chosen = uniform * total, -1
    for i in range(work.levels.states[level]):
        weight, _ = _link_weight(work, level, i, hand)
        if weight > 0.0:
            chosen = i
            if threshold < weight:
                break
            threshold -= weight
    _, mines = _link_weight(work, level, chosen, hand)
    states, state, following = work.states, work.levels.state[level], work.levels.state[level + 1]
    hand[USED] += states.low[following + hand[STATE]] - mines - states.low[state + chosen]
    hand[STATE] = chosen
    return mines


@inlined
def _link_weight(work: Work, level: int, source: int, hand: Ints) -> tuple[float, int]:
    """Returns the weight of the ways through a state of a level to that in hand, and the mines of the group then."""
    states, levels = work.states, work.levels
    state, following = levels.state[level] + source, levels.state[level + 1]
    mines = int(states.least[state])
    for link in range(states.first_link[state], states.first_link[state + 1]):
        if states.links[link] == hand[STATE]:
            at = hand[USED] + states.low[following + hand[STATE]] - mines - states.low[state]
            if 0 <= at <= states.high[state] - states.low[state]:
                return work.weights[mines] * work.values[levels.value[level] + source * levels.width[level] + at], mines
        mines += 1
    return 0.0, mines


@inlined
def _choose_cells(work: Work, uniforms: Floats, outside: int, in_group: Ints, layout: NDArray[np.bool_]) -> None:
    """Draws which cells of each group are mines: each next cell with the share of mines that are left."""
    frontier, left = work.frontier, work.frontier.spare
    cells = len(layout)
    for group in range(cells):
        left[group] = frontier.size[group]
    left[cells] = outside
    for cell in range(cells):
        layout[cell] = frontier.known[cell] == MINE
        if frontier.known[cell] == UNKNOWN:
            group = frontier.group_of[cell] if frontier.group_of[cell] >= 0 else cells
            layout[cell] = uniforms[cell] * left[group] < in_group[group]
            in_group[group] -= layout[cell]
            left[group] -= 1
