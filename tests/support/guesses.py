"""Guesses of small games, where all layouts can be played, by the script that compares rules for guesses."""

import runpy
from types import SimpleNamespace

from baselines.registry import find_policy
from support import ROOT
from support.policies import all_layouts, click_config, consistent_layouts

SCRIPT = SimpleNamespace(**runpy.run_path(str(ROOT / "benchmarks" / "guesses.py")))


def small_guess():
    """Returns a configuration, a guess of it with some hundred layouts, and these layouts."""
    config = click_config(4, 5, 5, "safe")
    found = SCRIPT.guesses_of(find_policy("exact")(config), config, range(40), 60)
    guess = next(each for each in found if each.log_layouts < 6)
    return config, guess, consistent_layouts(guess.board.reshape(4, 5), all_layouts(config))


def exact_values(config, board, cells):
    """Returns the probability of winning with each click and perfect play after it."""
    return SCRIPT.values_of(config, board, cells, SCRIPT.Endings(config, 1000, 1_000_000))
