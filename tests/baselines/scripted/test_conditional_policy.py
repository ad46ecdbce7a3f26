"""`conditional`: its counts against loops, and its naive Bayes against sums by hand."""

from __future__ import annotations

import math
from collections import Counter
from functools import partial

import numpy as np
import pytest
from support.policies import click_config as any_config

from baselines.registry import build_policy
from baselines.scripted.fitted import play_practice_games
from minesweeper_env import HIDDEN

click_config = partial(any_config, first_click="any")

COVERED, OUTSIDE, VALUES = 9, 10, 11


def look(board, row, col) -> int:
    inside = 0 <= row < board.shape[0] and 0 <= col < board.shape[1]
    return min(int(board[row, col]), COVERED) if inside else OUTSIDE


def offsets(radius) -> list[tuple[int, int]]:
    reach = range(-radius, radius + 1)
    return [(i, j) for i in reach for j in reach if (i, j) != (0, 0)]


@pytest.mark.parametrize("radius", [1, 2])
def test_counts_are_those_of_a_loop_over_cells(radius):
    config = click_config(4, 5, 4)
    cells, shown = Counter(), Counter()
    for batch in play_practice_games(config, 30, seed=2):
        for board, game in zip(batch.boards, batch.games, strict=True):
            for row, col in np.argwhere(board > 8):
                mine = int(batch.layouts[game, row, col])
                cells[mine] += 1
                for k, (i, j) in enumerate(offsets(radius)):
                    shown[mine, k, look(board, row + i, col + j)] += 1
    values = build_policy("conditional", config, fit_games=30, fit_seed=2, radius=radius).values
    assert values["cells"].tolist() == [cells[0], cells[1]]
    for index in np.ndindex(values["shown"].shape):
        assert values["shown"][index] == shown[index]


def test_odds_of_a_board_worked_out_by_hand():
    # On a strip of three cells only the left neighbour (number 3) and the right one (number 4) can exist.
    policy = build_policy("conditional", click_config(1, 3, 1), fit_games=5)
    shown = np.zeros((2, 8, VALUES), np.int64)
    shown[:, :, OUTSIDE] = [[6], [3]]
    for side, counts in ((3, ([4, 1, 1], [1, 2, 0])), (4, ([2, 2, 2], [1, 0, 2]))):
        for mine in (0, 1):
            shown[mine, side, OUTSIDE] = counts[mine][0]
            shown[mine, side, COVERED] = counts[mine][1]
            shown[mine, side, 1] = counts[mine][2]
    policy.use({"cells": np.array([6, 3]), "shown": shown})
    odds = policy.log_odds(np.array([[[HIDDEN, 1, HIDDEN]]], np.int8))[0, 0]
    # The six neighbours above and below are off the board: 4/14 for mines and 7/17 for safe cells, with Laplace.
    beyond = 6 * math.log((4 / 14) / (7 / 17))
    prior = math.log(4 / 7)
    left_cell = math.log((2 / 14) / (5 / 17)) + math.log((3 / 14) / (3 / 17))
    right_cell = math.log((1 / 14) / (2 / 17)) + math.log((2 / 14) / (3 / 17))
    assert odds[0] == pytest.approx(prior + beyond + left_cell)
    assert odds[2] == pytest.approx(prior + beyond + right_cell)
    assert policy.act(np.array([[[HIDDEN, 1, HIDDEN]]], np.int8), np.array([[1, 0, 1]], np.int8)).tolist() == [2]


def test_choice_of_the_class_takes_any_cell_that_is_more_probably_safe():
    config = click_config(1, 4, 1)
    boards = np.full((600, 1, 4), HIDDEN, np.int8)
    masks = np.ones((600, 4), np.int8)
    clicked = {}
    for choice in ("largest", "class"):
        policy = build_policy("conditional", config, fit_games=5, choice=choice)
        policy.use({"cells": np.array([8, 2]), "shown": np.zeros((2, 8, VALUES), np.int64)})
        # Only the first cell has the edge on its left, and only the last one has it on its right.
        policy.evidence[:] = 0.0
        policy.evidence[3, OUTSIDE] = -1.0
        policy.evidence[4, OUTSIDE] = 5.0
        clicked[choice] = np.unique(policy.act(boards, masks)).tolist()
    assert clicked == {"largest": [0], "class": [0, 1, 2]}


def test_choice_of_the_class_falls_back_on_the_likeliest_cell():
    policy = build_policy("conditional", click_config(1, 4, 1), fit_games=5, choice="class")
    policy.use({"cells": np.array([2, 8]), "shown": np.zeros((2, 8, VALUES), np.int64)})
    policy.evidence[:] = 0.0
    policy.evidence[4, OUTSIDE] = -0.1
    boards, masks = np.full((100, 1, 4), HIDDEN, np.int8), np.ones((100, 4), np.int8)
    assert np.unique(policy.act(boards, masks)).tolist() == [3]


def test_flags_and_question_marks_are_covered_cells():
    config = click_config(3, 3, 2)
    policy = build_policy("conditional", config, fit_games=50)
    plain = np.full((1, 3, 3), HIDDEN, np.int8)
    plain[0, 1, 1] = 2
    marked = plain.copy()
    marked[0, 0] = [config.codes.flagged, config.codes.question, HIDDEN]
    assert (policy.log_odds(marked) == policy.log_odds(plain)).all()
