"""The policy `rollout`: playouts, their estimates, and races of clicks; and rules for guesses, by their script."""

import math
import sys
from itertools import pairwise

import numpy as np
import pytest
from support.guesses import SCRIPT, exact_values, small_guess
from support.policies import all_layouts, click_config, number_won

from baselines.evaluation.games import play_games
from baselines.registry import find_policy
from baselines.scripted.oracle_play.guess_games import clicks_of
from baselines.scripted.oracle_play.lookahead import Endings
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


def test_playouts_on_all_layouts_win_what_the_policy_wins_and_luck_is_about_later_guesses():
    config, guess, layouts = small_guess()
    policy, cells = find_policy("exact")(config), np.flatnonzero(guess.board == HIDDEN).tolist()[:3]
    to_the_end, luck = Playouts(config, policy, 1).play(guess.board, layouts, cells)
    mined = layouts.reshape(len(layouts), -1)[:, cells].T
    assert set(np.unique(to_the_end)) <= {0.0, 1.0}
    assert (to_the_end[mined] == 0.0).all()
    exact = exact_values(config, guess.board, cells)
    best, _ = Playouts(config, policy, 1000).play(guess.board, layouts, cells)
    for row, cell in enumerate(cells):
        assert best[row].mean() == pytest.approx(exact[cell])
        assert to_the_end[row].mean() <= exact[cell] + 1e-12
    assert (luck[mined] == 0.0).all()
    assert luck.sum(axis=1) == pytest.approx(0.0, abs=1e-9)
    won = luck[to_the_end == 1.0]
    assert won.min() >= 0.0
    assert won.max() > 0.0
    assert luck.min() < -0.5


class Noting:
    """Playouts that remember which cells they played on how many layouts.

    Without others to ask, cell c wins on the first `fractions[c]` of 100 layouts, again and again.
    """

    def __init__(self, fractions=(), playouts=None):
        self.fractions, self.playouts, self.played = fractions, playouts, []

    def play(self, board, layouts, cells):
        self.played.append((len(layouts), *cells))
        if self.playouts is not None:
            return self.playouts.play(board, layouts, cells)
        places = np.arange(len(layouts)) * 37 % 100
        values = np.array([places < 100 * self.fractions[cell] for cell in cells], float)
        return values, np.zeros_like(values)


def test_with_all_layouts_and_exact_ends_the_best_click_wins():
    config, guess, layouts = small_guess()
    playouts = Noting(playouts=Playouts(config, find_policy("exact")(config), 1000))
    cells = np.flatnonzero((guess.board == HIDDEN) & (guess.risks < 1.0)).tolist()
    values, safety = exact_values(config, guess.board, cells), 1.0 - guess.risks[cells]
    many = np.concatenate([layouts] * 8)
    np.random.default_rng(0).shuffle(many)
    won = cells[race(playouts, guess.board, many, cells, safety, 0.0, 10**9)]
    assert values[won] == pytest.approx(max(values.values()))
    # All clicks play the first layouts, and few play the last.
    assert playouts.played[0] == (FIRST_LAYOUTS, *cells)
    fields = [set(cells) for _, *cells in playouts.played]
    assert all(after <= before for before, after in pairwise(fields))
    assert len(fields[-1]) < len(fields[0])


ALL = (FIRST_LAYOUTS, 0, 1, 2, 3)


@pytest.mark.parametrize(
    ("fractions", "margin", "limit", "won", "played"),
    [
        # The race ends when one click is left, or when no layout tells the clicks apart.
        ([0.2, 0.9, 0.1], 0.0, 10**9, 1, [ALL[:4]]),
        ([0.5, 0.5], 0.0, 10**9, 0, [ALL[:3]]),
        # The favourite stays unless another click is better by the margin.
        ([0.5, 0.52], 0.0, 10**9, 1, None),
        ([0.5, 0.52], 0.01, 10**9, 1, None),
        ([0.5, 0.52], 0.03, 10**9, 0, None),
        # The best clicks share the playouts that are left.
        ([0.5, 0.51, 0.52, 0.53], 0.0, 500, 3, [ALL]),
        ([0.5, 0.51, 0.52, 0.53], 0.0, 749, 3, [ALL]),
        ([0.5, 0.51, 0.52, 0.53], 0.0, 750, 3, [ALL, (FIRST_LAYOUTS, 2, 3)]),
        ([0.5, 0.51, 0.52, 0.53], 0.0, 875, 3, [ALL, (FIRST_LAYOUTS, 1, 2, 3)]),
        # The first clicks are played if the limit is too low for all.
        ([0.5, 0.51, 0.9], 0.0, 2 * FIRST_LAYOUTS, 1, [ALL[:3]]),
    ],
)
def test_races(fractions, margin, limit, won, played):
    playouts, cells = Noting(fractions), list(range(len(fractions)))
    layouts = np.zeros((1000 if limit < 10**9 else 4000, 3, 3), bool)
    assert race(playouts, np.zeros(9, np.int8), layouts, cells, np.ones(len(cells)), margin, limit) == won
    assert played in (None, playouts.played)


@pytest.mark.slow
def test_its_regret_is_less_than_half_of_that_of_lookahead():
    """On 250 positions `lookahead` has .0143 and `rollout` .0031 (docs/studies/play.md)."""
    names = ("lookahead:layouts=0", "rollout:layouts=0,draws=250")
    lookahead, rollout = (SCRIPT.losses(name, 60).mean() for name in names)
    assert rollout < 0.5 * lookahead


def test_clicks_depend_on_the_board_alone_and_are_legal():
    config = click_config(6, 6, 9)
    guesses = SCRIPT.guesses_of(find_policy("exact")(config), config, range(30), 200)
    boards = np.stack([guess.board for guess in guesses[:4]])
    policy = find_policy("rollout:draws=130,layouts=0")(config)
    alone = [clicks_of(policy, config, board[None])[0] for board in boards]
    assert clicks_of(policy, config, boards).tolist() == alone
    assert clicks_of(find_policy("rollout:draws=130,layouts=0")(config), config, boards).tolist() == alone
    board, mask = boards[:1].reshape(1, 6, 6), (boards[:1] > 8).astype(np.int8)
    marked = np.where((board > 8) & (np.arange(36).reshape(1, 6, 6) % 2 == 0), 10, board).astype(np.int8)
    assert policy.act(marked, mask).tolist() == alone[:1]
    mask[0, np.flatnonzero(mask)[:-2]] = 0
    assert mask[0, policy.act(board, mask)[0]] == 1


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "rule"), [(5, 6, 5, "safe"), (4, 4, 3, "any"), (6, 6, 27, "opening")]
)
def test_it_plays_whole_games(rows, cols, mines, rule):
    config = click_config(rows, cols, mines, rule)
    records = play_games(find_policy("rollout:draws=40,layouts=20")(config), config, range(5))
    assert len(records) == 5
    assert not any(record.truncated for record in records)


# The script benchmarks/guesses.py


def test_guesses_are_positions_without_a_safe_cell_and_games_without_them_are_won():
    config = click_config(8, 8, 14)
    policy = find_policy("exact")(config)
    found = SCRIPT.guesses_of(policy, config, range(40), 1)
    assert all(guess.risks[guess.board == HIDDEN].min() > 0.0 for guess in found)
    assert all(guess.log_layouts > math.log(1) for guess in found)
    records = play_games(policy, config, range(40))
    assert all(record.won for record in records if record.seed not in {guess.game for guess in found})


def test_perfect_play_alone_gives_nothing_away_at_the_ends_of_its_games():
    config = click_config(5, 5, 6)
    price = SCRIPT.Prices(config)

    def given_away(name):
        found = SCRIPT.guesses_of(find_policy(name)(config), config, range(60), 1)
        return sum(price(guess) for guess in found if guess.log_layouts <= price.endings.most)

    assert given_away("lookahead") < 1e-9
    assert given_away("random") > 0.1


def test_stored_values_are_what_a_search_finds():
    config, positions = SCRIPT.stored_positions()
    assert len(positions) == 250
    board, values = min(positions, key=lambda position: (position[0] == HIDDEN).sum())
    cells = list(values)[:2]
    found = SCRIPT.values_of(config, board, cells, Endings(config, 10_000, 20_000_000))
    assert found == pytest.approx({cell: values[cell] for cell in cells}, abs=1e-8)


@pytest.mark.parametrize(("policy", "layouts"), [("exact", 1), ("lookahead:layouts=20", 20), ("lookahead", 1)])
def test_every_layout_is_won_that_the_policy_wins_one_by_one(policy, layouts):
    config = click_config(3, 4, 3, "safe")
    wins, many = SCRIPT.wins_of(config, find_policy(policy)(config), layouts)
    every = all_layouts(config)
    possible = every[~every.reshape(len(every), -1)[:, SCRIPT.first_click(find_policy(policy)(config), config)]]
    assert many == len(possible)
    assert round(wins, 6) == number_won(find_policy(policy)(config), config, possible)


@pytest.mark.slow
@pytest.mark.figures
def test_it_prints_the_figures_of_the_pages(monkeypatch, capsys):
    """See "Two clicks ahead" on docs/policies/oracle.md; the playouts of 200 games are those of the 4000 there."""
    for command, printed in (
        ("gaps --boards 5x5/6:safe", ["optimum 49.974 %", "below it by 0.620 points", "below it by 0.389 points"]),
        ("playouts --games 200 --seed 8100000", ["lookahead: differs 43%, points per game +0.080 (se 0.122)"]),
    ):
        words = ["guesses.py", *command.split(), "--rules", "lookahead:clicks=1", "lookahead"]
        monkeypatch.setattr(sys, "argv", words)
        SCRIPT.main()
        found = capsys.readouterr().out
        assert all(each in found for each in printed)
