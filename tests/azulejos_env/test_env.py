"""Environments of one game: the rules through the API, opponents, rewards, masks, and the conventions of Gymnasium."""

from __future__ import annotations

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st
from support import naive_azulejos as naive
from support.equality import assert_same

from azulejos_env import AzulejosEnv
from azulejos_env.policies import RandomPolicy
from azulejos_env.position import Position

CONFIGURATIONS = [
    {},
    {"size": (3, 5), "colours": 2, "opponent": "random", "seat": "random", "reward": "win_loss"},
    {"size": 5, "opponent": None, "observation": "planes", "side": "right"},
    {"size": 4, "opponent": "minimax:depth=2", "seat": "second", "points": (3, 1), "per_tile": 4, "bonus": 2},
    {"size": (1, 1), "colours": 1, "opponent": None},
    {"size": (1, 2), "colours": 1, "opponent": "random", "seat": "second", "max_steps": 3},
]


def play(env, seed, options=None):
    """Yields the first observation and info, and those of each step of random legal moves, to the end of a game."""
    generator = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed, options=options)
    yield observation, 0.0, False, False, info
    while True:
        action = generator.choice(np.flatnonzero(info["action_mask"]))
        step = env.step(action)
        info = step[4]
        yield step
        if step[2] or step[3]:
            return


def first_cells(board):
    return {min(group): group for group in naive.groups(naive.rows_of(board))}


@pytest.mark.parametrize("opponent", ["greedy", "random", None, "minimax:depth=1"])
@pytest.mark.parametrize("seat", ["first", "second", "random"])
def test_games_follow_the_rules_of_the_oracle(opponent, seat):
    """Each board follows from the last one by a move of the agent and, unless it is alone, one of the opponent."""
    env = AzulejosEnv(size=(4, 5), opponent=opponent, seat=seat)
    for seed in range(8):
        generator = np.random.default_rng(seed)
        board, info = env.reset(seed=seed)
        terminated, total = False, 0.0
        while not terminated:
            groups = first_cells(board)
            cells = [int(cell) for cell in np.flatnonzero(info["action_mask"])]
            if not groups:
                break
            assert cells == sorted(5 * row + col for row, col in groups)
            action = int(generator.choice(cells))
            own, other = info["scores"].tolist()
            after, own = naive.play(env.config, naive.rows_of(board), own, groups[divmod(action, 5)])
            board, reward, terminated, truncated, info = env.step(action)
            following = {(after, own, other)}
            if opponent is not None and naive.groups(after):
                moves = [naive.play(env.config, after, other, group) for group in naive.groups(after)]
                following = {(rows, own, score) for rows, score in moves}
            assert (naive.rows_of(board), *info["scores"].tolist()) in following
            assert terminated == (not naive.groups(naive.rows_of(board)))
            assert not truncated
            total += reward
        if terminated:
            assert total == info["scores"][0] - info["scores"][1]
            own, other = info["scores"]
            assert info["is_success"] == (own > other if opponent else not board.any())


def test_a_random_seat_is_first_in_half_of_the_games():
    env = AzulejosEnv(size=2, colours=1, seat="random", bonus=1)
    env.reset(seed=0)
    # On a board of one colour whoever moves first takes all four tiles.
    firsts = [env.reset()[1]["scores"][1] == 0 for _ in range(1000)]
    assert 0.45 < np.mean(firsts) < 0.55


def test_the_random_opponent_takes_each_group_equally_often():
    env = AzulejosEnv(size=(1, 9), opponent="random", seat="second", colours=3)
    board = np.array([[1, 1, 2, 2, 3, 3, 1, 1, 1]])
    env.reset(seed=0)
    scores = [env.reset(options={"board": board})[1]["scores"][1] for _ in range(2000)]
    # One group in four has three tiles, which earn 2 points.
    assert 0.22 < np.mean(np.array(scores) == 2) < 0.28


def test_an_opponent_that_chooses_no_group_is_an_error():
    class Wrong(RandomPolicy):
        def choose(self, _position):
            return 0, 0

    env = AzulejosEnv(size=(1, 3), colours=2, opponent=Wrong(), seat="second")
    with pytest.raises(ValueError, match=r"the opponent chose \(0,0\): cell \(0,0\) belongs to no group"):
        env.reset(options={"board": np.array([[1, 2, 2]])})


@pytest.mark.parametrize(("moves", "result"), [([0], -1.0), ([2], 1.0)])
def test_win_loss_pays_at_the_end_alone(moves, result):
    board = np.array([[1, 1, 2, 2, 2, 2]])
    env = AzulejosEnv(size=(1, 6), colours=2, opponent="greedy", reward="win_loss", bonus=1)
    env.reset(options={"board": board})
    rewards = [env.step(move)[1] for move in moves]
    assert rewards == [result]


@given(board=st.integers(0, 3**12 - 1), action=st.integers(0, 11))
@settings(max_examples=150, deadline=None)
def test_the_mask_marks_one_cell_per_group_and_other_cells_change_nothing(board, action):
    cells = np.array([board // 3**k % 3 for k in range(12)]).reshape(3, 4)
    env = AzulejosEnv(size=(3, 4), colours=2, opponent="greedy")
    observation, info = env.reset(seed=1, options={"board": cells})
    position = Position(env.config, cells)
    assert (observation == position.board).all()
    expected = {4 * group.row + group.col for group in position.groups} or set(range(12))
    assert set(np.flatnonzero(info["action_mask"]).tolist()) == expected
    after, reward, terminated, truncated, info = env.step(action)
    assert info["invalid_action"] == (action not in expected)
    assert info["action_mask"].any()
    if info["invalid_action"]:
        assert_same(after, observation)
        assert (reward, terminated, truncated) == (0.0, False, False)


def test_a_game_without_a_group_ends_with_its_first_step():
    env = AzulejosEnv(size=(1, 2), colours=1, opponent="greedy", seat="second")
    _, info = env.reset(seed=0)
    assert info["action_mask"].tolist() == [1, 1]
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["invalid_action"]) == (-1.0, True, False)


def test_the_step_limit_truncates():
    env = AzulejosEnv(size=8, max_steps=2)
    _, info = env.reset(seed=0)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    assert env.step(illegal)[3] is False
    assert env.step(illegal)[3] is True


def test_planes_are_one_hot_with_the_difference_of_the_scores():
    games = (play(AzulejosEnv(size=6, observation=name, opponent="random"), 3) for name in ("codes", "planes"))
    for (board, *_), (observation, *_, info) in zip(*games, strict=True):
        assert (observation[:-1].argmax(axis=0) == board).all()
        assert (observation[:-1].sum(axis=0) == 1).all()
        own, other = info["scores"]
        np.testing.assert_allclose(observation[-1], np.tanh((own - other) / 36), rtol=1e-6)


@pytest.mark.parametrize("arguments", CONFIGURATIONS, ids=str)
def test_gymnasium_accepts_the_environment_without_a_warning(arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("Azulejos-v0", **arguments).unwrapped)


@pytest.mark.parametrize("arguments", CONFIGURATIONS, ids=str)
def test_stable_baselines_accepts_the_environment(arguments):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checker.check_env(AzulejosEnv(**arguments))


@pytest.mark.parametrize("arguments", CONFIGURATIONS, ids=str)
def test_info_has_the_same_keys_and_values_have_their_types(arguments):
    for step in play(AzulejosEnv(**arguments), 5):
        observation, reward, terminated, truncated, info = step
        assert list(info) == ["action_mask", "invalid_action", "is_success", "scores"]
        assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
        assert (type(info["invalid_action"]), type(info["is_success"])) == (bool, bool)
        assert (info["action_mask"].dtype, info["scores"].dtype) == (np.int8, np.int64)
        assert info["action_mask"].any()
        assert observation.flags.owndata or observation.base is not None


def test_earlier_moves_change_no_later_game():
    played, skipped = AzulejosEnv(opponent="random"), AzulejosEnv(opponent="random")
    list(play(played, 3))
    skipped.reset(seed=3)
    assert_same(played.reset(), skipped.reset())


@pytest.mark.parametrize("copied", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy])
@pytest.mark.parametrize("arguments", CONFIGURATIONS, ids=str)
def test_a_copy_continues_the_same_game(arguments, copied):
    env = AzulejosEnv(**arguments)
    _, info = env.reset(seed=2)
    env.step(info["action_mask"].argmax())
    twin = copied(env)

    def go_on(env):
        return [(env.step(env.action_masks().argmax()), env.reset()) for _ in range(4)]

    # One after the other, so that arrays that both share would show.
    assert_same(go_on(env), go_on(twin))


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"size": 101}, "100"),
        ({"opponent": "strong"}, "minimax"),
        ({"opponent": "minimax:depth=two"}, "NAME=NUMBER"),
        ({"opponent": "minimax:plies=2"}, "option"),
        ({"opponent": "minimax:depth=0"}, "depth"),
        ({"opponent": 3}, "policy"),
        ({"seat": "third"}, "seat"),
        ({"reward": "win"}, "reward"),
        ({"observation": "flat"}, "observation"),
        ({"max_steps": 0}, "max_steps"),
        ({"render_mode": "text"}, "render_mode"),
    ],
)
def test_wrong_arguments_are_refused(arguments, word):
    with pytest.raises(ValueError, match=word):
        AzulejosEnv(**arguments)


def test_wrong_calls_are_refused():
    env = AzulejosEnv(size=3)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    with pytest.raises(ValueError, match="unknown reset options"):
        env.reset(options={"layout": 1})
    with pytest.raises(ValueError, match="shape"):
        env.reset(options={"board": np.ones((2, 3), int)})
    env.reset(seed=0)
    with pytest.raises(ValueError, match="9"):
        env.step(9)
