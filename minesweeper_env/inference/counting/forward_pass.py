"""Forward pass over all components of the frontier, level by level: step 4 of docs/studies/inference.md.

    F_g(o', m + k)  =  sum of w_g(k) F_(g-1)(o, m)  over all o and k with o --k--> o'        F_0(nothing open, 0)  =  1
    w_g(k)          =  C(s_g, k) p^k (1 - p)^(s_g - k)

F_g(o, m) is the weight of all ways to fill the first g groups with m mines that lead to the state o; see `states`.
Group g has s_g cells, and p is the density of mines. The level g holds F_g. This is the forward half of the
forward-backward algorithm (Rabiner 1989).
"""

import math
from typing import NamedTuple

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting import workspace as ws
from minesweeper_env.inference.counting.states import branch, close_group, open_group, prepare_slots
from minesweeper_env.inference.counting.workspace import Floats, Frontier, Tables

FIXED_TOTAL, IID, BOOLEAN, MODULAR = 0, 1, 2, 3
"""Modes of the programme.

    FIXED_TOTAL  the posterior given the number of mines
    IID          the posterior of independent cells
    BOOLEAN      only whether a layout exists
    MODULAR      the numbers of fillings modulo a prime
"""

DROPPED = -1
"""`first_value` of a level whose values have been dropped."""

_MAX_DRIFT = 300.0
"""Powers of two by which values may shrink before they are scaled up; float64 has 1022."""


class Weighting(NamedTuple):
    """How layouts are weighted: the mode, and the numbers that depend on it."""

    mode: int  # FIXED_TOTAL, IID, BOOLEAN or MODULAR
    # The probability of a mine per cell if the cells were independent. With a fixed total it cancels out; a value near
    # the true density keeps all sums within the range of floating point. In MODULAR mode this is the prime instead,
    # below 2**22, so that sums of products are exact.
    density: float
    track: int  # 1 if the values of a state are kept apart by the number of mines used so far, else 0
    loss: float  # the largest number of halvings of a weight by one cell: -log2 of the less likely of mine and free


@inlined
def weighting_of(mode: int, density: float) -> Weighting:
    """Returns the weighting of a mode, for a density of mines or, in MODULAR mode, a prime."""
    loss = 0.0 if mode >= BOOLEAN else -math.log2(min(density, 1.0 - density))
    return Weighting(mode, density, 0 if mode == IID else 1, loss)


@subroutine
def weigh_group(weights: Floats, size: int, weighting: Weighting) -> None:
    """Fills weights[: size + 1] with the weight of each number of mines in a group of `size` cells.

    BOOLEAN      1
    MODULAR      the number of ways to choose the cells, by Pascal's triangle modulo the prime in `density`
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
def count_components(
    frontier: Frontier, tables: Tables, weighting: Weighting, num_components: int, num_constraints: int, peak: int
) -> tuple[int, float]:
    """Runs the forward pass over all components, with at most `peak` constraints open at once.

    Returns the outcome, and the natural logarithm of the product of all divisors of the values; see `keep_in_range`.
    """
    slot_bits = prepare_slots(frontier, tables, num_constraints)
    slots_per_word = 64 // slot_bits
    key_words = max(1, (peak + slots_per_word - 1) // slots_per_word)
    tables.first_state[0], tables.first_link[0], tables.stride[0] = 0, 0, 1
    log_scale = 0.0
    level, position = 0, 0
    for component in range(num_components):
        outcome = _begin_component(tables, level, key_words)
        drift = 0.0
        while outcome == ws.OK and position < frontier.component_end[component]:
            group = frontier.order[position]
            outcome = _place_group(frontier, tables, weighting, level, group, slot_bits, key_words)
            if outcome == ws.OK:
                level += 1
                # An upper bound on the halvings of the values, so that not every level needs a scan.
                drift += weighting.loss * frontier.size[group]
                begin, end = level_span(tables, level)
                scale, drift = keep_in_range(tables.values[begin:end], weighting, drift)
                log_scale += scale
                position += 1
        if outcome != ws.OK:
            return outcome, 0.0
        tables.last_level[component] = level
        # The one state of the last level has no links, so its first link is also the end of its links.
        tables.first_link[tables.first_state[level + 1]] = tables.first_link[tables.first_state[level]]
        level += 1
    return ws.OK, log_scale


@inlined
def _begin_component(tables: Tables, level: int, key_words: int) -> int:
    """Adds the first level of a component, with one state; returns the outcome."""
    state = tables.first_state[level]
    if state + 2 >= len(tables.links) // 2:
        return ws.NEED_STATES
    if not _add_level(tables, level, 1, 1):
        return ws.NEED_VALUES
    tables.levels_before[level] = 0
    tables.min_used[state], tables.max_used[state] = 0, 0
    tables.values[tables.first_value[level]] = 1.0
    tables.keys[:key_words] = 0
    return ws.OK


@inlined
def _add_level(tables: Tables, level: int, states: int, width: int) -> bool:
    """Reserves space for a level of `states` states with `width` values each; returns whether there was space."""
    needed, begin = states * width, end_of_values(tables, level)
    # The second half of the values is for the convolution and the backward pass.
    limit = len(tables.values) // 2
    if begin + needed > limit:
        if len(tables.values) < ws.MAX_VALUES:
            return False
        begin = _thin_out(tables, level)
        # Each thinning copies all values, so it goes on until half of the space is free.
        while begin > limit // 2 and tables.stride[0] < level:
            tables.stride[0] *= 2
            begin = _thin_out(tables, level)
        if begin + needed > limit:
            return False
    tables.first_state[level + 1] = tables.first_state[level] + states
    tables.first_value[level], tables.width[level] = begin, width
    return True


@inlined
def end_of_values(tables: Tables, levels: int) -> int:
    """Returns the end in `values` of the first `levels` levels; the last of these must not be DROPPED."""
    if levels == 0:
        return 0
    _, end = level_span(tables, levels - 1)
    return end


@inlined
def _thin_out(tables: Tables, num_levels: int) -> int:
    """Drops the values of most of the first levels, and moves the others together; returns the end of the values.

    In each component the first and the last level stay, and those whose `levels_before` the stride divides. Example: a
    stride of 4 keeps the levels 0, 4, 8 and 9 of 10.
    """
    values, first_value = tables.values, tables.first_value
    free = 0
    for level in range(num_levels):
        if first_value[level] == DROPPED:
            continue
        is_last = level == num_levels - 1 or tables.levels_before[level + 1] == 0
        if is_last or tables.levels_before[level] % tables.stride[0] == 0:
            begin, end = level_span(tables, level)
            for i in range(end - begin):
                values[free + i] = values[begin + i]
            first_value[level] = free
            free += end - begin
        else:
            first_value[level] = DROPPED
    return free


@inlined
def _place_group(
    frontier: Frontier, tables: Tables, weighting: Weighting, level: int, group: int, slot_bits: int, key_words: int
) -> int:
    """Places a group: adds the next level, with `key_words` per key and `slot_bits` per slot; returns the outcome."""
    size, next_first = frontier.size[group], tables.first_state[level + 1]
    bounds = open_group(frontier, tables, group, slot_bits, key_words)
    num_new = branch(tables, level, size, bounds, slot_bits, key_words, weighting.track)
    close_group(frontier, tables, group)
    if num_new < 0:  # where memory lacks
        return -num_new
    if num_new == 0:  # the constraints over this group contradict the others; the first of them is named
        return int(ws.INFEASIBLE + frontier.over[frontier.over_start[group]])
    width = 1
    for i in range(next_first, next_first + num_new):
        width = max(width, int(tables.max_used[i] - tables.min_used[i] + 1))
    if not _add_level(tables, level + 1, num_new, width):
        return ws.NEED_VALUES
    tables.levels_before[level + 1] = tables.levels_before[level] + 1
    push_values(tables, weighting, level, size, tables.first_value[level + 1])
    return ws.OK


@subroutine
def push_values(tables: Tables, weighting: Weighting, level: int, size: int, target_begin: int) -> None:
    """Computes the values of the level after `level` into values[target_begin:]; the group between has `size` cells.

    Unsigned indices halve the time of the innermost loop: negative ones would need a test, as they count from the end.
    """
    weights, links, first_link, min_used = tables.weight, tables.links, tables.first_link, tables.min_used
    weigh_group(weights, size, weighting)
    begin, end = level_span(tables, level)
    values, width, target_width = tables.values[begin:end], tables.width[level], tables.width[level + 1]
    first, next_first = tables.first_state[level], tables.first_state[level + 1]
    target = tables.values[target_begin : target_begin + (tables.first_state[level + 2] - next_first) * target_width]
    target[:] = 0.0
    # Value m of a state is for min_used + m mines. With the mines of the group it goes to target[new_origin + m].
    for i in range(first, next_first):
        mines = tables.min_mines[i]
        origin, num_values = (i - first) * width, tables.max_used[i] - min_used[i] + 1
        for link in range(first_link[i], first_link[i + 1]):
            weight, linked = weights[mines], links[link]
            new_origin = linked * target_width + min_used[i] + mines * weighting.track - min_used[next_first + linked]
            for m in range(num_values):
                target[np.uint64(new_origin + m)] += weight * values[np.uint64(origin + m)]
            mines += 1  # The links of a state are in the order of their mines, without gaps.


@subroutine
def pull_values(
    tables: Tables, weighting: Weighting, level: int, size: int, next_messages: Floats, messages: Floats
) -> tuple[float, float]:
    """Computes the backward messages of a level from those of the next level, the sums B of `backward_pass`.

    Returns two sums over all fillings: of weight * mines in the group after the level, and of weight * its free cells.
    """
    weights, links, first_link, min_used = tables.weight, tables.links, tables.first_link, tables.min_used
    weigh_group(weights, size, weighting)
    begin, end = level_span(tables, level)
    values, width, target_width = tables.values[begin:end], tables.width[level], tables.width[level + 1]
    first, next_first = tables.first_state[level], tables.first_state[level + 1]
    mine_weight, free_weight = 0.0, 0.0
    messages[:] = 0.0
    for i in range(first, next_first):
        mines = tables.min_mines[i]
        origin, num_values = (i - first) * width, tables.max_used[i] - min_used[i] + 1
        for link in range(first_link[i], first_link[i + 1]):
            weight, linked = weights[mines], links[link]
            new_origin = linked * target_width + min_used[i] + mines * weighting.track - min_used[next_first + linked]
            total = 0.0
            for m in range(num_values):
                onward = weight * next_messages[np.uint64(new_origin + m)]
                messages[np.uint64(origin + m)] += onward
                total += onward * values[np.uint64(origin + m)]
            mine_weight += mines * total
            free_weight += (size - mines) * total
            mines += 1
    return mine_weight, free_weight


@inlined
def level_size(tables: Tables, level: int) -> int:
    """Returns the number of values of a level."""
    return int((tables.first_state[level + 1] - tables.first_state[level]) * tables.width[level])


@inlined
def level_span(tables: Tables, level: int) -> tuple[int, int]:
    """Returns the begin and the end of a level in `values`; the level must not be DROPPED."""
    begin = tables.first_value[level]
    return begin, begin + level_size(tables, level)


@inlined
def keep_in_range(values: Floats, weighting: Weighting, drift: float) -> tuple[float, float]:
    """Keeps values within range, in place.

    BOOLEAN values are cut at 1, MODULAR values are reduced modulo the prime in `density`, and others are scaled up if
    they may have shrunk too far. `drift` is an upper bound on the number of halvings of the values since their last
    scaling. Returns the natural logarithm of the divisor, and the new drift.
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
    """Divides values by the largest one, in place, unless all are 0; returns the natural logarithm of the divisor."""
    divisor = 0.0
    for i in range(len(values)):
        divisor = max(divisor, values[i])
    if divisor == 0.0:
        return 0.0
    for i in range(len(values)):
        values[i] /= divisor
    return math.log(divisor)
