"""Wrong and odd calls of a new user: what each one answers, in one line, or that it works."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import Error, NameNotFound, ResetNeeded, VersionNotFound
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import FlattenObservation

from minesweeper_env import ActionMaskObservation, BoardConfig, MineProbabilities, MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.inference import InconsistentBoardError, mine_probabilities

ID = "Minesweeper-v0"
SIZE = "size must be a whole number"
MINES = "mines must be a whole number of at least 1"
MOVES = "moves must include 'click' and come in the order click, flag, unflag, question, chord"
REWARD = "reward must be a callable or one of win_loss, win, safe_click, progress, shaped"
ACTION = "an action must be a whole number in 0..127"
OPTIONS = "reset options must be a dict"
LAYOUT = "layout must be a bool array of shape (8, 8)"
MODE = "render_mode must be None or one of ansi, rgb_array"
ACTIONS = "actions must be whole numbers of shape (3,)"
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
    "size 8.0": (make(size=8.0), ValueError, SIZE),
    "size '8x8'": (make(size="8x8"), ValueError, SIZE),
    "size of three": (make(size=(8, 8, 2)), ValueError, "size must be a whole number or a pair (rows, cols)"),
    "size as array": (make(size=np.array([6, 7])), ValueError, SIZE),
    "size 0": (make(size=0), ValueError, SIZE),
    "size -3": (make(size=-3), ValueError, SIZE),
    "mines 0": (make(mines=0), ValueError, MINES),
    "mines 64": (make(mines=64), ValueError, "mines must be 1 to 55 on 8 x 8 with first_click 'opening'"),
    "mines 56": (make(mines=56), ValueError, "mines must be 1 to 55 on 8 x 8"),
    "a density": (make(mines=0.2), ValueError, MINES),
    "size 3": (make(size=3, mines=1), ValueError, "first_click 'safe' or 'any'"),
    "size 3 without mines": (make(size=3), ValueError, "mines"),
    "size 4 without mines": (make(size=4), ValueError, "mines"),
    "size 10 without mines": (make(size=10), ValueError, "mines"),
    "first_click 'Safe'": (make(first_click="Safe"), ValueError, "must be one of any, safe, opening, corners"),
    "moves as text": (make(moves="click"), ValueError, MOVES),
    "moves in another order": (make(moves=("flag", "click")), ValueError, MOVES),
    "an unknown move": (make(moves=("reveal",)), ValueError, MOVES),
    "a move twice": (make(moves=("click", "click")), ValueError, MOVES),
    "reward 'sparse'": (make(reward="sparse"), ValueError, REWARD),
    "reward as dict": (make(reward={"win": 1}), ValueError, REWARD),
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
    "observation 'onehot'": (make(observation="onehot"), ValueError, "must be one of codes, planes, flat"),
    "radius 6": (make(radius=6), ValueError, "radius must be 1 to 5, not 6"),
    "max_steps 0": (make(max_steps=0), ValueError, "max_steps must be a whole number of at least 1"),
    "max_steps 2**63": (make(max_steps=2**63), ValueError, "max_steps must be 1 to"),
    "render_mode 'foo'": (lambda: MinesweeperEnv(render_mode="foo"), ValueError, MODE),
    "render before reset": (lambda: gym.make(ID).render(), ResetNeeded, "call reset() first"),
    "step before reset": (lambda: gym.make(ID).step(0), ResetNeeded, "call reset() first"),
    "masks before reset": (lambda: gym.make(ID).unwrapped.action_masks(), ResetNeeded, "call reset() first"),
    "step(3.0)": (step(3.0), ValueError, ACTION),
    "step(float32)": (step(np.float32(3)), ValueError, ACTION),
    "step((1, 2))": (step((1, 2)), ValueError, ACTION),
    "step(array([3]))": (step(np.array([3])), ValueError, ACTION),
    "step(tensor([3]))": (lambda: step(pytest.importorskip("torch").tensor([3]))(), ValueError, ACTION),
    "step(True)": (step(True), ValueError, ACTION),
    "step(-1)": (step(-1), ValueError, ACTION),
    "step(128)": (step(128), ValueError, ACTION),
    "step(None)": (step(None), ValueError, ACTION),
    "reset(seed=-1)": (reset(seed=-1), Error, "Seed must be greater or equal to zero"),
    "reset(seed='a')": (reset(seed="a"), Error, "Seed must be a python integer"),
    "reset(seed=1.5)": (reset(seed=1.5), Error, "Seed must be a python integer"),
    "reset(42)": (single(lambda env: env.reset(42)), TypeError, "positional argument"),
    "options size": (reset(options={"size": 9}), ValueError, "unknown reset options ['size']; allowed: layout"),
    "options 'x'": (reset(options="x"), ValueError, f"{OPTIONS} with keys among layout, not 'x'"),
    "options [1]": (reset(options=[1]), ValueError, OPTIONS),
    "options 5": (reset(options=5), ValueError, OPTIONS),
    "options 5 in a batch": (batch(lambda env: env.reset(options=5)), ValueError, OPTIONS),
    "layout of ints": (reset(options={"layout": np.zeros((8, 8), int)}), ValueError, LAYOUT),
    "layout without mines": (
        reset(options={"layout": np.zeros((8, 8), bool)}),
        ValueError,
        "must have 14 mines, not 0",
    ),
    "layout None": (reset(options={"layout": None}), ValueError, f"{LAYOUT}, not None; leave it out"),
    "masks of a wrapper": (single(lambda env: env.action_masks()), AttributeError, "action_masks"),
    "env.seed": (single(lambda env: env.seed(3)), AttributeError, "seed"),
    "four values of a step": (single(unpack_four), ValueError, "too many values to unpack"),
    "version 1": (lambda: gym.make("Minesweeper-v1"), VersionNotFound, "`v1`"),
    "MineSweeper": (lambda: gym.make("MineSweeper-v0"), NameNotFound, "Did you mean: `Minesweeper`?"),
    "Minesweeper-Hard": (lambda: gym.make("Minesweeper-Hard-v0"), NameNotFound, "Did you mean: `Minesweeper`?"),
    "num_envs 0": (lambda: MinesweeperVectorEnv(0), ValueError, "num_envs must be a whole number of at least 1"),
    "two actions for three games": (steps(np.zeros(2, int)), ValueError, ACTIONS),
    "actions of floats": (steps(np.zeros(3)), ValueError, ACTIONS),
    "one action for all": (steps(3), ValueError, ACTIONS),
    "a batch before reset": (lambda: make_vec()().step(np.zeros(3, int)), ResetNeeded, "call reset() first"),
    "sampling before reset": (lambda: make_vec()().sample_actions(), ResetNeeded, "call reset() first"),
    "an action out of range": (steps(np.array([0, 1, 999])), ValueError, "not 999 (game 2)"),
    "two seeds for three games": (
        batch(lambda env: env.reset(seed=[1, 2])),
        ValueError,
        "one seed for each of 3 games",
    ),
    "autoreset by vector_kwargs": (
        make_vec(vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP}),
        Error,
        "can be passed arguments only through kwargs",
    ),
    "an unknown autoreset": (make_vec(autoreset_mode="never"), ValueError, "autoreset_mode must be"),
    "an empty reset mask": (
        batch(lambda env: env.reset(options={"reset_mask": np.zeros(3, bool)}), autoreset_mode="Disabled"),
        ValueError,
        "at least one True value",
    ),
    "wrappers of a batch": (make_vec(wrappers=[FlattenObservation]), Error, "with the wrappers argument"),
    "render_mode of a batch": (lambda: MinesweeperVectorEnv(3, render_mode="foo"), ValueError, MODE),
    "envs of a batch": (batch(lambda env: env.envs), AttributeError, "envs"),
    "an unknown convention": (
        lambda: ActionMaskObservation(gym.make(ID), "sb3"),
        ValueError,
        "convention must be one of pettingzoo, torchrl, rllib, tianshou, not 'sb3'",
    ),
    "a mask wrapper around a batch": (lambda: ActionMaskObservation(make_vec()()), NOT_AN_ENV, "gymnasium.Env"),
    "probabilities around a batch": (lambda: MineProbabilities(make_vec()()), NOT_AN_ENV, "gymnasium.Env"),
    "probabilities of corners": (
        lambda: MineProbabilities(gym.make(ID, first_click="corners")),
        ValueError,
        "exact mine probabilities need first_click any, safe, opening",
    ),
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


def mines_of(env):
    return env.unwrapped.config.mines


WORKS = {
    "sizes of NumPy": (lambda: BoardConfig.of_size(np.int64(6), np.int32(5)).cells, 36),
    "a size as list": (lambda: BoardConfig.of_size([6, 7], 5).cells, 42),
    "size 16 has 40 mines": (lambda: mines_of(gym.make(ID, size=16)), 40),
    "size 9 has 10 mines": (lambda: mines_of(gym.make(ID, size=9)), 10),
    "mines None follow the size": (lambda: mines_of(gym.make(ID, size=(16, 30), mines=None)), 99),
    "step(array(3))": (lambda: step(np.array(3))()[1:4], (0.0, False, False)),
    "a masked action": (lambda: single(lambda env: (env.step(0), env.step(0))[1][4]["invalid_action"])(), True),
    "a step after the end": (
        lambda: single(lambda env: (env.step(64), env.step(65))[1][1:4], max_steps=1)(),
        (0.0, False, True),
    ),
    "autoreset DISABLED": (
        lambda: make_vec(autoreset_mode=AutoresetMode.DISABLED)().metadata["autoreset_mode"],
        AutoresetMode.DISABLED,
    ),
    "autoreset by name": (
        lambda: make_vec(autoreset_mode="SameStep")().metadata["autoreset_mode"],
        AutoresetMode.SAME_STEP,
    ),
    "vectorization sync": (lambda: type(make_vec(vectorization_mode="sync")()).__name__, "SyncVectorEnv"),
    "call of a batch": (lambda: len(batch(lambda env: env.call("action_masks"))()), 3),
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
