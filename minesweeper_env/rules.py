"""The rules of Minesweeper, as kernels on arrays: the only copy, for one board and for a batch.

`state` explains the arrays. A single game is a batch of one. The functions above the kernels take a
`Rules` and a `Boards` and the row i of the board that they mean; the kernels take their fields one by
one, since numba takes several times longer to unpack a named tuple of arrays than the arrays alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Move
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.state import (
    CORNERS,
    COUNT_BITS,
    FRESH,
    IDLE,
    ILLEGAL,
    LOST,
    MINE_BIT,
    OPENING,
    PLAYING,
    REMAINING,
    SAFE,
    STATUS,
    STEPS,
    SUCCESS,
    TERMINATION,
    TRUNCATED,
    TRUNCATION,
    WON,
    Boards,
    RewardWeights,
    Rules,
)

CLICK, FLAG, UNFLAG, QUESTION, CHORD = (int(move) for move in Move)
W_WIN, W_LOSS, W_OPENING, W_CELL, W_ILLEGAL = range(len(RewardWeights._fields))
SAMPLING_TRIES = 64

Int = int | np.integer[Any]
Codes = NDArray[np.int8]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
Generators = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32 = (np.uint64(bits) for bits in (27, 30, 31, 32))
_2_TO_32 = np.uint64(1 << 32)
_LOW_32 = np.uint64((1 << 32) - 1)


@inlined
def random_below(rng: Generators, i: int, bound: Int) -> np.int64:
    """Draws one of 0..bound-1 from SplitMix64, exactly uniformly (Lemire 2019: multiply and reject)."""
    limit = np.uint64(bound)
    while True:
        rng[i] += _GOLDEN
        mixed = rng[i]
        mixed = (mixed ^ (mixed >> _30)) * _MIX_1
        mixed = (mixed ^ (mixed >> _27)) * _MIX_2
        product = ((mixed ^ (mixed >> _31)) >> _32) * limit
        low = product & _LOW_32
        if low >= limit or low >= (_2_TO_32 - limit) % limit:
            return np.int64(product >> _32)


@inlined
def _add_mine(rules: Rules, boards: Boards, i: int, cell: Int) -> None:
    boards.truth[i, cell] |= MINE_BIT
    for k in range(rules.neighbours.shape[1]):
        boards.truth[i, rules.neighbours[cell, k]] += 1


@inlined
def _remove_mine(rules: Rules, boards: Boards, i: int, cell: Int) -> None:
    boards.truth[i, cell] &= COUNT_BITS
    for k in range(rules.neighbours.shape[1]):
        boards.truth[i, rules.neighbours[cell, k]] -= 1


@inlined
def _mark_zone(rules: Rules, boards: Boards, i: int, first: Int, bit: int) -> int:
    """Sets the mine bits of the first click's protected cells to `bit`; returns how many they are."""
    truth = boards.truth
    truth[i, first] = (truth[i, first] & COUNT_BITS) | bit
    if rules.first_click == SAFE:
        return 1
    marked = 1
    for k in range(rules.neighbours.shape[1]):
        cell = rules.neighbours[first, k]
        truth[i, cell] = (truth[i, cell] & COUNT_BITS) | bit
        marked += cell != rules.neighbours.shape[0]
    return marked


@inlined
def _draw_unmarked(boards: Boards, i: int, cells: int) -> np.int64:
    while True:
        cell = random_below(boards.rng, i, cells)
        if not boards.truth[i, cell] & MINE_BIT:
            return cell


@inlined
def _scatter(rules: Rules, boards: Boards, i: int, free: int) -> None:
    """Lays the mines on the `free` cells without a mark, all layouts being equally likely.

    On a crowded board it draws the cells that stay free, which takes fewer draws.
    """
    cells = rules.neighbours.shape[0]
    if 2 * rules.mines <= free:
        for _ in range(rules.mines):
            _add_mine(rules, boards, i, _draw_unmarked(boards, i, cells))
        return
    for _ in range(free - rules.mines):
        boards.truth[i, _draw_unmarked(boards, i, cells)] |= MINE_BIT
    for cell in range(cells):
        boards.truth[i, cell] ^= MINE_BIT
    for cell in range(cells):
        if boards.truth[i, cell] & MINE_BIT:
            _add_mine(rules, boards, i, cell)


@inlined
def _in_zone(rules: Rules, first: Int, cell: Int) -> bool:
    inside = first == cell
    for k in range(rules.neighbours.shape[1]):
        inside |= rules.neighbours[first, k] == cell
    return inside


@inlined
def _clear_zone(rules: Rules, boards: Boards, i: int, first: Int) -> None:
    """Moves each mine on or beside the cell `first` to the first refuge that is free and not there."""
    truth = boards.truth
    refuge = 0
    for cell in range(rules.neighbours.shape[0]):
        if truth[i, cell] & MINE_BIT and _in_zone(rules, first, cell):
            while truth[i, rules.refuges[refuge]] & MINE_BIT or _in_zone(rules, first, rules.refuges[refuge]):
                refuge += 1
            _remove_mine(rules, boards, i, cell)
            _add_mine(rules, boards, i, rules.refuges[refuge])


@inlined
def _place_mines(rules: Rules, boards: Boards, i: int, first: Int) -> None:
    """Lays the mines by the first-click rule, the first click being on the cell `first`.

    "opening" and "safe" are uniform over the layouts that leave the cell with its neighbours, or the
    cell alone, free; "any" is uniform over all; "corners" is too, and then clears the neighbourhood.
    """
    cells = rules.neighbours.shape[0]
    boards.truth[i, :] = 0
    if rules.first_click == OPENING or rules.first_click == SAFE:
        zone = _mark_zone(rules, boards, i, first, MINE_BIT)
        _scatter(rules, boards, i, cells - zone)
        _mark_zone(rules, boards, i, first, 0)
    else:
        _scatter(rules, boards, i, cells)
        if rules.first_click == CORNERS:
            _clear_zone(rules, boards, i, first)


@inlined
def _reset_game(rules: Rules, boards: Boards, i: int) -> None:
    """Covers a board; its mines are laid at the first click."""
    cells, most = rules.neighbours.shape
    boards.shown[i, :] = most + 3
    boards.shown[i, cells] = 0
    boards.games[i, STATUS] = FRESH
    boards.games[i, REMAINING] = cells - rules.mines
    boards.games[i, STEPS] = 0


@inlined
def _open(rules: Rules, boards: Boards, i: int, cell: Int) -> int:
    """Opens a covered cell without a flag, flooding over zeros; returns the cells opened, 0 for a mine."""
    shown, truth, stack = boards.shown, boards.truth, boards.stack
    most = rules.neighbours.shape[1]
    if truth[i, cell] & MINE_BIT:
        boards.games[i, STATUS] = LOST
        return 0
    shown[i, cell] = truth[i, cell]
    opened = 1
    stack[0] = cell
    top = 0
    if truth[i, cell] == 0:
        top = 1
    while top > 0:
        top -= 1
        zero = stack[top]
        for k in range(most):
            neighbour = rules.neighbours[zero, k]
            if shown[i, neighbour] >= most + 2:
                shown[i, neighbour] = truth[i, neighbour]
                opened += 1
                if truth[i, neighbour] == 0:
                    stack[top] = neighbour
                    top += 1
    boards.games[i, REMAINING] -= opened
    return opened


@inlined
def _can_chord(rules: Rules, shown: Codes, i: int, cell: Int) -> bool:
    most = rules.neighbours.shape[1]
    flags = 0
    closed = False
    for k in range(most):
        code = shown[i, rules.neighbours[cell, k]]
        flags += code == most + 1
        closed |= code >= most + 2
    return closed and flags == shown[i, cell]


@inlined
def _is_legal(rules: Rules, shown: Codes, i: int, move: Int, cell: Int) -> bool:
    """Says whether a move would change anything on a board whose game is neither won nor lost."""
    most = rules.neighbours.shape[1]
    code = shown[i, cell]
    if move == CLICK:
        return code >= np.int8(most + 2)
    if move == FLAG:
        return code > most
    if move == UNFLAG:
        return code == most + 1 or code == most + 2
    if move == QUESTION:
        return code == most + 1 or code == most + 3
    return code <= most and _can_chord(rules, shown, i, cell)


@inlined
def _reveal_mines(rules: Rules, boards: Boards, i: int) -> None:
    cells, most = rules.neighbours.shape
    question, mine = np.int8(most + 2), np.int8(most + 4)
    # Stores without a condition, so that the compiler vectorises the loop.
    for cell in range(cells):
        code = boards.shown[i, cell]
        unmarked = (boards.truth[i, cell] >= MINE_BIT) & (code >= question)
        boards.shown[i, cell] = mine if unmarked else code


@inlined
def _make_move(rules: Rules, boards: Boards, i: int, move: Int, cell: Int) -> int:
    """Makes a legal move; returns the number of cells that it opened."""
    most = rules.neighbours.shape[1]
    opened = 0
    if move == CLICK:
        if boards.games[i, STATUS] == FRESH:
            _place_mines(rules, boards, i, cell)
            boards.games[i, STATUS] = PLAYING
        opened = _open(rules, boards, i, cell)
    elif move == CHORD:
        for k in range(most):
            neighbour = rules.neighbours[cell, k]
            if boards.shown[i, neighbour] >= most + 2:
                opened += _open(rules, boards, i, neighbour)
    elif move == QUESTION:
        boards.shown[i, cell] = most + 2
    elif move == FLAG and boards.shown[i, cell] != most + 1:
        boards.shown[i, cell] = most + 1
    else:
        boards.shown[i, cell] = most + 3
    return opened


@inlined
def _read_action(rules: Rules, action: Int) -> tuple[Int, Int]:
    """Returns the move and the cell of an action."""
    # 32-bit division is several times faster than 64-bit.
    cells = np.uint32(rules.neighbours.shape[0])
    block = np.uint32(action) // cells
    return rules.moves[block], np.uint32(action) - block * cells


@inlined
def _step_game(rules: Rules, boards: Boards, i: int, action: Int) -> int:
    """Takes a step in a game that is not over; returns the cells opened, or -1 for an illegal action."""
    games = boards.games
    move, cell = _read_action(rules, action)
    opened = -1
    if _is_legal(rules, boards.shown, i, move, cell):
        opened = _make_move(rules, boards, i, move, cell)
        if games[i, STATUS] == LOST:
            _reveal_mines(rules, boards, i)
        elif games[i, REMAINING] == 0:
            games[i, STATUS] = WON
    games[i, STEPS] += 1
    if games[i, STATUS] <= PLAYING and games[i, STEPS] >= rules.max_steps:
        games[i, STATUS] = TRUNCATED
    return opened


@inlined
def _reward(rules: Rules, status: Int, opened: int) -> float:
    if opened < 0:
        return rules.weights[W_ILLEGAL]
    if status == LOST:
        return rules.weights[W_LOSS]
    reward = 0.0
    if opened > 0:
        reward = rules.weights[W_OPENING] + rules.weights[W_CELL] * opened
    if status == WON:
        reward += rules.weights[W_WIN]
    return reward


@inlined
def _is_decided(boards: Boards, i: int) -> bool:
    return boards.games[i, STATUS] == WON or boards.games[i, STATUS] == LOST


@inlined
def _show(rules: Rules, boards: Boards, codes: Codes, masks: Codes) -> None:
    """Writes what the players see and which actions would change something; all, where none can."""
    shown = boards.shown
    for i in range(codes.shape[0]):
        for cell in range(codes.shape[1]):
            codes[i, cell] = shown[i, cell]
        decided = _is_decided(boards, i)
        for block in range(rules.moves.shape[0]):
            move = rules.moves[block]
            if decided:
                for cell in range(codes.shape[1]):
                    masks[i, block, cell] = 1
            elif move == CLICK:
                # A loop with a constant move, which the compiler vectorises.
                for cell in range(codes.shape[1]):
                    masks[i, block, cell] = _is_legal(rules, shown, i, CLICK, cell)
            else:
                for cell in range(codes.shape[1]):
                    masks[i, block, cell] = _is_legal(rules, shown, i, move, cell)


@kernel
def reset_batch(chosen: Flags, codes: Codes, masks: Codes, *state: Any) -> None:
    """Starts a new game on each of the `chosen` (N,) bool boards, and shows them all."""
    rules, boards = Rules(*state[:7]), Boards(*state[7:])
    for i in range(chosen.shape[0]):
        if chosen[i]:
            _reset_game(rules, boards, i)
    _show(rules, boards, codes, masks)


@kernel
def step_batch(
    actions: Integers,
    restart: bool,
    codes: Codes,
    masks: Codes,
    rewards: NDArray[np.float64],
    events: Flags,
    opened: Integers,
    *state: Any,
) -> int:
    """Takes one step in each game, and shows it.

    Where a game is over already, the step starts the next one if `restart`, and else does nothing.

    Args:
        actions: (N,) int64.
        restart: whether to go on with the next game where one is over.
        codes: (N, n) int8, filled with what the players see.
        masks: (N, m, n) int8, filled with 1 for each action that would change something.
        rewards: (N,) float64, filled with what the steps earn.
        events: (5, N) bool, filled with the rows that `state` lists.
        opened: (N,) int64, filled with the number of cells that the steps open.
        *state: the fields of `Rules`, then those of `Boards`.

    Returns:
        The first game whose action is out of range, no step being taken; or -1.
    """
    rules, boards = Rules(*state[:7]), Boards(*state[7:])
    total = rules.moves.shape[0] * rules.neighbours.shape[0]
    for i in range(actions.shape[0]):
        if actions[i] < 0 or actions[i] >= total:
            return i
    for i in range(actions.shape[0]):
        over = boards.games[i, STATUS] > PLAYING
        change = 0
        rewards[i] = 0.0
        if not over:
            change = _step_game(rules, boards, i, actions[i])
            rewards[i] = _reward(rules, boards.games[i, STATUS], change)
        elif restart:
            _reset_game(rules, boards, i)
        opened[i] = max(change, 0)
        events[TERMINATION, i] = _is_decided(boards, i)
        events[TRUNCATION, i] = boards.games[i, STATUS] == TRUNCATED
        events[SUCCESS, i] = boards.games[i, STATUS] == WON
        events[ILLEGAL, i] = change < 0
        events[IDLE, i] = over
    _show(rules, boards, codes, masks)
    return -1


@kernel
def lay_out_batch(layouts: Flags, *state: Any) -> None:
    """Lays the mines where the (N, n) bool `layouts` have them, so that the first click moves none."""
    rules, boards = Rules(*state[:7]), Boards(*state[7:])
    for i in range(layouts.shape[0]):
        boards.truth[i, :] = 0
        for cell in range(layouts.shape[1]):
            if layouts[i, cell]:
                _add_mine(rules, boards, i, cell)
        boards.games[i, STATUS] = PLAYING


@inlined
def _action_is_legal(rules: Rules, boards: Boards, i: int, action: Int) -> bool:
    move, cell = _read_action(rules, action)
    return _is_legal(rules, boards.shown, i, move, cell)


@kernel
def sample_batch(sampler: Generators, actions: Integers, *state: Any) -> None:
    """Draws for each board one of its legal actions, all equally likely, into `actions` (N,) int64.

    The draws come from the generator `sampler` (1,) uint64; where a game is decided, every action will do.
    """
    rules, boards = Rules(*state[:7]), Boards(*state[7:])
    total = rules.neighbours.shape[0] * rules.moves.shape[0]
    for i in range(actions.shape[0]):
        found = False
        for _ in range(SAMPLING_TRIES):
            actions[i] = random_below(sampler, 0, total)
            if _is_decided(boards, i) or _action_is_legal(rules, boards, i, actions[i]):
                found = True
                break
        if not found:
            # Few actions are legal: count them, and go to the one of a random rank.
            legal = 0
            for action in range(total):
                legal += _action_is_legal(rules, boards, i, action)
            rank = random_below(sampler, 0, legal)
            actions[i] = -1
            while rank >= 0:
                actions[i] += 1
                rank -= _action_is_legal(rules, boards, i, actions[i])
