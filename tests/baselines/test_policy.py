"""Inputs of policies: boards of environments, and observations and masks of every shape and type."""

import re

import gymnasium as gym
import numpy as np
import pytest
from support.policies import click_config

import baselines
from baselines.evaluation.evaluate import evaluate_policy
from baselines.evaluation.games import play_games
from baselines.policy import config_of
from baselines.registry import find_policy
from minesweeper_env import BoardConfig, MinesweeperEnv

COVERED = np.full((3, 8, 8), 11, np.int8)
MASKS = np.ones((3, 64), np.int8)
BOARD = {"size": (5, 6), "mines": 4, "first_click": "safe", "moves": ("click",)}


class Own:
    def __init__(self, size, mines, first_click):
        pass

    def act(self, observations, action_masks):
        assert observations.dtype == np.int8
        return action_masks.argmax(axis=1)


def make(name: str):
    if name in ("any-size", "dqn"):
        pytest.importorskip("torch")
    return baselines.make_policy(f"{__name__}:Own" if name == "own" else name, size=8, mines=14)


@pytest.fixture(params=["subset", "bayes", "exact", "bayes_source", "any-size", "dqn", "own"])
def policy(request):
    return make(request.param)


def refused(policy, observations, masks) -> str:
    with pytest.raises(ValueError, match=f"^{re.escape(policy.name)} ") as error:
        policy.act(observations, masks)
    message = str(error.value)
    assert "\n" not in message
    return message


def test_wrong_boards_and_masks_are_refused_in_one_line(policy):
    width = policy.config.actions
    masks = np.ones((3, width), np.int8)
    large = np.full((2, 9, 9), 11, np.int8), np.ones((2, 81 * width // 64), np.int8)
    assert "was built for 8x8 with 14 mines, got boards of 9x9" in refused(policy, *large)
    assert "got boards of 16x30" in refused(policy, np.full((16, 30), 11, np.int8), np.ones(480, np.int8))
    planes = np.zeros((3, 11, 8, 8), np.float32)
    for encoded in (planes, planes[0], np.zeros((3, 704), np.float32)):
        assert 'make the environment with observation="codes"' in refused(policy, encoded, masks)
    for other in (COVERED[0].ravel(), {"observation": COVERED}, None, COVERED.astype(np.int64) * 100):
        assert "reads cell codes" in refused(policy, other, masks)
    assert f"action_masks of shape (3, {width})" in refused(policy, COVERED, np.ones((3, 65), np.int8))
    assert "not (3, 384)" in refused(policy, COVERED, np.ones((3, 384), np.int8))
    for other in (MASKS[:2], MASKS[0], None):
        assert "one mask for each of 3 boards, (N, actions)" in refused(policy, COVERED, other)
    masks[1] = 0
    assert "the mask of board 1 has none" in refused(policy, COVERED, masks)
    assert "the mask of board 0 has none" in refused(policy, COVERED[0], masks[1])


def test_single_boards_other_whole_numbers_and_further_moves_make_no_difference(policy):
    env = MinesweeperEnv(size=8, mines=14, moves=policy.config.moves)
    observation, info = env.reset(seed=3)
    action = policy.act(observation, info["action_mask"])
    assert (type(action), action.shape, action.dtype) == (np.ndarray, (), np.int64)
    assert policy.act(observation, info["action_mask"][None]).shape == ()
    assert policy.act(COVERED[:0], np.ones((0, policy.config.actions), np.int8)).shape == (0,)
    assert env.step(action)[1] in (0.0, 1.0)
    mask, board, actions = np.ones((3, policy.config.actions), np.int8), COVERED.copy(), []
    board[:, 0, 0], mask[:, 0] = 1, 0
    for boards, masks in (
        (board, mask),
        (board.astype(np.int64), mask.astype(np.bool_)),
        (board.astype(np.uint8), mask.astype(np.int32)),
        (board.tolist(), mask.astype(np.float32)),
        (board, np.concatenate([mask, mask], axis=1)),
    ):
        policy.reset(4)
        actions.append(policy.act(boards, masks).tolist())
    assert all(each == actions[0] for each in actions)


def test_a_policy_that_flags_needs_the_moves_for_it():
    assert "takes action_masks of shape (3, 128), 2 moves of 64 cells" in refused(make("bayes_source"), COVERED, MASKS)
    clicks, flags = MinesweeperEnv(size=8, mines=14, moves=("click",)), MinesweeperEnv(size=8, mines=14)
    assert baselines.make_policy("exact", env=flags).config.moves == ("click",)
    assert baselines.make_policy("bayes_source", env=flags).config.moves == ("click", "flag")
    with pytest.raises(ValueError, match=r"moves click, flag, and the environment offers click; make it with moves="):
        baselines.make_policy("bayes_source", env=clicks)


@pytest.mark.parametrize("name", ["exact", "subset", "any-size", "own"])
@pytest.mark.parametrize(
    ("games", "complaint"),
    [
        (click_config(8, 8, 10), "was built for 8x8 with 14 mines, and these games are of 8x8 with 10 mines"),
        (click_config(9, 9, 14), "was built for 8x8 with 14 mines, and these games are of 9x9 with 14 mines"),
        (BoardConfig(8, 8, 14, "safe", ("click",), radius=2), "with 14 mines and radius 1, not 2, and these games"),
    ],
)
def test_no_games_of_another_board_are_played(name, games, complaint):
    policy = make(name)
    with pytest.raises(ValueError, match=complaint):
        play_games(policy, games, range(2))
    with pytest.raises(ValueError, match=f"^{re.escape(policy.name)} was built"):
        evaluate_policy(lambda: policy, games, range(2))


def test_games_that_begin_otherwise_may_be_played():
    assert len(play_games(find_policy("exact")(click_config(8, 8, 14)), click_config(8, 8, 14, "safe"), range(2))) == 2


def test_environments_of_stable_baselines_work():
    pytest.importorskip("torch")
    from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

    from baselines.learned import MinesweeperVecEnv

    config = MinesweeperEnv(**BOARD).config
    for envs in (MinesweeperVecEnv(config, 2), DummyVecEnv([lambda: MinesweeperEnv(**BOARD)] * 2)):
        assert config_of(envs) == config_of(VecMonitor(envs)) == config


@pytest.mark.parametrize("given", [{"size": 8}, {"mines": 4}, {"first_click": "safe"}])
def test_the_board_comes_from_one_place(given):
    (name,) = given
    with pytest.raises(ValueError, match=f"env already defines {name}; give env or {name}, not both"):
        baselines.make_policy("random", env=MinesweeperEnv(**BOARD), **given)
    config = baselines.make_policy("random").config
    assert (config.rows, config.mines, config.first_click) == (8, 14, "opening")
    env = MinesweeperEnv(size=9, mines=5, first_click="safe", radius=2)
    assert baselines.make_policy("subset", env=env).config.radius == 2


CART_POLES = gym.make("CartPole-v1"), gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")


@pytest.mark.parametrize("env", ["Minesweeper-v0", 3, MinesweeperEnv, *CART_POLES])
def test_other_environments_are_refused(env):
    with pytest.raises(ValueError, match="env must be a Minesweeper environment, wrapped or not, or a vector env"):
        baselines.make_policy("random", env=env)


def test_batches_of_different_boards_are_refused():
    mixed = gym.vector.SyncVectorEnv([lambda mines=mines: MinesweeperEnv(mines=mines) for mines in (10, 14)])
    with pytest.raises(ValueError, match="the environments of env have different boards"):
        config_of(mixed)
