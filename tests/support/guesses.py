"""Guesses of small games, where all layouts can be played."""

from __future__ import annotations

from baselines.guesses.comparison import guesses_of
from baselines.registry import build_policy
from support.policies import all_layouts, click_config, consistent_layouts


def small_guess():
    """Returns a configuration, a guess of it with some hundred layouts, and these layouts."""
    config = click_config(4, 5, 5, "safe")
    guess = next(
        each for each in guesses_of(build_policy("exact", config), config, range(40), 60) if each.log_layouts < 6
    )
    return config, guess, consistent_layouts(guess.board.reshape(4, 5), all_layouts(config))
