"""Turns of a game: deal a board, make a move, choose the move of an opponent, end a step."""

from __future__ import annotations

from azulejos_env.engine.batches import (
    ALONE,
    ASKED,
    EITHER,
    GREEDY,
    GROUPS,
    LEAD,
    OVER,
    PLAYING,
    SEAT,
    SEED,
    STATUS,
    STEPS,
    TILES,
    TRUNCATED,
    TURN,
    WIN_LOSS,
    Batch,
    Terms,
)
from azulejos_env.engine.groups import collapse, gather, list_groups
from azulejos_env.engine.rules import Rules, new_score
from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.engine.placement import random_below
from minesweeper_env.splitmix import next_stream

DEALS = 64
"""Number of boards that are dealt, at most, until one has a group."""

NO_MOVE = -1


@subroutine
def count_groups(rules: Rules, batch: Batch, i: int) -> None:
    """Lists the groups of a board, and counts its tiles."""
    board, progress = batch.boards[i], batch.progress[i]
    progress[GROUPS] = list_groups(board, rules.rows, rules.cols, batch.group, batch.moves[i], batch.sizes[i])
    tiles = 0
    for cell in range(len(board)):
        tiles += board[cell] != 0
    progress[TILES] = tiles


@inlined
def begin_game(terms: Terms, batch: Batch, i: int) -> None:
    """Begins the stream of this game, sets the scores to 0, and draws the seat of the agent."""
    progress = batch.progress[i]
    progress[:] = 0
    batch.scores[i, :] = 0
    batch.before[i, :] = 0
    batch.rng[i] = batch.next_rng[i]
    batch.next_rng[i] = next_stream(batch.rng[i])
    progress[SEAT] = random_below(batch.rng, i, 2) if terms.seat == EITHER else terms.seat


@subroutine
def deal(rules: Rules, terms: Terms, batch: Batch, i: int) -> None:
    """Begins a game on a full board of independent uniform colours that has a group, if one is found in 64 deals."""
    begin_game(terms, batch, i)
    stride = rules.cols + 1
    for _ in range(DEALS):
        for row in range(1, rules.rows + 1):
            for cell in range(row * stride, row * stride + rules.cols):
                batch.boards[i, cell] = 1 + random_below(batch.rng, i, terms.colours)
        count_groups(rules, batch, i)
        if batch.progress[i, GROUPS]:
            return


@subroutine
def make_move(rules: Rules, terms: Terms, batch: Batch, i: int, cell: int) -> None:
    """Removes the group of a cell for the player to move, and lists the groups that are left."""
    progress = batch.progress[i]
    player = progress[TURN]
    size = gather(batch.boards[i], rules.cols, cell, batch.group)
    for k in range(batch.boards.shape[1]):
        batch.before[i, k] = batch.boards[i, k]
    tiles = collapse(batch.before[i], rules.rows, rules.cols, rules.leftwards, batch.boards[i])
    batch.scores[i, player] = new_score(rules, batch.scores[i, player], size, tiles == 0)
    if terms.opponent != ALONE:
        progress[TURN] = 1 - player
    count_groups(rules, batch, i)


@inlined
def find_move(batch: Batch, i: int, cell: int) -> bool:
    """Returns whether a cell is the first of a group."""
    found = False
    for k in range(batch.progress[i, GROUPS]):
        found |= batch.moves[i, k] == cell
    return found


@inlined
def random_move(batch: Batch, i: int) -> int:
    """Draws a move from the generator of the game, all moves being equally likely."""
    return batch.moves[i, random_below(batch.rng, i, batch.progress[i, GROUPS])]


@inlined
def greedy_move(rules: Rules, batch: Batch, i: int) -> int:
    """Returns the first move after which the player to move has most points."""
    progress = batch.progress[i]
    score = batch.scores[i, progress[TURN]]
    best, choice = -1, NO_MOVE
    for k in range(progress[GROUPS]):
        size = batch.sizes[i, k]
        points = new_score(rules, score, size, size == progress[TILES])
        if points > best:
            best, choice = points, batch.moves[i, k]
    return choice


@subroutine
def reply(rules: Rules, terms: Terms, batch: Batch, i: int) -> None:
    """Makes the move of the opponent if it is to move and a group is left; draws a seed if Python is to ask it."""
    progress = batch.progress[i]
    if progress[STATUS] != PLAYING or progress[GROUPS] == 0 or progress[TURN] == progress[SEAT]:
        return
    if terms.opponent == ASKED:
        progress[SEED] = random_below(batch.rng, i, 1 << 31)
    elif terms.opponent == GREEDY:
        make_move(rules, terms, batch, i, greedy_move(rules, batch, i))
    else:
        make_move(rules, terms, batch, i, random_move(batch, i))


@inlined
def succeeds(terms: Terms, batch: Batch, i: int) -> bool:
    """Returns whether a finished game is won: the agent is ahead or, alone, has cleared the board."""
    if terms.opponent == ALONE:
        return batch.progress[i, TILES] == 0
    seat = batch.progress[i, SEAT]
    return batch.scores[i, seat] > batch.scores[i, 1 - seat]


@subroutine
def end_step(terms: Terms, batch: Batch, i: int) -> float:
    """Ends a step once both players have moved: sets the status, and returns the reward."""
    progress = batch.progress[i]
    seat = progress[SEAT]
    lead = batch.scores[i, seat] - batch.scores[i, 1 - seat]
    gain = lead - progress[LEAD]
    progress[LEAD] = lead
    progress[STEPS] += 1
    if progress[GROUPS] == 0:
        progress[STATUS] = OVER
    elif progress[STEPS] >= terms.max_steps:
        progress[STATUS] = TRUNCATED
    if terms.reward != WIN_LOSS:
        return float(gain)
    if progress[STATUS] != OVER:
        return 0.0
    if succeeds(terms, batch, i):
        return 1.0
    return 0.0 if lead == 0 and terms.opponent != ALONE else -1.0
