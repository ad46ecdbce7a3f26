"""Rules of the compiled engine against the naive oracle, and by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from support import naive_azulejos as naive

from azulejos_env.config import GameConfig
from azulejos_env.position import Position, random_board


def rows(text):
    """Returns a board from lines of digits."""
    return np.array([[int(digit) for digit in line] for line in text.split()], np.int8)


def random_game(seed):
    """Returns rules and a board with holes, which differ from seed to seed."""
    generator = np.random.default_rng(seed)
    height, width, colours = (int(generator.integers(1, most)) for most in (9, 9, 6))
    config = GameConfig(height, width, colours, side=("left", "right")[seed % 2])
    board = random_board(config, generator)
    board[generator.random(board.shape) < generator.choice([0, 0.3])] = 0
    return config, board, generator


def play_against_the_oracle(seed):
    """Plays a random game to its end, and compares every position with the oracle's."""
    config, board, generator = random_game(seed)
    position = Position(config, board, scores=(3, 5))
    expected, scores = naive.compact(naive.rows_of(board), config.side), [3, 5]
    while True:
        groups = naive.groups(expected)
        assert naive.rows_of(position.board) == expected
        assert [(group.row, group.col, group.size) for group in position.groups] == [
            (*min(group), len(group)) for group in groups
        ]
        if not groups:
            return
        group = groups[generator.integers(len(groups))]
        player = position.player
        position = position.play(*next(iter(group)))
        expected, scores[player] = naive.play(config, expected, scores[player], group)
        assert position.scores == tuple(scores)
        assert position.player == 1 - player


@pytest.mark.parametrize("block", range(4))
def test_random_games_are_those_of_the_oracle(block):
    for seed in range(150 * block, 150 * (block + 1)):
        play_against_the_oracle(seed)


@pytest.mark.parametrize(
    ("size", "points"), [(2, 1), (3, 2), (4, 4), (5, 8), (6, 12), (7, 14), (50, 100)], ids=lambda value: str(value)
)
def test_points_of_a_group(size, points):
    assert GameConfig(1, 100).points_by_size()[size] == points


def test_tiles_fall_and_columns_close_to_the_left():
    position = Position(GameConfig(3, 4, 3), rows("1232 1213 2213"))
    after = position.play(0, 0)
    assert after.board.tolist() == rows("0232 0213 2213").tolist()


def test_who_clears_the_board_has_the_whole_score_multiplied_and_rounded_down():
    position = Position(GameConfig(1, 2, 1), rows("11"), scores=(0, 8), player=1)
    assert position.play(0, 0).scores == (0, 11)


def test_the_bonus_may_be_any_factor_with_three_decimals():
    position = Position(GameConfig(1, 2, 1, bonus=2.125), rows("11"), scores=(7, 0))
    assert position.config.bonus == Fraction(17, 8)
    assert position.play(0, 1).scores == (17, 0)


def test_single_tiles_are_no_move():
    position = Position(GameConfig(1, 3, 3), rows("123"))
    assert position.over
    with pytest.raises(ValueError, match=r"cell \(0,1\) belongs to no group of two or more equal tiles"):
        position.play(0, 1)


@pytest.mark.parametrize("cell", [(-1, 0), (0, 3), (2, 0)])
def test_a_cell_outside_the_board_is_refused(cell):
    with pytest.raises(ValueError, match=r"a row in 0..1 and a column in 0..2"):
        Position(GameConfig(2, 3, 1), rows("111 111")).play(*cell)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rows": 0}, "rows must be a whole number of at least 1, not 0"),
        ({"cols": 101}, "cols must be 1 to 100, not 101"),
        ({"colours": 10}, "colours must be 1 to 9"),
        ({"points": "12"}, "points must be a sequence of whole numbers"),
        ({"points": (1, -1)}, "points must be a whole number of at least 0, not -1"),
        ({"per_tile": 1.5}, "per_tile must be a whole number of at least 0, not 1.5"),
        ({"bonus": 0.5}, "bonus must be a number from 1 to 1000"),
        ({"bonus": "much"}, "bonus must be a number from 1 to 1000"),
        ({"side": "up"}, "side must be one of left, right, not 'up'"),
    ],
)
def test_wrong_rules_are_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        GameConfig(**fields)


@pytest.mark.parametrize(
    ("board", "fields", "word"),
    [
        ([[1, 1]], {}, "shape"),
        ([[1.0, 1], [1, 1]], {}, "float64"),
        ([[1, 4], [1, 1]], {}, "0 to 3"),
        ([[1, -1], [1, 1]], {}, "0 to 3"),
        ([[1], [1, 1]], {}, "ragged"),
        ([[1, 1], [1, 1]], {"scores": (1, -1)}, "scores"),
        ([[1, 1], [1, 1]], {"player": 2}, "player"),
    ],
)
def test_a_wrong_position_is_refused(board, fields, word):
    with pytest.raises(ValueError, match=word):
        Position(GameConfig(2, 2), board, **fields)
