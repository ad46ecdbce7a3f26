"""Environments of one game and of two agents: the rules, opponents, rewards, masks, and the usual checkers."""

import copy
import pickle
import re
import warnings
from contextlib import suppress
from importlib import import_module

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


def play(env, seed):
    """Yields the first observation and info, and those of each step of random legal moves, to the end of a game."""
    generator = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    yield observation, 0.0, False, False, info
    over = False
    while not over:
        step = env.step(generator.choice(np.flatnonzero(info["action_mask"])))
        info, over = step[4], step[2] or step[3]
        yield step


@pytest.mark.parametrize("opponent", ["greedy", "random", None, "minimax:depth=1"])
@pytest.mark.parametrize("seat", ["first", "second", "random"])
def test_games_follow_the_rules_of_the_oracle(opponent, seat):
    """Each board follows from the last one by a move of the agent and, unless it is alone, one of the opponent."""
    env = AzulejosEnv(size=(4, 5), opponent=opponent, seat=seat)
    for seed in range(8):
        generator = np.random.default_rng(seed)
        board, info = env.reset(seed=seed)
        terminated, total = False, 0.0
        while groups := {min(group): group for group in naive.groups(naive.rows_of(board))}:
            cells = np.flatnonzero(info["action_mask"]).tolist()
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


def test_a_random_seat_and_a_random_opponent_are_uniform():
    env = AzulejosEnv(size=2, colours=1, seat="random", bonus=1)
    env.reset(seed=0)
    # On a board of one colour whoever moves first takes all four tiles.
    firsts = [env.reset()[1]["scores"][1] == 0 for _ in range(1000)]
    assert 0.45 < np.mean(firsts) < 0.55
    env = AzulejosEnv(size=(1, 9), opponent="random", seat="second", colours=3)
    board = np.array([[1, 1, 2, 2, 3, 3, 1, 1, 1]])
    env.reset(seed=0)
    scores = [env.reset(options={"board": board})[1]["scores"][1] for _ in range(2000)]
    # One group in four has three tiles, which earn 2 points.
    assert 0.22 < np.mean(np.array(scores) == 2) < 0.28


@pytest.mark.parametrize("cell", [(0, 0), (9, 9), None, 1, (0,), (0.0, 1.0), "ab"])
def test_an_opponent_that_chooses_no_group_is_an_error(cell):
    class Wrong(RandomPolicy):
        def choose(self, _position):
            return cell

    env = AzulejosEnv(size=(1, 3), colours=2, opponent=Wrong(), seat="second")
    with pytest.raises(ValueError, match=f"an opponent must choose the .* of a group, not {re.escape(repr(cell))}: "):
        env.reset(options={"board": np.array([[1, 2, 2]])})


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


def test_a_game_without_a_group_ends_with_its_first_step_and_a_limit_truncates():
    env = AzulejosEnv(size=(1, 2), colours=1, opponent="greedy", seat="second")
    _, info = env.reset(seed=0)
    assert info["action_mask"].tolist() == [1, 1]
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["invalid_action"]) == (-1.0, True, False)
    env = AzulejosEnv(size=8, max_steps=2)
    _, info = env.reset(seed=0)
    illegal = info["action_mask"].argmin()
    assert [env.step(illegal)[3] for _ in range(2)] == [False, True]


def test_planes_are_one_hot_with_the_difference_of_the_scores():
    games = (play(AzulejosEnv(size=6, observation=name, opponent="random"), 3) for name in ("codes", "planes"))
    for (board, *_), (observation, *_, info) in zip(*games, strict=True):
        assert (observation[:-1].argmax(axis=0) == board).all()
        assert (observation[:-1].sum(axis=0) == 1).all()
        own, other = info["scores"]
        np.testing.assert_allclose(observation[-1], np.tanh((own - other) / 36), rtol=1e-6)


@pytest.mark.parametrize("arguments", CONFIGURATIONS, ids=str)
def test_checkers_accept_the_environment_and_values_have_their_types(arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("Azulejos-v0", **arguments).unwrapped)
        warnings.simplefilter("ignore")
        with suppress(ImportError):
            import_module("stable_baselines3.common.env_checker").check_env(AzulejosEnv(**arguments))
    for _, reward, terminated, truncated, info in play(AzulejosEnv(**arguments), 5):
        assert list(info) == ["action_mask", "invalid_action", "is_success", "scores"]
        values = (reward, terminated, truncated, info["invalid_action"], info["is_success"])
        assert [type(value) for value in values] == [float, bool, bool, bool, bool]
        assert (info["action_mask"].dtype, info["scores"].dtype) == (np.int8, np.int64)
        assert info["action_mask"].any()


@pytest.mark.parametrize("arguments", CONFIGURATIONS, ids=str)
def test_a_copy_continues_the_same_game_and_earlier_moves_change_no_later_one(arguments):
    env, played = AzulejosEnv(**arguments), AzulejosEnv(**arguments)
    list(play(played, 2))
    _, info = env.reset(seed=2)
    env.step(info["action_mask"].argmax())
    assert_same(copy.deepcopy(env).reset(), played.reset())
    copies = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]

    def go_on(env):
        return [(env.step(env.action_masks().argmax()), env.reset()) for _ in range(4)]

    # One after the other, so that arrays that both share would show.
    expected = go_on(env)
    for twin in copies:
        assert_same(go_on(twin), expected)


@pytest.mark.parametrize(
    ("name", "value"),
    [("seat", "third"), ("reward", "win"), ("observation", "flat"), ("max_steps", 0), ("render_mode", "text")],
)
def test_wrong_arguments_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} .*{value}"):
        AzulejosEnv(**{name: value})


OPTIONS = ("minimax:depth=two", "minimax:plies=2", "minimax:depth=0", "minimax:depth=2,depth=1")


@pytest.mark.parametrize("opponent", ["strong", 3, RandomPolicy, *OPTIONS])
def test_what_is_no_opponent_is_refused(opponent):
    with pytest.raises(ValueError, match=f"policy .*{opponent}"):
        AzulejosEnv(opponent=opponent)


def test_an_unknown_argument_is_told_the_known_ones(aec):
    for make in (AzulejosEnv, aec.env):
        with pytest.raises(TypeError, match=r"Azulejos\w+\.__init__\(\).* 'colors'; allowed: size, colours.*, side$"):
            make(colors=4)


def test_wrong_calls_are_refused():
    env = AzulejosEnv(size=3)
    for name, word in (("layout", "unknown reset options"), ("board", "shape")):
        with pytest.raises(ValueError, match=word):
            env.reset(options={name: np.ones((2, 3), int)})
    env.reset(seed=0)
    with pytest.raises(ValueError, match="9"):
        env.step(9)
    with pytest.raises(gymnasium.error.ResetNeeded):
        AzulejosEnv().step(0)


@pytest.fixture
def aec():
    pytest.importorskip("pettingzoo.test")
    from azulejos_env import aec

    return aec


@pytest.mark.parametrize("arguments", [{}, {"size": (3, 5), "reward": "win_loss", "observation": "planes"}], ids=str)
def test_pettingzoo_accepts_the_environment(aec, arguments, capsys):
    from pettingzoo import test

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Random moves may clear the board, whose observation is then all zeros.
        warnings.filterwarnings("ignore", message="Observation numpy array is all zeros")
        # PettingZoo expects dicts of its own games alone.
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        warnings.filterwarnings("ignore", message="Observation space for each agent probably should be")
        test.api_test(aec.env(**arguments), num_cycles=200)
        test.api_test(aec.AzulejosAECEnv(**arguments), num_cycles=50)
        test.seed_test(lambda: aec.env(**arguments), num_cycles=100)
    assert "Passed" in capsys.readouterr().out


def test_pettingzoo_accepts_the_pictures_and_the_window(aec, monkeypatch):
    pytest.importorskip("pygame", reason="needs the extra window")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(aec.AzulejosAECEnv.metadata, "render_fps", 200)
    import_module("pettingzoo.test").render_test(lambda render_mode=None: aec.env(size=3, render_mode=render_mode))


@pytest.mark.parametrize("seed", range(10))
def test_a_game_of_two_agents_is_that_of_positions(aec, seed):
    env = aec.env(size=(4, 5))
    env.reset(seed=seed)
    generator = np.random.default_rng(seed)
    single = AzulejosEnv(size=(4, 5))
    board, _ = single.reset(seed=seed)
    position, totals = Position(single.config, board), {"player_0": 0.0, "player_1": 0.0}
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        totals[agent] += reward
        player = int(agent[-1])
        assert_same(observation["observation"], position.board)
        assert info["scores"].tolist() == [position.scores[player], position.scores[1 - player]]
        if terminated or truncated:
            assert position.over
            assert info["is_success"] == (position.scores[player] > position.scores[1 - player])
            env.step(None)
            continue
        assert player == position.player
        cells = [5 * group.row + group.col for group in position.groups]
        assert np.flatnonzero(observation["action_mask"]).tolist() == cells
        action = int(generator.choice(cells))
        env.step(action)
        position = position.play(*divmod(action, 5))
    difference = position.scores[0] - position.scores[1]
    assert totals == {"player_0": difference, "player_1": -difference}


def test_an_illegal_action_changes_nothing_and_the_agent_moves_again(aec):
    env = aec.AzulejosAECEnv(size=(1, 4), colours=2, max_steps=2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=0, options={"board": np.array([[1, 1, 2, 2]])})
    env.step(1)
    observation, reward, terminated, _, info = env.last()
    assert env.agent_selection == "player_0"
    assert (observation["observation"].tolist(), reward, terminated) == ([[1, 1, 2, 2]], 0.0, False)
    assert info["invalid_action"]
    env.step(2)
    assert env.agent_selection == "player_1"
    assert not env.infos["player_0"]["invalid_action"]
    assert all(env.truncations.values())


@pytest.mark.parametrize(("board", "rewards"), [([1, 1, 1, 2, 2, 3], (1.0, -1.0)), ([1, 1, 2, 2, 3, 1], (0.0, 0.0))])
def test_win_loss_pays_both_at_the_end(aec, board, rewards):
    env = aec.AzulejosAECEnv(size=(1, 6), reward="win_loss")
    env.reset(options={"board": np.array([board])})
    while not any(env.terminations.values()):
        assert set(env.rewards.values()) == {0.0}
        env.step(int(env.observe("player_0")["action_mask"].argmax()))
    assert tuple(env.rewards.values()) == rewards
