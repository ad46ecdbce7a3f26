"""The adapter of models of Stable-Baselines3 and sb3-contrib."""

from __future__ import annotations

from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from sb3_contrib import ARS, QRDQN, TRPO, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO
from support.policies import boards_in_play, click_config

from baselines.adapters import PredictPolicy, SB3Policy
from baselines.evaluation.games import play_games
from baselines.policy import PolicyError
from minesweeper_env import ActionMaskObservation

BOARD = {"size": (4, 5), "mines": 3}
CONFIG = click_config(4, 5, 3)
ALGORITHMS = [PPO, A2C, TRPO, MaskablePPO, DQN, QRDQN]
SMALL = {"net_arch": [16]}


def make_env(**arguments):
    return gymnasium.make("Minesweeper-v0", **{"moves": ("click",), "observation": "flat"} | BOARD | arguments)


def make_model(algorithm, env=None, policy="MlpPolicy"):
    return algorithm(policy, make_env() if env is None else env, policy_kwargs=dict(SMALL), seed=0, device="cpu")


def positions():
    boards = boards_in_play(CONFIG, 20)
    return boards, (boards > 8).reshape(len(boards), -1).astype(np.int8)


@pytest.fixture(scope="module", params=ALGORITHMS, ids=lambda algorithm: algorithm.__name__)
def model(request):
    model = make_model(request.param)
    if request.param in (DQN, QRDQN):
        model.exploration_rate = 0.5  # 0 until a training begins
    return model


def test_a_model_of_every_kind_plays_legal_actions_only(model):
    policy = SB3Policy(model, **BOARD)
    assert policy.name == type(model).__name__
    assert policy.moves == ("click",)
    assert len(play_games(policy, CONFIG, range(20))) == 20
    boards, masks = positions()
    assert masks[np.arange(len(boards)), policy.act(boards, masks)].all()


def test_the_action_is_the_one_of_predict_where_that_is_legal(model):
    boards, masks = positions()
    observations = (boards[:, None] == np.arange(13)[:, None, None]).reshape(len(boards), -1).astype(np.float32)
    predicted, _ = model.predict(observations, deterministic=True)
    legal = masks[np.arange(len(boards)), predicted] == 1
    actions = SB3Policy(model, **BOARD, batch_size=7).act(boards, masks)
    assert legal.sum() > 2
    assert actions[legal].tolist() == predicted[legal].tolist()


def test_masked_predictions_are_those_of_maskable_ppo():
    model = make_model(MaskablePPO)
    boards, masks = positions()
    observations = (boards[:, None] == np.arange(13)[:, None, None]).reshape(len(boards), -1).astype(np.float32)
    predicted, _ = model.predict(observations, deterministic=True, action_masks=masks)
    assert SB3Policy(model, **BOARD).act(boards, masks).tolist() == predicted.tolist()


def test_sampled_actions_are_legal_and_follow_the_seed(model):
    policy = SB3Policy(model, **BOARD, deterministic=False)
    boards, masks = positions()
    drawn = []
    for seed in (4, 4, 5):
        policy.reset(seed)
        drawn.append(policy.act(boards, masks).tolist())
    assert drawn[0] == drawn[1] != drawn[2]
    assert masks[np.arange(len(boards)), drawn[0]].all()


@pytest.mark.parametrize(
    ("algorithm", "env", "network"),
    [
        (PPO, make_env(observation="codes"), "MlpPolicy"),
        (PPO, make_env(observation="planes"), "MlpPolicy"),
        (DQN, ActionMaskObservation(make_env(), "pettingzoo"), "MultiInputPolicy"),
        (PPO, ActionMaskObservation(make_env(observation="codes"), "rllib"), "MultiInputPolicy"),
        (PPO, gymnasium.wrappers.FlattenObservation(make_env(observation="codes")), "MlpPolicy"),
    ],
)
def test_a_model_sees_what_its_environment_showed(algorithm, env, network):
    model = make_model(algorithm, env, network)
    policy = SB3Policy(model, **BOARD)
    codes = make_env(observation="codes")
    observation, info = env.reset(seed=3)
    board, _ = codes.reset(seed=3)
    done = False
    while not done:
        masks = info["action_mask"][None]
        assert_same(policy._input(board[None], masks == 1), observation)
        action = int(policy.act(board[None], masks)[0])
        observation, _, done, _, info = env.step(action)
        board = codes.step(action)[0]


def assert_same(made, observation):
    if isinstance(observation, dict):
        assert made.keys() == observation.keys()
        for key in made:
            assert_same(made[key], observation[key])
    else:
        assert made.shape[1:] == observation.shape
        assert made.dtype == observation.dtype
        assert (made[0] == observation).all()


def test_models_with_flags_have_the_moves_of_their_training():
    env = gymnasium.make("Minesweeper-v0", **BOARD, observation="flat")
    policy = SB3Policy(make_model(MaskablePPO, env), **BOARD)
    assert policy.moves == ("click", "flag")
    assert len(play_games(policy, policy.config, range(5))) == 5
    with pytest.raises(ValueError, match="has 40 actions, but 4x5 with moves click has 20"):
        SB3Policy(make_model(MaskablePPO, env), **BOARD, moves=("click",))


def test_a_model_of_another_board_is_refused_before_any_play():
    model = make_model(MaskablePPO)
    with pytest.raises(ValueError, match=r"the MaskablePPO model has 20 actions, but 8x8 with moves click has 64"):
        SB3Policy(model, size=8, mines=14)
    with pytest.raises(ValueError, match=r"was trained on observations Box.* none of codes, planes, flat on 4x5"):
        SB3Policy(make_model(PPO, gymnasium.wrappers.FrameStackObservation(make_env(), 2)), **BOARD)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: "model.zip", "takes a loaded model"),
        (lambda: make_model(RecurrentPPO, policy="MlpLstmPolicy"), "PredictPolicy"),
        (lambda: make_model(ARS), "PredictPolicy"),
    ],
)
def test_what_cannot_play_is_refused_with_what_to_do(make, word):
    with pytest.raises(ValueError, match=word):
        SB3Policy(make(), **BOARD)


def test_a_model_of_another_kind_plays_through_predict():
    model = make_model(ARS)
    policy = PredictPolicy(model, **BOARD, observation="flat", illegal="random")
    assert policy.name == "ARS"
    boards, masks = positions()
    assert masks[np.arange(len(boards)), policy.act(boards, masks)].all()


def test_not_a_number_ends_the_evaluation():
    model = make_model(PPO)
    policy = SB3Policy(model, **BOARD)
    model.policy.get_distribution = lambda _: SimpleNamespace(
        distribution=SimpleNamespace(logits=model.policy.action_net.weight.new_full((1, 20), np.nan))
    )
    boards, masks = positions()
    with pytest.raises(PolicyError, match="not a number"):
        policy.act(boards[:1], masks[:1])


def test_a_model_explores_at_its_own_rate():
    model = make_model(DQN)
    boards, masks = (np.repeat(each[-1:], 4000, axis=0) for each in positions())
    best = SB3Policy(model, **BOARD).act(boards[:1], masks[:1])[0]
    model.exploration_rate = 0.5
    policy = SB3Policy(model, **BOARD, deterministic=False)
    expected = 0.5 + 0.5 / masks[0].sum()
    assert (policy.act(boards, masks) == best).mean() == pytest.approx(expected, abs=0.03)
