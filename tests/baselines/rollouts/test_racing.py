"""Races of clicks on common layouts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from support.guesses import small_guess

from baselines.guesses.regret import ClickValues
from baselines.registry import build_policy
from baselines.rollouts.players import player_of
from baselines.rollouts.playouts import Playouts
from baselines.rollouts.racing import FIRST_LAYOUTS, Race
from minesweeper_env import HIDDEN

UNLIMITED = 10**9


class Counting(Playouts):
    """Playouts that remember which cells they played on how many layouts."""

    def play(self, board, layouts, cells):
        self.played = [*getattr(self, "played", ()), (len(layouts), *cells)]
        return super().play(board, layouts, cells)


class Given:
    """Playouts with given values: the clicks win on the first fraction of 100 layouts, again and again."""

    def __init__(self, fractions):
        self.fractions, self.played = fractions, []

    def play(self, _board, layouts, cells):
        self.played.append((len(layouts), *cells))
        places = np.arange(len(layouts)) * 37 % 100
        values = np.array([places < 100 * self.fractions[cell] for cell in cells], float)
        return values, np.zeros_like(values)


def race(playouts, cells, layouts, margin=0.0, limit=UNLIMITED):
    mines = np.zeros((layouts, 3, 3), bool)
    return Race(playouts, np.zeros(9, np.int8), mines, cells, np.ones(len(cells)), margin, limit)


def everything():
    """Returns playouts with exact ends, a board, all its layouts, its possible clicks, their safety and values."""
    config, guess, layouts = small_guess()
    playouts = Counting(config, player_of(build_policy("exact", config), config), 1000)
    cells = np.flatnonzero((guess.board == HIDDEN) & (guess.risks < 1.0)).tolist()
    values = ClickValues(config, 1000).find(guess.board, cells)
    return playouts, guess.board, layouts, cells, 1.0 - guess.risks[cells], values


def test_with_all_layouts_and_exact_ends_the_best_click_wins():
    playouts, board, layouts, cells, safety, values = everything()
    many = np.concatenate([layouts] * 4)
    np.random.default_rng(0).shuffle(many)
    won = cells[Race(playouts, board, many, cells, safety, 0.0, UNLIMITED).winner()]
    assert values[won] == pytest.approx(max(values.values()))


def test_all_clicks_play_the_first_layouts_and_few_play_the_last():
    playouts, board, layouts, cells, safety, _ = everything()
    many = np.concatenate([layouts] * 8)
    Race(playouts, board, many, cells, safety, 0.0, UNLIMITED).winner()
    assert playouts.played[0] == (FIRST_LAYOUTS, *cells)
    fields = [set(cells) for _, *cells in playouts.played]
    assert all(after <= before for before, after in pairwise(fields))
    assert len(fields[-1]) < len(fields[0])


def test_the_race_ends_when_one_click_is_left():
    playouts = Given({0: 0.2, 1: 0.9, 2: 0.1})
    assert race(playouts, [0, 1, 2], 10_000).winner() == 1
    assert len(playouts.played) == 1


def test_the_race_ends_when_no_layout_tells_the_clicks_apart():
    playouts = Given({0: 0.5, 1: 0.5})
    assert race(playouts, [0, 1], 10_000).winner() == 0
    assert len(playouts.played) == 1


@pytest.mark.parametrize(("margin", "winner"), [(0.0, 1), (0.01, 1), (0.03, 0)])
def test_the_favourite_stays_unless_another_click_is_worth_the_margin_more(margin, winner):
    assert race(Given({0: 0.5, 1: 0.52}), [0, 1], 4000, margin).winner() == winner


@pytest.mark.parametrize(("limit", "second"), [(500, ()), (749, ()), (750, (2, 3)), (875, (1, 2, 3))])
def test_the_best_clicks_share_the_playouts_that_are_left(limit, second):
    playouts = Given({cell: 0.5 + cell / 100 for cell in range(4)})
    assert race(playouts, [0, 1, 2, 3], 1000, limit=limit).winner() == 3
    first = (FIRST_LAYOUTS, 0, 1, 2, 3)
    assert playouts.played == [first, (FIRST_LAYOUTS, *second)][: 2 if second else 1]


def test_the_first_clicks_are_played_if_the_limit_is_too_low_for_all():
    playouts = Given({0: 0.5, 1: 0.51, 2: 0.9})
    assert race(playouts, [0, 1, 2], 1000, limit=2 * FIRST_LAYOUTS).winner() == 1
    assert playouts.played == [(FIRST_LAYOUTS, 0, 1)]
