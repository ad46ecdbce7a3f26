"""States of the dynamic programme, and how a group branches from each of them.

Part of step 4 of docs/studies/inference.md. A state holds the number of mines that each open constraint still lacks.
Groups are placed one after the other: a group of s cells that gets k mines takes k from each constraint above it, in
C(s, k) ways. A constraint is open only from its first group to its last. So the number of states depends on the width
of the frontier, not on its length. The values of a state are the total weights of the ways that lead to it, one for
each number of mines used so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting.frontier import Frontier
from minesweeper_env.inference.reading import Ints
from minesweeper_env.splitmix import GOLDEN

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

OK, NEED_STATES, NEED_KEYS, NEED_VALUES, INFEASIBLE = range(5)
"""Outcomes of the forward pass.

    OK              all components are counted
    NEED_STATES     more states are needed
    NEED_KEYS       more states are needed on one level
    NEED_VALUES     more values are needed
    INFEASIBLE + c  no filling satisfies constraint c
"""

_ONE = np.uint64(1)


class Levels(NamedTuple):
    """The levels of all components; a component of g groups has g + 1 levels, each with one int64 entry.

    Attributes:
        state: the index of its first state.
        states: the number of its states.
        value: the index of its first value.
        width: the number of values reserved per state.
        place: the number of earlier levels of the same component.
    """

    state: NDArray[np.int64]
    states: NDArray[np.int64]
    value: NDArray[np.int64]
    width: NDArray[np.int64]
    place: NDArray[np.int64]


class States(NamedTuple):
    """The states of all levels, S in total with L links.

    Attributes:
        first_link: (S + 1,) int32, the index of a state's first link.
        least: (S + 1,) int32, the fewest mines that the group can get in a state; each further link has one more.
        low: (S,) int32, the fewest mines used in a state, to which its first value belongs.
        high: (S,) int32, the most mines used in a state.
        links: (L,) int32, the target of a link, counted from the first state of the next level.
        keys: (K,) uint64, the packed lacks of the states of the present level.
        next_keys: (K,) uint64, the same for the next level.
        table: (2 * K,) uint64, a hash table of the next level; K is a power of two.
    """

    first_link: Ints
    least: Ints
    low: Ints
    high: Ints
    links: Ints
    keys: Words
    next_keys: Words
    table: Words


class Slots(NamedTuple):
    """The places of constraints within a key; a slot is `bits` wide, and 64 // bits slots fill a word.

    Attributes:
        slot: (n,) int32, the slot of an open constraint, or -1.
        left: (n,) int32, the cells under a constraint that are not placed yet.
        used: (n,) int32, 1 for a slot in use.
        bound: (3 * degree + 1,) int64, word, shift and cells left of each constraint over the present group.
        step: (2 * words,) uint64, the amount that a level adds to each key, then the amount that a mine subtracts.
    """

    slot: Ints
    left: Ints
    used: Ints
    bound: NDArray[np.int64]
    step: Words


@inlined
def open_group(frontier: Frontier, group: int, slots: Slots, bits: int, words: int) -> int:
    """Assigns slots to the constraints that begin with a group; fills `bound` and `step`.

    Returns:
        The number of constraints over the group.
    """
    per_word = 64 // bits
    begin, end = frontier.above_start[group], frontier.above_start[group + 1]
    for word in range(2 * words):
        slots.step[word] = 0
    for i in range(begin, end):
        constraint = frontier.above[i]
        fresh = slots.slot[constraint] < 0
        if fresh:
            # The lowest free slot keeps keys within as few words as possible.
            free = np.int32(0)
            while slots.used[free] == 1:
                free += np.int32(1)
            slots.used[free] = 1
            slots.slot[constraint] = free
        word = slots.slot[constraint] // per_word
        shift = np.uint64(slots.slot[constraint] % per_word * bits)
        if fresh:
            slots.step[word] += np.uint64(frontier.missing[frontier.cell_of[constraint]]) << shift
        slots.step[words + word] += _ONE << shift
        slots.left[constraint] -= frontier.size[group]
        at = 3 * (i - begin)
        slots.bound[at] = word
        slots.bound[at + 1] = int(np.int64(shift))
        slots.bound[at + 2] = slots.left[constraint]
    return int(end - begin)


@inlined
def close_group(frontier: Frontier, group: int, slots: Slots) -> None:
    """Frees the slots of the constraints that end with a group."""
    for i in range(frontier.above_start[group], frontier.above_start[group + 1]):
        constraint = frontier.above[i]
        if slots.left[constraint] == 0:
            slots.used[slots.slot[constraint]] = 0


@subroutine
def branch(
    states: States, state: int, count: int, link: int, size: int, slots: Slots, bounds: int, bits: int, words: int,
    track: int,
) -> tuple[int, int]:  # fmt: skip
    """Finds the states that a level leads to when the next group is placed.

    Args:
        states: with the keys of the level. Its links are added, and the keys of the next level replace its keys.
        state: the index of the first state of the level.
        count: the number of its states.
        link: the index of the next free link.
        size: the number of cells in the group.
        slots: as `open_group` has left them.
        bounds: the number of constraints over the group.
        bits: the width of a slot.
        words: the number of words in a key.
        track: 1 if states keep apart the mines used, else 0.

    Returns:
        The number of new states, or a negated outcome; and the next free link.
    """
    old, new = states.keys, states.next_keys
    capacity = len(old) // words
    # At most half full, so that probes stay short.
    table_bits = 3
    while (1 << table_bits) < 2 * min(count * (size + 1), capacity):
        table_bits += 1
    states.table[: 1 << table_bits] = 0
    field = (_ONE << np.uint64(bits)) - _ONE
    following, found = state + count, 0
    for i in range(count):
        least, most = _bounds(old[i * words :], size, slots, bounds, field)
        states.first_link[state + i] = link
        states.least[state + i] = least
        if link + most - least >= len(states.links) or following + found + most - least + 1 >= len(states.low):
            return -NEED_STATES, link
        for mines in range(least, most + 1):
            if found == capacity:
                return -NEED_KEYS, link
            for word in range(words):
                # Fields cannot borrow from each other: `_bounds` allows no more mines than any constraint lacks.
                key = old[i * words + word] + slots.step[word] - np.uint64(mines) * slots.step[words + word]
                new[found * words + word] = key
            at = _find(new, found, words, states.table, table_bits)
            low, high = states.low[state + i] + mines * track, states.high[state + i] + mines * track
            if states.table[at] == 0:
                states.low[following + found], states.high[following + found] = low, high
                found += 1
                states.table[at] = found
            target = int(np.int64(states.table[at] - _ONE))
            states.links[link] = target
            states.low[following + target] = min(states.low[following + target], low)
            states.high[following + target] = max(states.high[following + target], high)
            link += 1
    for i in range(found * words):
        old[i] = new[i]
    return found, link


@inlined
def _bounds(key: Words, size: int, slots: Slots, bounds: int, field: np.uint64) -> tuple[int, int]:
    """Returns the fewest and the most mines that the present group can get in a state."""
    least, most = 0, size
    for b in range(bounds):
        word = slots.bound[3 * b]
        lacks = int(np.int64(((key[word] + slots.step[word]) >> np.uint64(slots.bound[3 * b + 1])) & field))
        most = min(most, lacks)
        least = max(least, lacks - slots.bound[3 * b + 2])
    return least, most


@inlined
def _find(keys: Words, last: int, words: int, table: Words, table_bits: int) -> int:
    """Returns the index in the hash table of key `last`, or of the free entry for it; entries are indices plus 1."""
    mixed = np.uint64(0)
    for word in range(words):
        mixed = (mixed ^ keys[last * words + word]) * GOLDEN
        mixed ^= mixed >> np.uint64(29)
    at = int(np.int64((mixed * GOLDEN) >> np.uint64(64 - table_bits)))
    while table[at] != 0:
        twin = int(np.int64(table[at] - _ONE)) * words
        same = True
        for word in range(words):
            same = same and keys[twin + word] == keys[last * words + word]
        if same:
            break
        at = (at + 1) & ((1 << table_bits) - 1)
    return at
