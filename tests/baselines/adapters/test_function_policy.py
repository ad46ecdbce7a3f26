"""The adapters of a function and of an agent with `predict`."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from support import ROOT
from support.policies import click_config

from baselines.adapters import FunctionPolicy, PredictPolicy
from baselines.evaluation.games import play_games
from baselines.policy import PolicyError
from minesweeper_env import HIDDEN

BOARD = {"size": (4, 5), "mines": 3}
CONFIG = click_config(4, 5, 3)


def boards(count=2):
    return np.full((count, 4, 5), HIDDEN, np.int8), np.ones((count, 20), np.int8)


def last_covered(observation, action_mask):
    assert observation.shape == (4, 5)
    assert action_mask.dtype == np.int8
    return int(np.flatnonzero(action_mask)[-1])


class LastCovered:
    """The batched policy that makes the choices of `last_covered`."""

    def reset(self, seed):
        pass

    def act(self, _, action_masks):
        return 19 - action_masks[:, ::-1].argmax(axis=1)


def test_a_function_plays_the_games_of_the_same_batched_policy():
    policy = FunctionPolicy(last_covered, **BOARD)
    assert policy.name == "last_covered"
    assert play_games(policy, CONFIG, range(40)) == play_games(LastCovered(), CONFIG, range(40))


@pytest.mark.parametrize("answer", [7, np.int64(7), np.array(7), np.array([7])])
def test_every_kind_of_whole_number_is_an_action(answer):
    actions = FunctionPolicy(lambda _, __: answer, **BOARD).act(*boards())
    assert actions.dtype == np.int64
    assert actions.tolist() == [7, 7]


@pytest.mark.parametrize("answer", [None, 1.5, -1, 20, True, (1, 2), "3", np.array([1, 2])])
def test_an_answer_that_is_no_action_is_refused_when_the_policy_is_made(answer):
    with pytest.raises(PolicyError, match=r"must return an action, 0 to 19 on 4x5 with moves click"):
        FunctionPolicy(lambda _, __: answer, **BOARD)


def test_an_illegal_action_ends_the_evaluation_or_becomes_a_random_legal_one():
    observations, masks = boards(200)
    masks[:, 3:] = 0
    with pytest.raises(PolicyError, match=r"corner chose action 19, which its mask forbids"):
        FunctionPolicy(corner, **BOARD).act(observations, masks)
    policy = FunctionPolicy(corner, **BOARD, illegal="random")
    policy.reset(5)
    first = policy.act(observations, masks)
    policy.reset(5)
    assert policy.act(observations, masks).tolist() == first.tolist()
    assert set(first.tolist()) == {0, 1, 2}
    with pytest.raises(ValueError, match="illegal must be one of error, random, not 'ignore'"):
        FunctionPolicy(corner, **BOARD, illegal="ignore")


def corner(_observation, _mask):
    return 19


def test_a_function_gets_the_encoding_and_the_moves_that_it_asks_for():
    seen = []

    def look(observation, action_mask):
        seen.append((observation.shape, observation.dtype.name, action_mask.shape))
        return 0

    FunctionPolicy(look, **BOARD, observation="planes", moves=("click", "flag"))
    FunctionPolicy(look, **BOARD, observation="flat")
    assert seen == [((13, 4, 5), "float32", (40,)), ((260,), "float32", (20,))]
    with pytest.raises(ValueError, match="observation must be one of codes, planes, flat"):
        FunctionPolicy(look, **BOARD, observation="pixels")


def test_a_function_with_a_reset_is_seeded_before_each_batch():
    class Drawing:
        def reset(self, seed):
            self.rng = np.random.default_rng(seed)

        def __call__(self, _, action_mask):
            return int(self.rng.choice(np.flatnonzero(action_mask)))

    policy = FunctionPolicy(Drawing(), **BOARD)
    assert policy.name == "Drawing"
    policy.reset(3)
    first = policy.act(*boards(9)).tolist()
    policy.reset(3)
    assert policy.act(*boards(9)).tolist() == first
    assert len(set(first)) > 1


def test_further_moves_of_the_games_are_left_alone():
    observations, _ = boards()
    assert FunctionPolicy(last_covered, **BOARD).act(observations, np.ones((2, 40), np.int8)).tolist() == [19, 19]


class Agent:
    """Predicts like Stable-Baselines3, with a mask."""

    def predict(self, observation, state=None, action_masks=None):
        assert observation.shape == (4, 5)
        return np.asarray(np.flatnonzero(action_masks)[-1]), state


def test_an_agent_predicts_with_the_mask_if_it_takes_one():
    policy = PredictPolicy(Agent(), **BOARD)
    expected = FunctionPolicy(last_covered, **BOARD)
    assert policy.name == "Agent"
    assert play_games(policy, CONFIG, range(9)) == play_games(expected, CONFIG, range(9))


def test_an_agent_without_masks_receives_the_observation_alone():
    class Plain:
        def predict(self, observation):
            return observation.argmax() % 20

    # The plane of covered cells, code 11, is the only one with ones.
    assert PredictPolicy(Plain(), **BOARD, observation="flat").act(*boards(1)).tolist() == [11 * 20 % 20]


def test_an_agent_needs_predict():
    with pytest.raises(ValueError, match="a method predict is needed, not object"):
        PredictPolicy(object(), **BOARD)


def test_a_function_plays_without_torch():
    code = (
        "import sys; from baselines.adapters import FunctionPolicy, PredictPolicy\n"
        "FunctionPolicy(lambda board, mask: 0, size=8, mines=14)\n"
        "print({'torch', 'stable_baselines3', 'numba'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"
