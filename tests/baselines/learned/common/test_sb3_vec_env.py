import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from baselines.learned.common.vec_env import MinesweeperVecEnv
from minesweeper_env.config import BoardConfig
from minesweeper_env.vector_env import MinesweeperVectorEnv

GAMES = 32
CLICKS = BoardConfig(6, 7, 8, moves=("click",))


def make_env(config=CLICKS, games=GAMES, **arguments):
    return MinesweeperVecEnv(config, games, **arguments)


def make_reference(config, reward, seed):
    reference = MinesweeperVectorEnv(
        GAMES,
        size=(config.rows, config.cols),
        mines=config.mines,
        moves=config.moves,
        max_steps=config.max_steps,
        reward=reward,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    return reference, reference.reset(seed=seed)


@pytest.mark.parametrize("reward", ["win_loss", "safe_click", "progress"])
@pytest.mark.parametrize("config", [CLICKS, BoardConfig(5, 5, 3, max_steps=3), BoardConfig(4, 4, 2)])
def test_equals_the_native_environment_step_for_step(config, reward):
    env = make_env(config, reward=reward)
    env.seed(7)
    codes = env.reset()
    reference, (expected, info) = make_reference(config, reward, seed=7)
    returns, lengths, ended_games = np.zeros(GAMES), np.zeros(GAMES, int), 0
    for _ in range(60):
        np.testing.assert_array_equal(codes, expected)
        np.testing.assert_array_equal(get_action_masks(env), info["action_mask"])
        actions = reference.sample_actions()
        codes, rewards, ended, infos = env.step(actions)
        expected, expected_rewards, terminations, truncations, info = reference.step(actions)
        np.testing.assert_array_equal(rewards, expected_rewards.astype(np.float32))
        np.testing.assert_array_equal(ended, terminations | truncations)
        returns += expected_rewards
        lengths += 1
        for game in np.flatnonzero(ended):
            ended_games += 1
            np.testing.assert_array_equal(infos[game]["terminal_observation"], info["final_obs"][game])
            assert infos[game]["TimeLimit.truncated"] == (truncations[game] and not terminations[game])
            assert infos[game]["is_success"] == info["final_info"]["is_success"][game]
            assert infos[game]["episode"]["r"] == pytest.approx(returns[game])
            assert infos[game]["episode"]["l"] == lengths[game]
        assert not any(infos[game] for game in np.flatnonzero(~ended))
        returns[ended], lengths[ended] = 0, 0
    assert ended_games > GAMES
    assert codes.dtype == np.int8


def test_masks_as_sb3_contrib_finds_them():
    env = make_env()
    env.reset()
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (GAMES, 42)
    assert masks.dtype == np.bool_
    assert len(env.env_method("action_masks", indices=[3, 5])) == 2
    assert not env.has_attr("no_such_attribute")
    with pytest.raises(AttributeError, match="action_masks"):
        env.env_method("render")


def test_no_mask_is_ever_empty_and_legal_actions_are_never_ignored():
    env = make_env(BoardConfig(3, 4, 2, first_click="safe", moves=("click",)))
    codes = env.reset()
    generator = np.random.default_rng(0)
    for _ in range(300):
        masks = get_action_masks(env)
        assert masks.any(axis=1).all()
        actions = np.array([generator.choice(np.flatnonzero(mask)) for mask in masks])
        before, (codes, _, ended, _) = codes, env.step(actions)
        assert ((before != codes).any(axis=(1, 2)) | ended).all()


def test_options_lay_the_mines_of_each_game():
    env = make_env(BoardConfig(4, 4, 1, moves=("click",)), games=2)
    layouts = np.zeros((2, 4, 4), bool)
    layouts[0, 0, 0] = layouts[1, 3, 3] = True
    env.set_options([{"layout": layout} for layout in layouts])
    env.reset()
    _, _, ended, infos = env.step(np.array([0, 0]))
    assert ended.tolist() == [True, True]
    assert [info["is_success"] for info in infos] == [False, True]


def test_state_goes_on_with_the_same_games():
    env, other = make_env(), make_env()
    env.seed(1)
    env.reset()
    for _ in range(5):
        env.step(env.games.sample_actions())
    other.seed(2)
    other.reset()
    np.testing.assert_array_equal(other.set_state(env.get_state()), env.set_state(env.get_state()))
    for _ in range(40):
        actions = env.games.sample_actions()
        np.testing.assert_array_equal(other.games.sample_actions(), actions)
        codes, rewards, ended, infos = env.step(actions)
        same_codes, same_rewards, same_ended, same_infos = other.step(actions)
        np.testing.assert_array_equal(codes, same_codes)
        np.testing.assert_array_equal(rewards, same_rewards)
        np.testing.assert_array_equal(ended, same_ended)
        lengths = [info["episode"]["l"] for info in infos if info]
        assert lengths == [info["episode"]["l"] for info in same_infos if info]
