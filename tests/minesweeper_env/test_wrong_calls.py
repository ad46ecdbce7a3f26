"""Wrong and odd calls of a new user: what each one answers, in one line, or that it works."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import Error, NameNotFound, VersionNotFound
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import FlattenObservation

from minesweeper_env import ActionMaskObservation, BoardConfig, MineProbabilities, MinesweeperEnv
from minesweeper_env.inference import InconsistentBoardError, mine_probabilities

ID = "Minesweeper-v0"
ACTION = "an action must be a whole number in 0..127"
OPTIONS = "reset options must be a dict"
NOT_AN_ENV = (TypeError, AssertionError)  # of Gymnasium 1.3 and later, and before


def make(**arguments):
    return lambda: gym.make(ID, **arguments)


def make_vec(num_envs=3, **arguments):
    return lambda: gym.make_vec(ID, num_envs=num_envs, **arguments)


def single(call, **arguments):
    """Returns a call of `call` with an environment whose game has begun."""

    def begin():
        env = gym.make(ID, **arguments)
        env.reset(seed=0)
        return call(env)

    return begin


def batch(call, **arguments):
    """Returns a call of `call` with a batch of three games that have begun."""

    def begin():
        env = gym.make_vec(ID, num_envs=3, **arguments)
        env.reset(seed=0)
        return call(env)

    return begin


def step(action, **arguments):
    return single(lambda env: env.step(action), **arguments)


def steps(actions, **arguments):
    return batch(lambda env: env.step(actions), **arguments)


def reset(**arguments):
    return single(lambda env: env.reset(**arguments))


def unpack_four(env):
    observation, reward, done, info = env.step(3)
    return observation, reward, done, info


WRONG = {
    "n_mines": (
        make(n_mines=10),
        TypeError,
        "unexpected keyword argument 'n_mines', did you mean mines? It takes size, mines",
    ),
    "width and height": (make(width=9, height=9), TypeError, "unexpected keyword argument 'width', did you mean size?"),
    "board_size": (make(board_size=9), TypeError, "did you mean size?"),
    "foo in a batch": (make_vec(foo=1), TypeError, "unexpected keyword argument 'foo'; It takes num_envs"),
    "foo directly": (lambda: MinesweeperEnv(foo=1), TypeError, "unexpected keyword argument 'foo'"),
    "reward without argument": (make(reward=lambda: 1), ValueError, "a reward callable takes one argument"),
    "reward of two arguments": (make_vec(reward=lambda _one, _two: 1), ValueError, "takes one argument, a Transition"),
    "reward of None": (step(3, reward=lambda _: None), TypeError, "must return a number, not None"),
    "reward of None, batch": (
        steps(np.zeros(3, int), reward=lambda _: None),
        TypeError,
        "must return numbers of shape (3,) for 3 games, not None",
    ),
    "rewards of two games": (
        steps(np.zeros(3, int), reward=lambda _: np.zeros(2)),
        TypeError,
        "numbers of shape (3,) for 3 games, not float64 (2,)",
    ),
    "step(tensor([3]))": (lambda: step(pytest.importorskip("torch").tensor([3]))(), ValueError, ACTION),
    "reset(seed=-1)": (reset(seed=-1), Error, "Seed must be greater or equal to zero"),
    "reset(seed='a')": (reset(seed="a"), Error, "Seed must be a python integer"),
    "reset(seed=1.5)": (reset(seed=1.5), Error, "Seed must be a python integer"),
    "reset(42)": (single(lambda env: env.reset(42)), TypeError, "positional argument"),
    "options 5 in a batch": (batch(lambda env: env.reset(options=5)), ValueError, OPTIONS),
    "masks of a wrapper": (single(lambda env: env.action_masks()), AttributeError, "action_masks"),
    "env.seed": (single(lambda env: env.seed(3)), AttributeError, "seed"),
    "four values of a step": (single(unpack_four), ValueError, "too many values to unpack"),
    "version 1": (lambda: gym.make("Minesweeper-v1"), VersionNotFound, "`v1`"),
    "MineSweeper": (lambda: gym.make("MineSweeper-v0"), NameNotFound, "Did you mean: `Minesweeper`?"),
    "Minesweeper-Hard": (lambda: gym.make("Minesweeper-Hard-v0"), NameNotFound, "Did you mean: `Minesweeper`?"),
    "autoreset by vector_kwargs": (
        make_vec(vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP}),
        Error,
        "can be passed arguments only through kwargs",
    ),
    "wrappers of a batch": (make_vec(wrappers=[FlattenObservation]), Error, "with the wrappers argument"),
    "envs of a batch": (batch(lambda env: env.envs), AttributeError, "envs"),
    "a mask wrapper around a batch": (lambda: ActionMaskObservation(make_vec()()), NOT_AN_ENV, "gymnasium.Env"),
    "probabilities around a batch": (lambda: MineProbabilities(make_vec()()), NOT_AN_ENV, "gymnasium.Env"),
    "an impossible board": (
        lambda: mine_probabilities(np.array([[8, 11], [11, 11]], np.int8), 2),
        InconsistentBoardError,
        "2 mines",
    ),
    "probabilities without mines": (lambda: mine_probabilities(np.zeros((2, 2), np.int8)), TypeError, "'mines'"),
}


@pytest.mark.parametrize(("call", "error", "fragment"), WRONG.values(), ids=WRONG)
def test_a_wrong_call_says_what_is_allowed_in_one_line(call, error, fragment):
    with pytest.raises(error) as raised:
        call()
    assert fragment in str(raised.value)
    assert raised.type in (error if isinstance(error, tuple) else (error,))
    assert "\n" not in str(raised.value)


WORKS = {
    "a size as list": (lambda: BoardConfig.of_size([6, 7], 5).cells, 42),
    "a masked action": (lambda: single(lambda env: (env.step(0), env.step(0))[1][4]["invalid_action"])(), True),
    "a step after the end": (
        lambda: single(lambda env: (env.step(64), env.step(65))[1][1:4], max_steps=1)(),
        (0.0, False, True),
    ),
    "vectorization sync": (lambda: type(make_vec(vectorization_mode="sync")()).__name__, "SyncVectorEnv"),
    "a board as list": (lambda: mine_probabilities([[11, 1], [1, 1]], 1).tolist(), [[1.0, 0.0], [0.0, 0.0]]),
    "one reward for all games": (lambda: steps(np.zeros(3, int), reward=lambda _: 2)()[1].tolist(), [2.0] * 3),
    "a reward without signature": (lambda: MinesweeperEnv(reward=max).reward, max),
}


@pytest.mark.parametrize(("call", "result"), WORKS.values(), ids=WORKS)
def test_an_odd_call_works(call, result):
    assert call() == result


@pytest.mark.parametrize("kind", ["single", "batch"])
def test_render_without_a_mode_warns_how_to_choose_one(kind):
    env = gym.make(ID) if kind == "single" else gym.make_vec(ID, num_envs=2)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match=r'gym\.make\("Minesweeper-v0", render_mode="ansi"\)'):
        env.render()


def test_tensors_are_actions():
    torch = pytest.importorskip("torch")
    assert step(torch.tensor(3))()[1] == 0.0
    assert steps(torch.zeros(3, dtype=torch.int64))()[1].tolist() == [0.0] * 3
