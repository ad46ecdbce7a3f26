"""Paired comparison of rules at the guesses where they differ."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from support.guesses import small_guess
from support.policies import click_config

from baselines.evaluation.games import play_games
from baselines.guesses.comparison import Comparison, Totals, guesses_of
from baselines.guesses.regret import ClickValues
from baselines.guesses.runs import begin_results, compare
from baselines.registry import build_policy
from baselines.rollouts.players import player_of
from baselines.rollouts.playouts import Playouts
from baselines.scripted.oracle_play.endgame import Endings
from minesweeper_env import HIDDEN

SETTINGS = {"rules": ["exact", "lookahead:clicks=2"], "playout": "exact", "layouts": 1000, "ends": 200, "draws": 8,
            "seed": 600_000}  # fmt: skip


def test_guesses_are_positions_of_the_games_without_a_safe_cell():
    config = click_config(8, 8, 14)
    policy = build_policy("exact", config)
    found = guesses_of(policy, config, range(100, 160), 5000)
    assert len(found) > 10
    assert len({(guess.game, guess.depth) for guess in found}) == len(found)
    for guess in found:
        covered = guess.board == HIDDEN
        assert 100 <= guess.game < 160
        assert guess.risks[covered].min() > 0.0
        assert guess.log_layouts > math.log(5000)


def test_games_without_a_guess_are_those_that_the_policy_wins_without_a_risk():
    config = click_config(8, 8, 14)
    policy = build_policy("exact", config)
    guessed = {guess.game for guess in guesses_of(policy, config, range(40), 1)}
    records = play_games(policy, config, range(40))
    assert all(record.won for record in records if record.seed not in guessed)


def test_the_best_click_of_an_ending_has_the_value_of_the_position():
    config, guess, _ = small_guess()
    ending = Endings(config, 1000, 100_000).find(guess.board, guess.log_layouts)
    assert ending is not None
    assert ending.exact
    assert ClickValues(config, 1000).find(guess.board, [ending.cell])[ending.cell] == pytest.approx(
        ending.win_probability
    )


def test_a_rule_has_no_advantage_over_itself():
    config = click_config(8, 8, 14)
    rules = {name: build_policy("exact", config) for name in ("one", "same")}
    comparison = Comparison(config, rules, Playouts(config, player_of(rules["one"], config), 100), 1000, 4)
    comparison.add(range(50))
    assert comparison.totals.games == 50
    assert comparison.totals.guesses > 5
    assert comparison.totals.points("same") == (0.0, 0.0)


def test_points_are_the_mean_and_its_standard_error_over_games():
    gains = np.array([0.1, -0.2, 0.0, 0.4])
    totals = Totals.of_json(
        {"games": 4, "guesses": 3, "given_up": 0, "seconds": 1.0,
         "rules": {"a": {"differing": 3, "gain": gains.sum(), "squares": (gains**2).sum(), "seconds": 0.0}}}
    )  # fmt: skip
    points, error = totals.points("a")
    assert points == pytest.approx(100 * gains.mean())
    assert error == pytest.approx(100 * gains.std(ddof=1) / 2)


def test_a_run_that_resumes_ends_as_one_that_never_stopped(tmp_path):
    path = tmp_path / "playouts.json"
    compare("8x8/14", 100, begin_results(path, SETTINGS), path)
    resumed = compare("8x8/14", 130, begin_results(path, SETTINGS), path)
    whole = compare("8x8/14", 130, begin_results(None, SETTINGS))
    assert resumed.games == whole.games == 130
    assert resumed.points("lookahead:clicks=2") == whole.points("lookahead:clicks=2")
    assert resumed.rules["lookahead:clicks=2"].differing == whole.rules["lookahead:clicks=2"].differing > 0
    stored = json.loads(path.read_text())
    assert stored["settings"] == SETTINGS
    assert stored["boards"]["8x8/14"]["games"] == 130


def test_a_file_of_other_settings_is_refused(tmp_path):
    path = tmp_path / "playouts.json"
    path.write_text(json.dumps({"settings": {**SETTINGS, "seed": 1}, "boards": {}}))
    with pytest.raises(ValueError, match="was made with settings"):
        begin_results(path, SETTINGS)
