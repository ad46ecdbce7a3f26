"""Saving, restoring, copying and pickling of games in progress; all continue identically."""

import copy
import json
import pickle
from functools import partial

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from hypothesis import example, given
from hypothesis import strategies as st
from support.equality import assert_same
from support.naive_game import ALL_MOVES

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.engine.state import FRESH, LOST, PLAYING, TRUNCATED, WON
from minesweeper_env.inference import mine_probabilities, sample_layouts

KINDS = (MinesweeperEnv, MinesweeperVectorEnv)
CONFIGURATIONS = [
    {"size": 5, "mines": 6, "moves": ALL_MOVES, "first_click": "any"},
    {"size": (4, 9), "mines": 5, "first_click": "corners", "reward": "shaped", "max_steps": 9},
    {"size": 7, "mines": 8, "first_click": "safe", "radius": 2, "observation": "planes", "moves": ("click",)},
    {"size": (1, 2), "mines": 1, "first_click": "safe"},
]


def by_state(env, arguments, through=lambda state: state):
    other = type(env)(**arguments)
    other.reset(seed=12345)
    other.set_state(through(env.get_state()))
    return other


def pickled(value):
    return pickle.loads(pickle.dumps(value))


def by_json(state):
    return json.loads(json.dumps({key: value.tolist() for key, value in state.items()}))


COPIES = [by_state, partial(by_state, through=pickled), partial(by_state, through=by_json)]
COPIES += [lambda env, _: copy.deepcopy(env), lambda env, _: pickled(env)]


def play_single(env, actions):
    """Takes actions, with a new game after each end; returns all returned values."""
    results = []
    for action in actions:
        results.append(env.step(int(action)))
        if results[-1][2] or results[-1][3]:
            results.append(env.reset())
    return results


def play_batch(env, steps):
    """Takes sampled actions, which depend on the sampler too; returns all returned values."""
    return [(actions := env.sample_actions(), env.step(actions)) for _ in range(steps)]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("arguments", CONFIGURATIONS)
@pytest.mark.parametrize("steps_before", [0, 1, 7, 23])
def test_a_copied_game_goes_on_alike(arguments, copied, steps_before):
    env = MinesweeperEnv(**arguments)
    env.reset(seed=3)
    actions = np.random.default_rng(steps_before).integers(int(env.action_space.n), size=80)
    play_single(env, actions[:steps_before])
    other = copied(env, arguments)
    assert_same(env.get_state(), other.get_state())
    assert np.array_equal(env.action_masks(), other.action_masks())
    # The copy goes first: if the two shared anything, the original would notice.
    expected = play_single(other, actions)
    assert_same(play_single(env, actions), expected)
    assert any(result[2] for result in expected if len(result) == 5)


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("arguments", CONFIGURATIONS)
@pytest.mark.parametrize(("mode", "steps_before"), [(AutoresetMode.NEXT_STEP, 0), (AutoresetMode.SAME_STEP, 40)])
def test_a_copied_batch_goes_on_alike(arguments, copied, mode, steps_before):
    arguments = {**arguments, "num_envs": 6, "autoreset_mode": mode}
    env = MinesweeperVectorEnv(**arguments)
    env.reset(seed=3)
    play_batch(env, steps_before)
    other = copied(env, arguments)
    assert_same(env.get_state(), other.get_state())
    expected = play_batch(other, 40)
    assert_same(play_batch(env, 40), expected)


@given(
    moves=st.sampled_from([("click",), ("click", "flag"), ("click", "question"), ALL_MOVES]),
    max_steps=st.sampled_from([1, 2, 3, 7, None]),
    seed=st.integers(0, 1000),
    laid=st.booleans(),
    actions=st.lists(st.integers(0, 5 * 16 - 1), max_size=30),
)
@example(moves=("click", "flag"), max_steps=2, seed=0, laid=False, actions=[0, 5, 16, 17])
@example(moves=("click", "flag"), max_steps=None, seed=0, laid=True, actions=[16 + 3, 2, 16 + 3, 0])
def test_every_state_that_a_game_reaches_is_restored(moves, max_steps, seed, laid, actions):
    env, other = (MinesweeperEnv(4, 3, "any", moves, max_steps=max_steps) for _ in range(2))
    env.reset(seed=seed, options={"layout": np.arange(16).reshape(4, 4) % 5 == 4} if laid else None)
    other.reset(seed=seed + 1)
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action % int(env.action_space.n))
        state = env.get_state()
        # A plain dict is checked, and the state itself is not.
        for given_state in (state, dict(state)):
            other.reset()
            other.set_state(given_state)
            assert_same(other.get_state(), state)
        assert np.array_equal(other.action_masks(), env.action_masks())
        assert_same(other.step(0), env.step(0))
        env.set_state(state)
        if terminated or truncated:
            env.reset()


def test_a_game_without_mines_yet_has_none_in_its_state_whatever_game_went_before():
    env = MinesweeperEnv(4, 3, "any", max_steps=2)
    env.reset(seed=0)
    env.step(0)
    env.reset()
    assert not env.get_state()["mines"].any()
    env.step(16)
    env.step(17)
    state = env.get_state()
    assert state["status"] == TRUNCATED
    assert not state["mines"].any()


def test_a_state_is_a_copy():
    env = MinesweeperEnv(6, 6)
    env.reset(seed=9)
    env.step(7)
    state = env.get_state()
    kept = copy.deepcopy(state)
    play_single(env, range(36))
    assert_same(state, kept)
    env.set_state(state)
    for value in state.values():
        np.asarray(value)[...] = 0
    assert_same(env.get_state(), kept)


def test_an_environment_that_has_not_begun_pickles():
    other = pickled(MinesweeperEnv(5, 3))
    assert_same(other.reset(seed=2), MinesweeperEnv(5, 3).reset(seed=2))


# A mine in the corner of 2 x 3; its neighbours are cells 1, 3 and 4.
MINES, NONE = np.arange(6).reshape(2, 3) == 0, np.zeros((2, 3), np.bool_)
COVERED, WON_BOARD = [[11] * 3] * 2, [[11, 1, 0], [1, 1, 0]]
CLICKS, MARKS, LIMIT = ("click",), ("click", "flag", "question"), 8


def state_of(status, codes, mines=MINES, steps=1):
    numbers = {"status": np.int64(status), "steps": np.int64(steps)}
    generators = {"generator": np.uint64(1), "next_generator": np.uint64(2)}
    return {"codes": np.array(codes, np.int8), "mines": mines, **numbers, **generators}


IMPOSSIBLE = {
    "flags without the move": ("codes", state_of(PLAYING, [[9] * 3] * 2), CLICKS),
    "questions without the move": ("codes", state_of(FRESH, [[10, 11, 11], [11] * 3], NONE), ("click", "flag")),
    "won too early": ("status", state_of(WON, COVERED), MARKS),
    "won without mines": ("mines", state_of(WON, COVERED, NONE), MARKS),
    "cleared and under way": ("status", state_of(PLAYING, WON_BOARD), MARKS),
    "cleared and truncated": ("status", state_of(TRUNCATED, WON_BOARD, steps=LIMIT), MARKS),
    "lost without a mine shown": ("codes", state_of(LOST, COVERED), MARKS),
    "lost under a flag": ("codes", state_of(LOST, [[9, 11, 11], [11] * 3]), MARKS),
    "a mine shown too early": ("codes", state_of(PLAYING, [[12, 11, 11], [11] * 3]), MARKS),
    "a mine shown in a won game": ("codes", state_of(WON, [[12, 1, 0], [1, 1, 0]]), MARKS),
    "a mine shown elsewhere": ("codes", state_of(LOST, [[12, 12, 11], [11] * 3]), MARKS),
    "an open mine": ("codes", state_of(PLAYING, [[0, 11, 11], [11] * 3]), MARKS),
    "a wrong clue": ("codes", state_of(PLAYING, [[11, 2, 11], [11] * 3]), MARKS),
    "an open 0 beside a covered cell": ("of an open 0", state_of(PLAYING, [[11, 11, 0], [1, 1, 0]]), CLICKS),
    "open before the first click": ("codes", state_of(FRESH, [[11, 0, 11], [11] * 3], NONE), MARKS),
    "mines before the first click": ("mines", state_of(FRESH, COVERED), MARKS),
    "no mines after it": ("mines", state_of(PLAYING, COVERED, NONE), MARKS),
    "open without mines": ("codes", state_of(TRUNCATED, [[11, 0, 11], [11] * 3], NONE, LIMIT), MARKS),
    "under way at the limit": ("steps", state_of(PLAYING, COVERED, steps=LIMIT), MARKS),
    "truncated before the limit": ("steps", state_of(TRUNCATED, COVERED, steps=LIMIT - 1), MARKS),
    "a ragged list": ("codes", {**state_of(PLAYING, COVERED), "codes": [[1], [1, 2]]}, MARKS),
    "no dict": ("have the keys", "state", MARKS),
}


@pytest.mark.parametrize(("named", "state", "moves"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_states_that_no_game_reaches_are_refused_in_one_line_and_change_nothing(named, state, moves):
    for env in (kind(size=(2, 3), mines=1, first_click="any", moves=moves, max_steps=LIMIT) for kind in KINDS):
        env.reset(seed=0)
        before = env.get_state()
        with pytest.raises(ValueError, match=named) as error:
            env.set_state(state)
        assert "\n" not in str(error.value)
        assert_same(env.get_state(), before)


def saved(kind=MinesweeperEnv, **arguments):
    env = kind(**{"size": 5, "mines": 4, "first_click": "any", **arguments})
    env.reset(seed=0)
    env.step(np.full(env.num_envs, 12) if kind is MinesweeperVectorEnv else 12)
    return env, env.get_state()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"more": lambda _: 1}, "have the keys"),
        ({"codes": lambda codes: codes[:4]}, r"state\['codes'\] must be int8 of shape"),
        ({"codes": lambda codes: codes * 1.0}, r"state\['codes'\] must be int8 of shape"),
        ({"codes": lambda codes: codes - 20}, r"state\['codes'\] must be 0 to 12"),
        ({"codes": lambda codes: codes + np.int64(256)}, r"state\['codes'\] must be 0 to 12"),
        ({"mines": lambda mines: mines.astype(int)}, r"state\['mines'\] must be bool"),
        ({"status": lambda _: np.int64(5)}, r"state\['status'\] must be 0 to 4"),
        ({"status": lambda _: "won"}, r"state\['status'\] must be"),
        ({"generator": lambda _: -1}, r"state\['generator'\] must be uint64"),
        ({"steps": lambda _: np.int64(251)}, r"state\['steps'\] must be 0 to 250"),
    ],
)
def test_a_damaged_state_is_refused_and_changes_nothing(change, message):
    env, state = saved()
    kept, changed = copy.deepcopy(state), {key: damage(state.get(key)) for key, damage in change.items()}
    with pytest.raises(ValueError, match=message):
        env.set_state({**state, **changed})
    state.update(changed)
    with pytest.raises(ValueError, match=message):
        env.set_state(state)
    assert_same(env.get_state(), kept)


@given(key=st.sampled_from(["codes", "mines"]), cell=st.integers(0, 24), kind=st.sampled_from([1, 3]), data=st.data())
def test_a_state_whose_arrays_change_in_place_is_checked(key, cell, kind, data):
    env, state = saved(MinesweeperVectorEnv, num_envs=kind) if kind > 1 else saved()
    game = data.draw(st.integers(0, kind - 1))
    array = state[key].reshape(-1, 25)[game]
    array[cell] = {"codes": 12, "mines": not array[cell]}[key]
    with pytest.raises(ValueError, match=key if kind == 1 else rf"{key}.*\(game {game}\)"):
        env.set_state(state)


def test_a_changed_state_counts_as_it_stands():
    env, state = saved()
    state["codes"][...], state["mines"][...] = state["codes"][::-1].copy(), state["mines"][::-1].copy()
    state["steps"] = np.int64(7)
    env.set_state(state)
    assert_same(env.get_state(), state)
    env.set_state({key: value.tolist() if key in ("mines", "codes") else value for key, value in state.items()})
    assert_same(env.get_state(), state)


@pytest.mark.parametrize("changed", [lambda state: state, dict])
def test_a_state_of_one_game_goes_to_all_games_or_to_some(changed):
    env, other = MinesweeperEnv(5, 4), MinesweeperVectorEnv(4, 5, 4)
    env.reset(seed=8)
    env.step(12)
    with pytest.raises(ResetNeeded):
        other.set_state(env.get_state(), [True, False, True, False])
    other.reset(seed=0)
    before = other.get_state()
    other.set_state(changed(env.get_state()), [True, False, True, False])
    for i, expected in enumerate([env.get_state(), None] * 2):
        assert_same(other.call("get_state")[i], expected or {key: before[key][i] for key in env.get_state()})
    assert_same(other.get_state()["sampler"], before["sampler"])
    other.set_state(changed(env.get_state()))
    for action in env.action_masks().nonzero()[0]:
        observation, reward, *_ = env.step(action)
        observations, rewards, *_ = other.step([action] * 4)
        assert_same(observations, observation[None].repeat(4, axis=0))
        assert_same(rewards, np.full(4, reward))
        if observation.max() == 12:
            break


@pytest.mark.parametrize("changed", [lambda state: state, dict])
def test_a_mask_restores_some_games_of_a_batch(changed):
    env, state = saved(MinesweeperVectorEnv, num_envs=3)
    play_batch(env, 5)
    later, mask = env.get_state(), np.array([False, True, True])
    env.set_state(changed(state), mask)
    for key, value in env.get_state().items():
        where = mask.reshape(-1, *[1] * (value.ndim - 1))
        assert_same(value, later[key] if key == "sampler" else np.where(where, state[key], later[key]))
    for wrong in ([0, 1, 1], [True] * 4, [False] * 3):
        with pytest.raises(ValueError, match="mask must be a bool array"):
            env.set_state(state, wrong)


def test_layouts_go_behind_one_board_in_one_call():
    env, batch = MinesweeperEnv(5, 8), MinesweeperVectorEnv(30, 5, 8, moves=("click",))
    env.reset(seed=8)
    board, *_ = env.step(12)
    layouts = sample_layouts(board, 8, 30, np.random.default_rng(0))
    batch.reset(seed=0)
    batch.set_state({**env.get_state(), "mines": layouts})
    cell = np.flatnonzero(mine_probabilities(board, 8).ravel() % 1 > 0)[0]
    observations, _, terminations, *_ = batch.step(np.full(30, cell))
    mined = layouts.reshape(30, -1)[:, cell]
    assert 0 < mined.sum() < 30
    assert np.array_equal(observations.reshape(30, -1)[:, cell] == 12, mined)
    assert terminations[mined].all()
    assert (observations[~mined] <= 11).all()


def test_a_state_of_other_games_is_refused():
    _, state = saved()
    for other in ({"mines": 5}, {"size": 6}, {"size": (1, 25)}, {"max_steps": 1}):
        with pytest.raises(ValueError, match="state"):
            saved(**other)[0].set_state(state)
    for arguments in ({"num_envs": 3}, {"num_envs": 1}, {"num_envs": 4, "mines": 5}):
        with pytest.raises(ValueError, match="state"):
            saved(MinesweeperVectorEnv, num_envs=4)[0].set_state(saved(MinesweeperVectorEnv, **arguments)[1])
    with pytest.raises(ValueError, match="have the keys"):
        saved()[0].set_state(saved(MinesweeperVectorEnv)[1])


@pytest.mark.parametrize("kind", KINDS)
def test_the_memory_behind_the_arrays_of_a_state_is_not_restored(kind):
    env, state = saved(kind)
    boards = [field.copy() for field in env._games.boards]
    arrays = [value for value in state.values() if isinstance(value, np.ndarray)]
    kept = [array.copy() for array in arrays]
    for memory in arrays:
        while isinstance(memory.base, np.ndarray):
            memory = memory.base
        memory[...] = ~memory
    for array, value in zip(arrays, kept, strict=True):
        array[...] = value
    env.set_state(state)
    assert_same(list(env._games.boards), boards)
