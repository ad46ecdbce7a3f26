"""Guesses of a `value` agent: by its network near the size of its training boards, by lookahead on larger boards."""

import json

import numpy as np
import pytest
import torch
from support.policies import boards_in_play, click_config

from baselines.learned.agents.loading import find_agent
from baselines.learned.agents.storage import save_agent
from baselines.learned.networks.size import NetworkSize
from baselines.learned.value.network import ValueNetwork
from baselines.learned.value.policy import ValuePolicy
from baselines.scripted.oracle_play.lookahead import LookaheadPolicy

SIZE = NetworkSize(8, 1)
LIMITS = {"layouts": 50, "nodes": 1000}


@pytest.fixture
def folder(tmp_path):
    """Run folder of an agent that was trained on boards of up to 24 cells."""
    torch.manual_seed(0)
    save_agent(tmp_path, ValueNetwork(SIZE), SIZE, {"trained_on": {"boards": ["4x6/5", "4x4/3"]}})
    return tmp_path


@pytest.mark.parametrize(
    ("rows", "cols", "guesses", "policy"),
    [
        (6, 8, "auto", ValuePolicy),
        (7, 7, "auto", LookaheadPolicy),
        (7, 7, "network", ValuePolicy),
        (4, 4, "lookahead", LookaheadPolicy),
    ],
)
def test_the_size_of_the_board_decides_who_weighs_the_guesses(folder, rows, cols, guesses, policy):
    assert type(find_agent(folder)(click_config(rows, cols, 5), guesses=guesses)) is policy


def test_the_guesses_of_larger_boards_are_those_of_lookahead(folder):
    config = click_config(8, 8, 14)
    boards = boards_in_play(config, 40)
    masks = (boards > 8).reshape(len(boards), -1).astype(np.int8)
    clicks = find_agent(folder)(config, **LIMITS).act(boards, masks)
    assert (clicks == LookaheadPolicy(config, **LIMITS).act(boards, masks)).all()
    assert (clicks != find_agent(folder)(config, **LIMITS, guesses="network").act(boards, masks)).any()


def test_other_choices_are_refused(folder):
    with pytest.raises(ValueError, match="guesses must be one of auto, network, lookahead, not 'oracle'"):
        find_agent(folder)(click_config(5, 5, 5), guesses="oracle")


@pytest.mark.parametrize("trained_on", [{}, {"boards": []}, {"boards": ["8x8"]}, {"boards": 3}, None])
def test_a_description_without_boards_is_refused_in_a_line(folder, trained_on):
    path = folder / "agent.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"trained_on": trained_on}))
    with pytest.raises(ValueError, match=r"agent\.json .*boards|agent\.json .*trained_on"):
        find_agent(folder)(click_config(5, 5, 5))
