"""The batched environment: game i seeded s + i equals the single environment seeded s + i, step for step."""

import multiprocessing
from copy import deepcopy
from functools import partial
from itertools import product

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from support.equality import assert_same, steps_alike
from support.naive_game import ALL_MOVES

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.config import FIRST_CLICKS
from minesweeper_env.observations import ENCODINGS
from minesweeper_env.rewards import REWARDS
from minesweeper_env.vector_env import CALLS

MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
MOVE_SETS = (("click",), ("click", "flag"), ALL_MOVES)


def opened_cells_less_losses(transition):
    """Returns a reward that depends on the board, for numbers as well as for arrays."""
    hidden = (transition.codes > 8).sum(axis=(-2, -1))
    return transition.opened - 10.0 * transition.lost + transition.won / transition.safe_cells + hidden * 0.01


def check_against_single(count, steps, seed, mode, **arguments):
    """Plays a batch beside Gymnasium's own batch of single environments; returns the number of games that ended."""
    batch = MinesweeperVectorEnv(count, autoreset_mode=mode, **arguments)
    sync = SyncVectorEnv([lambda: MinesweeperEnv(**arguments)] * count, autoreset_mode=mode)
    assert batch.observation_space == sync.observation_space
    assert batch.action_space == sync.action_space
    return steps_alike(batch, sync, seed, steps)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("first_click", FIRST_CLICKS)
def test_equals_single_in_every_configuration(first_click, mode):
    """Each encoding meets each set of moves and radius, and each of these each reward and limit."""
    ended = 0
    for seed, choice in enumerate(product(MOVE_SETS, (1, 2), (*REWARDS, opened_cells_less_losses), (None, 7))):
        arguments = dict(zip(("moves", "radius", "reward", "max_steps"), choice, strict=True))
        arguments |= {"first_click": first_click, "observation": ENCODINGS[seed % 3], "size": (6, 7), "mines": 6}
        ended += check_against_single(2, 8, 10 * seed, mode, **arguments)
    assert ended > 100


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "arguments",
    [
        {"size": 6, "mines": 7, "no_guess": "exact"},
        {"size": 4, "mines": 4, "first_click": "safe", "moves": ALL_MOVES, "luck": False},
    ],
)
def test_equals_single_without_guesses_and_without_luck(arguments, mode):
    assert check_against_single(3, 150, 10, mode, **arguments) > 20


@pytest.mark.parametrize("mode", [*AutoresetMode, "NextStep", "SameStep", "Disabled"])
def test_make_vec_takes_the_arguments_of_make_and_the_mode(mode):
    arguments = {"size": (3, 9), "mines": 3, "first_click": "safe", "moves": ("click",)}
    env = gymnasium.make_vec("Minesweeper-v0", num_envs=4, **arguments, autoreset_mode=mode)
    assert isinstance(env.unwrapped, MinesweeperVectorEnv)
    assert env.single_action_space.n == 27
    assert env.metadata["autoreset_mode"] is AutoresetMode(mode)


@pytest.mark.parametrize("limits", [(4, 9), (9, 4), (4, None), (None, 4)])
def test_the_smaller_of_two_limits_counts(limits):
    env = MinesweeperVectorEnv(1, 5, 3, max_steps=limits[0], max_episode_steps=limits[1])
    env.reset(seed=0)
    truncated = [bool(env.step(np.array([25 + step]))[3][0]) for step in range(5)]
    assert truncated == [False, False, False, True, False]


def test_observations_masks_and_rewards_are_never_written_again():
    env = gymnasium.make_vec("Minesweeper-v0", num_envs=700, moves=("click",))
    kept = [env.reset(seed=4)]
    copies = deepcopy(kept)
    for _ in range(12):
        kept.append(env.step(env.unwrapped.sample_actions()))
        copies.append(deepcopy(kept[-1]))
    assert_same(kept, copies)


def test_what_the_caller_writes_into_results_changes_no_game():
    env, other = (MinesweeperVectorEnv(600, moves=("click",)) for _ in range(2))
    env.reset(seed=4)
    other.reset(seed=4)
    for _ in range(8):
        actions = other.sample_actions()
        assert np.array_equal(env.sample_actions(), actions)
        results = env.step(actions)
        assert_same(results, other.step(actions))
        for part in (*results[:4], *results[4].values()):
            part[...] = 1


TOO_LARGE = np.array([0, 1, 2**64 - 1], np.uint64)


@pytest.mark.parametrize(
    "actions",
    [0, [0], [[0, 1, 2]], [0.0, 1.0, 2.0], ["0", "1", "2"], None, [0, 1, -1], [0, 1, 128], [True] * 3, TOO_LARGE],
)
@pytest.mark.parametrize("arguments", [{}, {"size": 6, "mines": 7, "no_guess": "exact"}])
def test_wrong_actions_are_refused_before_any_game_moves(actions, arguments):
    env = MinesweeperVectorEnv(3, **arguments)
    env.reset(seed=0)
    before = env.get_state()
    with pytest.raises(ValueError, match=rf"shape \(3,\)|whole number in 0\.\.{env.single_action_space.n - 1}"):
        env.step(actions)
    assert_same(env.get_state(), before)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.int64])
def test_actions_of_all_integer_types_are_taken(dtype):
    env, other = MinesweeperVectorEnv(3), MinesweeperVectorEnv(3)
    env.reset(seed=0)
    other.reset(seed=0)
    assert_same(env.step(np.array([5, 64, 9], dtype)), other.step([5, 64, 9]))


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"num_envs": 2.5}, "num_envs"),
        ({"autoreset_mode": "SAME_STEP"}, "SameStep"),
        ({"max_episode_steps": 0}, "max_episode_steps"),
        ({"max_steps": "x", "max_episode_steps": 5}, "max_steps"),
        ({"threads": 1.5}, "threads must be a whole number of at least 1"),
    ],
)
def test_wrong_arguments_are_refused(arguments, name):
    with pytest.raises(ValueError, match=name):
        MinesweeperVectorEnv(**arguments)


@pytest.mark.parametrize("seed", [-1, 1.5, np.array(5), {1: 2}, [1, 2], [1, 2, -3], [1, 2, 0.5]])
def test_wrong_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="seed must be None, a whole number of at least 0, or 3 of these"):
        MinesweeperVectorEnv(3).reset(seed=seed)


@pytest.mark.parametrize("seed", [np.uint8(254), [254, 255, 256], range(254, 257), np.arange(254, 257)])
def test_seeds_of_all_forms_start_the_same_games(seed):
    env, other = MinesweeperVectorEnv(3), MinesweeperVectorEnv(3)
    env.reset(seed=254)
    other.reset(seed=7)
    other.reset(seed=seed)
    assert_same(env.step(np.zeros(3, int)), other.step(np.zeros(3, int)))
    # Gymnasium's value for a generator that no single seed made.
    assert other.np_random_seed == (254 if np.ndim(seed) == 0 else -1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from Python 3.12 on, a fork beside threads
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_the_games_do_not_depend_on_how_processes_start(method):
    makers = [partial(gymnasium.make, "minesweeper_env:Minesweeper-v0", moves=("click",))]
    envs, here = AsyncVectorEnv(makers, context=method), SyncVectorEnv(makers)
    assert_same(envs.reset(seed=5), here.reset(seed=5))
    for cell in range(0, 64, 9):
        assert_same(envs.step(np.array([cell])), here.step(np.array([cell])))
    envs.close()


def test_calls_and_attributes_are_those_of_the_single_environments():
    arguments = {"size": 5, "mines": 3, "render_mode": "ansi", "reward": "progress"}
    batch = MinesweeperVectorEnv(3, **arguments)
    sync = SyncVectorEnv([lambda: MinesweeperEnv(**arguments)] * 3)
    for env in (batch, sync):
        env.reset(seed=5)
        env.step(np.array([3, 12, 30]))
    for name in (*CALLS, "config", "render_mode", "reward", "observation", "spec", "observation_space", "action_space"):
        results = batch.call(name)
        assert isinstance(results, tuple)
        assert_same(list(results), list(sync.call(name)), name)
        assert_same(batch.get_attr(name), results, name)
    assert len(batch.get_attr("metadata")) == 3


def test_rendering_without_a_mode_returns_none_for_each_game():
    env = MinesweeperVectorEnv(2)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="no render mode"):
        assert env.call("render") == (None, None)


def test_other_names_are_attribute_errors():
    batch = MinesweeperVectorEnv(3)
    for call in (batch.call, batch.get_attr):
        with pytest.raises(AttributeError, match="difficulty"):
            call("difficulty")
    with pytest.raises(AttributeError):
        batch.set_attr("reward", "win")
