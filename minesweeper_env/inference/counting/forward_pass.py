"""Forward pass over all components of the frontier, level by level.

Step 4 of docs/studies/inference.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting.states import (
    INFEASIBLE,
    NEED_STATES,
    NEED_VALUES,
    OK,
    Floats,
    States,
    branch,
    close_group,
    open_group,
)
from minesweeper_env.inference.counting.workspace import LEVEL, LINK, MAX_VALUES, STATE, STRIDE, VALUE, Work


@subroutine
def push_values(
    values: Floats, count: int, width: int, states: States, state: int, weights: Floats, track: int, target: Floats,
    target_width: int,
) -> None:  # fmt: skip
    """Computes the values of the next level from the values of a level.

    Args:
        values: (count * width,) float64, the values of the level.
        count: the number of its states.
        width: the number of values reserved per state.
        states: with the links of the level.
        state: the index of its first state.
        weights: (size + 1,) the weight of each number of mines in the group.
        track: 1 if states keep apart the mines used, else 0.
        target: filled with the values of the next level.
        target_width: the number of values reserved per state of the next level.
    """
    target[:] = 0.0
    following = state + count
    for i in range(state, following):
        mines = states.least[i]
        begin, length = (i - state) * width, states.high[i] - states.low[i] + 1
        for link in range(states.first_link[i], states.first_link[i + 1]):
            weight, to = weights[mines], states.links[link]
            at = to * target_width + states.low[i] + mines * track - states.low[following + to]
            for m in range(length):
                target[at + m] += weight * values[begin + m]
            mines += 1


@subroutine
def pull_values(
    values: Floats, count: int, width: int, states: States, state: int, weights: Floats, track: int, target: Floats,
    target_width: int, size: int, source: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Computes the backward messages of a level from the next level's, and weighs the mines of its group.

    Args:
        values: (count * width,) float64, the values of the level, from `push_values`.
        count: the number of its states.
        width: the number of values reserved per state.
        states: with the links of the level.
        state: the index of its first state.
        weights: (size + 1,) the weight of each number of mines in the group.
        track: 1 if states keep apart the mines used, else 0.
        target: the backward messages of the next level.
        target_width: the number of values reserved per state of the next level.
        size: the number of cells in the group.
        source: (count * width,) filled with the backward messages of this level.

    Returns:
        The total weight of all fillings times the mines in the group, and times the free cells in it.
    """
    mine, free = 0.0, 0.0
    source[:] = 0.0
    following = state + count
    for i in range(state, following):
        mines = states.least[i]
        begin, length = (i - state) * width, states.high[i] - states.low[i] + 1
        for link in range(states.first_link[i], states.first_link[i + 1]):
            weight, to = weights[mines], states.links[link]
            at = to * target_width + states.low[i] + mines * track - states.low[following + to]
            total = 0.0
            for m in range(length):
                follows = weight * target[at + m]
                source[begin + m] += follows
                total += follows * values[begin + m]
            mine += mines * total
            free += (size - mines) * total
            mines += 1
    return mine, free


FIXED_TOTAL, IID, BOOLEAN, MODULAR = 0, 1, 2, 3
"""Modes of the programme.

    FIXED_TOTAL  the posterior given the number of mines
    IID          the posterior of independent cells
    BOOLEAN      only whether a layout exists
    MODULAR      the numbers of fillings modulo a prime
"""

DROPPED = -1
"""`Levels.value` of a level whose values have been dropped."""

_MAX_DRIFT = 300.0
"""Powers of two by which values may shrink before they are scaled up; float64 has 1022."""


class Weighting(NamedTuple):
    """The weights of layouts.

    Attributes:
        mode: FIXED_TOTAL, IID, BOOLEAN or MODULAR.
        density: the probability of a mine per cell if the cells were independent. With a fixed total it cancels out; a
            value near the true density keeps all sums within the range of floating point. In MODULAR mode this is the
            prime instead, below 2**22, so that sums of products are exact.
    """

    mode: int
    density: float


@inlined
def tracks_mines(weighting: Weighting) -> int:
    """Returns 1 if states keep apart the numbers of mines used so far, else 0."""
    return 0 if weighting.mode == IID else 1


@inlined
def bits_lost_per_cell(weighting: Weighting) -> float:
    """Returns the largest number of powers of two by which a cell can shrink a weight."""
    return 0.0 if weighting.mode >= BOOLEAN else -math.log2(min(weighting.density, 1.0 - weighting.density))


@subroutine
def weigh_group(weights: Floats, size: int, mode: int, density: float) -> None:
    """Fills in the weight of each number of mines in a group of `size` cells.

    BOOLEAN      1
    MODULAR      the number of ways to choose the cells, by Pascal's triangle modulo `density`
    otherwise    the binomial probability, each entry from the one before
    """
    if mode == BOOLEAN:
        weights[: size + 1] = 1.0
    elif mode == MODULAR:
        weights[: size + 1] = 0.0
        weights[0] = 1.0
        for row in range(size):
            # Downwards, so that each entry adds two of the previous row.
            for mines in range(row + 1, 0, -1):
                weights[mines] = (weights[mines] + weights[mines - 1]) % density
    else:
        weights[0] = (1.0 - density) ** size
        odds = density / (1.0 - density)
        for mines in range(size):
            weights[mines + 1] = weights[mines] * odds * (size - mines) / (mines + 1.0)


@inlined
def count_components(
    work: Work, weighting: Weighting, constraints: int, components: int, peak: int
) -> tuple[int, float]:
    """Counts the fillings of all components.

    Args:
        work: with its frontier and plan.
        weighting: the weights of the layouts.
        constraints: the number of constraints.
        components: the number of components.
        peak: the largest number of constraints that are open at once.

    Returns:
        The outcome, and the logarithm of the total scale of the last levels.
    """
    bits = _prepare_slots(work, constraints)
    # A key packs the open constraints, 64 // bits to a word.
    words = max(1, (peak + 64 // bits - 1) // (64 // bits))
    work.counters[:] = 0
    work.counters[STRIDE] = 1
    log_scale = 0.0
    position = 0
    for component in range(components):
        outcome = _begin_component(work, words)
        if outcome != OK:
            return outcome, 0.0
        drift = 0.0
        while position < work.plan.component_end[component]:
            outcome = _place(work, weighting, work.plan.order[position], bits, words)
            if outcome != OK:
                return outcome, 0.0
            # An upper bound of the loss, so that the values need no scan on every level.
            drift += bits_lost_per_cell(weighting) * work.frontier.size[work.plan.order[position]]
            begin, end = level_span(work, work.counters[LEVEL])
            scale, drift = clamp(work.values[begin:end], weighting, drift)
            log_scale += scale
            position += 1
        work.plan.last_level[component] = work.counters[LEVEL]
        work.states.first_link[work.counters[STATE]] = work.counters[LINK]
        work.counters[LEVEL] += 1
    return OK, log_scale


@inlined
def _prepare_slots(work: Work, constraints: int) -> int:
    """Frees all slots; returns the number of bits per slot."""
    frontier, slots = work.frontier, work.slots
    most = 1
    for constraint in range(constraints):
        cell = frontier.cell_of[constraint]
        slots.slot[constraint] = -1
        slots.used[constraint] = 0
        slots.left[constraint] = frontier.unknown[cell]
        most = max(most, int(frontier.missing[cell]))
    bits = 1
    while (1 << bits) <= most:
        bits += 1
    return bits


@inlined
def _begin_component(work: Work, words: int) -> int:
    """Adds the first level of a component, with one state; returns the outcome."""
    level, state, levels = work.counters[LEVEL], work.counters[STATE], work.levels
    if state + 2 >= len(work.states.low):
        return NEED_STATES
    if not _add_level(work, level, 1, 1):
        return NEED_VALUES
    levels.place[level] = 0
    work.states.low[state], work.states.high[state] = 0, 0
    work.values[levels.value[level]] = 1.0
    work.states.keys[:words] = 0
    return OK


@inlined
def _add_level(work: Work, level: int, states: int, width: int) -> bool:
    """Reserves states and values for a level; returns whether there was space."""
    counters, levels = work.counters, work.levels
    needed = states * width
    # The second half of the values is for the convolution and the backward pass.
    limit = len(work.values) // 2
    if counters[VALUE] + needed > limit:
        if len(work.values) < MAX_VALUES:
            return False
        _thin_out(work, level)
        # Each thinning copies all values, so it goes on until half of the space is free.
        while counters[VALUE] > limit // 2 and counters[STRIDE] < level:
            counters[STRIDE] *= 2
            _thin_out(work, level)
        if counters[VALUE] + needed > limit:
            return False
    levels.state[level], levels.states[level], levels.value[level] = counters[STATE], states, counters[VALUE]
    levels.width[level] = width
    counters[STATE] += states
    counters[VALUE] += needed
    return True


@inlined
def _thin_out(work: Work, end: int) -> None:
    """Drops the values of most levels before `end`, and moves the others together.

    In each component the first and the last level stay, and the levels whose place the stride divides.
    """
    levels, counters = work.levels, work.counters
    value = 0
    for level in range(end):
        is_last = level == end - 1 or levels.place[level + 1] == 0
        if levels.value[level] == DROPPED:
            continue
        if is_last or levels.place[level] % counters[STRIDE] == 0:
            begin, length = levels.value[level], levels.states[level] * levels.width[level]
            for i in range(length):
                work.values[value + i] = work.values[begin + i]
            levels.value[level] = value
            value += length
        else:
            levels.value[level] = DROPPED
    counters[VALUE] = value


@inlined
def _place(work: Work, weighting: Weighting, group: int, bits: int, words: int) -> int:
    """Places a group, which adds a level with its values; returns the outcome."""
    counters, levels, states, frontier = work.counters, work.levels, work.states, work.frontier
    level, size = counters[LEVEL], frontier.size[group]
    count, state = levels.states[level], levels.state[level]
    bounds = open_group(frontier, group, work.slots, bits, words)
    found, counters[LINK] = branch(
        states, state, count, counters[LINK], size, work.slots, bounds, bits, words, tracks_mines(weighting)
    )
    close_group(frontier, group, work.slots)
    if found <= 0:
        # No state is left, so the constraints of this group contradict the others; the first of them is named.
        return INFEASIBLE + frontier.above[frontier.above_start[group]] if found == 0 else -found
    states.first_link[counters[STATE]] = counters[LINK]
    width = 1
    for i in range(counters[STATE], counters[STATE] + found):
        width = max(width, int(states.high[i] - states.low[i] + 1))
    if not _add_level(work, level + 1, found, width):
        return NEED_VALUES
    levels.place[level + 1] = levels.place[level] + 1
    step_level(work, weighting, level, size, levels.value[level + 1])
    counters[LEVEL] = level + 1
    return OK


@inlined
def step_level(work: Work, weighting: Weighting, level: int, size: int, target: int) -> None:
    """Computes the values of the level after `level`, whose group has `size` cells, into values[target:]."""
    levels, following = work.levels, level + 1
    begin, end = level_span(work, level)
    weigh_group(work.weights, size, weighting.mode, weighting.density)
    push_values(
        work.values[begin:end], levels.states[level], levels.width[level], work.states, levels.state[level],
        work.weights, tracks_mines(weighting),
        work.values[target : target + levels.states[following] * levels.width[following]], levels.width[following],
    )  # fmt: skip


@inlined
def level_span(work: Work, level: int) -> tuple[int, int]:
    """Returns the begin and the end of the values of a level, which must not be DROPPED."""
    begin = work.levels.value[level]
    return begin, begin + work.levels.states[level] * work.levels.width[level]


@inlined
def clamp(values: Floats, weighting: Weighting, drift: float) -> tuple[float, float]:
    """Keeps values within range.

    BOOLEAN values are cut at 1, MODULAR values are reduced by the prime, and others are scaled up if they may have
    shrunk too far.

    Args:
        values: changed in place.
        weighting: the weights of the layouts.
        drift: upper bound on the number of halvings of the values since their last scaling.

    Returns:
        The logarithm of the divisor, and the drift that remains.
    """
    if weighting.mode == BOOLEAN:
        for i in range(len(values)):
            values[i] = min(values[i], 1.0)
    elif weighting.mode == MODULAR:
        for i in range(len(values)):
            values[i] -= math.floor(values[i] / weighting.density) * weighting.density
    elif drift > _MAX_DRIFT:
        return renormalise(values), 0.0
    return 0.0, drift


@inlined
def renormalise(values: Floats) -> float:
    """Divides values by the largest one, unless all are 0; returns the logarithm of the divisor."""
    greatest = 0.0
    for i in range(len(values)):
        greatest = max(greatest, values[i])
    if greatest == 0.0:
        return 0.0
    for i in range(len(values)):
        values[i] /= greatest
    return math.log(greatest)
