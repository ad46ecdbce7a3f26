"""The rules of Minesweeper, as kernels on batches of games: the only copy. A single game is a batch of one.

`state` explains the arrays, `laying` how mines are laid, and `moves` what a move does. What the kernels call takes
a `Rules` and a `Boards` and the row i of the board that it means; the kernels take their fields one by one, since
numba takes several times longer to unpack a named tuple of arrays than the arrays alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.engine.moves import CLICK, is_legal, make_move, read_action
from minesweeper_env.engine.placement import add_mine
from minesweeper_env.engine.random import random_below
from minesweeper_env.engine.state import (
    FRESH,
    IDLE,
    ILLEGAL,
    LOST,
    MINE_BIT,
    PLAYING,
    REMAINING,
    STATUS,
    STEPS,
    SUCCESS,
    TERMINATION,
    TRUNCATED,
    TRUNCATION,
    WON,
    Boards,
    Codes,
    Flags,
    Generators,
    Int,
    Integers,
    RewardWeights,
    Rules,
)

W_WIN, W_LOSS, W_OPENING, W_CELL, W_ILLEGAL = range(len(RewardWeights._fields))
SAMPLING_TRIES = 64


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
def _reveal_mines(rules: Rules, boards: Boards, i: int) -> None:
    cells, most = rules.neighbours.shape
    question, mine = np.int8(most + 2), np.int8(most + 4)
    # Stores without a condition, so that the compiler vectorises the loop.
    for cell in range(cells):
        code = boards.shown[i, cell]
        unmarked = (boards.truth[i, cell] >= MINE_BIT) & (code >= question)
        boards.shown[i, cell] = mine if unmarked else code


@inlined
def _step_game(rules: Rules, boards: Boards, i: int, action: Int) -> int:
    """Takes a step in a game that is not over; returns the cells opened, or -1 for an illegal action."""
    games = boards.games
    move, cell = read_action(rules, action)
    opened = -1
    if is_legal(rules, boards.shown, i, move, cell):
        opened = make_move(rules, boards, i, move, cell)
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
                    masks[i, block, cell] = is_legal(rules, shown, i, CLICK, cell)
            else:
                for cell in range(codes.shape[1]):
                    masks[i, block, cell] = is_legal(rules, shown, i, move, cell)


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
def lay_out_batch(chosen: Integers, layouts: Flags, *state: Any) -> None:
    """Lays the mines of games anew; they are under way then, so that the first click moves none.

    Args:
        chosen: (K,) int64, the games.
        layouts: (K, n) bool, where their mines are to be.
        *state: the fields of `Rules`, then those of `Boards`.
    """
    rules, boards = Rules(*state[:7]), Boards(*state[7:])
    for k in range(chosen.shape[0]):
        i = chosen[k]
        boards.truth[i, :] = 0
        for cell in range(layouts.shape[1]):
            if layouts[k, cell]:
                add_mine(rules, boards, i, cell)
        boards.games[i, STATUS] = PLAYING


@inlined
def _action_is_legal(rules: Rules, boards: Boards, i: int, action: Int) -> bool:
    move, cell = read_action(rules, action)
    return is_legal(rules, boards.shown, i, move, cell)


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
