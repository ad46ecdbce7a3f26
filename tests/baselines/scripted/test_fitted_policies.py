"""Policies that are fitted: practice games, repeatable fits, counts against loops, and naive Bayes by hand."""

import math
from collections import Counter
from functools import partial

import numpy as np
import pytest
from support.policies import click_config as any_config

from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import TRAINING_SEEDS, derived_seed
from baselines.registry import find_policy
from baselines.scripted.base import Knowledge, neighbour_sums
from baselines.scripted.fitted import ConditionalPolicy, PracticeGames, play_practice_games
from minesweeper_env import HIDDEN, BoardConfig, MinesweeperEnv

click_config = partial(any_config, first_click="any")
CONFIG = click_config(6, 7, 6)
COVERED, OUTSIDE, VALUES = 9, 10, 11


@pytest.mark.parametrize("first_click", ["opening", "safe", "any", "corners"])
@pytest.mark.parametrize("max_steps", [None, 1])
def test_practice_games_have_boards_and_their_mines(first_click, max_steps):
    config = BoardConfig(6, 7, 12, first_click, max_steps=max_steps)
    for batch in play_practice_games(config, 200, seed=3):
        assert batch.layouts.sum(axis=(1, 2)).tolist() == [12] * 200
        assert np.bincount(batch.games).min() >= 1
        opened, beneath = batch.boards <= 8, batch.layouts[batch.games]
        assert not (opened & beneath).any()
        assert (batch.boards == neighbour_sums(beneath, 1))[opened].all()
        assert not (batch.boards == config.codes.mine).any()


def test_practice_games_repeat_and_use_training_seeds():
    whole, again, other = (
        np.concatenate([batch.layouts for batch in play_practice_games(CONFIG, 1200, seed)]) for seed in (5, 5, 6)
    )
    assert whole.shape == (1200, 6, 7)
    assert (whole == again).all()
    assert (whole != other).any()
    assert len(np.unique(whole.reshape(1200, -1), axis=0)) > 1100
    # Under "any" the layout does not depend on the first click, so its seed gives it.
    first = TRAINING_SEEDS.start + derived_seed(5) % (len(TRAINING_SEEDS) - 1200 + 1)
    assert TRAINING_SEEDS.start <= first < TRAINING_SEEDS.stop - 1199
    env = MinesweeperEnv((6, 7), 6, "any", ("click",))
    for index in (0, 999, 1000, 1199):
        env.reset(seed=first + index)
        env.step(0)
        assert (env.get_state()["mines"] == whole[index]).all()


@pytest.mark.parametrize("name", ["marginal", "conditional", "graphical_source", "graphical"])
def test_a_fit_depends_on_its_seed_and_on_the_number_of_games_alone(name):
    def fit(seed: int, games: int, fit_seed: int):
        policy = find_policy(name, fit_games=games, fit_seed=fit_seed)(CONFIG, seed=seed)
        return policy, policy.ratings(np.full((1, 6, 7), HIDDEN, np.int8)).tolist()

    (first, ratings), (again, same) = fit(1, 300, 4), fit(2, 300, 4)
    assert ratings == same
    assert ratings != fit(1, 300, 5)[1]
    assert ratings != fit(1, 301, 4)[1]
    again.reset(1)
    assert play_games(first, CONFIG, range(40)) == play_games(again, CONFIG, range(40))


def test_marginal_clicks_the_cell_that_was_safe_most_often():
    config = click_config(2, 3, 2)
    policy = find_policy("marginal", fit_games=5)(config)
    layouts = np.arange(10)[:, None, None] < np.array([[4, 3, 5], [2, 2, 4]])
    policy.fit(iter([PracticeGames(np.zeros((0, 2, 3), np.int8), np.zeros(0, np.int64), layouts)]))
    board, masks = np.full((400, 2, 3), HIDDEN, np.int8), np.ones((400, 6), np.int8)
    assert np.unique(policy.act(board, masks)).tolist() == [3, 4]
    board[:, 1, :2], masks[:, 3:5] = 2, 0
    assert np.unique(policy.act(board, masks)).tolist() == [1]
    risks = policy.risks(Knowledge(board[:1], config))[0]
    assert risks[0].tolist() == pytest.approx([5 / 12, 4 / 12, 6 / 12])


def look(board, row, col) -> int:
    inside = 0 <= row < board.shape[0] and 0 <= col < board.shape[1]
    return min(int(board[row, col]), COVERED) if inside else OUTSIDE


@pytest.mark.parametrize("radius", [1, 2])
def test_counts_of_conditional_are_those_of_a_loop_over_cells(radius):
    config = click_config(4, 5, 4)
    reach = range(-radius, radius + 1)
    offsets = [(i, j) for i in reach for j in reach if (i, j) != (0, 0)]
    cells, shown = Counter(), Counter()
    for batch in play_practice_games(config, 30, seed=2):
        for board, game in zip(batch.boards, batch.games, strict=True):
            for row, col in np.argwhere(board > 8):
                mine = int(batch.layouts[game, row, col])
                cells[mine] += 1
                for k, (i, j) in enumerate(offsets):
                    shown[mine, k, look(board, row + i, col + j)] += 1
    policy = find_policy("conditional", fit_games=1, radius=radius)(config)
    found_cells, found_shown = policy.count(play_practice_games(config, 30, seed=2))
    assert found_cells.tolist() == [cells[0], cells[1]]
    for index in np.ndindex(found_shown.shape):
        assert found_shown[index] == shown[index]


def test_odds_of_a_board_worked_out_by_hand(monkeypatch):
    # On a strip of three cells only the left neighbour (number 3) and the right one (number 4) can exist.
    shown = np.zeros((2, 8, VALUES), np.int64)
    shown[:, :, OUTSIDE] = [[6], [3]]
    for side, counts in ((3, ([4, 1, 1], [1, 2, 0])), (4, ([2, 2, 2], [1, 0, 2]))):
        for mine in (0, 1):
            shown[mine, side, [OUTSIDE, COVERED, 1]] = counts[mine]
    monkeypatch.setattr(ConditionalPolicy, "count", lambda *_: (np.array([6, 3]), shown))
    policy = find_policy("conditional")(click_config(1, 3, 1))
    board = np.array([[[HIDDEN, 1, HIDDEN]]], np.int8)
    odds = policy.log_odds(board)[0, 0]
    # The six neighbours above and below are off the board: 4/14 for mines and 7/17 for safe cells, with Laplace.
    beyond = math.log(4 / 7) + 6 * math.log((4 / 14) / (7 / 17))
    assert odds[0] == pytest.approx(beyond + math.log((2 / 14) / (5 / 17)) + math.log((3 / 14) / (3 / 17)))
    assert odds[2] == pytest.approx(beyond + math.log((1 / 14) / (2 / 17)) + math.log((2 / 14) / (3 / 17)))
    assert policy.act(board, np.array([[1, 0, 1]], np.int8)).tolist() == [2]
    # Flags and question marks are covered cells.
    assert (policy.log_odds(np.array([[[9, 1, 10]]], np.int8)) == odds).all()


@pytest.mark.parametrize(
    ("choice", "cells", "left", "right", "clicked"),
    [
        ("largest", [8, 2], -1.0, 5.0, [0]),
        ("class", [8, 2], -1.0, 5.0, [0, 1, 2]),
        # No cell is more probably safe, so the likeliest one is clicked.
        ("class", [2, 8], 0.0, -0.1, [3]),
    ],
)
def test_choice_of_the_class_takes_any_probably_safe_cell(choice, cells, left, right, clicked, monkeypatch):
    counts = np.array(cells), np.zeros((2, 8, VALUES), np.int64)
    monkeypatch.setattr(ConditionalPolicy, "count", lambda *_: counts)
    policy = find_policy("conditional", choice=choice)(click_config(1, 4, 1))
    # Only the first cell has the edge on its left, and only the last one has it on its right.
    policy.evidence[:] = 0.0
    policy.evidence[3, OUTSIDE], policy.evidence[4, OUTSIDE] = left, right
    boards, masks = np.full((600, 1, 4), HIDDEN, np.int8), np.ones((600, 4), np.int8)
    assert np.unique(policy.act(boards, masks)).tolist() == clicked
