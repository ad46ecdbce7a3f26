"""Policies: legal moves, and stronger ones win more games."""

from __future__ import annotations

import pytest

from azulejos_env.config import GameConfig
from azulejos_env.policies import POLICIES, make_policy
from azulejos_env.position import Position, random_board


def play(config, seed, policies):
    """Returns the scores of a seeded game."""
    position = Position(config, random_board(config, seed))
    for player, policy in enumerate(policies):
        policy.reset(2 * seed + player)
    while not position.over:
        position = position.play(*policies[position.player].choose(position))
    return position.scores


def points(config, names, games):
    """Returns the points of the first policy, 1 for a win and 1/2 for a tie, in both seats of each board."""
    won = 0.0
    for seed in range(games):
        for seats in (names, names[::-1]):
            scores = play(config, seed, [make_policy(name) for name in seats])
            own, other = scores if seats == names else scores[::-1]
            won += 1.0 if own > other else 0.5 if own == other else 0.0
    return won


@pytest.mark.parametrize("name", POLICIES)
def test_games_of_a_policy_repeat(name):
    config = GameConfig(6, 6, 3)
    games = [play(config, 3, [make_policy(name), make_policy("random")]) for _ in range(2)]
    assert games[0] == games[1]


@pytest.mark.parametrize(("names", "least"), [(("greedy", "random"), 32), (("minimax", "greedy"), 24)])
def test_the_stronger_policy_wins_most_games(names, least):
    assert points(GameConfig(10, 10, 5), names, 20) >= least


def test_greedy_sees_the_bonus():
    config = GameConfig(1, 2, 1)
    assert make_policy("greedy").choose(Position(config, [[1, 1]])) == (0, 0)


def test_an_unknown_policy_is_refused():
    with pytest.raises(ValueError, match="the policies are random, greedy, minimax"):
        make_policy("greedly")
