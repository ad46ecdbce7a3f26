"""Convolution of the components' mine counts, and the backward pass to the probability of each group.

    N               =  sum over m of  (F_1 * F_2 * ... * F_P)(m) C(U, M - m)
    B_(g-1)(o, m)   =  sum over k of  w_g(k) B_g(o', m + k)                       with o --k--> o'
    W_g(k)          =  sum over o and m of  F_(g-1)(o, m) w_g(k) B_g(o', m + k)
    P(mine in g)    =  (sum of k W_g(k))  /  (s_g sum of W_g(k))

N counts the layouts of M mines in P components and U cells outside; F_i(m) are the fillings of component i with m
mines. B_g(o, m) is the weight of all completions of a state, the rest as in `forward_pass`. A component begins at B of
its last state: the weight of everything outside the component. Steps 5 and 6 of docs/studies/inference.md.
"""

import math

from minesweeper_env.compiled import inlined
from minesweeper_env.inference.counting import forward_pass as forward
from minesweeper_env.inference.counting.forward_pass import Weighting
from minesweeper_env.inference.counting.workspace import NEED_VALUES, OK, Floats, Frontier, Tables, Totals

UNDERFLOW = -1
"""Outcome of a board whose total weight is 0 in floating point; it may or may not have layouts."""


@inlined
def join_components(
    frontier: Frontier, tables: Tables, totals: Totals, weighting: Weighting
) -> tuple[int, float, float]:
    """Convolves the counted components and the cells outside, and fills in the probabilities of the groups.

    Returns the outcome, the probability of a mine in a cell outside, and the logarithm of the total weight.
    """
    values, outside = tables.values, totals.outside
    joint, width, low, log_scale = join_forward(tables, totals.components, weighting)
    mines = totals.mines - low
    spare = joint + 2 * width
    if joint < 0 or spare >= len(values):
        return NEED_VALUES, 0.0, 0.0
    after = values[joint + width : spare]
    log_scale += weigh_outside(after, mines, outside, weighting)
    total, mine, free = 0.0, 0.0, 0.0
    for m in range(width):
        weight = values[joint + m] * after[m]
        total += weight
        mine += weight * (mines - m)
        free += weight * (outside - (mines - m))
    if total == 0.0:
        return UNDERFLOW, 0.0, 0.0
    # `after` holds, for each mine count of the components up to this one, the weight of everything after them.
    for component in range(totals.components - 1, -1, -1):
        begin, end = forward.level_span(tables, tables.last_level[component])
        fill = values[begin:end]
        width -= len(fill) - 1
        joint -= width
        if spare + len(fill) >= len(values):
            return NEED_VALUES, 0.0, 0.0
        _correlate(values[joint : joint + width], after, values[spare : spare + len(fill)])
        if not _go_back(frontier, tables, weighting, component, spare):
            return NEED_VALUES, 0.0, 0.0
        _correlate(fill, after, after[:width])
        after = after[:width]
        forward.clamp(after, weighting, math.inf)
    elsewhere = mine / (mine + free) if outside > 0 else 0.0
    return OK, weighting.density if weighting.mode == forward.IID else elsewhere, log_scale + math.log(total)


@inlined
def join_forward(tables: Tables, components: int, weighting: Weighting) -> tuple[int, int, int, float]:
    """Convolves the mine counts of the first 0, 1, 2, ... components, one array after the other.

    Returns the index of the last array (negative if there is no space), its length, the mine count of its first entry,
    and the logarithm of its scale.
    """
    values, levels = tables.values, tables.last_level[components - 1] + 1 if components > 0 else 0
    at, width, low, log_scale = forward.end_of_values(tables, levels), 1, 0, 0.0
    values[at] = 1.0
    for component in range(components):
        last = tables.last_level[component]
        begin, end = forward.level_span(tables, last)
        fill = values[begin:end]
        following = at + width
        if following + width + len(fill) >= len(values):
            return -1, 0, 0, 0.0
        target = values[following : following + width + len(fill) - 1]
        target[:] = 0.0
        for j in range(len(fill)):
            for i in range(width):
                target[i + j] += values[at + i] * fill[j]
        scale, _ = forward.clamp(target, weighting, math.inf)
        log_scale += scale
        at, width = following, len(target)
        low += tables.low[tables.first_state[last]]
    return at, width, low, log_scale


@inlined
def _correlate(pattern: Floats, values: Floats, target: Floats) -> None:
    """Computes the sum of pattern[i] * values[i + m] for each m; `target` may be the beginning of `values`.

    Example: the pattern (1, 2) over the values (3, 4, 5) gives (1 * 3 + 2 * 4, 1 * 4 + 2 * 5) = (11, 14).
    """
    for m in range(len(target)):
        total = 0.0
        for i in range(len(pattern)):
            total += pattern[i] * values[i + m]
        target[m] = total


@inlined
def weigh_outside(after: Floats, most: int, outside: int, weighting: Weighting) -> float:
    """Fills in the weight of `most` - m mines among the independent cells outside, for each m.

    Returns the logarithm of the factor that the values lack.
    """
    if weighting.mode == forward.IID:
        after[0] = 1.0
        return 0.0
    density, after[:] = weighting.density, 0.0
    least, greatest = max(0, most - len(after) + 1), min(most, outside)
    if least > greatest:
        return 0.0
    if weighting.mode == forward.BOOLEAN:
        after[most - greatest : most - least + 1] = 1.0
        return 0.0
    # Starting at the mode of the binomial distribution keeps the largest weight at 1.
    peak = min(max(int((outside + 1) * density), least), greatest)
    odds = density / (1.0 - density)
    weight = 1.0
    for mines in range(peak, greatest + 1):
        after[most - mines] = weight
        weight *= odds * (outside - mines) / (mines + 1.0)
    weight = 1.0
    for mines in range(peak, least - 1, -1):
        after[most - mines] = weight
        weight *= mines / (odds * (outside - mines + 1.0))
    ways = math.lgamma(outside + 1.0) - math.lgamma(peak + 1.0) - math.lgamma(outside - peak + 1.0)
    return ways + peak * math.log(density) + (outside - peak) * math.log1p(-density)


@inlined
def _go_back(frontier: Frontier, tables: Tables, weighting: Weighting, component: int, begin: int) -> bool:
    """Runs the backward pass over the levels of a component, from the weights at values[begin] of its last state.

    Returns whether the values had enough space.
    """
    values, last = tables.values, tables.last_level[component]
    largest = largest_level(tables, last)
    # Two buffers alternate: the messages of a level and of the next one.
    here, there, spare = begin, begin + largest, begin + 2 * largest
    if spare > len(values):
        return False
    # A component has one level more than groups; the shift turns a level into the position of its group.
    shift = frontier.end[component] - last
    drift = 0.0
    for level in range(last - 1, last - tables.place[last] - 1, -1):
        if not restore_level(frontier, tables, weighting, level, shift, spare, largest):
            return False
        group = frontier.order[level + shift]
        size = frontier.size[group]
        length = forward.level_size(tables, level)
        mine, free = forward.pull_values(tables, weighting, level, size, values[here:], values[there : there + length])
        frontier.probability[group] = mine / (mine + free)
        here, there = there, here
        _, drift = forward.clamp(values[here : here + length], weighting, drift + weighting.loss * size)
    return True


@inlined
def largest_level(tables: Tables, last: int) -> int:
    """Returns the largest number of values on a level of the component that ends with level `last`."""
    largest = 0
    for level in range(last - tables.place[last], last + 1):
        largest = max(largest, forward.level_size(tables, level))
    return largest


@inlined
def restore_level(
    frontier: Frontier, tables: Tables, weighting: Weighting, level: int, shift: int, begin: int, largest: int
) -> bool:
    """Recomputes the values of a level if they are DROPPED, from the nearest earlier level that still has its values.

    Levels in between keep their values too, at even distances, as far as space allows. The next call then starts from
    one of them. The scale of the values may differ from the first time; the probabilities do not depend on it.
    `level` + `shift` is the position of the level's group in `order`, and free space begins at `begin`. Returns whether
    there was enough, so that the level has its values.
    """
    values, first_value = tables.values, tables.first_value
    base = level
    while first_value[base] == forward.DROPPED:
        base -= 1
    if base == level:
        return True
    passing, at = begin, begin + 2 * largest
    if first_value[base] >= at:
        _, at = forward.level_span(tables, base)
    # The kept levels and one more must fit: the closer they are, the less the next call has to recompute.
    stride = 1
    while ((level - base) // stride + 1) * largest > len(values) - at:
        stride *= 2
        if stride > 2 * (level - base):
            return False
    for present in range(base + 1, level + 1):
        stays = present == level or (present - base) % stride == 0
        target = at if stays else passing + present % 2 * largest
        forward.push_values(tables, weighting, present - 1, frontier.size[frontier.order[present - 1 + shift]], target)
        first_value[present] = target
        # The buffer of the level before is overwritten by the next level but one.
        if passing <= first_value[present - 1] < passing + 2 * largest:
            first_value[present - 1] = forward.DROPPED
        first, end = forward.level_span(tables, present)
        if weighting.mode == forward.BOOLEAN:
            forward.clamp(values[first:end], weighting, 0.0)
        else:
            forward.renormalise(values[first:end])
        if stays:
            at = end
    return True
