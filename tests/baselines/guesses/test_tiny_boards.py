"""Win rates of policies on every layout of tiny boards, and their distance from the optimum."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from support.policies import all_layouts, click_config, number_won

from baselines.guesses.runs import gap_of
from baselines.guesses.tiny_boards import OPTIMA, EveryLayoutPlayer, free_cells, layouts_after, optimum
from baselines.registry import build_policy
from baselines.support.board_names import parse_board
from minesweeper_env.inference import first_cell_values


@pytest.mark.parametrize(("policy", "layouts"), [("exact", 1), ("lookahead:layouts=20", 20), ("lookahead", 1)])
@pytest.mark.parametrize("first_click", ["safe", "opening"])
def test_it_wins_the_layouts_that_the_policy_wins_one_by_one(policy, layouts, first_click):
    config = click_config(3, 4, 3, first_click)
    player = EveryLayoutPlayer(config, build_policy(policy, config), layouts)
    played = player.play()
    every = all_layouts(config)
    possible = every[~every.reshape(len(every), -1)[:, free_cells(config, player.cell)].any(axis=1)]
    assert played.layouts == len(possible) == layouts_after(config, player.cell)
    assert round(played.wins, 6) == number_won(build_policy(policy, config), config, possible)


def test_perfect_play_of_all_ends_leaves_no_guess():
    config = click_config(3, 4, 3, "safe")
    played = EveryLayoutPlayer(config, build_policy("exact", config), 1000).play()
    assert (played.guesses, played.boards) == (0, 0)
    assert played.wins / played.layouts == pytest.approx(float(first_cell_values(3, 4, 3, "safe")[0, 0]))


def test_progress_counts_every_layout():
    config, seen = click_config(3, 4, 3, "safe"), []
    EveryLayoutPlayer(config, build_policy("exact", config), 1).play(seen.append)
    assert sum(seen) == layouts_after(config, 0)


def test_cells_that_the_first_click_keeps_free():
    assert free_cells(click_config(4, 5, 3, "safe"), 6).tolist() == [6]
    assert free_cells(click_config(4, 5, 3), 0).tolist() == [0, 1, 5, 6]
    with pytest.raises(ValueError, match="first_click must be opening or safe, not any"):
        free_cells(click_config(4, 5, 3, "any"), 0)


def test_an_unknown_optimum_is_searched():
    values = first_cell_values(3, 4, 3, "safe")
    assert optimum(click_config(3, 4, 3, "safe"), 5) == values[1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("board", ["5x5/5"])
def test_a_known_optimum_is_what_the_search_finds(board):
    config = parse_board(board, "safe")
    values = first_cell_values(config.rows, config.cols, config.mines, "safe")
    assert Fraction(OPTIMA[board, "safe"], layouts_after(config, 0)) == values[0, 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "one_click", "two_clicks"), [("5x5/5:safe", 0.365, 0.37), ("5x5/6:safe", 0.621, 0.40)]
)
def test_two_clicks_ahead_is_nearer_to_the_optimum(board, one_click, two_clicks):
    rows = {clicks: gap_of(board, f"lookahead:clicks={clicks}", 10_000) for clicks in (1, 2)}
    assert rows[1]["gap"] == pytest.approx(one_click, abs=1e-3)
    assert 0.0 < rows[2]["gap"] < min(two_clicks, rows[1]["gap"])
    assert np.isfinite(rows[2]["guesses_per_game"])
