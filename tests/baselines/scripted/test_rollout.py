"""The policy `rollout`: playouts, their estimates, and races of clicks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from support.guesses import SCRIPT, exact_values, small_guess
from support.policies import click_config

from baselines.evaluation.games import play_games
from baselines.registry import build_policy
from baselines.scripted.oracle_play.guess_games import clicks_of
from baselines.scripted.oracle_play.rollout import FIRST_LAYOUTS, Playouts, errors_beside, estimate, race
from minesweeper_env import HIDDEN

SAFETY, THEN = np.array([0.9, 0.8]), np.array([0.6, 0.7])
DIFFERENCE = 0.8 * 0.7 - 0.9 * 0.6


def draw(rng, layouts):
    """Returns values, free and luck of two clicks; a later guess of safety THEN decides each game."""
    free = rng.random((2, layouts)) < SAFETY[:, None]
    survived = rng.random(layouts) < THEN[:, None]
    return (free & survived).astype(float), free, free * (survived - THEN[:, None])


def differences(layouts, with_luck):
    """Returns estimated differences of the clicks, and their standard errors."""
    rng, found = np.random.default_rng(0), []
    for _ in range(2000):
        values, free, luck = draw(rng, layouts)
        wins, moves = estimate(values, free, SAFETY, luck * with_luck)
        found.append((wins[1] - wins[0], errors_beside(moves, 0)[1]))
    return np.transpose(found)


def test_the_mean_is_right_and_the_noise_less_than_that_of_plain_differences():
    gaps, _ = differences(40, with_luck=False)
    rng = np.random.default_rng(1)
    plain = [np.diff(draw(rng, 40)[0].mean(axis=1))[0] for _ in range(2000)]
    assert gaps.mean() == pytest.approx(DIFFERENCE, abs=0.007)
    assert gaps.std() < 0.95 * np.std(plain)


def test_the_standard_error_is_the_spread_of_the_estimates():
    gaps, errors = differences(200, with_luck=False)
    assert errors.mean() == pytest.approx(gaps.std(), rel=0.05)


def test_luck_takes_its_part_of_the_noise_away():
    with_luck, errors = differences(40, with_luck=True)
    without, _ = differences(40, with_luck=False)
    assert with_luck.mean() == pytest.approx(DIFFERENCE, abs=0.003)
    assert with_luck.std() < 0.2 * without.std()
    assert errors.mean() < 0.2 * without.std()


def test_layouts_that_were_given_up_and_clicks_that_are_never_safe_count_for_nothing():
    values, none = np.array([[1.0, np.nan, 0.0], [0.0, 1.0, 1.0]]), np.zeros((2, 3))
    assert estimate(values, np.ones((2, 3), bool), np.array([0.5, 0.5]), none)[0].tolist() == [0.25, 0.25]
    free = np.array([[True] * 3, [False] * 3])
    assert estimate(1.0 * free, free, np.array([0.5, 0.1]), none)[0].tolist() == [0.5, 0.0]


def test_playouts_on_all_layouts_win_what_the_policy_wins():
    config, guess, layouts = small_guess()
    policy, cells = build_policy("exact", config), np.flatnonzero(guess.board == HIDDEN).tolist()[:3]
    to_the_end, _ = Playouts(config, policy, 1).play(guess.board, layouts, cells)
    assert set(np.unique(to_the_end)) <= {0.0, 1.0}
    assert (to_the_end[layouts.reshape(len(layouts), -1)[:, cells].T] == 0.0).all()
    exact = exact_values(config, guess.board, cells)
    best, _ = Playouts(config, policy, 1000).play(guess.board, layouts, cells)
    for row, cell in enumerate(cells):
        assert best[row].mean() == pytest.approx(exact[cell])
        assert to_the_end[row].mean() <= exact[cell] + 1e-12


def test_luck_is_zero_on_average_and_is_about_later_guesses():
    config, guess, layouts = small_guess()
    playouts = Playouts(config, build_policy("exact", config), 1)
    cells = np.flatnonzero(guess.board == HIDDEN).tolist()[:3]
    values, luck = playouts.play(guess.board, layouts, cells)
    mined = layouts.reshape(len(layouts), -1)[:, cells].T
    assert (luck[mined] == 0.0).all()
    assert luck.sum(axis=1) == pytest.approx(0.0, abs=1e-9)
    assert luck[values == 1.0].min() >= 0.0
    assert luck[values == 1.0].max() > 0.0
    assert luck.min() < -0.5


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


def winner(playouts, cells, layouts, margin=0.0, limit=UNLIMITED):
    mines = np.zeros((layouts, 3, 3), bool)
    return race(playouts, np.zeros(9, np.int8), mines, cells, np.ones(len(cells)), margin, limit)


def everything():
    """Returns playouts with exact ends, a board, all its layouts, its possible clicks, their safety and values."""
    config, guess, layouts = small_guess()
    playouts = Counting(config, build_policy("exact", config), 1000)
    cells = np.flatnonzero((guess.board == HIDDEN) & (guess.risks < 1.0)).tolist()
    values = exact_values(config, guess.board, cells)
    return playouts, guess.board, layouts, cells, 1.0 - guess.risks[cells], values


def test_with_all_layouts_and_exact_ends_the_best_click_wins():
    playouts, board, layouts, cells, safety, values = everything()
    many = np.concatenate([layouts] * 4)
    np.random.default_rng(0).shuffle(many)
    won = cells[race(playouts, board, many, cells, safety, 0.0, UNLIMITED)]
    assert values[won] == pytest.approx(max(values.values()))


def test_all_clicks_play_the_first_layouts_and_few_play_the_last():
    playouts, board, layouts, cells, safety, _ = everything()
    many = np.concatenate([layouts] * 8)
    race(playouts, board, many, cells, safety, 0.0, UNLIMITED)
    assert playouts.played[0] == (FIRST_LAYOUTS, *cells)
    fields = [set(cells) for _, *cells in playouts.played]
    assert all(after <= before for before, after in pairwise(fields))
    assert len(fields[-1]) < len(fields[0])


def test_the_race_ends_when_one_click_is_left():
    playouts = Given({0: 0.2, 1: 0.9, 2: 0.1})
    assert winner(playouts, [0, 1, 2], 10_000) == 1
    assert len(playouts.played) == 1


def test_the_race_ends_when_no_layout_tells_the_clicks_apart():
    playouts = Given({0: 0.5, 1: 0.5})
    assert winner(playouts, [0, 1], 10_000) == 0
    assert len(playouts.played) == 1


@pytest.mark.parametrize(("margin", "won"), [(0.0, 1), (0.01, 1), (0.03, 0)])
def test_the_favourite_stays_unless_another_click_is_worth_the_margin_more(margin, won):
    assert winner(Given({0: 0.5, 1: 0.52}), [0, 1], 4000, margin) == won


@pytest.mark.parametrize(("limit", "second"), [(500, ()), (749, ()), (750, (2, 3)), (875, (1, 2, 3))])
def test_the_best_clicks_share_the_playouts_that_are_left(limit, second):
    playouts = Given({cell: 0.5 + cell / 100 for cell in range(4)})
    assert winner(playouts, [0, 1, 2, 3], 1000, limit=limit) == 3
    first = (FIRST_LAYOUTS, 0, 1, 2, 3)
    assert playouts.played == [first, (FIRST_LAYOUTS, *second)][: 2 if second else 1]


def test_the_first_clicks_are_played_if_the_limit_is_too_low_for_all():
    playouts = Given({0: 0.5, 1: 0.51, 2: 0.9})
    assert winner(playouts, [0, 1, 2], 1000, limit=2 * FIRST_LAYOUTS) == 1
    assert playouts.played == [(FIRST_LAYOUTS, 0, 1)]


def boards_of(config, games, layouts=200):
    guesses = SCRIPT.guesses_of(build_policy("exact", config), config, range(games), layouts)
    return np.stack([guess.board for guess in guesses])


@pytest.mark.slow
def test_its_regret_is_less_than_half_of_that_of_lookahead():
    """On 250 positions `lookahead` has .0143 and `rollout` .0031 (docs/studies/lost-games.md)."""
    lookahead, rollout = (
        SCRIPT.losses(name, 60).mean() for name in ("lookahead:layouts=0", "rollout:layouts=0,draws=250")
    )
    assert rollout < 0.5 * lookahead


def test_equal_boards_get_equal_clicks_in_any_company():
    config = click_config(6, 6, 9)
    boards = boards_of(config, 30)[:4]
    policy = build_policy("rollout:draws=130,layouts=0", config)
    alone = [clicks_of(policy, config, board[None])[0] for board in boards]
    assert clicks_of(policy, config, boards).tolist() == alone
    assert clicks_of(build_policy("rollout:draws=130,layouts=0", config), config, boards).tolist() == alone


def test_marks_change_nothing():
    config = click_config(6, 6, 9)
    board = boards_of(config, 30)[0].reshape(1, 6, 6)
    policy = build_policy("rollout:draws=130,layouts=0", config)
    mask = (board > 8).reshape(1, -1).astype(np.int8)
    marked = np.where((board > 8) & (np.arange(36).reshape(1, 6, 6) % 2 == 0), 10, board).astype(np.int8)
    assert policy.act(marked, mask).tolist() == policy.act(board, mask).tolist()


def test_it_clicks_a_legal_cell_where_flags_bar_the_others():
    config = click_config(6, 6, 9)
    board = boards_of(config, 30)[0].reshape(1, 6, 6)
    mask = np.zeros((1, 36), np.int8)
    mask[0, np.flatnonzero(board.ravel() > 8)[-2:]] = 1
    assert mask[0, build_policy("rollout:draws=130,layouts=0", config).act(board, mask)[0]] == 1


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "rule"), [(5, 6, 5, "safe"), (4, 4, 3, "any"), (6, 6, 27, "opening")]
)
def test_it_plays_whole_games(rows, cols, mines, rule):
    config = click_config(rows, cols, mines, rule)
    records = play_games(build_policy("rollout:draws=40,layouts=20", config), config, range(5))
    assert len(records) == 5
    assert not any(record.truncated for record in records)
