"""All parts together, and the way back: from the weights of whole layouts to the chances of each group."""

from __future__ import annotations

import math

from minesweeper_env.compiled import inlined
from minesweeper_env.inference.counting.forward_pass import (
    BOOLEAN,
    DROPPED,
    IID,
    Terms,
    carry_on,
    level_span,
    loss_a_cell,
    rescale,
    tame,
    tracks,
    weigh_group,
)
from minesweeper_env.inference.counting.messages import pull_values
from minesweeper_env.inference.counting.states import NEED_VALUES, OK, Floats
from minesweeper_env.inference.counting.workspace import VALUE, Work

UNDERFLOW = -1
"""The outcome of a board whose layouts have weights too small for floating point, if it has any."""


@inlined
def join_parts(work: Work, terms: Terms, parts: int, mines_left: int, outside: int) -> tuple[int, float, float]:
    """Weighs the numbers of mines of all parts and of the cells outside against each other, and goes back.

    Args:
        work: with all parts counted; the chances of its groups are filled in.
        terms: on which the fillings are weighed.
        parts: how many there are.
        mines_left: the mines of all unknown cells.
        outside: the number of unknown cells under no constraint.

    Returns:
        The outcome, the chance of a mine in a cell outside, and the logarithm of the sum of all weights.
    """
    values = work.values
    joint, width, low, log_scale = join_forward(work, terms, parts)
    after_at = joint + width
    spare = after_at + width
    if joint < 0 or spare >= len(values):
        return NEED_VALUES, 0.0, 0.0
    after = values[after_at:spare]
    log_scale += weigh_outside(after, mines_left - low, outside, terms)
    total, mine, free = 0.0, 0.0, 0.0
    for m in range(width):
        weight = values[joint + m] * after[m]
        total += weight
        mine += weight * (mines_left - low - m)
        free += weight * (outside - (mines_left - low - m))
    if total == 0.0:
        return UNDERFLOW, 0.0, 0.0
    for part in range(parts - 1, -1, -1):
        last = work.plan.last_level[part]
        begin, end = level_span(work, last)
        fill = values[begin:end]
        width -= len(fill) - 1
        joint -= width
        if spare + len(fill) >= len(values):
            return NEED_VALUES, 0.0, 0.0
        _correlate(values[joint : joint + width], after, values[spare : spare + len(fill)])
        if not _go_back(work, terms, part, spare):
            return NEED_VALUES, 0.0, 0.0
        _correlate(fill, after, after[:width])
        after = after[:width]
        tame(after, terms, math.inf)
    elsewhere = mine / (mine + free) if outside > 0 else 0.0
    return OK, terms.share if terms.wanted == IID else elsewhere, log_scale + math.log(total)


@inlined
def join_forward(work: Work, terms: Terms, parts: int) -> tuple[int, int, int, float]:
    """Computes the weights of the mines of the first 0, 1, 2, ... parts, one array after the other.

    Returns:
        Where the last array begins, or a negative number without room; its length, the number of mines that it
        begins with, and the logarithm of what it was divided by.
    """
    values = work.values
    at, width, low, log_scale = work.cursor[VALUE], 1, 0, 0.0
    values[at] = 1.0
    for part in range(parts):
        begin, end = level_span(work, work.plan.last_level[part])
        fill = values[begin:end]
        following = at + width
        if following + width + len(fill) >= len(values):
            return -1, 0, 0, 0.0
        target = values[following : following + width + len(fill) - 1]
        target[:] = 0.0
        for j in range(len(fill)):
            for i in range(width):
                target[i + j] += values[at + i] * fill[j]
        scale, _ = tame(target, terms, math.inf)
        log_scale += scale
        at, width = following, len(target)
        low += work.states.low[work.levels.state[work.plan.last_level[part]]]
    return at, width, low, log_scale


@inlined
def _correlate(pattern: Floats, values: Floats, target: Floats) -> None:
    """Sums up pattern[i] * values[i + m] for each m; `target` may be the beginning of `values`."""
    for m in range(len(target)):
        total = 0.0
        for i in range(len(pattern)):
            total += pattern[i] * values[i + m]
        target[m] = total


@inlined
def weigh_outside(after: Floats, most: int, outside: int, terms: Terms) -> float:
    """Fills in the chance of `most` - m mines among the independent cells outside, for each m, up to a factor.

    Returns:
        The logarithm of what the values were divided by.
    """
    if terms.wanted == IID:
        after[0] = 1.0
        return 0.0
    share, after[:] = terms.share, 0.0
    least, greatest = max(0, most - len(after) + 1), min(most, outside)
    if least > greatest:
        return 0.0
    if terms.wanted == BOOLEAN:
        after[most - greatest : most - least + 1] = 1.0
        return 0.0
    peak = min(max(int((outside + 1) * share), least), greatest)
    odds = share / (1.0 - share)
    weight = 1.0
    for mines in range(peak, greatest + 1):
        after[most - mines] = weight
        weight *= odds * (outside - mines) / (mines + 1.0)
    weight = 1.0
    for mines in range(peak, least - 1, -1):
        after[most - mines] = weight
        weight *= mines / (odds * (outside - mines + 1.0))
    ways = math.lgamma(outside + 1.0) - math.lgamma(peak + 1.0) - math.lgamma(outside - peak + 1.0)
    return ways + peak * math.log(share) + (outside - peak) * math.log1p(-share)


@inlined
def _go_back(work: Work, terms: Terms, part: int, begin: int) -> bool:
    """Goes back through the levels of a part, from the weights of its last state, which are at values[begin].

    Returns:
        Whether there was room.
    """
    values, levels, plan = work.values, work.levels, work.plan
    last = plan.last_level[part]
    first = last - levels.place[last]
    largest = largest_level(work, last)
    here, there, spare = begin, begin + largest, begin + 2 * largest
    if spare > len(values):
        return False
    shift = plan.part_end[part] - last
    drift = 0.0
    for level in range(last - 1, first - 1, -1):
        if levels.value[level] == DROPPED and not restore(work, terms, level, shift, spare, largest):
            return False
        group = plan.order[level + shift]
        size = work.frontier.size[group]
        weigh_group(work.weights, size, terms.wanted, terms.share)
        at, end = level_span(work, level)
        length = end - at
        mine, free = pull_values(
            values[at:end], levels.states[level], levels.width[level], work.states, levels.state[level],
            work.weights, tracks(terms), values[here:],
            levels.width[level + 1], size, values[there : there + length],
        )  # fmt: skip
        work.chance[group] = mine / (mine + free)
        here, there = there, here
        _, drift = tame(values[here : here + length], terms, drift + loss_a_cell(terms) * size)
    return True


@inlined
def largest_level(work: Work, last: int) -> int:
    """Returns the most values that a level of a part has, whose last level this is."""
    levels, largest = work.levels, 0
    for level in range(last - levels.place[last], last + 1):
        largest = max(largest, int(levels.states[level] * levels.width[level]))
    return largest


@inlined
def restore(work: Work, terms: Terms, level: int, shift: int, begin: int, largest: int) -> bool:
    """Computes the values of a level again, starting from the nearest one before it that has its values.

    As many levels between them as there is room for keep their values too, at even distances, so that going
    further back starts from there. Their scale may be another than it was, which the chances do not depend on.

    Args:
        work: with the links of all levels.
        terms: as on the way forward.
        level: one whose values were given up.
        shift: a level plus `shift` is the position of its group in the plan.
        begin: where room begins in the values.
        largest: the most values that a level has.

    Returns:
        Whether there was room.
    """
    values, levels = work.values, work.levels
    base = level
    while levels.value[base] == DROPPED:
        base -= 1
    passing, at = begin, begin + 2 * largest
    if levels.value[base] >= at:
        _, at = level_span(work, base)
    stride = 1
    while ((level - base) // stride + 1) * largest > len(values) - at:
        stride *= 2
        if stride > 2 * (level - base):
            return False
    for present in range(base + 1, level + 1):
        stays = present == level or (present - base) % stride == 0
        target = at if stays else passing + present % 2 * largest
        carry_on(work, terms, present - 1, work.frontier.size[work.plan.order[present - 1 + shift]], target)
        levels.value[present] = target
        if levels.value[present - 1] >= passing and levels.value[present - 1] < passing + 2 * largest:
            levels.value[present - 1] = DROPPED
        first, end = level_span(work, present)
        if terms.wanted == BOOLEAN:
            tame(values[first:end], terms, 0.0)
        else:
            rescale(values[first:end])
        if stays:
            at = end
    return True
