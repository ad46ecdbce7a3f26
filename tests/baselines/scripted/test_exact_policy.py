"""`exact` against the naive reference: certain clicks, least risk, and ties."""

import numpy as np
import pytest
from support import naive_inference as naive
from support.policies import click_config, moments, promise_of

from baselines.registry import find_policy
from baselines.scripted.oracle_play.exact import first_cell
from minesweeper_env import BoardConfig
from minesweeper_env.inference import InconsistentBoardError, mine_probabilities


@pytest.mark.parametrize("first_click", ["opening", "safe", "any"])
def test_each_click_is_certain_or_of_least_risk_and_ties_go_to_the_most_promising(first_click):
    config = click_config(5, 6, 7, first_click)
    risky = 0
    for board, click in moments(config, 150):
        if (board > 8).all():
            continue
        probabilities = naive.mine_probabilities(board, config.mines)
        least = probabilities[board > 8].min()
        equals = np.flatnonzero((board > 8).ravel() & (probabilities.ravel() <= least + 1e-9))
        assert click in equals
        if least > 0:
            risky += 1
            ties = {cell: promise_of(board, probabilities, cell) for cell in equals}
            most, zero = max(ties.values())
            assert ties[click][0] == most
            assert ties[click][1] >= zero - 1e-9
    assert risky > 50


def test_it_plays_boards_of_radius_2_and_boards_without_a_clue():
    config = BoardConfig(7, 6, 5, "safe", ("click",), radius=2)
    for board, click in moments(config, 60):
        probabilities = mine_probabilities(board, config.mines, radius=2)
        covered = board > config.codes.max_count
        assert covered.ravel()[click]
        if not covered.all():
            assert probabilities.ravel()[click] <= probabilities[covered].min() + 1e-9


@pytest.mark.parametrize(
    ("config", "cell"),
    [
        (click_config(8, 8, 14), (3, 3)),
        (click_config(5, 5, 5), (2, 2)),
        (click_config(16, 30, 99), (3, 3)),
        (click_config(16, 16, 40), (2, 2)),
        (click_config(1, 30, 3), (0, 2)),
        (click_config(9, 9, 10, "safe"), (0, 0)),
        (click_config(9, 9, 10, "any"), (0, 0)),
        (BoardConfig(20, 20, 40, "opening", ("click",), radius=2), (4, 4)),
    ],
)
def test_first_cells(config, cell):
    policy = find_policy("exact")(config)
    covered = np.full((2, config.rows, config.cols), config.codes.hidden, np.int8)
    first = cell[0] * config.cols + cell[1]
    assert policy.act(covered, np.ones((2, config.cells), np.int8)).tolist() == [first, first]
    barred = np.ones((2, config.cells), np.int8)
    barred[:, first] = 0
    assert (policy.act(covered, barred) != first).all()


def test_it_clicks_what_is_legal_and_takes_another_action_only_without_a_click():
    config = BoardConfig(2, 3, 2, "safe", ("click", "flag"))
    policy = find_policy("exact")(config)
    board = np.array([[[1, 11, 9], [11, 11, 11]]], np.int8)
    legal = np.array([[0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1]], np.int8)
    # The flagged cell has the same risk as the two other cells far from the clue, but only these are legal.
    probabilities = mine_probabilities(board[0], 2).ravel()
    assert probabilities[policy.act(board, legal)[0]] == min(probabilities[[1, 3, 4, 5]])
    assert policy.act(board, legal)[0] in (1, 3, 4, 5)
    legal[0, :6] = 0
    assert policy.act(board, legal)[0] == 7


def test_answers_do_not_depend_on_the_batch_or_on_the_seed():
    config = click_config(6, 6, 8)
    boards, clicks = map(np.array, zip(*moments(config, 40), strict=True))
    policy, before = find_policy("exact")(config, seed=9), boards.copy()
    masks = (boards > 8).reshape(len(boards), -1).astype(np.int8)
    assert (policy.act(boards[::-1], masks[::-1])[::-1] == clicks).all()
    assert [policy.act(boards[i : i + 1], masks[i : i + 1])[0] for i in range(20)] == clicks[:20].tolist()
    assert (boards == before).all()


def test_a_board_that_contradicts_itself_is_an_error_that_names_the_board():
    policy = find_policy("exact")(click_config(3, 3, 2, "any"))
    boards = np.full((2, 3, 3), 11, np.int8)
    boards[1, 1, 1] = 5
    with pytest.raises(InconsistentBoardError, match=r"board 1: .*2 mines"):
        policy.act(boards, (boards > 8).reshape(2, -1).astype(np.int8))


@pytest.mark.parametrize("name", ["exact", "lookahead", "subset", "expected_value"])
def test_the_first_cell_can_be_chosen(name):
    config = click_config(5, 6, 6)
    covered, everything = np.full((2, 5, 6), 11, np.int8), np.ones((2, 30), np.int8)
    for first, cell in ((17, 17), (None, first_cell(config)), ("exact", first_cell(config)), ("middle", 15)):
        assert find_policy(name, first=first)(config).act(covered, everything).tolist() == [cell] * 2
    covered[:, 0, 0] = 1
    assert (find_policy(name, first=17)(config).act(covered, everything) != 17).any()
