"""Rules for guesses, by the script `benchmarks/guesses.py`."""

import math
import sys

import pytest
from support.guesses import SCRIPT, small_guess
from support.policies import all_layouts, click_config, number_won

from baselines.evaluation.games import play_games
from baselines.registry import find_policy
from baselines.scripted.oracle_play.lookahead import Endings
from minesweeper_env import HIDDEN


def test_guesses_are_positions_without_a_safe_cell_and_games_without_them_are_won():
    config = click_config(8, 8, 14)
    policy = find_policy("exact")(config)
    found = SCRIPT.guesses_of(policy, config, range(40), 1)
    assert all(guess.risks[guess.board == HIDDEN].min() > 0.0 for guess in found)
    assert all(guess.log_layouts > math.log(1) for guess in found)
    records = play_games(policy, config, range(40))
    assert all(record.won for record in records if record.seed not in {guess.game for guess in found})


def test_the_best_click_of_an_ending_has_the_value_of_the_position():
    config, guess, _ = small_guess()
    endings = Endings(config, 1000, 100_000)
    ending = endings.find(guess.board, guess.log_layouts)
    values = SCRIPT.values_of(config, guess.board, [ending.cell], endings)
    assert values[ending.cell] == pytest.approx(ending.win_probability)


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
