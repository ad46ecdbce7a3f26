"""States of the forward pass, and how a group branches from each of them: step 4 of docs/studies/inference.md.

    o --k--> o'    with  o'(c) = o(c) - k  for each constraint c over the group,  where
                   max(0, o(c) - left(c))  <=  k  <=  min(s, o(c))

A state o holds the number of mines o(c) that each open constraint c still lacks. A group of s cells gets k mines, and
c then has left(c) cells that are not placed. A constraint is open only from its first group to its last. So the number
of states depends on the width of the frontier, not on its length.

A key packs the numbers of a state into words. Each open constraint has a slot of a few bits in it. Example: with slots
of 2 bits, two constraints that lack 1 and 2 mines have the key 0b10_01. Each mine under both subtracts 0b01_01.
"""

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting.workspace import NEED_KEYS, NEED_STATES, Frontier, Tables, Words
from minesweeper_env.splitmix import GOLDEN

_ONE = np.uint64(1)


@inlined
def prepare_slots(frontier: Frontier, tables: Tables, constraints: int) -> int:
    """Resets the slots and `left` of all constraints; returns the bits per slot, enough for all that one can lack."""
    most = 1
    for constraint in range(constraints):
        cell = frontier.cell_of[constraint]
        tables.slot[constraint] = -1
        tables.used[constraint] = 0
        tables.left[constraint] = frontier.covered[cell]
        most = max(most, int(frontier.missing[cell]))
    bits = 1
    while (1 << bits) <= most:
        bits += 1
    return bits


@inlined
def open_group(frontier: Frontier, tables: Tables, group: int, bits: int, words: int) -> int:
    """Gives slots to the constraints that begin with a group, and fills in what its level does to keys, and the bounds.

    Returns the number of constraints over the group.
    """
    slot, used, opening, per_mine = tables.slot, tables.used, tables.opening, tables.per_mine
    per_word, bounds = 64 // bits, 0
    for word in range(words):
        opening[word] = 0
        per_mine[word] = 0
    for i in range(frontier.above[group], frontier.above[group + 1]):
        constraint = frontier.over[i]
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
            opening[word] += np.uint64(frontier.missing[frontier.cell_of[constraint]]) << shift
        per_mine[word] += _ONE << shift
        tables.left[constraint] -= frontier.size[group]
        tables.bound_word[bounds] = word
        tables.bound_shift[bounds] = int(np.int64(shift))
        tables.bound_left[bounds] = tables.left[constraint]
        bounds += 1
    return bounds


@inlined
def close_group(frontier: Frontier, tables: Tables, group: int) -> None:
    """Frees the slots of the constraints that end with a group."""
    for i in range(frontier.above[group], frontier.above[group + 1]):
        constraint = frontier.over[i]
        if tables.left[constraint] == 0:
            tables.used[tables.slot[constraint]] = 0


@subroutine
def branch(tables: Tables, level: int, size: int, bounds: int, bits: int, words: int, track: int) -> int:
    """Finds the states that a level leads to when the next group is placed, a group of `size` cells.

    Adds the links of the level; the keys of the next level replace its keys. `open_group` returns `bounds`.
    Returns the number of new states, or a negated outcome.
    """
    links, first_link, low, high = tables.links, tables.first_link, tables.low, tables.high
    state, following = tables.first_state[level], tables.first_state[level + 1]
    link, found = int(first_link[state]), 0
    most = len(tables.keys) // 4
    old, new, table = tables.keys[:most], tables.keys[most : 2 * most], tables.keys[2 * most :]
    capacity = most // words
    # At most half full, so that probes stay short.
    table_bits = 3
    while (1 << table_bits) < 2 * min((following - state) * (size + 1), capacity):
        table_bits += 1
    table[: 1 << table_bits] = 0
    field = (_ONE << np.uint64(bits)) - _ONE
    for i in range(following - state):
        least, most_mines = _bounds(tables, old[i * words :], size, bounds, field)
        first_link[state + i], tables.least[state + i] = link, least
        if link + most_mines - least >= len(links) or following + found + most_mines - least + 1 >= len(links) // 2:
            return -NEED_STATES
        for mines in range(least, most_mines + 1):
            if found == capacity:
                return -NEED_KEYS
            for word in range(words):
                # Fields cannot borrow from each other: `_bounds` allows no more mines than any constraint lacks.
                key = old[i * words + word] + tables.opening[word] - np.uint64(mines) * tables.per_mine[word]
                new[found * words + word] = key
            at = _find(new, found, words, table, table_bits)
            fewest, greatest = low[state + i] + mines * track, high[state + i] + mines * track
            if table[at] == 0:
                low[following + found], high[following + found] = fewest, greatest
                found += 1
                table[at] = found
            target = int(np.int64(table[at] - _ONE))
            links[link] = target
            there = following + target
            low[there], high[there] = min(low[there], fewest), max(high[there], greatest)
            link += 1
    first_link[following] = link
    for i in range(found * words):
        old[i] = new[i]
    return found


@inlined
def _bounds(tables: Tables, key: Words, size: int, bounds: int, field: np.uint64) -> tuple[int, int]:
    """Returns the fewest and the most mines that the present group can get in a state."""
    least, most = 0, size
    for i in range(bounds):
        word = tables.bound_word[i]
        lacks = int(np.int64(((key[word] + tables.opening[word]) >> np.uint64(tables.bound_shift[i])) & field))
        most = min(most, lacks)
        # The cells that the constraint has left after this group can take no more than themselves.
        least = max(least, lacks - tables.bound_left[i])
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
