"""Kernels that play batches of games against a compiled opponent, or up to the move of another one.

The functions that a kernel calls take `Rules`, `Terms`, a `Batch` and the row i of a game. A kernel itself takes the
fields one by one: numba needs several times longer to unpack a named tuple of arrays than to unpack the arrays alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from azulejos_env.engine.batches import (
    ASKED,
    GREEDY,
    GROUPS,
    IDLE,
    ILLEGAL,
    OVER,
    PLAYING,
    RULE_FIELDS,
    STATUS,
    SUCCESS,
    TERM_FIELDS,
    TERMINATION,
    TRUNCATED,
    TRUNCATION,
    Batch,
    Terms,
)
from azulejos_env.engine.rules import Rules
from azulejos_env.engine.turns import (
    begin_game,
    count_groups,
    deal,
    end_step,
    find_move,
    greedy_move,
    make_move,
    random_move,
    reply,
    succeeds,
)
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.engine.placement import random_below

Int8s = NDArray[np.int8]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]


@inlined
def _entry(rules: Rules, action: int) -> int:
    """Returns the entry of a bordered board that holds the cell of an action."""
    return action + rules.cols + 1 + action // rules.cols


@inlined
def _action(rules: Rules, entry: int) -> int:
    """Returns the action of a cell, which an entry of the bordered board holds."""
    row = entry // (rules.cols + 1)
    return entry - row - rules.cols


@inlined
def _show(rules: Rules, batch: Batch, boards: Int8s, masks: Int8s) -> None:
    """Writes the boards without their borders, and masks of the legal actions: all actions if no group is left."""
    for i in range(boards.shape[0]):
        entry = rules.cols + 1
        for row in range(rules.rows):
            for cell in range(row * rules.cols, (row + 1) * rules.cols):
                boards[i, cell] = batch.boards[i, entry + cell]
            entry += 1
        groups = batch.progress[i, GROUPS]
        masks[i, :] = groups == 0
        for k in range(groups):
            masks[i, _action(rules, batch.moves[i, k])] = 1


@inlined
def _finish(terms: Terms, batch: Batch, rewards: NDArray[np.float64], events: Flags) -> None:
    """Ends the step of each game that is not idle."""
    for i in range(rewards.shape[0]):
        rewards[i] = 0.0 if events[IDLE, i] else end_step(terms, batch, i)
        over = batch.progress[i, STATUS] == OVER
        events[TERMINATION, i] = over
        events[TRUNCATION, i] = batch.progress[i, STATUS] == TRUNCATED
        events[SUCCESS, i] = over and succeeds(terms, batch, i)


@kernel
def step_batch(
    actions: Integers,
    restart: bool,
    boards: Int8s,
    masks: Int8s,
    rewards: NDArray[np.float64],
    events: Flags,
    *state: Any,
) -> int:
    """Makes a move in each game, with the answer of the opponent, and shows the boards.

    Where a game is already over, the step starts the next one if `restart` is set, and does nothing otherwise. An
    opponent that Python asks makes no move yet; `finish_batch` then ends the step.

    Args:
        actions: (N,) int64.
        restart: whether to start the next game where one is over.
        boards: (N, n) int8, filled with the boards.
        masks: (N, n) int8, filled with 1 for each legal action.
        rewards: (N,) float64, filled with the rewards.
        events: (5, N) bool, filled with the events that `batches` lists.
        *state: the fields of `Rules`, `Terms` and `Batch`.

    Returns:
        -1, or the first game whose action is out of range; then no game has made a move.
    """
    rules, terms = Rules(*state[:RULE_FIELDS]), Terms(*state[RULE_FIELDS:TERM_FIELDS])
    batch = Batch(*state[TERM_FIELDS:])
    # All actions are checked before the first move, so that an error leaves every game unchanged.
    for i in range(actions.shape[0]):
        if actions[i] < 0 or actions[i] >= rules.rows * rules.cols:
            return i
    for i in range(actions.shape[0]):
        idle = batch.progress[i, STATUS] != PLAYING
        events[IDLE, i] = idle
        events[ILLEGAL, i] = False
        if idle and restart:
            deal(rules, terms, batch, i)
            reply(rules, terms, batch, i)
        elif not idle and batch.progress[i, GROUPS]:
            cell = _entry(rules, actions[i])
            if find_move(batch, i, cell):
                make_move(rules, terms, batch, i, cell)
                reply(rules, terms, batch, i)
            else:
                events[ILLEGAL, i] = True
    if terms.opponent != ASKED:
        _finish(terms, batch, rewards, events)
        _show(rules, batch, boards, masks)
    return -1


@kernel
def finish_batch(
    replies: Integers, boards: Int8s, masks: Int8s, rewards: NDArray[np.float64], events: Flags, *state: Any
) -> None:
    """Makes the moves of opponents that Python asked, ends the step that `step_batch` began, and shows the boards.

    Args:
        replies: (N,) int64, the actions of the opponents, each the first cell of a group; -1 for none.
        boards: as in `step_batch`.
        masks: as in `step_batch`.
        rewards: as in `step_batch`.
        events: as in `step_batch`; the event IDLE is given.
        *state: the fields of `Rules`, `Terms` and `Batch`.
    """
    rules, terms = Rules(*state[:RULE_FIELDS]), Terms(*state[RULE_FIELDS:TERM_FIELDS])
    batch = Batch(*state[TERM_FIELDS:])
    for i in range(replies.shape[0]):
        if replies[i] >= 0:
            make_move(rules, terms, batch, i, _entry(rules, replies[i]))
    _finish(terms, batch, rewards, events)
    _show(rules, batch, boards, masks)


@kernel
def reset_batch(chosen: Flags, given: Int8s, boards: Int8s, masks: Int8s, *state: Any) -> None:
    """Starts a new game where `chosen`, (N,) bool, is true, with the opponent's move if it is first; shows all boards.

    Args:
        chosen: the games to start.
        given: (N, B) int8, settled bordered boards to play on; (0, B) to deal random boards.
        boards: as in `step_batch`.
        masks: as in `step_batch`.
        *state: the fields of `Rules`, `Terms` and `Batch`.
    """
    rules, terms = Rules(*state[:RULE_FIELDS]), Terms(*state[RULE_FIELDS:TERM_FIELDS])
    batch = Batch(*state[TERM_FIELDS:])
    for i in range(chosen.shape[0]):
        if chosen[i]:
            if given.shape[0]:
                begin_game(terms, batch, i)
                for k in range(given.shape[1]):
                    batch.boards[i, k] = given[i, k]
                count_groups(rules, batch, i)
            else:
                deal(rules, terms, batch, i)
            reply(rules, terms, batch, i)
    _show(rules, batch, boards, masks)


@kernel
def recount_batch(*state: Any) -> None:
    """Lists the groups of all boards, after Python has written to them."""
    rules, batch = Rules(*state[:RULE_FIELDS]), Batch(*state[TERM_FIELDS:])
    for i in range(batch.boards.shape[0]):
        count_groups(rules, batch, i)


@kernel
def sample_batch(sampler: NDArray[np.uint64], actions: Integers, *state: Any) -> None:
    """Draws one legal action for each game, all equally likely, into `actions`, (N,) int64.

    The draws come from the generator `sampler`, (1,) uint64. If no group is left every action is legal.
    """
    rules, batch = Rules(*state[:RULE_FIELDS]), Batch(*state[TERM_FIELDS:])
    # The only generator of `sampler`; a plain 0 would compile `random_below` once more.
    first = np.int64(0)
    for i in range(actions.shape[0]):
        groups = batch.progress[i, GROUPS]
        if groups:
            actions[i] = _action(rules, batch.moves[i, random_below(sampler, first, groups)])
        else:
            actions[i] = random_below(sampler, first, rules.rows * rules.cols)


@kernel
def choose_batch(kind: int, chosen: Integers, actions: Integers, *state: Any) -> None:
    """Writes the actions of a compiled policy to `actions`, (K,) int64.

    Args:
        kind: RANDOM, which draws from the generator of each game, or GREEDY.
        chosen: (K,) int64, games under way that have a group.
        actions: as above; each action is that of the player to move.
        *state: the fields of `Rules`, `Terms` and `Batch`.
    """
    rules, batch = Rules(*state[:RULE_FIELDS]), Batch(*state[TERM_FIELDS:])
    for k in range(chosen.shape[0]):
        i = chosen[k]
        actions[k] = _action(rules, greedy_move(rules, batch, i) if kind == GREEDY else random_move(batch, i))
