"""`MinesweeperVecEnv`: the games of the batched environment, and the interface of Stable-Baselines3's `VecEnv`.

Some tests restate those of Stable-Baselines3 (MIT licence, tests/test_vec_envs.py) for these games.
"""

from functools import partial

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecMonitor, VecNormalize
from support.equality import assert_same

from baselines.learned.common.vec_env import MinesweeperVecEnv
from minesweeper_env import ENV_SPECIFICATIONS, BoardConfig, MinesweeperEnv
from minesweeper_env.observations import ENCODINGS

SMALL = BoardConfig(4, 4, 2, moves=("click",))
CLICKS = BoardConfig(6, 7, 8, moves=("click",))


def make_small(observation="codes", render_mode=None):
    return MinesweeperVecEnv(SMALL, 3, observation=observation, render_mode=render_mode)


@pytest.mark.parametrize(
    ("config", "more"),
    [
        *((SMALL, {"observation": encoding}) for encoding in ENCODINGS),
        (BoardConfig(5, 5, 3, max_steps=3), {"reward": "safe_click"}),
        (CLICKS, {"reward": "progress"}),
    ],
)
def test_equals_the_vec_env_of_stable_baselines3(config, more):
    arguments = {"mines": config.mines, "moves": config.moves, "max_steps": config.max_steps, **more}
    single = partial(MinesweeperEnv, (config.rows, config.cols), **arguments)
    dummy = DummyVecEnv([lambda: Monitor(single(), allow_early_resets=True)] * 3)
    env = MinesweeperVecEnv(config, 3, **more)
    assert env.observation_space == dummy.observation_space
    assert env.action_space == dummy.action_space
    assert env.seed(5) == dummy.seed(5)
    assert_same(env.reset(), dummy.reset())
    for _ in range(60):
        actions = env.games.sample_actions()
        assert_same(np.stack(env.env_method("action_masks")), np.stack(dummy.env_method("action_masks")))
        observations, rewards, dones, infos = env.step(actions)
        assert not any(infos[game] for game in np.flatnonzero(~dones))
        expected, expected_rewards, expected_dones, expected_infos = dummy.step(actions)
        assert_same([observations, rewards, dones], [expected, expected_rewards, expected_dones])
        for game in np.flatnonzero(dones):
            info, other = infos[game], expected_infos[game]
            for key in ("terminal_observation", "TimeLimit.truncated", "is_success"):
                assert_same(info[key], other[key])
            assert info["episode"]["l"] == other["episode"]["l"]
            assert info["episode"]["r"] == pytest.approx(other["episode"]["r"], abs=1e-6)


def test_methods_and_attributes_of_some_games():
    env = make_small(render_mode="ansi")
    env.seed(3)
    env.reset()
    env.step(np.array([0, 5, 10]))
    assert env.env_method("render", indices=[0, 2]) == [env.games.call("render")[i] for i in (0, 2)]
    assert env.env_method("get_state", indices=1)[0]["codes"].shape == (4, 4)
    assert env.get_attr("config", indices=[0, -1]) == [env.config] * 2
    assert env.get_attr("action_space") == [env.action_space] * 3
    assert [mask().tolist() for mask in env.get_attr("action_masks")] == env.action_masks().tolist()
    assert env.env_is_wrapped(Monitor, indices=[1, 2]) == [False, False]
    assert not env.has_attr("difficulty")
    with pytest.raises(AttributeError, match="difficulty"):
        env.get_attr("difficulty")
    with pytest.raises(AttributeError, match="action_masks, get_state, render, not step"):
        env.env_method("step")
    with pytest.raises(TypeError, match="arguments"):
        env.env_method("render", "human")
    with pytest.raises(NotImplementedError, match="make another environment"):
        env.set_attr("reward", "win")


def test_pictures_are_tiled():
    env = make_small(render_mode="rgb_array")
    assert env.metadata["render_modes"] == ["human", "rgb_array"]
    env.reset()
    pictures = env.get_images()
    height, width, _ = pictures[0].shape
    assert len(pictures) == 3
    assert env.render().shape == (2 * height, 2 * width, 3)
    assert (env.render() == env.render(mode="rgb_array")).all()
    with pytest.warns(UserWarning, match="mode"):
        assert env.render(mode="something_else") is None


def test_the_mode_human_opens_one_window_for_all_games(monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = make_small(render_mode="human")
    env.games.metadata["render_fps"] = 1000
    env.reset()
    env.step(np.array([0, 5, 10]))
    assert env.render() is None
    assert pygame.display.get_caption()[0].startswith("Minesweeper 4x4 with")
    env.close()
    assert pygame.display.get_surface() is None


def test_other_render_modes_have_no_pictures():
    text, nothing = make_small(render_mode="ansi"), make_small()
    for env in (text, nothing):
        env.reset()
    assert text.render() is None
    with pytest.warns(UserWarning, match="no `render_mode`"):
        assert nothing.render() is None


def test_options_are_refused():
    env = make_small()
    env.set_options({"layout": np.zeros((4, 4), bool)})
    with pytest.raises(ValueError, match="take no options"):
        env.reset()


@pytest.mark.parametrize("observation", ENCODINGS)
def test_state_goes_on_with_the_same_games(observation):
    env, other = make_small(observation), make_small(observation)
    for seed, each in enumerate((env, other)):
        each.seed(seed)
        each.reset()
    for _ in range(5):
        observations = env.step(env.games.sample_actions())[0]
    assert_same(other.set_state(env.get_state()), observations)
    for _ in range(40):
        actions = env.games.sample_actions()
        assert_same(other.games.sample_actions(), actions)
        *step, infos = env.step(actions)
        *same, same_infos = other.step(actions)
        assert_same(step, same)
        lengths = [[info and info["episode"]["l"] for info in each] for each in (infos, same_infos)]
        assert lengths[0] == lengths[1]


@pytest.mark.parametrize("env_id", ENV_SPECIFICATIONS)
def test_an_id_gives_its_games(env_id):
    env = MinesweeperVecEnv.make(env_id, 2, observation="planes", reward="win")
    assert env.observation_space == gymnasium.make(env_id, observation="planes").observation_space
    assert env.action_space == gymnasium.make(env_id).action_space
    assert env.games.reward == "win"


def test_arguments_replace_those_of_the_id():
    env = MinesweeperVecEnv.make("Minesweeper-v0", 2, size=5, mines=3, moves=("click",), first_click="safe")
    assert env.config == BoardConfig(5, 5, 3, "safe", ("click",))
    for wrong in ("CartPole-v1", ["Minesweeper-v0"]):
        with pytest.raises(ValueError, match="env_id must be one of Minesweeper-v0"):
            MinesweeperVecEnv.make(wrong, 2)
    for unused in ("threads", "autoreset_mode"):
        with pytest.raises(TypeError, match=unused):
            MinesweeperVecEnv.make("Minesweeper-v0", 2, **{unused: 2})


def test_an_id_or_swapped_arguments_are_no_configuration():
    for config, games in (("Minesweeper-v0", 4), (4, CLICKS)):
        with pytest.raises(ValueError, match=r"config must be a BoardConfig.*MinesweeperVecEnv\.make takes an id"):
            MinesweeperVecEnv(config, games)


@pytest.mark.parametrize("key", ["returns", "lengths", "codes"])
def test_a_damaged_state_is_refused_and_changes_nothing(key):
    env = make_small()
    env.reset()
    before = env.get_state()
    for state in ({**before, key: before[key][1:]}, {name: value for name, value in before.items() if name != key}):
        with pytest.raises(ValueError, match=key):
            env.set_state(state)
        assert_same(env.get_state(), before)


@pytest.mark.parametrize(
    ("observation", "wrap"),
    [
        ("planes", VecMonitor),
        ("codes", partial(VecNormalize, norm_obs=False)),
        ("flat", VecNormalize),
        *((encoding, partial(VecFrameStack, n_stack=2)) for encoding in ENCODINGS),
    ],
)
def test_maskable_ppo_learns_from_wrapped_games(observation, wrap):
    env = wrap(make_small(observation))
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=24, n_epochs=1, seed=0).learn(96)
    masks = get_action_masks(env)
    actions, _ = model.predict(env.reset(), action_masks=masks)
    assert masks.shape == (3, 16)
    assert masks[np.arange(3), actions].all()


@pytest.mark.parametrize(
    ("env_id", "observation"),
    [*((env_id, "codes") for env_id in ENV_SPECIFICATIONS), ("Minesweeper-v0", "planes"), ("Minesweeper-v0", "flat")],
)
def test_the_checker_of_stable_baselines3_finds_no_error(env_id, observation):
    check_env(gymnasium.make(env_id, observation=observation).unwrapped, warn=False)
