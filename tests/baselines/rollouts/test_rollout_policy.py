"""The policy `rollout`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.policies import click_config

from baselines import make_policy
from baselines.evaluation.games import play_games
from baselines.guesses.comparison import guesses_of
from baselines.guesses.regret import ClickValues, positions_of_json, regret_of
from baselines.registry import build_policy
from baselines.rollouts.players import clicks_of
from baselines.support.files import read_json

POSITIONS = Path(__file__).parents[3] / "benchmarks" / "positions" / "guesses-8x8-14.json"


def boards_of(config, games, layouts=200):
    guesses = guesses_of(build_policy("exact", config), config, range(games), layouts)
    return np.stack([guess.board for guess in guesses])


@pytest.mark.slow
def test_its_regret_is_less_than_half_of_that_of_lookahead():
    """On 250 positions `lookahead` has .0143 and `rollout` .0032 (docs/studies/lost-games.md)."""
    config, positions = positions_of_json(read_json(POSITIONS))
    values = ClickValues(config, 10_000)
    regrets = [
        regret_of(build_policy(name, config), config, positions[:60], values).mean
        for name in ("lookahead:layouts=0", "rollout:layouts=0,draws=250")
    ]
    assert regrets[1] < 0.5 * regrets[0]


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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"draws": 1}, "draws"),
        ({"draws": 10.5}, "draws"),
        ({"margin": -0.1}, "margin"),
        ({"margin": "wide"}, "margin"),
        ({"ends": 0}, "ends"),
        ({"layouts": -1}, "layouts"),
        ({"first": "last"}, "first"),
    ],
)
def test_wrong_options_are_named(options, said):
    with pytest.raises(ValueError, match=said):
        make_policy("rollout", size=5, mines=4, **options)
