"""Playouts of clicks on given layouts."""

from __future__ import annotations

import numpy as np
import pytest
from support.guesses import small_guess

from baselines.guesses.regret import ClickValues
from baselines.registry import build_policy
from baselines.rollouts.players import player_of
from baselines.rollouts.playouts import Playouts
from minesweeper_env import HIDDEN


def test_playouts_on_all_layouts_win_what_the_policy_wins():
    config, guess, layouts = small_guess()
    policy, cells = build_policy("exact", config), np.flatnonzero(guess.board == HIDDEN).tolist()[:3]
    to_the_end, _ = Playouts(config, player_of(policy, config), 1).play(guess.board, layouts, cells)
    assert set(np.unique(to_the_end)) <= {0.0, 1.0}
    assert (to_the_end[layouts.reshape(len(layouts), -1)[:, cells].T] == 0.0).all()
    exact = ClickValues(config, 1000).find(guess.board, cells)
    best, _ = Playouts(config, player_of(policy, config), 1000).play(guess.board, layouts, cells)
    for row, cell in enumerate(cells):
        assert best[row].mean() == pytest.approx(exact[cell])
        assert to_the_end[row].mean() <= exact[cell] + 1e-12


def test_luck_is_zero_on_average_and_is_about_later_guesses():
    config, guess, layouts = small_guess()
    playouts = Playouts(config, player_of(build_policy("exact", config), config), 1)
    cells = np.flatnonzero(guess.board == HIDDEN).tolist()[:3]
    values, luck = playouts.play(guess.board, layouts, cells)
    mined = layouts.reshape(len(layouts), -1)[:, cells].T
    assert (luck[mined] == 0.0).all()
    assert luck.sum(axis=1) == pytest.approx(0.0, abs=1e-9)
    assert luck[values == 1.0].min() >= 0.0
    assert luck[values == 1.0].max() > 0.0
    assert luck.min() < -0.5
