"""Games between two policies: both seats of one board, the same games whatever the batch, and wrong moves."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import azulejos_env  # noqa: F401 - registers the id
from azulejos_env.config import GameConfig
from azulejos_env.policies import GreedyPolicy, MinimaxPolicy, RandomPolicy
from azulejos_env.position import Position
from baselines.azulejos.matches.play import play_boards
from baselines.azulejos.matches.roster import SCRIPTED
from baselines.azulejos.matches.tournament import COMPILED, CompiledPlayer, OwnPlayer
from baselines.policy import PolicyError

CONFIG = GameConfig(5, 6, 3)
RANDOM, GREEDY = (CompiledPlayer(COMPILED[name]) for name in ("random", "greedy"))


class Batched:
    """Removes the last group in reading order, in many positions at once."""

    def __init__(self):
        self.seen = []

    def act(self, boards, scores):
        self.seen.append(len(boards))
        groups = [Position(CONFIG, board, tuple(pair)).groups for board, pair in zip(boards, scores, strict=True)]
        return np.array([6 * each[-1].row + each[-1].col for each in groups])


class Single(Batched):
    """The same, in one position at a time; it names another tile of the group."""

    act = None

    def choose(self, position):
        last = position.groups[-1]
        return tuple(np.argwhere(position.group_at(last.row, last.col))[-1])


def replayed(seed, policies):
    """Returns the scores of a game of policy objects on the board of the environment."""
    env = gymnasium.make("Azulejos-v0", size=(5, 6))
    position = Position(CONFIG, env.reset(seed=seed)[0])
    while not position.over:
        position = position.play(*policies[position.player].choose(position))
    return list(position.scores)


def test_each_board_is_that_of_the_environment_and_played_from_both_seats():
    first, second = MinimaxPolicy(depth=2), GreedyPolicy()
    scores = play_boards(OwnPlayer("minimax", first), OwnPlayer("greedy", second), CONFIG, range(3, 9))
    for seed, (moving_first, moving_second) in zip(range(3, 9), scores.tolist(), strict=True):
        assert moving_first == replayed(seed, (first, second))
        assert moving_second == replayed(seed, (second, first))[::-1]


def test_compiled_greedy_plays_as_the_policy():
    minimax = OwnPlayer("minimax", MinimaxPolicy(depth=2))
    slow = play_boards(minimax, OwnPlayer("greedy", GreedyPolicy()), CONFIG, range(10))
    assert play_boards(minimax, GREEDY, CONFIG, range(10)).tolist() == slow.tolist()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (RANDOM, GREEDY),
        (RANDOM, OwnPlayer("single", Single())),
        (OwnPlayer("random", RandomPolicy()), OwnPlayer("batched", Batched())),
    ],
)
def test_a_game_depends_on_its_board_alone(first, second):
    together = play_boards(first, second, CONFIG, range(12))
    assert play_boards(first, second, CONFIG, range(12)).tolist() == together.tolist()
    alone = [play_boards(first, second, CONFIG, [seed])[0].tolist() for seed in range(12)]
    assert together.tolist() == alone


def test_the_order_of_two_policies_without_randomness_does_not_matter():
    minimax = OwnPlayer("minimax", MinimaxPolicy(depth=2))
    there, back = play_boards(GREEDY, minimax, CONFIG, range(10)), play_boards(minimax, GREEDY, CONFIG, range(10))
    assert back[:, ::-1, ::-1].tolist() == there.tolist()


def test_a_policy_of_many_positions_sees_all_games_at_once_and_plays_as_the_single_one():
    policy = Batched()
    batched = play_boards(OwnPlayer("batched", policy), GREEDY, CONFIG, range(20))
    assert max(policy.seen) == 20
    assert play_boards(OwnPlayer("single", Single()), GREEDY, CONFIG, range(20)).tolist() == batched.tolist()


def test_a_board_without_a_group_is_a_tie():
    assert play_boards(RANDOM, GREEDY, GameConfig(1, 1, 3), range(3)).tolist() == np.zeros((3, 2, 2)).tolist()


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (lambda boards, _: np.full(len(boards), 30), "bad: act chose 30, which is not the first cell of a group"),
        (lambda boards, _: [0.5] * len(boards), "bad: act must return one whole number for each of 4 positions"),
        (lambda *_: [1], "bad: act must return one whole number"),
        (lambda *_: {}[1], "bad: KeyError: 1"),
    ],
)
def test_wrong_answers_to_many_positions_are_refused(policy, message):
    player = OwnPlayer("bad", type("Bad", (), {"act": staticmethod(policy)})())
    with pytest.raises(PolicyError, match=message):
        play_boards(player, GREEDY, CONFIG, range(4))


@pytest.mark.parametrize(
    ("answer", "message"),
    [((9, 9), "a cell has a row in 0..4"), (None, "choose must return the"), ((0, 0, 0), "choose must return the")],
)
def test_wrong_answers_to_one_position_are_refused(answer, message):
    player = OwnPlayer("bad", type("Bad", (), {"choose": lambda *_: answer})())
    with pytest.raises(PolicyError, match=message):
        play_boards(player, GREEDY, CONFIG, range(4))


def test_the_scripted_names_are_those_of_the_package():
    from azulejos_env.policies import POLICIES

    assert tuple(POLICIES) == SCRIPTED
