"""Convolution of the components' mine counts, and the backward pass to the probability of each group.

    N               =  sum over m of  (F_1 * F_2 * ... * F_P)(m) C(U, M - m)
    B_(g-1)(o, m)   =  sum over k of  w_g(k) B_g(o', m + k)                       with o --k--> o'
    W_g(k)          =  sum over o and m of  F_(g-1)(o, m) w_g(k) B_g(o', m + k)
    P(mine in g)    =  (sum of k W_g(k))  /  (s_g sum of W_g(k))

N counts the layouts of M mines in P components and U cells outside; F_i(m) are the fillings of component i with m
mines. B_g(o, m) is the weight of all completions of a state, and the rest is as in `forward_pass`. The pass begins with
B of the last state of a component, the weight of everything outside it. Steps 5 and 6 of docs/studies/inference.md.
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

    Returns the outcome, the probability of a mine in a cell outside, and the natural logarithm of the total weight.
    """
    values, outside = tables.values, totals.outside
    joint_begin, width, min_mines, log_scale = join_forward(tables, totals.components, weighting)
    max_outside_mines = totals.mines - min_mines
    spare = joint_begin + 2 * width
    if joint_begin < 0 or spare >= len(values):
        return NEED_VALUES, 0.0, 0.0
    after = values[joint_begin + width : spare]
    log_scale += weigh_outside(after, max_outside_mines, outside, weighting)
    total, mine_weight, free_weight = 0.0, 0.0, 0.0
    for m in range(width):
        weight, outside_mines = values[joint_begin + m] * after[m], max_outside_mines - m
        total += weight
        mine_weight += weight * outside_mines
        free_weight += weight * (outside - outside_mines)
    if total == 0.0:
        return UNDERFLOW, 0.0, 0.0
    # `after` holds, for each mine count of the components up to this one, the weight of everything after them.
    for component in range(totals.components - 1, -1, -1):
        begin, end = forward.level_span(tables, tables.last_level[component])
        fillings = values[begin:end]
        # Back to the array of `join_forward` for the components before this one.
        width -= len(fillings) - 1
        joint_begin -= width
        if spare + len(fillings) >= len(values):
            return NEED_VALUES, 0.0, 0.0
        _correlate(values[joint_begin : joint_begin + width], after, values[spare : spare + len(fillings)])
        if not _run_backward(frontier, tables, weighting, component, spare):
            return NEED_VALUES, 0.0, 0.0
        _correlate(fillings, after, after[:width])
        after = after[:width]
        forward.keep_in_range(after, weighting, math.inf)
    probability = mine_weight / (mine_weight + free_weight) if outside > 0 else 0.0
    if weighting.mode == forward.IID:
        probability = weighting.density
    return OK, probability, log_scale + math.log(total)


@inlined
def join_forward(tables: Tables, num_components: int, weighting: Weighting) -> tuple[int, int, int, float]:
    """Convolves the fillings of the first 0, 1, 2, ... components by mine count, into arrays one after the other.

    Returns where the last array begins in `values` (negative if there is no space), its length, the mine count of its
    first entry, and the natural logarithm of the divisor of its entries.
    """
    values = tables.values
    num_levels = tables.last_level[num_components - 1] + 1 if num_components > 0 else 0
    begin, width, min_mines, log_scale = forward.end_of_values(tables, num_levels), 1, 0, 0.0
    values[begin] = 1.0
    for component in range(num_components):
        last = tables.last_level[component]
        fillings_begin, fillings_end = forward.level_span(tables, last)
        fillings = values[fillings_begin:fillings_end]
        next_begin = begin + width
        if next_begin + width + len(fillings) >= len(values):
            return -1, 0, 0, 0.0
        target = values[next_begin : next_begin + width + len(fillings) - 1]
        target[:] = 0.0
        for j in range(len(fillings)):
            for i in range(width):
                target[i + j] += values[begin + i] * fillings[j]
        log_divisor, _ = forward.keep_in_range(target, weighting, math.inf)
        log_scale += log_divisor
        begin, width = next_begin, len(target)
        min_mines += tables.min_used[tables.first_state[last]]
    return begin, width, min_mines, log_scale


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
def weigh_outside(after: Floats, mines: int, outside: int, weighting: Weighting) -> float:
    """Fills after[m] with the weight of `mines` - m mines among the `outside` independent cells, for each m.

    Returns the natural logarithm of the factor that the entries lack.
    """
    if weighting.mode == forward.IID:
        after[0] = 1.0
        return 0.0
    density = weighting.density
    after[:] = 0.0
    fewest, most = max(0, mines - len(after) + 1), min(mines, outside)
    if fewest > most:
        return 0.0
    if weighting.mode == forward.BOOLEAN:
        after[mines - most : mines - fewest + 1] = 1.0
        return 0.0
    # Starting at the mode of the binomial distribution keeps the largest weight at 1.
    peak = min(max(int((outside + 1) * density), fewest), most)
    odds = density / (1.0 - density)
    weight = 1.0
    for outside_mines in range(peak, most + 1):
        after[mines - outside_mines] = weight
        weight *= odds * (outside - outside_mines) / (outside_mines + 1.0)
    weight = 1.0
    for outside_mines in range(peak, fewest - 1, -1):
        after[mines - outside_mines] = weight
        weight *= outside_mines / (odds * (outside - outside_mines + 1.0))
    log_ways = math.lgamma(outside + 1.0) - math.lgamma(peak + 1.0) - math.lgamma(outside - peak + 1.0)
    return log_ways + peak * math.log(density) + (outside - peak) * math.log1p(-density)


@inlined
def _run_backward(frontier: Frontier, tables: Tables, weighting: Weighting, component: int, begin: int) -> bool:
    """Runs the backward pass over a component, from B of its last state in values[begin:]; returns whether it fits."""
    values, last = tables.values, tables.last_level[component]
    largest = largest_level(tables, last)
    # Two buffers alternate: `old` has the messages of the next level, and `new` gets those of the level.
    old, new, spare = begin, begin + largest, begin + 2 * largest
    if spare > len(values):
        return False
    # A component has one level more than groups; level + shift is the position in `order` of the group after a level.
    shift = frontier.component_end[component] - last
    drift = 0.0
    for level in range(last - 1, last - tables.levels_before[last] - 1, -1):
        if not restore_level(frontier, tables, weighting, level, shift, spare, largest):
            return False
        group = frontier.order[level + shift]
        size = frontier.size[group]
        length = forward.level_size(tables, level)
        mine, free = forward.pull_values(tables, weighting, level, size, values[old:], values[new : new + length])
        frontier.probability[group] = mine / (mine + free)
        old, new = new, old
        _, drift = forward.keep_in_range(values[old : old + length], weighting, drift + weighting.loss * size)
    return True


@inlined
def largest_level(tables: Tables, last: int) -> int:
    """Returns the largest number of values on a level of the component that ends with level `last`."""
    largest = 0
    for level in range(last - tables.levels_before[last], last + 1):
        largest = max(largest, forward.level_size(tables, level))
    return largest


@inlined
def restore_level(
    frontier: Frontier, tables: Tables, weighting: Weighting, level: int, shift: int, begin: int, largest: int
) -> bool:
    """Recomputes the values of a level if they are DROPPED, from the nearest earlier level that still has its values.

    Levels in between keep their values too, at even distances, as far as space allows. The next call then starts from
    one of them. The scale of the values may differ from the first time; the probabilities do not depend on it.
    `level` + `shift` is the position in `order` of the group after the level. Free space begins at values[begin], and
    no level of the component has more than `largest` values. Returns whether the space was enough.
    """
    values, first_value = tables.values, tables.first_value
    base = level
    while first_value[base] == forward.DROPPED:
        base -= 1
    if base == level:
        return True
    buffers, free = begin, begin + 2 * largest
    # Two buffers take turns for levels that do not stay. Behind them lie levels of earlier calls, free after `base`.
    if first_value[base] >= free:
        _, free = forward.level_span(tables, base)
    # The kept levels and one more must fit. The smaller the stride, the less the next call has to recompute.
    stride = 1
    while ((level - base) // stride + 1) * largest > len(values) - free:
        stride *= 2
        if stride > 2 * (level - base):
            return False
    for current in range(base + 1, level + 1):
        stays = current == level or (current - base) % stride == 0
        target = free if stays else buffers + current % 2 * largest
        forward.push_values(tables, weighting, current - 1, frontier.size[frontier.order[current - 1 + shift]], target)
        first_value[current] = target
        # Values in one of the two alternating buffers are lost: the next level but one overwrites them.
        if buffers <= first_value[current - 1] < buffers + 2 * largest:
            first_value[current - 1] = forward.DROPPED
        start, end = forward.level_span(tables, current)
        if weighting.mode == forward.BOOLEAN:
            forward.keep_in_range(values[start:end], weighting, 0.0)
        else:
            forward.renormalise(values[start:end])
        if stays:
            free = end
    return True
