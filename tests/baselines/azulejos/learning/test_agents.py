"""Agents of Azulejos: observations, moves, files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from azulejos_env import AzulejosVectorEnv
from azulejos_env.config import GameConfig
from azulejos_env.position import Position, random_board
from baselines.azulejos.learning.agents import AzulejosAgent, load_agent, save_agent
from baselines.azulejos.learning.network import AzulejosNetwork, Groups
from baselines.azulejos.learning.observations import legal_moves, observe
from baselines.learned.networks.size import NetworkSize

SIZE = NetworkSize(8, 2)


@pytest.fixture
def agent():
    torch.manual_seed(0)
    return AzulejosAgent(AzulejosNetwork.of_size(SIZE, 3))


def positions(rows, cols, colours=3, count=6):
    """Returns positions along a random game."""
    generator = np.random.default_rng(rows * cols)
    config = GameConfig(rows, cols, colours)
    position, found = Position(config, random_board(config, 1)), []
    while not position.over and len(found) < count:
        found.append(position)
        group = position.groups[generator.integers(len(position.groups))]
        position = position.play(group.row, group.col)
    return found


def test_an_observation_has_ranks_groups_and_scores():
    board = np.array([[[0, 3, 0], [2, 3, 2], [2, 1, 2]]], np.int8)
    seen = observe(board, np.array([[7, 4]]), GameConfig(3, 3))
    assert seen[0, 0].tolist() == [[0, 2, 0], [1, 2, 1], [1, 3, 1]]
    assert seen[0, 1].tolist() == [[-1, 1, -1], [3, 1, 5], [3, 7, 5]]
    assert (seen[0, 2] == 7).all()
    assert (seen[0, 3] == 4).all()
    assert np.flatnonzero(legal_moves(seen)[0]).tolist() == [1, 3, 5]


@pytest.mark.parametrize(("rows", "cols", "colours"), [(1, 2, 1), (5, 9, 4), (8, 8, 3)])
def test_labels_and_legal_moves_are_those_of_the_rules(rows, cols, colours):
    for position in positions(rows, cols, colours):
        seen = observe(position.board[None], np.array([[9, 20]]), position.config)
        groups = position.groups
        before = replace(position, scores=(9, 20), player=0)
        assert np.flatnonzero(legal_moves(seen)[0]).tolist() == [g.row * cols + g.col for g in groups]
        sizes = Groups.of(torch.as_tensor(seen)).sizes.reshape(rows, cols).numpy()
        for group in groups:
            tiles = position.group_at(group.row, group.col)
            assert (sizes[tiles] == group.size).all()
            assert (seen[0, 1][tiles] == group.row * cols + group.col).all()
            after = before.play(group.row, group.col)
            best = max((after.play(each.row, each.col).scores[1] for each in after.groups), default=20)
            assert (seen[0, 4][tiles] == after.scores[0] - 9).all()
            assert (seen[0, 5][tiles] == best - 20).all()


def test_the_names_of_the_colours_make_no_difference(agent):
    for position in positions(6, 6):
        renamed = np.array([0, 3, 1, 2], np.int8)[position.board]
        both = np.stack([position.board, renamed])
        counts = np.bincount(position.board[position.board > 0], minlength=4)[1:]
        if len(set(counts.tolist())) == 3:
            first, second = agent.act(both, np.zeros((2, 2), np.int64))
            assert first == second


@pytest.mark.parametrize("size", [(1, 2), (4, 4), (8, 8), (5, 12), (20, 20)])
def test_an_agent_plays_boards_of_any_size_legally(agent, size):
    found = positions(*size, colours=2)
    moves = agent.choose_all(found)
    assert moves == [agent.choose(position) for position in found]
    for position, move in zip(found, moves, strict=True):
        assert move in [(group.row, group.col) for group in position.groups]


def test_the_scores_reach_the_network(agent):
    position = positions(8, 8)[0]
    seen = observe(np.repeat(position.board[None], 2, axis=0), np.array([[0, 0], [20, 3]]), position.config)
    first, second = agent.network(torch.as_tensor(seen))
    assert not torch.equal(first, second)


def test_too_many_colours_and_ended_games_are_refused(agent):
    with pytest.raises(ValueError, match="boards of 1 to 3 colours, not 5"):
        agent.choose(Position(GameConfig(2, 2, 5), [[5, 5], [1, 2]]))
    with pytest.raises(ValueError, match="the game is over"):
        agent.choose(Position(GameConfig(2, 2, 3), [[1, 2], [2, 1]]))


def test_an_agent_is_an_opponent_of_many_games_at_once(agent):
    arguments = {"num_envs": 5, "size": 6, "seat": "random"}
    asked = AzulejosVectorEnv(opponent=agent, **arguments)

    class OneByOne:
        reset = staticmethod(agent.reset)
        choose = staticmethod(agent.choose)

    single = AzulejosVectorEnv(opponent=OneByOne(), **arguments)
    one, other = asked.reset(seed=4), single.reset(seed=4)
    for _ in range(12):
        assert (one[0] == other[0]).all()
        actions = asked.sample_actions()
        one, other = asked.step(actions), single.step(actions)


def test_an_opponent_that_acts_illegally_is_refused(agent):
    agent.act = lambda boards, _scores: np.full(len(boards), 99)
    with pytest.raises(ValueError, match="action 99, which is not the first cell of a group"):
        AzulejosVectorEnv(3, opponent=agent, seat="second").reset(seed=0)


def test_a_saved_agent_plays_the_same_moves(agent, tmp_path):
    save_agent(tmp_path, agent.network, SIZE, {"algo": "ppo"})
    assert json.loads((tmp_path / "agent.json").read_text())["colours"] == 3
    found = positions(7, 7)
    assert load_agent(tmp_path).choose_all(found) == agent.choose_all(found)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "clicks"}, "describes no agent of Azulejos"),
        ({"format": 9}, "has format 9, and only 1 is known"),
        ({"colours": 0}, "colours must be a whole number of at least 1"),
        ({"channels": 16}, "the weights do not fit the network"),
    ],
)
def test_files_that_are_no_agent_are_refused_in_one_line(agent, tmp_path, changes, message):
    save_agent(tmp_path, agent.network, SIZE, {})
    path = tmp_path / "agent.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(ValueError, match=message) as caught:
        load_agent(tmp_path)
    assert "\n" not in str(caught.value)
