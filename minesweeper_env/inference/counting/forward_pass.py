"""Forward pass over all components of the frontier, level by level: step 4 of docs/studies/inference.md."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting import workspace as ws
from minesweeper_env.inference.counting.states import branch, close_group, open_group, prepare_slots
from minesweeper_env.inference.counting.workspace import Floats, Workspace

FIXED_TOTAL, IID, BOOLEAN, MODULAR = 0, 1, 2, 3
"""Modes of the programme.

    FIXED_TOTAL  the posterior given the number of mines
    IID          the posterior of independent cells
    BOOLEAN      only whether a layout exists
    MODULAR      the numbers of fillings modulo a prime
"""

DROPPED = -1
"""VALUE of a level whose values have been dropped."""

_MAX_DRIFT = 300.0
"""Powers of two by which values may shrink before they are scaled up; float64 has 1022."""


class Weighting(NamedTuple):
    """The weights of layouts.

    Attributes:
        mode: FIXED_TOTAL, IID, BOOLEAN or MODULAR.
        density: the probability of a mine per cell if the cells were independent. With a fixed total it cancels out; a
            value near the true density keeps all sums within the range of floating point. In MODULAR mode this is the
            prime instead, below 2**22, so that sums of products are exact.
        track: 1 if states keep apart the numbers of mines used so far, else 0.
        loss: the largest number of powers of two by which a cell can shrink a weight.
    """

    mode: int
    density: float
    track: int
    loss: float


@inlined
def weighting_of(mode: int, density: float) -> Weighting:
    """Returns the weighting of a mode."""
    loss = 0.0 if mode >= BOOLEAN else -math.log2(min(density, 1.0 - density))
    return Weighting(mode, density, 0 if mode == IID else 1, loss)


@subroutine
def weigh_group(weights: Floats, size: int, weighting: Weighting) -> None:
    """Fills in the weight of each number of mines in a group of `size` cells.

    BOOLEAN      1
    MODULAR      the number of ways to choose the cells, by Pascal's triangle modulo the prime
    otherwise    the binomial probability, each entry from the one before
    """
    density = weighting.density
    if weighting.mode == BOOLEAN:
        weights[: size + 1] = 1.0
    elif weighting.mode == MODULAR:
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
def count_components(work: Workspace, weighting: Weighting, constraints: int, peak: int) -> tuple[int, float]:
    """Counts the fillings of all components, with at most `peak` constraints open at once.

    Returns the outcome, and the logarithm of the total scale of the last levels.
    """
    longs = work.longs
    bits = prepare_slots(work, constraints)
    # A key packs the open constraints, 64 // bits to a word.
    words = max(1, (peak + 64 // bits - 1) // (64 // bits))
    longs[: ws.STRIDE] = 0
    longs[ws.STRIDE] = 1
    log_scale = 0.0
    position = 0
    for component in range(longs[ws.COMPONENTS]):
        outcome = _begin_component(work, words)
        drift = 0.0
        while outcome == ws.OK and position < work.cells[ws.END, component]:
            group = work.cells[ws.ORDER, position]
            outcome = _place(work, weighting, group, bits, words)
            if outcome == ws.OK:
                # An upper bound of the loss, so that the values need no scan on every level.
                drift += weighting.loss * work.cells[ws.SIZE, group]
                begin, end = level_span(work, longs[ws.LEVEL])
                scale, drift = clamp(work.values[begin:end], weighting, drift)
                log_scale += scale
                position += 1
        if outcome != ws.OK:
            return outcome, 0.0
        work.levels[component, ws.LAST] = longs[ws.LEVEL]
        work.states[longs[ws.NEXT_STATE], ws.LINK] = longs[ws.NEXT_LINK]
        longs[ws.LEVEL] += 1
    return ws.OK, log_scale


@inlined
def _begin_component(work: Workspace, words: int) -> int:
    """Adds the first level of a component, with one state; returns the outcome."""
    level, state = work.longs[ws.LEVEL], work.longs[ws.NEXT_STATE]
    if state + 2 >= len(work.links) // 2:
        return ws.NEED_STATES
    if not _add_level(work, level, 1, 1):
        return ws.NEED_VALUES
    work.levels[level, ws.PLACE] = 0
    work.states[state, ws.LOW], work.states[state, ws.HIGH] = 0, 0
    work.values[work.levels[level, ws.VALUE]] = 1.0
    work.keys[:words] = 0
    return ws.OK


@inlined
def _add_level(work: Workspace, level: int, states: int, width: int) -> bool:
    """Reserves states and values for a level; returns whether there was space."""
    longs, row = work.longs, work.levels[level]
    needed = states * width
    # The second half of the values is for the convolution and the backward pass.
    limit = len(work.values) // 2
    if longs[ws.NEXT_VALUE] + needed > limit:
        if len(work.values) < ws.MAX_VALUES:
            return False
        _thin_out(work, level)
        # Each thinning copies all values, so it goes on until half of the space is free.
        while longs[ws.NEXT_VALUE] > limit // 2 and longs[ws.STRIDE] < level:
            longs[ws.STRIDE] *= 2
            _thin_out(work, level)
        if longs[ws.NEXT_VALUE] + needed > limit:
            return False
    row[ws.FIRST], row[ws.STATES] = longs[ws.NEXT_STATE], states
    row[ws.VALUE], row[ws.WIDTH] = longs[ws.NEXT_VALUE], width
    longs[ws.NEXT_STATE] += states
    longs[ws.NEXT_VALUE] += needed
    return True


@inlined
def _thin_out(work: Workspace, end: int) -> None:
    """Drops the values of most levels before `end`, and moves the others together.

    In each component the first and the last level stay, and the levels whose place the stride divides.
    """
    value = 0
    for level in range(end):
        if work.levels[level, ws.VALUE] == DROPPED:
            continue
        is_last = level == end - 1 or work.levels[level + 1, ws.PLACE] == 0
        if is_last or work.levels[level, ws.PLACE] % work.longs[ws.STRIDE] == 0:
            begin, past = level_span(work, level)
            for i in range(past - begin):
                work.values[value + i] = work.values[begin + i]
            work.levels[level, ws.VALUE] = value
            value += past - begin
        else:
            work.levels[level, ws.VALUE] = DROPPED
    work.longs[ws.NEXT_VALUE] = value


@inlined
def _place(work: Workspace, weighting: Weighting, group: int, bits: int, words: int) -> int:
    """Places a group, which adds a level with its values; returns the outcome."""
    longs, states = work.longs, work.states
    level, size = longs[ws.LEVEL], work.cells[ws.SIZE, group]
    bounds = open_group(work, group, bits, words)
    found = branch(work, level, size, bounds, bits, words, weighting.track)
    close_group(work, group)
    if found <= 0:
        # No state is left, so the constraints of this group contradict the others; the first of them is named.
        return ws.INFEASIBLE + work.lists[ws.OVER, work.cells[ws.ABOVE, group]] if found == 0 else -found
    states[longs[ws.NEXT_STATE], ws.LINK] = longs[ws.NEXT_LINK]
    width = 1
    for i in range(longs[ws.NEXT_STATE], longs[ws.NEXT_STATE] + found):
        width = max(width, int(states[i, ws.HIGH] - states[i, ws.LOW] + 1))
    if not _add_level(work, level + 1, found, width):
        return ws.NEED_VALUES
    work.levels[level + 1, ws.PLACE] = work.levels[level, ws.PLACE] + 1
    push_values(work, weighting, level, size, work.levels[level + 1, ws.VALUE])
    longs[ws.LEVEL] = level + 1
    return ws.OK


@inlined
def _prepare_level(work: Workspace, weighting: Weighting, level: int, size: int) -> tuple[Floats, int, int, int, int]:
    """Fills in the weights of a level's group; returns its values, and the width and first state of it and the next."""
    weigh_group(work.floats[ws.WEIGHT], size, weighting)
    begin, end = level_span(work, level)
    here, there = work.levels[level], work.levels[level + 1]
    return work.values[begin:end], here[ws.WIDTH], here[ws.FIRST], there[ws.WIDTH], there[ws.FIRST]


@subroutine
def push_values(work: Workspace, weighting: Weighting, level: int, size: int, at: int) -> None:
    """Computes the values of the level after `level`, whose group has `size` cells, into values[at:].

    The innermost loop takes half the time with unsigned indices, which cannot count from the end.
    """
    states, links, weights = work.states, work.links, work.floats[ws.WEIGHT]
    values, width, state, target_width, following = _prepare_level(work, weighting, level, size)
    target = work.values[at : at + work.levels[level + 1, ws.STATES] * target_width]
    target[:] = 0.0
    for i in range(state, following):
        mines = states[i, ws.LEAST]
        source, length = (i - state) * width, states[i, ws.HIGH] - states[i, ws.LOW] + 1
        for link in range(states[i, ws.LINK], states[i + 1, ws.LINK]):
            weight, to = weights[mines], links[link]
            onto = to * target_width + states[i, ws.LOW] + mines * weighting.track - states[following + to, ws.LOW]
            for m in range(length):
                target[np.uint64(onto + m)] += weight * values[np.uint64(source + m)]
            mines += 1


@subroutine
def pull_values(
    work: Workspace, weighting: Weighting, level: int, size: int, messages: Floats, source: Floats
) -> tuple[float, float]:
    """Computes the backward messages of a level into `source` from those of the next level.

    Returns the total weight of all fillings times the mines in the group of the level, and times the free cells in it.
    """
    states, links, weights = work.states, work.links, work.floats[ws.WEIGHT]
    values, width, state, target_width, following = _prepare_level(work, weighting, level, size)
    mine, free = 0.0, 0.0
    source[:] = 0.0
    for i in range(state, following):
        mines = states[i, ws.LEAST]
        begin, length = (i - state) * width, states[i, ws.HIGH] - states[i, ws.LOW] + 1
        for link in range(states[i, ws.LINK], states[i + 1, ws.LINK]):
            weight, to = weights[mines], links[link]
            onto = to * target_width + states[i, ws.LOW] + mines * weighting.track - states[following + to, ws.LOW]
            total = 0.0
            for m in range(length):
                follows = weight * messages[np.uint64(onto + m)]
                source[np.uint64(begin + m)] += follows
                total += follows * values[np.uint64(begin + m)]
            mine += mines * total
            free += (size - mines) * total
            mines += 1
    return mine, free


@inlined
def level_span(work: Workspace, level: int) -> tuple[int, int]:
    """Returns the begin and the end of the values of a level, which must not be DROPPED."""
    begin = work.levels[level, ws.VALUE]
    return begin, begin + work.levels[level, ws.STATES] * work.levels[level, ws.WIDTH]


@inlined
def clamp(values: Floats, weighting: Weighting, drift: float) -> tuple[float, float]:
    """Keeps values within range, in place.

    BOOLEAN values are cut at 1, MODULAR values are reduced by the prime, and others are scaled up if they may have
    shrunk too far. `drift` is an upper bound on the number of halvings of the values since their last scaling. Returns
    the logarithm of the divisor, and the drift that remains.
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
