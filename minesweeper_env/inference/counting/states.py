"""States of the forward pass, and how a group branches from each of them: step 4 of docs/studies/inference.md.

    o --k--> o'    with  o'(c) = o(c) - k  for each constraint c over the group,  where
                   max(0, o(c) - rest(c))  <=  k  <=  min(s, o(c))

A state o holds the number of mines o(c) that each open constraint c still lacks. A group of s cells gets k mines, and
then rest(c) cells of c are in no placed group yet. A constraint is open only from its first group to its last. So the
number of states depends on the width of the frontier, not on its length.

A key packs the numbers of a state into 64-bit words, with a slot of a few bits for each open constraint. Example: with
slots of 2 bits, two constraints that lack 1 and 2 mines have the key 0b10_01. Each mine under both subtracts 0b01_01.
"""

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting.workspace import NEED_KEYS, NEED_STATES, Frontier, Tables, Words
from minesweeper_env.splitmix import GOLDEN

_ONE = np.uint64(1)


@inlined
def prepare_slots(frontier: Frontier, tables: Tables, num_constraints: int) -> int:
    """Resets the slots and `unplaced_cells` of all constraints; returns the bits per slot."""
    max_missing = 1
    for constraint in range(num_constraints):
        cell = frontier.cell_of[constraint]
        tables.slot[constraint] = -1
        tables.slot_used[constraint] = 0
        tables.unplaced_cells[constraint] = frontier.unknown[cell]
        max_missing = max(max_missing, int(frontier.missing[cell]))
    slot_bits = 1
    while (1 << slot_bits) <= max_missing:
        slot_bits += 1
    return slot_bits


@inlined
def open_group(frontier: Frontier, tables: Tables, group: int, slot_bits: int, key_words: int) -> int:
    """Gives slots to a group's new constraints; fills `opening`, `per_mine` and the bounds; returns how many bounds."""
    slot, slot_used, opening, per_mine = tables.slot, tables.slot_used, tables.opening, tables.per_mine
    per_word, num_bounds = 64 // slot_bits, 0
    for word in range(key_words):
        opening[word] = 0
        per_mine[word] = 0
    for i in range(frontier.over_start[group], frontier.over_start[group + 1]):
        constraint = frontier.over[i]
        is_new = slot[constraint] < 0
        if is_new:
            # The lowest free slot keeps keys within as few words as possible.
            free = np.int32(0)
            while slot_used[free] == 1:
                free += np.int32(1)
            slot_used[free] = 1
            slot[constraint] = free
        word = slot[constraint] // per_word
        shift = np.uint64(slot[constraint] % per_word * slot_bits)
        if is_new:
            opening[word] += np.uint64(frontier.missing[frontier.cell_of[constraint]]) << shift
        per_mine[word] += _ONE << shift
        tables.unplaced_cells[constraint] -= frontier.size[group]
        tables.bound_word[num_bounds] = word
        tables.bound_shift[num_bounds] = int(np.int64(shift))
        tables.bound_unplaced[num_bounds] = tables.unplaced_cells[constraint]
        num_bounds += 1
    return num_bounds


@inlined
def close_group(frontier: Frontier, tables: Tables, group: int) -> None:
    """Frees the slots of the constraints that end with a group."""
    for i in range(frontier.over_start[group], frontier.over_start[group + 1]):
        constraint = frontier.over[i]
        if tables.unplaced_cells[constraint] == 0:
            tables.slot_used[tables.slot[constraint]] = 0


@subroutine
def branch(tables: Tables, level: int, size: int, num_bounds: int, slot_bits: int, key_words: int, track: int) -> int:
    """Places a group of `size` cells after a level: computes the links of the level and the states of the next level.

    In `tables.keys` the keys of the next level replace those of the level. `num_bounds` constraints are over the group;
    `track` is that of `Weighting`. Returns the number of new states, or NEED_STATES or NEED_KEYS, negated.
    """
    links, first_link, min_used, max_used = tables.links, tables.first_link, tables.min_used, tables.max_used
    first, next_first = tables.first_state[level], tables.first_state[level + 1]
    link, num_new = int(first_link[first]), 0
    quarter = len(tables.keys) // 4
    old_keys, new_keys, table = tables.keys[:quarter], tables.keys[quarter : 2 * quarter], tables.keys[2 * quarter :]
    max_new = quarter // key_words
    # A power of two, and at most half full, so that probes stay short.
    table_bits = 3
    while (1 << table_bits) < 2 * min((next_first - first) * (size + 1), max_new):
        table_bits += 1
    table[: 1 << table_bits] = 0
    slot_mask = (_ONE << np.uint64(slot_bits)) - _ONE
    for i in range(next_first - first):
        min_mines, max_mines = _mine_bounds(tables, old_keys[i * key_words :], size, num_bounds, slot_mask)
        first_link[first + i], tables.min_mines[first + i] = link, min_mines
        last_link = link + max_mines - min_mines
        # The memory has two links for each state that it can hold.
        if last_link >= len(links) or next_first + num_new + max_mines - min_mines + 1 >= len(links) // 2:
            return -NEED_STATES
        for mines in range(min_mines, max_mines + 1):
            if num_new == max_new:
                return -NEED_KEYS
            for word in range(key_words):
                # Slots cannot borrow from each other: `_mine_bounds` allows no more mines than any constraint lacks.
                key = old_keys[i * key_words + word] + tables.opening[word] - np.uint64(mines) * tables.per_mine[word]
                new_keys[num_new * key_words + word] = key  # stays there only if the key is new
            entry = _find_entry(new_keys, num_new, key_words, table, table_bits)
            min_after, max_after = min_used[first + i] + mines * track, max_used[first + i] + mines * track
            if table[entry] == 0:
                min_used[next_first + num_new], max_used[next_first + num_new] = min_after, max_after
                num_new += 1
                table[entry] = num_new  # the state plus 1, since 0 marks an empty entry
            new_state = int(np.int64(table[entry] - _ONE))
            links[link] = new_state
            reached = next_first + new_state
            min_used[reached], max_used[reached] = min(min_used[reached], min_after), max(max_used[reached], max_after)
            link += 1
    first_link[next_first] = link
    for i in range(num_new * key_words):
        old_keys[i] = new_keys[i]
    return num_new


@inlined
def _mine_bounds(tables: Tables, key: Words, size: int, num_bounds: int, slot_mask: np.uint64) -> tuple[int, int]:
    """Returns the fewest and the most mines that the present group can get in the state with this key."""
    min_mines, max_mines = 0, size
    for i in range(num_bounds):
        word = tables.bound_word[i]
        missing = int(np.int64(((key[word] + tables.opening[word]) >> np.uint64(tables.bound_shift[i])) & slot_mask))
        max_mines = min(max_mines, missing)
        # The cells of the constraint that come after this group can take at most one mine each.
        min_mines = max(min_mines, missing - tables.bound_unplaced[i])
    return min_mines, max_mines


@inlined
def _find_entry(keys: Words, state: int, key_words: int, table: Words, table_bits: int) -> int:
    """Returns the index in the hash table of the key of a new state, or of the empty entry where it belongs."""
    hashed = np.uint64(0)
    for word in range(key_words):
        hashed = (hashed ^ keys[state * key_words + word]) * GOLDEN
        hashed ^= hashed >> np.uint64(29)
    index = int(np.int64((hashed * GOLDEN) >> np.uint64(64 - table_bits)))
    while table[index] != 0:
        begin = int(np.int64(table[index] - _ONE)) * key_words
        is_equal = True
        for word in range(key_words):
            is_equal = is_equal and keys[begin + word] == keys[state * key_words + word]
        if is_equal:
            break
        index = (index + 1) & ((1 << table_bits) - 1)
    return index
