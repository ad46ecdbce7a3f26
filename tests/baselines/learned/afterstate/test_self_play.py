"""Self-play: what games teach, and targets against the worth itself: every layout of a tiny board is played."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
import torch
from support.positions import counts_of
from support.tiny_training import one_thread  # noqa: F401 - one_thread is a fixture

from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.self_play import (
    MINE,
    UNKNOWN,
    AfterstateHyperparameters,
    GuessRecords,
    SelfPlay,
    finished_contents,
    worth_targets,
)
from baselines.learned.settings import NetworkSize
from minesweeper_env.config import BoardConfig


def self_play(first_click="opening", searches=True, count=60, **changes):
    torch.manual_seed(0)
    network = AfterstateNetwork(NetworkSize(4, 1)).eval()
    config = BoardConfig(5, 4, 3, first_click=first_click, moves=("click",))
    games = SelfPlay(config, count, AfterstateHyperparameters(**{"keep_min": 1.0, **changes}))
    return games, *games.play(network, np.random.default_rng(1), searches)


@pytest.mark.parametrize("searches", [False, True])
def test_lessons_are_what_the_ends_of_the_games_show(searches):
    games, samples, afterstates = self_play(searches=searches)
    assert 0 < games.wins < games.count == 60
    covered = (samples.codes > 8).reshape(len(samples.codes), -1)
    assert (samples.labels[~covered] == UNKNOWN).all()
    assert ((samples.labels[covered] >= 0) & (samples.labels[covered] <= MINE)).all()
    assert ((samples.labels == MINE).sum(axis=1) == 3).all()
    shown = np.where(covered, samples.labels, samples.codes.reshape(covered.shape))
    assert (finished_contents((shown == MINE).reshape(-1, 5, 4)) == shown).all()
    assert ((afterstates.weights > 0) & (afterstates.targets >= 0) & (afterstates.targets <= 1)).all()
    assert (afterstates.codes <= 8).any(axis=(1, 2)).all()


def test_a_covered_board_teaches_the_first_click_alone():
    _, samples, _ = self_play("safe", count=200)
    covered = (samples.codes > 8).all(axis=(1, 2))
    assert covered.any()
    assert ((samples.labels[covered] != UNKNOWN).sum(axis=1) == 1).all()
    assert (samples.labels[covered].max(axis=1) < MINE).all()
    _, samples, _ = self_play("opening", count=200)
    assert not (samples.codes > 8).all(axis=(1, 2)).any()


ROWS, COLS, MINES = 3, 3, 2
CELLS = ROWS * COLS
HIDDEN = 11
FIRST = 4
LAYOUTS = [frozenset(mines) for mines in combinations(range(CELLS), MINES) if FIRST not in mines]


def contents(layout):
    """What a click on each cell shows: a count, or -1 on a mine."""
    mines = np.isin(range(CELLS), [*layout]).reshape(ROWS, COLS)
    return np.where(mines, -1, counts_of(mines, 1)).ravel().tolist()


CONTENTS = {layout: contents(layout) for layout in LAYOUTS}


def fitting(board):
    """Layouts that agree with the open cells."""
    opened = [(cell, shown) for cell, shown in board.items() if shown != HIDDEN]
    return [layout for layout in LAYOUTS if all(CONTENTS[layout][cell] == shown for cell, shown in opened)]


def guess(board):
    """The click of the tiny agent: the least risky cell, and of equal ones the first; with its safety."""
    layouts = fitting(board)
    covered = [cell for cell, shown in board.items() if shown == HIDDEN]
    safety = {cell: sum(cell not in layout for layout in layouts) / len(layouts) for cell in covered}
    return max(covered, key=lambda cell: (safety[cell], -cell)), safety


def play(layout, sure):
    """Guesses of a game, (board, cell, count or -1, safety), and whether it is won; sure cells open at once.

    A cell is sure from this safety on. If it is below 1, games die of clicks that seemed sure.
    """
    board, records = dict.fromkeys(range(CELLS), HIDDEN), []
    cell, chance = FIRST, 1.0
    while True:
        shown = CONTENTS[layout][cell]
        records.append((dict(board), cell, shown, chance))
        if shown < 0:
            return records, False
        board[cell] = shown
        while True:
            cell, safety = guess(board)
            opened = [each for each, value in safety.items() if value >= sure]
            if not opened:
                break
            if layout.intersection(opened):
                return records, False
            for each in opened:
                board[each] = CONTENTS[layout][each]
            if sum(value == HIDDEN for value in board.values()) == MINES:
                return records, True
        chance = safety[cell]


GAMES = [play(layout, 1) for layout in LAYOUTS]
RASH = [play(layout, 0.8) for layout in LAYOUTS]


def win_probability(board, games=GAMES):
    """Exact probability that the tiny agent wins from a board at which it guesses: the fraction of its layouts won."""
    wins = [won for layout, (_, won) in zip(LAYOUTS, games, strict=True) if layout in fitting(board)]
    return sum(wins) / len(wins)


def records_of(values, games=GAMES):
    rows = [
        (number, np.array([*board.values()], np.int8).reshape(ROWS, COLS), cell, shown, chance, values(board), order)
        for number, (records, _) in enumerate(games)
        for order, (board, cell, shown, chance) in enumerate(records)
    ]
    return GuessRecords(*map(np.array, zip(*rows, strict=True)))


def learned(records, targets, weights):
    """Weighted mean of the targets of each afterstate."""
    known = np.flatnonzero(records.counts >= 0)
    after = records.boards.reshape(-1, CELLS)[known]
    after[np.arange(len(known)), records.cells[known]] = records.counts[known]
    alike = {each: (after == each).all(axis=1) for each in map(tuple, after)}
    return {each: np.average(targets[known][rows], weights=weights[known][rows]) for each, rows in alike.items()}


def everything(games=GAMES):
    return np.array([won for _, won in games]), np.full(len(games), -1)


def deaths_of_sure_clicks(games):
    return sum(not won and records[-1][2] >= 0 for records, won in games)


@pytest.mark.parametrize("games", [GAMES, RASH], ids=["certain", "rash"])
@pytest.mark.parametrize("mixing", [0.0, 0.3, 1.0])
def test_the_mean_target_of_every_afterstate_is_its_worth(mixing, games):
    assert 0 < sum(won for _, won in games) < len(games)
    assert max(len(records) for records, _ in games) >= 3
    assert (deaths_of_sure_clicks(games) > 0) == (games is RASH)
    records = records_of(partial(win_probability, games=games), games)
    targets, weights = worth_targets(records, *everything(games), mixing)
    assert ((targets >= 0) & (targets <= 1)).all()
    found = learned(records, targets, weights)
    for after, worth in found.items():
        assert worth == pytest.approx(win_probability(dict(enumerate(after)), games))
    assert len({round(worth, 6) for worth in found.values()}) > 2


def test_the_outcome_alone_needs_no_values():
    records = records_of(lambda _: np.nan)
    for after, worth in learned(records, *worth_targets(records, *everything(), 1.0)).items():
        assert worth == pytest.approx(win_probability(dict(enumerate(after))))
    _, weights = worth_targets(records, *everything(), 0.0)
    last = np.append(records.games[1:] != records.games[:-1], True)
    assert (weights[~last & (records.order > 0)] == 0).all()


def test_the_first_click_learns_from_the_outcome_alone():
    records = records_of(lambda _: 0.987)
    found = learned(records, *worth_targets(records, *everything(), 0.0))
    ((after, worth),) = [each for each in found.items() if each[0].count(HIDDEN) == CELLS - 1]
    assert worth == pytest.approx(win_probability(dict(enumerate(after))))
    assert any(worth == pytest.approx(0.987) for worth in found.values())


def test_an_outcome_counts_from_the_exploring_guess_on():
    records = records_of(lambda _: np.nan)
    won, _ = everything()
    _, weights = worth_targets(records, won, np.full(len(GAMES), 1), 1.0)
    assert (weights[records.order == 0] == 0).all()
    assert (weights[(records.order == 1) & won[records.games] & (records.counts >= 0)] > 0).all()


def test_a_game_that_ends_by_a_click_that_seemed_sure_counts_as_lost():
    board, zero = np.full((1, 1, 3), HIDDEN, np.int8), np.array([0])
    records = GuessRecords(zero, board, zero, zero + 1, np.array([0.5]), np.array([np.nan]), zero + 1)
    for won in (False, True):
        targets, weights = worth_targets(records, np.array([won]), zero - 1, 0.3)
        assert (targets.tolist(), weights.tolist()) == ([won], [1])
