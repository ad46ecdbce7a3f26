"""Kernels that play batches of games by the rules of Minesweeper; a single game is a batch of one.

`state` explains the arrays, and `rules` places the mines and makes a move. The functions that a kernel calls
take a `Rules`, a `Boards` and the row i of a board. A kernel itself takes the fields one by one: numba needs several
times longer to unpack a named tuple of arrays than to unpack the arrays alone.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.engine import state
from minesweeper_env.engine.rules import CLICK, is_legal, make_move, random_below, read_action, set_mines
from minesweeper_env.engine.state import Boards, CodeArray, Flags, Generators, Int, Integers, RewardWeights, Rules
from minesweeper_env.splitmix import next_stream

W_WIN, W_LOSS, W_OPENING, W_CELL, W_ILLEGAL = range(len(RewardWeights._fields))
SAMPLING_TRIES = 64
"""Number of random actions that `sample_batch` tries before it counts the legal ones."""


@inlined
def _reset_game(rules: Rules, boards: Boards, i: Int) -> None:
    """Covers a board, and takes its mines away; the first click places new ones, from the stream of this game."""
    cells, max_count = rules.neighbours.shape
    boards.truth[i, :] = 0
    boards.shown[i, :] = max_count + 3
    # The sentinel is an open cell: neither covered nor flagged, so no neighbour loop needs to skip it.
    boards.shown[i, cells] = 0
    boards.progress[i, state.STATUS] = state.FRESH
    boards.progress[i, state.REMAINING] = cells - rules.mines
    boards.progress[i, state.STEPS] = 0
    boards.rng[i] = np.uint64(boards.progress[i, state.NEXT])
    boards.progress[i, state.NEXT] = np.int64(next_stream(boards.rng[i]))


@inlined
def _reveal_mines(rules: Rules, boards: Boards, i: Int) -> None:
    """Shows the mines of a lost game, except under flags."""
    cells, max_count = rules.neighbours.shape
    question, mine = np.int8(max_count + 2), np.int8(max_count + 4)
    # The loop stores every code, changed or not, because the compiler vectorises no conditional stores.
    for cell in range(cells):
        code = boards.shown[i, cell]
        unmarked = (boards.truth[i, cell] >= state.MINE_BIT) & (code >= question)
        boards.shown[i, cell] = mine if unmarked else code


@inlined
def _step_game(rules: Rules, boards: Boards, i: Int, action: Int) -> int:
    """Takes a step in an unfinished game; returns the number of cells opened, or -1 for an illegal action."""
    progress = boards.progress
    move, cell = read_action(rules, action)
    opened = -1
    if is_legal(rules, boards.shown, i, move, cell):
        opened = make_move(rules, boards, i, move, cell)
        if progress[i, state.STATUS] == state.LOST:
            _reveal_mines(rules, boards, i)
        elif progress[i, state.REMAINING] == 0:
            progress[i, state.STATUS] = state.WON
    # Illegal actions count as steps, so the step limit ends every game.
    progress[i, state.STEPS] += 1
    if progress[i, state.STATUS] <= state.PLAYING and progress[i, state.STEPS] >= rules.max_steps:
        progress[i, state.STATUS] = state.TRUNCATED
    return opened


@inlined
def _reward(rules: Rules, status: Int, opened: int) -> float:
    if opened < 0:
        return rules.weights[W_ILLEGAL]
    if status == state.LOST:
        return rules.weights[W_LOSS]
    reward = 0.0
    if opened > 0:
        reward = rules.weights[W_OPENING] + rules.weights[W_CELL] * opened
    if status == state.WON:
        reward += rules.weights[W_WIN]
    return reward


@inlined
def _is_decided(boards: Boards, i: Int) -> bool:
    return boards.progress[i, state.STATUS] == state.WON or boards.progress[i, state.STATUS] == state.LOST


@inlined
def _write_codes_and_masks(rules: Rules, boards: Boards, codes: CodeArray, masks: CodeArray) -> None:
    """Writes the visible `codes`, (N, n), and `masks`, (N, moves, n): 1 if legal, all 1 in a decided game."""
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
                # With a constant move the compiler vectorises the loop.
                for cell in range(codes.shape[1]):
                    masks[i, block, cell] = is_legal(rules, shown, i, CLICK, cell)
            else:
                for cell in range(codes.shape[1]):
                    masks[i, block, cell] = is_legal(rules, shown, i, move, cell)


@kernel
def play_batch(
    actions: Integers, mode: int, codes: CodeArray, masks: CodeArray, rewards: NDArray[np.float64], events: Flags,
    opened: Integers, *arrays: Any,
) -> int:  # fmt: skip
    """Takes one step in each game, or starts new games, and shows the boards.

    Both are one kernel, because two would compile what they have in common twice.

    Args:
        actions: (N,) int64; if the mode is RESET, 1 for each game to start, 0 for the others.
        mode: WAIT, RESTART or RESET.
        codes: (N, n) int8, filled with the codes that the players see.
        masks: (N, m, n) int8, filled with 1 for each legal action.
        rewards: (N,) float64, filled with the rewards of the steps; a RESET fills neither it nor the next two.
        events: (5, N) bool, filled with the events that `state` lists.
        opened: (N,) int64, filled with the number of cells that each step opened.
        *arrays: the fields of `Rules`, then the fields of `Boards`.

    Returns:
        -1, or the first game whose action is out of range; then no game has changed.
    """
    rules, boards = Rules(*arrays[: state.RULE_FIELDS]), Boards(*arrays[state.RULE_FIELDS :])
    num_actions = rules.moves.shape[0] * rules.neighbours.shape[0]
    # All actions are checked before the first step, so that an invalid one leaves every game unchanged.
    for i in range(actions.shape[0]):
        if actions[i] < 0 or actions[i] >= num_actions:
            return i
    for i in range(actions.shape[0]):
        over = boards.progress[i, state.STATUS] > state.PLAYING
        newly_opened = 0
        reward = 0.0
        # A single call of `_reset_game`, since the compiler inlines each.
        if (mode == state.RESET and actions[i] == 1) or (mode == state.RESTART and over):
            _reset_game(rules, boards, i)
        elif mode != state.RESET and not over:
            newly_opened = _step_game(rules, boards, i, actions[i])
            reward = _reward(rules, boards.progress[i, state.STATUS], newly_opened)
        if mode != state.RESET:
            rewards[i] = reward
            opened[i] = max(newly_opened, 0)
            events[state.TERMINATION, i] = _is_decided(boards, i)
            events[state.TRUNCATION, i] = boards.progress[i, state.STATUS] == state.TRUNCATED
            events[state.SUCCESS, i] = boards.progress[i, state.STATUS] == state.WON
            events[state.ILLEGAL, i] = newly_opened < 0
            events[state.IDLE, i] = over
    _write_codes_and_masks(rules, boards, codes, masks)
    return -1


@kernel
def lay_out_batch(chosen: Integers, layouts: Flags, *arrays: Any) -> None:
    """Replaces the mines of the games `chosen`, (K,) numbers, by (K, n) layouts; these games are then under way."""
    rules, boards = Rules(*arrays[: state.RULE_FIELDS]), Boards(*arrays[state.RULE_FIELDS :])
    for k in range(chosen.shape[0]):
        i = chosen[k]
        set_mines(rules, boards, i, layouts[k])
        boards.progress[i, state.STATUS] = state.PLAYING


@inlined
def _action_is_legal(rules: Rules, boards: Boards, i: Int, action: Int) -> bool:
    move, cell = read_action(rules, action)
    return is_legal(rules, boards.shown, i, move, cell)


@kernel
def sample_batch(sampler: Generators, actions: Integers, *arrays: Any) -> None:
    """Draws one legal action for each board, all equally likely, into `actions`, (N,) int64.

    The draws come from the generator `sampler`, (1,) uint64. In a decided game every action is legal.
    """
    rules, boards = Rules(*arrays[: state.RULE_FIELDS]), Boards(*arrays[state.RULE_FIELDS :])
    num_actions = rules.neighbours.shape[0] * rules.moves.shape[0]
    # The row of the only generator; a plain 0 would compile `random_below` once more.
    row = np.int64(0)
    for i in range(actions.shape[0]):
        is_drawn = False
        for _ in range(SAMPLING_TRIES):
            actions[i] = random_below(sampler, row, num_actions)
            if _is_decided(boards, i) or _action_is_legal(rules, boards, i, actions[i]):
                is_drawn = True
                break
        if not is_drawn:
            # Few actions are legal: count them, and find the one of a random rank.
            num_legal = np.int64(0)
            for action in range(num_actions):
                num_legal += _action_is_legal(rules, boards, i, action)
            rank = random_below(sampler, row, max(num_legal, np.int64(1)))
            for action in range(num_actions):
                rank -= _action_is_legal(rules, boards, i, action)
                if rank < 0:
                    actions[i] = action
                    break
