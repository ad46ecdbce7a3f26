"""Properties of every game, for any board and any actions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.naive_game import ALL_MOVES, neighbours

from minesweeper_env import Codes, MinesweeperEnv, MinesweeperVectorEnv, Move
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
    arguments = {"first_click": "any", "moves": ALL_MOVES, **arguments}
    env = MinesweeperEnv(layout.shape, int(layout.sum()), **arguments)
    env.reset(options={"layout": layout})
    return env


def act(env, actions):
    """Takes actions, folded into the action space, until the game is over; returns all steps."""
    steps = []
    for action in actions:
        steps.append((action % int(env.action_space.n), *env.step(action % int(env.action_space.n))))
        if steps[-1][3] or steps[-1][4]:
            break
    return steps


def board(env):
    return env.get_state()["codes"]


@given(layouts(), radii, st.randoms(use_true_random=False), st.data())
def test_flood_fill_does_not_depend_on_the_order_of_clicks(layout, radius, random, data):
    safe = np.flatnonzero(~layout).tolist()
    clicks = data.draw(st.lists(st.sampled_from(safe), max_size=8))
    flags = data.draw(st.sets(st.integers(0, layout.size - 1), max_size=6))
    shuffled = random.sample(clicks, len(clicks))
    boards = []
    for order in (clicks, shuffled):
        env = start(layout, radius=radius)
        act(env, [layout.size + cell for cell in flags] + order)
        boards.append(board(env))
    assert np.array_equal(*boards)


@given(layouts(), radii)
def test_every_open_cell_shows_the_number_of_mines_around_it(layout, radius):
    env = start(layout, radius=radius)
    steps = act(env, np.flatnonzero(~layout).tolist())
    assert steps[-1][3]
    assert steps[-1][5]["is_success"]
    for cell in zip(*np.nonzero(~layout), strict=True):
        cell = (int(cell[0]), int(cell[1]))
        assert board(env)[cell] == sum(layout[other] for other in neighbours(*layout.shape, cell, radius))


@given(layouts(), radii, action_numbers)
def test_opening_an_open_cell_changes_nothing(layout, radius, actions):
    env = start(layout, radius=radius, reward="shaped")
    steps = act(env, actions)
    if steps and (steps[-1][3] or steps[-1][4]):
        return
    before = board(env)
    for cell in np.flatnonzero(before.ravel() <= Codes.of_radius(radius).max_count):
        _, reward, terminated, _, info = env.step(int(cell))
        assert info["invalid_action"]
        assert not terminated
        assert reward < 0
    assert np.array_equal(board(env), before)


@given(layouts(), st.sampled_from(["flag", "question"]))
def test_marks_never_decide_a_game(layout, mark):
    block = layout.size * ALL_MOVES.index(mark)
    mines, safe = np.flatnonzero(layout).tolist(), np.flatnonzero(~layout).tolist()
    env = start(layout)
    for cell in mines:
        assert not env.step(block + cell)[2]
    for cell in safe:
        assert not env.step(block + cell)[2]
    for cell in safe:
        env.step(layout.size * Move.UNFLAG + cell)
    assert not env.step(layout.size * Move.FLAG + safe[0])[4]["is_success"]
    env.step(layout.size * Move.UNFLAG + safe[0])
    steps = act(env, safe)
    assert steps[-1][3]
    assert steps[-1][5]["is_success"]


@given(layouts())
def test_a_game_is_won_without_any_flag(layout):
    steps = act(start(layout, moves=("click",)), np.flatnonzero(~layout).tolist())
    assert steps[-1][3]
    assert steps[-1][5]["is_success"]
    assert steps[-1][2] == 1.0


def mask_of(observation, radius):
    """Returns the legal actions by the documented table, from the visible codes alone."""
    codes = Codes.of_radius(radius)
    rows, cols = observation.shape
    legal = {move: np.zeros((rows, cols), np.int8) for move in ALL_MOVES}
    for cell in np.ndindex(rows, cols):
        code = observation[cell]
        legal["click"][cell] = code in (codes.hidden, codes.question)
        legal["flag"][cell] = code in (codes.hidden, codes.question, codes.flagged)
        legal["unflag"][cell] = code in (codes.flagged, codes.question)
        legal["question"][cell] = code in (codes.hidden, codes.flagged)
        around = [observation[other] for other in neighbours(rows, cols, cell, radius)]
        closed = codes.hidden in around or codes.question in around
        legal["chord"][cell] = code <= codes.max_count and closed and around.count(codes.flagged) == code
    return np.concatenate([legal[move].ravel() for move in ALL_MOVES])


@given(layouts(), radii, action_numbers)
def test_masks_follow_from_what_is_shown(layout, radius, actions):
    env = start(layout, radius=radius)
    for _, observation, _, terminated, _, info in act(env, actions):
        expected = np.ones(5 * layout.size, np.int8) if terminated else mask_of(observation, radius)
        assert info["action_mask"].dtype == np.int8
        assert np.array_equal(info["action_mask"], expected)
        assert info["action_mask"].any()
    last = env.action_masks()
    assert last.dtype == np.bool_
    assert not actions or np.array_equal(last, expected)


@given(layouts(), radii, action_numbers)
def test_an_action_is_invalid_exactly_where_the_mask_says_so_and_then_changes_nothing(layout, radius, actions):
    env = start(layout, radius=radius)
    mask, before = env.action_masks(), board(env)
    for action in actions:
        action %= len(mask)
        _, _, terminated, truncated, info = env.step(action)
        assert info["invalid_action"] == (not mask[action])
        assert np.array_equal(board(env), before) == info["invalid_action"]
        if terminated or truncated:
            return
        mask, before = env.action_masks(), board(env)


@given(layouts(), radii)
def test_progress_sums_to_one_over_a_won_game(layout, radius):
    steps = act(start(layout, radius=radius, reward="progress"), np.flatnonzero(~layout).tolist())
    assert sum(step[2] for step in steps) == pytest.approx(1.0)


@given(layouts(), st.sampled_from(REWARDS), action_numbers)
def test_only_opening_a_cell_earns_anything(layout, reward, actions):
    env = start(layout, reward=reward)
    covered = layout.size
    total = 0.0
    for _, observation, earned, _, _, _ in act(env, actions * 3):
        now_covered = int((observation > 8).sum())
        assert earned <= 0 or now_covered < covered
        covered = now_covered
        total += earned
    assert total <= 1.0 * (~layout).sum() + 1.0


@given(layouts(), st.sampled_from(REWARDS), action_numbers)
def test_nothing_is_earned_after_the_end(layout, reward, actions):
    env = start(layout, reward=reward)
    act(env, [int(np.flatnonzero(layout)[0])])
    before = board(env)
    for action in actions:
        _, earned, terminated, truncated, info = env.step(action % int(env.action_space.n))
        assert (earned, terminated, truncated) == (0.0, True, False)
        assert not info["is_success"]
        assert not info["invalid_action"]
        assert info["action_mask"].all()
    assert np.array_equal(board(env), before)


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
        assert actions.shape == (4,)
        assert mask[np.arange(4), actions].all()
        env.step(np.where(np.arange(4) < 2, actions, click % layout.size))
