"""Matches: policies play each other on seeded boards, each board from both seats."""

import math
from collections.abc import Sequence

import numpy as np

from azulejos_env.config import GameConfig
from azulejos_env.env import Game
from azulejos_env.policies import Policy

__all__ = ["play_game", "play_pair", "wilson_interval"]


def wilson_interval(wins: int, games: int, z: float = 1.959964) -> tuple[float, float]:
    """Returns the ends of the interval of a win rate (Wilson 1927); z is the normal quantile, by default for 95 %."""
    rate, correction = wins / games, z * z / games
    middle, half = rate + correction / 2, z * math.sqrt((rate * (1 - rate) + correction / 4) / games)
    return (middle - half) / (1 + correction), (middle + half) / (1 + correction)


def play_game(config: GameConfig, seed: int, policies: Sequence[Policy]) -> tuple[int, int]:
    """Returns the scores of a game of two policies, the first of which begins.

    The board is that of `gymnasium.make("Azulejos-v0")` after `reset(seed=seed)`.
    """
    game = Game(config, "difference", "codes", None)
    game.begin(seed, None)
    position = game.position
    for player, policy in enumerate(policies):
        policy.reset(int(np.random.SeedSequence([seed, player]).generate_state(1)[0]))
    while not position.over:
        position = position.play(*policies[position.player].choose(position))
    return position.scores


def play_pair(config: GameConfig, seeds: Sequence[int], policy: Policy, other: Policy) -> tuple[int, int, int]:
    """Plays each seeded board twice, with either policy moving first; returns the wins, ties and losses of `policy`."""
    results = []  # 1 for a win of `policy`, 0 for a tie, -1 for a loss
    for seed in seeds:
        score_first, other_score_second = play_game(config, seed, (policy, other))
        other_score_first, score_second = play_game(config, seed, (other, policy))
        results += [np.sign(score_first - other_score_second), np.sign(score_second - other_score_first)]
    return results.count(1), results.count(0), results.count(-1)
