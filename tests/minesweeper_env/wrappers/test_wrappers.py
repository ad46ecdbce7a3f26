"""Exact mine probabilities and action masks in the info and in the observation, for one game and for a batch."""

import copy
import pickle
from unittest.mock import Mock

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, MultiBinary
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from support import naive_inference as naive
from support.equality import assert_same, steps_alike
from support.naive_game import ALL_MOVES

from minesweeper_env import ActionMaskObservation, MineProbabilities, VectorMineProbabilities
from minesweeper_env.inference import PositionTooHardError, oracle
from minesweeper_env.testing import check_minesweeper_env
from minesweeper_env.wrappers import CONVENTIONS

SMALL = {"size": (4, 5), "mines": 4}
PLACES = {"info": {}, "dict": {}, "plane": {"observation": "planes"}}


def make(**arguments):
    return gymnasium.make("minesweeper_env:Minesweeper-v0", **{**SMALL, **arguments})


def make_batch(count, **arguments):
    return gymnasium.make_vec("minesweeper_env:Minesweeper-v0", num_envs=count, **{**SMALL, **arguments})


def random_turns(env, games, seed=0):
    """Plays random legal actions, and yields the observation and the info of every reset and step."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    for _ in range(games):
        over = False
        while not over:
            yield observation, info
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            observation, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        yield observation, info
        observation, info = env.reset()


@pytest.mark.parametrize(
    "arguments",
    [
        {"first_click": "opening"},
        {"first_click": "safe", "moves": ALL_MOVES},
        {"first_click": "any"},
        {"first_click": "safe", "radius": 2, "mines": 3},
        {"observation": "flat"},
    ],
    ids=str,
)
def test_every_board_has_the_naive_probabilities(arguments):
    env = MineProbabilities(make(**arguments))
    config = env.unwrapped.config
    boards = 0
    for _, info in random_turns(env, 60):
        board = env.unwrapped.get_state()["codes"]
        if (board == config.codes.mine).any():
            continue
        boards += 1
        expected = naive.mine_probabilities(board, config.mines, radius=config.radius)
        assert info["mine_probability"].dtype == np.float64
        assert info["mine_probability_exact"] is True
        np.testing.assert_allclose(info["mine_probability"], expected, rtol=0, atol=1e-12)
    assert boards > 100


CORNERS = [0, 4, 15, 19]
LAYOUT = np.isin(np.arange(20), CORNERS).reshape(4, 5)


# In the last case one mine is under two flags, and the board does not show under which.
@pytest.mark.parametrize(("flags", "unknown"), [((), []), ((4, 19), []), ((2, 9), []), ((4, 9), [4, 9])])
def test_a_lost_board_is_known_but_for_flags_of_both_kinds(flags, unknown):
    env = MineProbabilities(make(first_click="any"))
    env.reset(seed=0, options={"layout": LAYOUT})
    for cell in flags:
        env.step(20 + cell)
    # The click on cell 0 shows it, and every mine without a flag.
    _, _, terminated, _, info = env.step(0)
    assert terminated
    expected = LAYOUT.astype(float)
    expected.flat[unknown] = np.nan
    np.testing.assert_array_equal(info["mine_probability"], expected)
    assert info["mine_probability_exact"] == (not unknown)


@pytest.mark.parametrize("place", PLACES)
def test_a_position_that_is_too_hard_says_so(monkeypatch, place):
    env = MineProbabilities(make(first_click="any", **PLACES[place]), place)
    env.reset(seed=0)
    monkeypatch.setattr(oracle, "mine_probabilities_batch", Mock(side_effect=PositionTooHardError))
    env.reset(seed=0, options={"layout": LAYOUT})
    observation, _, _, _, info = env.step(1)
    assert info["mine_probability_exact"] is False
    covered = np.arange(20).reshape(4, 5) != 1
    np.testing.assert_array_equal(info["mine_probability"], np.where(covered, np.nan, 0.0))
    assert env.observation_space.contains(observation)
    if place != "info":
        beside = observation["mine_probability"] if place == "dict" else observation[-1]
        np.testing.assert_array_equal(beside, np.where(covered, -1.0, 0.0))


def test_one_hard_board_of_a_batch_leaves_the_others_exact(monkeypatch):
    exact = oracle.mine_probabilities_batch

    def refuse_open_corners(boards, *arguments, **settings):
        if (boards[:, 0, 0] == 1).any():
            raise PositionTooHardError("too hard")
        return exact(boards, *arguments, **settings)

    envs = VectorMineProbabilities(make_batch(3, first_click="any"))
    beside_the_corner = np.isin(np.arange(20), [1, *CORNERS[1:]]).reshape(4, 5)
    envs.reset(seed=0, options={"layout": np.stack([LAYOUT, beside_the_corner, LAYOUT])})
    monkeypatch.setattr(oracle, "mine_probabilities_batch", refuse_open_corners)
    *_, infos = envs.step(np.array([1, 0, 2]))
    hard = np.array([False, True, False])
    assert (infos["mine_probability_exact"] == ~hard).all()
    assert (np.isnan(infos["mine_probability"]).any(axis=(1, 2)) == hard).all()


def test_places_and_their_spaces():
    board = Box(-1.0, 1.0, (4, 5), np.float32)
    env = MineProbabilities(make(), "dict")
    assert env.observation_space == Dict({"observation": Box(0, 12, (4, 5), np.int8), "mine_probability": board})
    env = MineProbabilities(ActionMaskObservation(make(), "tianshou"), "dict")
    assert set(env.observation_space) == {"obs", "mask", "mine_probability"}
    env = MineProbabilities(make(observation="planes"), "plane")
    assert env.observation_space.shape == (14, 4, 5)
    assert (env.observation_space.low[:-1] == 0).all()
    assert (env.observation_space.low[-1] == -1).all()


@pytest.mark.parametrize("place", PLACES)
def test_the_observation_holds_what_info_holds(place):
    env = MineProbabilities(make(**PLACES[place]), place)
    plain = make(**PLACES[place])
    for (observation, info), (bare, bare_info) in zip(random_turns(env, 20), random_turns(plain, 20), strict=True):
        assert env.observation_space.contains(observation)
        own = {key: value for key, value in info.items() if not key.startswith("mine_")}
        assert_same(own, bare_info)
        known = np.nan_to_num(info["mine_probability"], nan=-1.0).astype(np.float32)
        expected = {
            "info": bare,
            "dict": {"observation": bare, "mine_probability": known},
            "plane": np.concatenate([bare, known[None]]) if place == "plane" else None,
        }
        assert_same(observation, expected[place])


@pytest.mark.parametrize("place", ["dict", "plane"])
def test_conformance(place):
    env = MineProbabilities(make(**PLACES[place], render_mode="ansi"), place, overlay=True)
    check_minesweeper_env(ActionMaskObservation(env) if place == "plane" else env)


@pytest.mark.parametrize("env", [MineProbabilities(make(), "dict"), ActionMaskObservation(make(), "tianshou")], ids=str)
def test_copies_and_spec(env):
    env.reset(seed=2)
    for twin in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env), gymnasium.make(env.spec)):
        assert twin.observation_space == env.observation_space
    envs = pickle.loads(pickle.dumps(VectorMineProbabilities(make_batch(2), "dict")))
    observations, _ = envs.reset(seed=0)
    assert envs.observation_space.contains(observations)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_a_batch_is_made_of_single_games(place, mode):
    count, arguments = 8, {"moves": ALL_MOVES, "first_click": "any", **PLACES[place]}
    envs = VectorMineProbabilities(make_batch(count, autoreset_mode=mode, **arguments), place, threads=2)
    singles = SyncVectorEnv([lambda: MineProbabilities(make(**arguments), place)] * count, autoreset_mode=mode)
    assert envs.observation_space == singles.observation_space
    assert steps_alike(envs, singles, 3, 60) > 20
    assert envs.action_masks()[np.arange(count), envs.sample_actions()].all()


@pytest.mark.parametrize(
    ("arguments", "options", "complaint"),
    [
        ({"first_click": "corners"}, {}, "need first_click any, safe, opening, .* not 'corners'"),
        ({}, {"place": "beside"}, "place must be one of info, dict, plane, not 'beside'"),
        ({}, {"place": "plane"}, 'needs an environment with observation="planes"'),
        ({"observation": "flat"}, {"place": "plane"}, 'needs an environment with observation="planes"'),
    ],
)
def test_bad_arguments(arguments, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        MineProbabilities(make(**arguments), **options)
    with pytest.raises(ValueError, match=complaint):
        VectorMineProbabilities(make_batch(2, **arguments), **options)


def test_another_kind_of_environment():
    with pytest.raises(ValueError, match="must be a MinesweeperEnv"):
        MineProbabilities(gymnasium.make("CartPole-v1"))
    with pytest.raises(ValueError, match="wrap each game with MineProbabilities"):
        VectorMineProbabilities(SyncVectorEnv([make]))


# Mask conventions of the learning libraries

CODES, BOOLS, FLOATS = Box(0, 12, (4, 5), np.int8), Box(0, 1, (40,), np.bool_), Box(0.0, 1.0, (40,), np.float32)
SPACES = {
    "pettingzoo": {"observation": CODES, "action_mask": MultiBinary(40)},
    "torchrl": {"observation": CODES, "action_mask": BOOLS},
    "rllib": {"observations": Box(0.0, 12.0, (4, 5), np.float32), "action_mask": FLOATS},
    "tianshou": {"obs": CODES, "mask": BOOLS},
}


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_keys_dtypes_and_spaces(convention):
    spaces = SPACES[convention]
    _, mask_key = spaces
    env = ActionMaskObservation(make(), convention)
    assert env.observation_space == Dict(spaces)
    check_minesweeper_env(env)
    for observation, info in random_turns(env, 10):
        assert list(observation) == list(spaces)
        assert all(observation[key].dtype == space.dtype for key, space in spaces.items())
        assert env.observation_space.contains(observation)
        assert (observation[mask_key] == info["action_mask"]).all()
        assert (env.action_masks() == info["action_mask"]).all()


@pytest.mark.parametrize(
    ("env_id", "arguments", "message"),
    [
        ("Minesweeper-v0", {"convention": "sb3"}, "pettingzoo, torchrl, rllib, tianshou"),
        ("Minesweeper-v0", {"convention": ["rllib"]}, "pettingzoo, torchrl, rllib, tianshou"),
        ("MountainCarContinuous-v0", {}, "Discrete action space"),
        ("CartPole-v1", {}, "must have action masks"),
    ],
)
def test_bad_arguments_of_masks(env_id, arguments, message):
    with pytest.raises(ValueError, match=message):
        ActionMaskObservation(gymnasium.make(env_id), **arguments)
