"""The way forward: all parts of the frontier, level by level."""

from __future__ import annotations

import math
from typing import NamedTuple

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting.messages import push_values
from minesweeper_env.inference.counting.states import (
    INFEASIBLE,
    NEED_STATES,
    NEED_VALUES,
    OK,
    Floats,
    branch,
    close_group,
    open_group,
)
from minesweeper_env.inference.counting.workspace import LEVEL, LINK, MAX_VALUES, STATE, STRIDE, VALUE, Work

FIXED_TOTAL, IID, BOOLEAN, MODULAR = 0, 1, 2, 3
"""What is asked for: the posterior given the number of mines; that of independent cells; what is certain; or the
numbers of fillings modulo a prime."""

DROPPED = -1
"""The place of the values of a level that have been given up."""

_MAX_DRIFT = 300.0
"""By how many powers of two values may shrink before they are scaled up."""


class Terms(NamedTuple):
    """On which terms the layouts are weighed.

    Attributes:
        wanted: GIVEN_TOTAL, INDEPENDENT, CERTAINTY or REMAINDER.
        share: the chance of a mine in a cell, if cells were independent. Given the total it cancels out; near the
            true share of mines it keeps all sums within the range of floating point. For REMAINDER the prime
            instead, which is below 2**22, so that sums of products are exact.
    """

    wanted: int
    share: float


@inlined
def tracks(terms: Terms) -> int:
    """Returns 1 if the mines used are told apart, else 0."""
    return 0 if terms.wanted == IID else 1


@inlined
def loss_a_cell(terms: Terms) -> float:
    """Returns by how many powers of two a cell can shrink a weight."""
    return 0.0 if terms.wanted >= BOOLEAN else -math.log2(min(terms.share, 1.0 - terms.share))


@subroutine
def weigh_group(weights: Floats, size: int, wanted: int, share: float) -> None:
    """Fills in the weight of each number of mines in a group.

    That is the chance of so many mines among `size` independent cells; if only certainty is wanted, 1; for
    REMAINDER the number of ways to choose the cells, by Pascal's triangle.
    """
    if wanted == BOOLEAN:
        weights[: size + 1] = 1.0
    elif wanted == MODULAR:
        weights[: size + 1] = 0.0
        weights[0] = 1.0
        for row in range(size):
            for mines in range(row + 1, 0, -1):
                weights[mines] = (weights[mines] + weights[mines - 1]) % share
    else:
        weights[0] = (1.0 - share) ** size
        odds = share / (1.0 - share)
        for mines in range(size):
            weights[mines + 1] = weights[mines] * odds * (size - mines) / (mines + 1.0)


@inlined
def count_parts(work: Work, terms: Terms, constraints: int, parts: int, peak: int) -> tuple[int, float]:
    """Counts the fillings of all parts, each level's values from those of the level before.

    Args:
        work: with its frontier and plan.
        terms: on which the fillings are weighed.
        constraints: how many there are.
        parts: how many there are.
        peak: the most constraints that are open at once.

    Returns:
        The outcome, and the logarithm of what the values of the last levels, together, were divided by.
    """
    bits = _prepare_slots(work, constraints)
    words = max(1, (peak + 64 // bits - 1) // (64 // bits))
    work.cursor[:] = 0
    work.cursor[STRIDE] = 1
    log_scale = 0.0
    position = 0
    for part in range(parts):
        outcome = _begin_part(work, words)
        if outcome != OK:
            return outcome, 0.0
        drift = 0.0
        while position < work.plan.part_end[part]:
            outcome = _place(work, terms, work.plan.order[position], bits, words)
            if outcome != OK:
                return outcome, 0.0
            drift += loss_a_cell(terms) * work.frontier.size[work.plan.order[position]]
            begin, end = level_span(work, work.cursor[LEVEL])
            scale, drift = tame(work.values[begin:end], terms, drift)
            log_scale += scale
            position += 1
        work.plan.last_level[part] = work.cursor[LEVEL]
        work.states.first_link[work.cursor[STATE]] = work.cursor[LINK]
        work.cursor[LEVEL] += 1
    return OK, log_scale


@inlined
def _prepare_slots(work: Work, constraints: int) -> int:
    """Frees all slots; returns the bits that one needs."""
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
def _begin_part(work: Work, words: int) -> int:
    """Adds the first level of a part, with one state; returns the outcome."""
    level, state, levels = work.cursor[LEVEL], work.cursor[STATE], work.levels
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
    """Makes room for the states and values of a level; returns whether there was any."""
    cursor, levels = work.cursor, work.levels
    needed = states * width
    # The other half is for what is summed up from the values later.
    limit = len(work.values) // 2
    if cursor[VALUE] + needed > limit:
        if len(work.values) < MAX_VALUES:
            return False
        _thin_out(work, level)
        while cursor[VALUE] > limit // 2 and cursor[STRIDE] < level:
            cursor[STRIDE] *= 2
            _thin_out(work, level)
        if cursor[VALUE] + needed > limit:
            return False
    levels.state[level], levels.states[level], levels.value[level] = cursor[STATE], states, cursor[VALUE]
    levels.width[level] = width
    cursor[STATE] += states
    cursor[VALUE] += needed
    return True


@inlined
def _thin_out(work: Work, end: int) -> None:
    """Gives up the values of most levels before `end`, and moves the others together.

    In each part the first and the last level stay, and those with a place that the stride divides.
    """
    levels, cursor = work.levels, work.cursor
    value = 0
    for level in range(end):
        is_last = level == end - 1 or levels.place[level + 1] == 0
        if levels.value[level] == DROPPED:
            continue
        if is_last or levels.place[level] % cursor[STRIDE] == 0:
            begin, length = levels.value[level], levels.states[level] * levels.width[level]
            for i in range(length):
                work.values[value + i] = work.values[begin + i]
            levels.value[level] = value
            value += length
        else:
            levels.value[level] = DROPPED
    cursor[VALUE] = value


@inlined
def _place(work: Work, terms: Terms, group: int, bits: int, words: int) -> int:
    """Places a group: adds a level with its values. Returns the outcome."""
    cursor, levels, states, frontier = work.cursor, work.levels, work.states, work.frontier
    level, size = cursor[LEVEL], frontier.size[group]
    count, state = levels.states[level], levels.state[level]
    bounds = open_group(frontier, group, work.slots, bits, words)
    found, cursor[LINK] = branch(
        states, state, count, cursor[LINK], size, work.slots, bounds, bits, words, tracks(terms)
    )
    close_group(frontier, group, work.slots)
    if found <= 0:
        return INFEASIBLE + frontier.above[frontier.above_start[group]] if found == 0 else -found
    states.first_link[cursor[STATE]] = cursor[LINK]
    width = 1
    for i in range(cursor[STATE], cursor[STATE] + found):
        width = max(width, int(states.high[i] - states.low[i] + 1))
    if not _add_level(work, level + 1, found, width):
        return NEED_VALUES
    levels.place[level + 1] = levels.place[level] + 1
    carry_on(work, terms, level, size, levels.value[level + 1])
    cursor[LEVEL] = level + 1
    return OK


@inlined
def carry_on(work: Work, terms: Terms, level: int, size: int, target: int) -> None:
    """Computes the values of the level after `level`, whose group has `size` cells, into values[target:]."""
    levels, following = work.levels, level + 1
    begin, end = level_span(work, level)
    weigh_group(work.weights, size, terms.wanted, terms.share)
    push_values(
        work.values[begin:end], levels.states[level], levels.width[level], work.states, levels.state[level],
        work.weights, tracks(terms),
        work.values[target : target + levels.states[following] * levels.width[following]], levels.width[following],
    )  # fmt: skip


@inlined
def level_span(work: Work, level: int) -> tuple[int, int]:
    """Returns where the values of a level, which have not been given up, begin and end."""
    begin = work.levels.value[level]
    return begin, begin + work.levels.states[level] * work.levels.width[level]


@inlined
def tame(values: Floats, terms: Terms, drift: float) -> tuple[float, float]:
    """Keeps values within range.

    For certainty none is above 1; remainders are below the prime; others are scaled up when they may have shrunk.

    Args:
        values: changed in place.
        terms: on which they are weighed.
        drift: the powers of two by which they may have shrunk since they were scaled.

    Returns:
        The logarithm of what they were divided by, and the drift that is left.
    """
    if terms.wanted == BOOLEAN:
        for i in range(len(values)):
            values[i] = min(values[i], 1.0)
    elif terms.wanted == MODULAR:
        for i in range(len(values)):
            values[i] -= math.floor(values[i] / terms.share) * terms.share
    elif drift > _MAX_DRIFT:
        return rescale(values), 0.0
    return 0.0, drift


@inlined
def rescale(values: Floats) -> float:
    """Divides values by the largest one, unless all are 0; returns its logarithm."""
    greatest = 0.0
    for i in range(len(values)):
        greatest = max(greatest, values[i])
    if greatest == 0.0:
        return 0.0
    for i in range(len(values)):
        values[i] /= greatest
    return math.log(greatest)
