"""Policy `value`: it sees the board only, takes no needless risk, and clicks the cell with the highest value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from support.policies import all_layouts, boards_in_play, click_config, number_won

from baselines.evaluation.games import play_games
from baselines.learned.networks.precision import set_precision
from baselines.learned.networks.size import NetworkSize
from baselines.learned.value.network import ValueNetwork
from baselines.learned.value.policy import ValuePolicy
from minesweeper_env import BoardConfig
from minesweeper_env.codes import FLAGGED, HIDDEN, QUESTION
from minesweeper_env.inference import (
    InconsistentBoardError,
    count_layouts,
    first_cell_values,
    mine_probabilities,
)

SLACK = 0.12


def some_network(seed: int = 0) -> ValueNetwork:
    """Returns a network with random weights in every layer, the head included."""
    torch.manual_seed(seed)
    network = ValueNetwork(NetworkSize(8, 1))
    torch.nn.init.normal_(network.head.layer.weight)
    return network


def masks_of(boards: np.ndarray) -> np.ndarray:
    return (boards > 8).reshape(len(boards), -1).astype(np.int8)


def inputs(boards: np.ndarray, mines: int) -> list[torch.Tensor]:
    probabilities = np.stack([mine_probabilities(board, mines) for board in boards]).astype(np.float32)
    log_layouts = np.array([np.log(float(count_layouts(board, mines))) for board in boards], np.float32)
    return [torch.from_numpy(array) for array in (boards, probabilities, log_layouts)]


def test_with_all_layouts_searched_it_plays_perfectly_after_its_first_click():
    config = click_config(4, 4, 3, "safe")
    layouts = all_layouts(config)
    layouts = layouts[~layouts[:, 0, 0]]
    won = number_won(ValuePolicy(config, some_network()), config, layouts)
    assert Fraction(won, len(layouts)) == first_cell_values(4, 4, 3, "safe")[0, 0]


def value_by_hand(network: ValueNetwork, board: np.ndarray, cell: int, mines: int) -> float:
    """Returns the sum over the outcomes of a cell of P(outcome) times the network's P(win | outcome)."""
    layouts, value = count_layouts(board, mines), 0.0
    for count in range(9):
        after = board.copy()
        after.ravel()[cell] = count
        try:
            share = float(count_layouts(after, mines) / layouts)
        except InconsistentBoardError:
            continue
        won = 1.0
        if (mine_probabilities(after, mines)[after > 8] < 1.0).any():
            with torch.no_grad():
                won = float(torch.sigmoid(network(*inputs(after[None], mines))))
        value += share * won
    return value


def test_the_value_of_a_click_is_the_mean_of_the_network_over_its_outcomes():
    config, network = click_config(6, 6, 8), some_network()
    policy = ValuePolicy(config, network, layouts=0, slack=SLACK, breadth=36)
    boards = boards_in_play(config, 120)
    boards = boards[(boards <= 8).any(axis=(1, 2))]
    clicks = policy.act(boards, masks_of(boards))
    risky, differs = 0, 0
    for i in range(len(boards)):
        covered = np.flatnonzero((boards[i] > 8).ravel())
        risks = mine_probabilities(boards[i], config.mines).ravel()
        least = risks[covered].min()
        if least == 0.0:
            assert risks[clicks[i]] == 0.0
            continue
        near = covered[risks[covered] <= least + SLACK]
        assert clicks[i] in near
        values = [value_by_hand(network, boards[i], cell, config.mines) for cell in near]
        assert value_by_hand(network, boards[i], clicks[i], config.mines) >= max(values) - 1e-5
        risky += 1
        differs += risks[clicks[i]] > least + 1e-9
    assert risky > 20
    assert differs > 0


def test_a_narrow_search_takes_the_least_risk():
    config = click_config(6, 6, 8)
    boards = boards_in_play(config, 60)
    boards = boards[(boards <= 8).any(axis=(1, 2))]
    clicks = ValuePolicy(config, some_network(), layouts=0, breadth=1).act(boards, masks_of(boards))
    for board, click in zip(boards, clicks, strict=True):
        risks = np.where(board > 8, mine_probabilities(board, config.mines), 2.0).ravel()
        assert risks[click] == pytest.approx(risks.min(), abs=1e-9)


def test_the_play_depends_on_each_board_alone():
    config = click_config(8, 8, 14)
    policy = ValuePolicy(config, some_network(), layouts=50)
    boards = boards_in_play(config, 40)
    before = boards.copy()
    clicks = policy.act(boards, masks_of(boards))
    assert (boards == before).all()
    assert (policy.act(boards[::-1], masks_of(boards[::-1]))[::-1] == clicks).all()
    alone = [policy.act(board[None], masks_of(board[None]))[0] for board in boards]
    assert (clicks == alone).all()


def test_marks_are_no_evidence():
    config = click_config(6, 6, 8)
    boards = boards_in_play(config, 10)
    marked = boards.copy()
    marks = np.random.default_rng(0).choice([FLAGGED, QUESTION, HIDDEN], boards.shape).astype(np.int8)
    marked[boards == HIDDEN] = marks[boards == HIDDEN]
    policy = ValuePolicy(config, some_network(), layouts=0)
    assert (policy.act(marked, masks_of(boards)) == policy.act(boards, masks_of(boards))).all()


@pytest.mark.parametrize("config", [click_config(3, 9, 4), click_config(16, 30, 99, "any")])
def test_one_network_plays_boards_of_any_size(config):
    policy = ValuePolicy(config, some_network())
    assert all(record.clicks > 0 for record in play_games(policy, config, range(5)))


def test_bfloat16_says_about_the_same():
    config, network = click_config(6, 6, 8), some_network()
    arguments = inputs(boards_in_play(config, 10), config.mines)
    with torch.no_grad():
        exact = network(*arguments)
        set_precision(network, "bfloat16")
        rounded = network(*arguments)
    assert rounded.dtype == torch.float32
    assert not torch.equal(exact, rounded)
    assert (torch.sigmoid(exact) - torch.sigmoid(rounded)).abs().max() < 0.05


def test_wrong_options_are_refused():
    config, network = click_config(5, 5, 5), some_network()
    for options, complaint in (
        ({"layouts": -1}, "layouts must be a whole number of at least 0"),
        ({"nodes": 0}, "nodes must be a whole number of at least 1"),
        ({"slack": float("nan")}, "slack must be a number of at least 0"),
        ({"breadth": 0}, "breadth must be a whole number of at least 1"),
    ):
        with pytest.raises(ValueError, match=complaint):
            ValuePolicy(config, network, **options)
    with pytest.raises(ValueError, match="radius 1, not 2"):
        ValuePolicy(BoardConfig(9, 9, 4, "safe", ("click",), radius=2), network)
