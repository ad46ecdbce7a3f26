"""States of the dynamic programme, and how a group branches from each of them: step 4 of docs/studies/inference.md.

A state holds the number of mines that each open constraint still lacks. Groups are placed one after the other: a group
of s cells that gets k mines takes k from each constraint above it, in C(s, k) ways. A constraint is open only from its
first group to its last. So the number of states depends on the width of the frontier, not on its length.

A key packs the numbers of a state into words. Each open constraint has a slot of a few bits in it.
"""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting import workspace as ws
from minesweeper_env.inference.counting.workspace import Words, Workspace
from minesweeper_env.splitmix import GOLDEN

_ONE = np.uint64(1)


@inlined
def prepare_slots(work: Workspace, constraints: int) -> int:
    """Frees all slots; returns the number of bits per slot."""
    most = 1
    for constraint in range(constraints):
        cell = work.cells[ws.CELL, constraint]
        work.cells[ws.SLOT, constraint] = -1
        work.cells[ws.USED, constraint] = 0
        work.cells[ws.LEFT, constraint] = work.cells[ws.COVERED, cell]
        most = max(most, int(work.cells[ws.MISSING, cell]))
    bits = 1
    while (1 << bits) <= most:
        bits += 1
    return bits


@inlined
def open_group(work: Workspace, group: int, bits: int, words: int) -> int:
    """Gives slots to the constraints that begin with a group, and fills in the step and the bounds of its level.

    Returns the number of constraints over the group.
    """
    slot, used, step = work.cells[ws.SLOT], work.cells[ws.USED], work.step
    per_word, at = 64 // bits, ws.BOUND
    for word in range(2 * words):
        step[word] = 0
    for i in range(work.cells[ws.ABOVE, group], work.cells[ws.ABOVE, group + 1]):
        constraint = work.lists[ws.OVER, i]
        fresh = slot[constraint] < 0
        if fresh:
            # The lowest free slot keeps keys within as few words as possible.
            free = np.int32(0)
            while used[free] == 1:
                free += np.int32(1)
            used[free] = 1
            slot[constraint] = free
        word = slot[constraint] // per_word
        shift = np.uint64(slot[constraint] % per_word * bits)
        if fresh:
            step[word] += np.uint64(work.cells[ws.MISSING, work.cells[ws.CELL, constraint]]) << shift
        step[words + word] += _ONE << shift
        work.cells[ws.LEFT, constraint] -= work.cells[ws.SIZE, group]
        work.longs[at] = word
        work.longs[at + 1] = int(np.int64(shift))
        work.longs[at + 2] = work.cells[ws.LEFT, constraint]
        at += 3
    return (at - ws.BOUND) // 3


@inlined
def close_group(work: Workspace, group: int) -> None:
    """Frees the slots of the constraints that end with a group."""
    for i in range(work.cells[ws.ABOVE, group], work.cells[ws.ABOVE, group + 1]):
        constraint = work.lists[ws.OVER, i]
        if work.cells[ws.LEFT, constraint] == 0:
            work.cells[ws.USED, work.cells[ws.SLOT, constraint]] = 0


@subroutine
def branch(work: Workspace, level: int, size: int, bounds: int, bits: int, words: int, track: int) -> int:
    """Finds the states that a level leads to when the next group is placed, a group of `size` cells.

    Adds the links of the level; the keys of the next level replace its keys. `open_group` returns `bounds`.
    Returns the number of new states, or a negated outcome.
    """
    states, links = work.states, work.links
    state, count, link = work.levels[level, ws.FIRST], work.levels[level, ws.STATES], work.longs[ws.NEXT_LINK]
    most = len(work.keys) // 4
    old, new, table = work.keys[:most], work.keys[most : 2 * most], work.keys[2 * most :]
    capacity = most // words
    # At most half full, so that probes stay short.
    table_bits = 3
    while (1 << table_bits) < 2 * min(count * (size + 1), capacity):
        table_bits += 1
    table[: 1 << table_bits] = 0
    field = (_ONE << np.uint64(bits)) - _ONE
    following, found = state + count, 0
    for i in range(count):
        here = states[state + i]
        least, most_mines = _bounds(work, old[i * words :], size, bounds, field)
        here[ws.LINK], here[ws.LEAST] = link, least
        if link + most_mines - least >= len(links) or following + found + most_mines - least + 1 >= len(links) // 2:
            return -ws.NEED_STATES
        for mines in range(least, most_mines + 1):
            if found == capacity:
                return -ws.NEED_KEYS
            for word in range(words):
                # Fields cannot borrow from each other: `_bounds` allows no more mines than any constraint lacks.
                key = old[i * words + word] + work.step[word] - np.uint64(mines) * work.step[words + word]
                new[found * words + word] = key
            at = _find(new, found, words, table, table_bits)
            low, high = here[ws.LOW] + mines * track, here[ws.HIGH] + mines * track
            if table[at] == 0:
                states[following + found, ws.LOW], states[following + found, ws.HIGH] = low, high
                found += 1
                table[at] = found
            target = int(np.int64(table[at] - _ONE))
            links[link] = target
            there = states[following + target]
            there[ws.LOW], there[ws.HIGH] = min(there[ws.LOW], low), max(there[ws.HIGH], high)
            link += 1
    for i in range(found * words):
        old[i] = new[i]
    work.longs[ws.NEXT_LINK] = link
    return found


@inlined
def _bounds(work: Workspace, key: Words, size: int, bounds: int, field: np.uint64) -> tuple[int, int]:
    """Returns the fewest and the most mines that the present group can get in a state."""
    least, most = 0, size
    for at in range(ws.BOUND, ws.BOUND + 3 * bounds, 3):
        word = work.longs[at]
        lacks = int(np.int64(((key[word] + work.step[word]) >> np.uint64(work.longs[at + 1])) & field))
        most = min(most, lacks)
        least = max(least, lacks - work.longs[at + 2])
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
