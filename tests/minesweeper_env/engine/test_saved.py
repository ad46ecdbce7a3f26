"""Saved states: every state that a game reaches is restored, and no other state is accepted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.equality import assert_same
from support.naive_game import ALL_MOVES

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.engine.state import FRESH, LOST, PLAYING, TRUNCATED, WON

CLICKS, MARKS = ("click",), ("click", "flag", "question")


def single(moves=("click", "flag"), **arguments):
    return MinesweeperEnv(**{"size": 4, "mines": 3, "first_click": "any", "moves": moves, **arguments})


def play(env, actions):
    """Takes actions, folded into the action space, with a new game after each end."""
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action % int(env.action_space.n))
        if terminated or truncated:
            yield
            env.reset()
        yield


@given(
    moves=st.sampled_from([CLICKS, ("click", "flag"), ("click", "question"), ALL_MOVES]),
    max_steps=st.sampled_from([1, 2, 3, 7, None]),
    seed=st.integers(0, 1000),
    laid=st.booleans(),
    actions=st.lists(st.integers(0, 5 * 16 - 1), max_size=30),
)
@example(moves=("click", "flag"), max_steps=2, seed=0, laid=False, actions=[16, 17])
@example(moves=("click", "flag"), max_steps=2, seed=0, laid=False, actions=[0, 5, 16, 17])
def test_every_state_that_a_game_reaches_is_restored(moves, max_steps, seed, laid, actions):
    env, other = (single(moves, max_steps=max_steps) for _ in range(2))
    env.reset(seed=seed, options={"layout": np.arange(16).reshape(4, 4) % 5 == 4} if laid else None)
    other.reset(seed=seed + 1)
    for _ in play(env, actions):
        state = env.get_state()
        other.set_state(state)
        assert_same(other.get_state(), state)
        assert np.array_equal(other.action_masks(), env.action_masks())
        assert_same(other.step(0), env.step(0))
        env.set_state(state)


@given(
    max_steps=st.sampled_from([1, 2, 5, None]),
    seed=st.integers(0, 1000),
    steps=st.lists(st.lists(st.integers(0, 5 * 16 - 1), min_size=4, max_size=4), max_size=12),
)
def test_every_state_that_a_batch_reaches_is_restored(max_steps, seed, steps):
    env, other = (MinesweeperVectorEnv(4, 4, 3, "any", ALL_MOVES, max_steps=max_steps) for _ in range(2))
    env.reset(seed=seed)
    for actions in steps:
        env.step(np.array(actions))
        other.set_state(env.get_state())
        assert_same(other.get_state(), env.get_state())
        assert np.array_equal(other.sample_actions(), env.sample_actions())


def test_a_game_without_mines_yet_has_none_in_its_state_whatever_game_went_before():
    env = single(max_steps=2)
    env.reset(seed=0)
    env.step(0)
    env.step(0)
    env.reset()
    assert not env.get_state()["mines"].any()
    env.step(16)
    env.step(17)
    state = env.get_state()
    assert state["status"] == TRUNCATED
    assert not state["mines"].any()


# A mine in the corner of 2 x 3; its neighbours are cells 1, 3 and 4.
MINES = np.array([[1, 0, 0], [0, 0, 0]], np.bool_)
COVERED, WON_BOARD = [[11] * 3] * 2, [[11, 1, 0], [1, 1, 0]]


def state_of(status, codes, mines=MINES, steps=1):
    return {
        "codes": np.array(codes, np.int8),
        "mines": np.array(mines, np.bool_),
        "status": np.int64(status),
        "steps": np.int64(steps),
        "generator": np.uint64(1),
        "next_generator": np.uint64(2),
    }


NONE = np.zeros((2, 3), np.bool_)
LEGAL = [
    state_of(FRESH, COVERED, NONE, 0),
    state_of(FRESH, [[9, 10, 11], [11] * 3], NONE, 2),
    state_of(PLAYING, COVERED, steps=0),
    state_of(PLAYING, [[9, 1, 9], [11, 10, 11]], steps=3),
    state_of(WON, WON_BOARD),
    state_of(WON, [[9, 1, 0], [1, 1, 0]], steps=8),
    state_of(LOST, [[12, 9, 10], [11] * 3]),
    state_of(LOST, [[12, 1, 0], [1, 1, 0]]),
    state_of(TRUNCATED, COVERED, NONE, 8),
    state_of(TRUNCATED, COVERED, steps=8),
    state_of(TRUNCATED, [[11, 1, 11], [11] * 3], steps=8),
]

IMPOSSIBLE = [
    ("marks", state_of(PLAYING, [[9, 11, 11], [11] * 3]), r"state\['codes'\] must have no flag marks", CLICKS),
    ("marks", state_of(PLAYING, [[10, 11, 11], [11] * 3]), r"state\['codes'\] must have no question marks", CLICKS),
    ("question", state_of(FRESH, [[10, 11, 11], [11] * 3], NONE), "no question marks", ("click", "flag")),
    ("won too early", state_of(WON, COVERED), r"state\['status'\]", MARKS),
    ("won without mines", state_of(WON, COVERED, NONE), r"state\['mines'\] must have 1 mines", MARKS),
    ("playing on", state_of(PLAYING, WON_BOARD), r"state\['status'\]", MARKS),
    ("truncated won", state_of(TRUNCATED, WON_BOARD, steps=8), r"state\['status'\]", MARKS),
    ("lost, nothing shown", state_of(LOST, COVERED), r"state\['codes'\] must show every mine", MARKS),
    ("lost under a flag", state_of(LOST, [[9, 11, 11], [11] * 3]), r"state\['codes'\] must show at least one", MARKS),
    ("shown early", state_of(PLAYING, [[12, 11, 11], [11] * 3]), r"state\['codes'\] must show mines only", MARKS),
    ("a mine elsewhere", state_of(LOST, [[12, 12, 11], [11] * 3]), r"state\['codes'\] must show mines only", MARKS),
    ("open and fresh", state_of(FRESH, [[11, 0, 11], [11] * 3], NONE), r"state\['codes'\] must show the counts", MARKS),
    ("mines and fresh", state_of(FRESH, COVERED), r"state\['mines'\] must have no mines before", MARKS),
    ("playing, no mines", state_of(PLAYING, COVERED, NONE), r"state\['mines'\] must have 1 mines after", MARKS),
    ("truncated, open", state_of(TRUNCATED, [[11, 0, 11], [11] * 3], NONE, 8), "state", MARKS),
    ("steps of another limit", state_of(PLAYING, COVERED, steps=8), r"state\['steps'\] must be less than", MARKS),
    ("more than the limit", state_of(WON, WON_BOARD, steps=9), r"state\['steps'\] must be 0 to 8", MARKS),
    ("huge", state_of(LOST, [[12, 9, 10], [11] * 3], steps=2**63 - 1), r"state\['steps'\] must be 0 to 8", MARKS),
    ("truncated early", state_of(TRUNCATED, COVERED, steps=7), r"state\['steps'\] must be the limit 8", MARKS),
    ("beyond int8", {**state_of(PLAYING, COVERED), "codes": np.full((2, 3), 267)}, "be int8 numbers", MARKS),
    ("ragged", {**state_of(PLAYING, COVERED), "codes": [[1], [1, 2]]}, "not a ragged list", MARKS),
]


def small(moves):
    env = MinesweeperEnv((2, 3), 1, "any", moves, max_steps=8)
    env.reset(seed=0)
    return env


@pytest.mark.parametrize("state", LEGAL)
def test_legal_states_are_restored(state):
    env = small(MARKS)
    env.set_state(state)
    assert_same(env.get_state(), state)
    assert env.action_masks().any()


@pytest.mark.parametrize(
    ("state", "message", "moves"), [row[1:] for row in IMPOSSIBLE], ids=[row[0] for row in IMPOSSIBLE]
)
def test_impossible_states_are_refused_in_one_line_and_change_nothing(state, message, moves):
    env = small(moves)
    env.step(4)
    before = env.get_state()
    with pytest.raises(ValueError, match=message) as error:
        env.set_state(state)
    assert "\n" not in str(error.value)
    assert_same(env.get_state(), before)


def test_the_message_for_a_batch_names_the_game():
    env = MinesweeperVectorEnv(3, (2, 3), 1, "any", CLICKS)
    env.reset(seed=0)
    state = env.get_state()
    state["codes"][1, 0, 0] = 9
    with pytest.raises(ValueError, match=r"state\['codes'\] must have no flag marks, .* \(game 1\)"):
        env.set_state(state)


@pytest.mark.parametrize("size", [(2, 3), (30, 40)])
def test_sampled_actions_are_in_the_space_even_on_a_board_without_a_legal_one(size):
    env = MinesweeperVectorEnv(20, size, 1, "any", CLICKS)
    env.reset(seed=0)
    env._games._boards.shown[:, :-1] = 9
    assert not env.action_masks().any()
    actions = env.sample_actions()
    assert ((actions >= 0) & (actions < size[0] * size[1])).all()


def test_a_step_limit_beyond_int64_is_refused_at_construction():
    for max_steps in (2**63, 10**30):
        with pytest.raises(ValueError, match="max_steps must be 1 to 9223372036854775807, not"):
            MinesweeperEnv(4, 3, max_steps=max_steps)
    env = MinesweeperEnv(4, 3, max_steps=2**63 - 1)
    env.reset(seed=0)
    assert not env.step(0)[3]
