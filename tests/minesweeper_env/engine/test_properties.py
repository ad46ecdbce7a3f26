"""Properties of every game, for any board and any actions, beyond the agreement with the naive game."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.naive_game import ALL_MOVES

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.rewards import REWARDS


@st.composite
def layouts(draw):
    """Draws a (rows, cols) bool layout with at least one mine and one safe cell."""
    rows, cols = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    if rows * cols == 1:
        cols = 2
    cells = rows * cols
    mines = draw(st.sets(st.integers(0, cells - 1), min_size=1, max_size=max(1, cells // 2)))
    layout = np.zeros(cells, np.bool_)
    layout[list(mines)] = True
    return layout.reshape(rows, cols)


radii = st.integers(1, 3)
action_numbers = st.lists(st.integers(0, 5 * 49 - 1), max_size=40)


def start(layout, **arguments):
    """Returns an environment with a new game on this layout."""
    env = MinesweeperEnv(layout.shape, int(layout.sum()), "any", ALL_MOVES, **arguments)
    env.reset(options={"layout": layout})
    return env


def act(env, actions):
    """Takes actions, folded into the action space, until the game is over; returns all steps."""
    steps = []
    for action in actions:
        steps.append(env.step(action % int(env.action_space.n)))
        if steps[-1][2] or steps[-1][3]:
            break
    return steps


@given(layouts(), radii, st.randoms(use_true_random=False), st.data())
def test_flood_fill_does_not_depend_on_the_order_of_clicks(layout, radius, random, data):
    safe = np.flatnonzero(~layout).tolist()
    clicks = data.draw(st.lists(st.sampled_from(safe), max_size=8))
    flags = data.draw(st.sets(st.integers(0, layout.size - 1), max_size=6))
    boards = []
    for order in (clicks, random.sample(clicks, len(clicks))):
        env = start(layout, radius=radius)
        act(env, [layout.size + cell for cell in flags] + order)
        boards.append(env.get_state()["codes"])
    assert np.array_equal(*boards)


@given(layouts(), radii)
def test_progress_sums_to_one_over_a_won_game(layout, radius):
    steps = act(start(layout, radius=radius, reward="progress"), np.flatnonzero(~layout).tolist())
    assert steps[-1][4]["is_success"]
    assert sum(step[1] for step in steps) == pytest.approx(1.0)


@given(layouts(), st.sampled_from(REWARDS), action_numbers)
def test_only_opening_a_cell_earns_anything(layout, reward, actions):
    covered, total = layout.size, 0.0
    for observation, earned, *_ in act(start(layout, reward=reward), actions * 3):
        now_covered = int((observation > 8).sum())
        assert earned <= 0 or now_covered < covered
        covered = now_covered
        total += earned
    assert total <= 1.0 * (~layout).sum() + 1.0


@given(layouts(), st.sampled_from(REWARDS), st.booleans(), action_numbers)
def test_nothing_is_earned_after_the_end(layout, reward, wins, actions):
    env = start(layout, reward=reward)
    last = act(env, np.flatnonzero(layout != wins).tolist())[-1]
    for action in actions:
        observation, *results, info = env.step(action % int(env.action_space.n))
        assert results == [0.0, True, False]
        assert (info["is_success"], info["invalid_action"]) == (wins, False)
        assert info["action_mask"].all()
        assert np.array_equal(observation, last[0])


@given(layouts(), layouts(), action_numbers)
def test_nothing_returned_depends_on_mines_that_are_not_shown(layout, other, actions):
    """Two layouts that agree with everything visible give the same observations, masks, rewards and info."""
    if layout.shape != other.shape or layout.sum() != other.sum():
        other = np.roll(layout.ravel(), 1).reshape(layout.shape)
    one, two = start(layout, reward="shaped"), start(other, reward="shaped")
    for action in actions:
        left, right = one.step(action % int(one.action_space.n)), two.step(action % int(two.action_space.n))
        if left[2] or right[2] or not np.array_equal(left[0], right[0]):
            return
        assert left[1] == right[1]
        assert left[3] == right[3]
        assert np.array_equal(left[4]["action_mask"], right[4]["action_mask"])
        assert left[4]["invalid_action"] == right[4]["invalid_action"]


@given(layouts(), st.integers(0, 2**32), st.lists(st.integers(0, 48), max_size=10))
def test_sampled_actions_are_legal(layout, seed, clicks):
    env = MinesweeperVectorEnv(4, layout.shape, int(layout.sum()), "any", ALL_MOVES)
    env.reset(seed=seed, options={"layout": layout})
    for click in clicks:
        mask = env.action_masks()
        actions = env.sample_actions()
        assert actions.dtype == np.int64
        assert mask[np.arange(4), actions].all()
        env.step(np.where(np.arange(4) < 2, actions, click % layout.size))
