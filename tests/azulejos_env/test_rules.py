"""Rules of the compiled engine against the naive oracle, and by hand; game files."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import naive_azulejos as naive

from azulejos_env.config import GameConfig
from azulejos_env.position import Position, random_board, read_game, read_game_text, write_game_text


def rows(text):
    """Returns a board from lines of digits."""
    return np.array([[int(digit) for digit in line] for line in text.split()], np.int8)


@pytest.mark.parametrize("block", range(4))
def test_random_games_are_those_of_the_oracle(block):
    for seed in range(150 * block, 150 * (block + 1)):
        generator = np.random.default_rng(seed)
        height, width, colours = (int(generator.integers(1, most)) for most in (9, 9, 6))
        config = GameConfig(height, width, colours, side=("left", "right")[seed % 2])
        board = random_board(config, generator)
        board[generator.random(board.shape) < generator.choice([0, 0.3])] = 0
        position = Position(config, board, scores=(3, 5))
        expected, scores = naive.compact(naive.rows_of(board), config.side), [3, 5]
        while groups := naive.groups(expected):
            assert naive.rows_of(position.board) == expected
            assert position.groups == [(*min(group), len(group)) for group in groups]
            group, player = groups[generator.integers(len(groups))], position.player
            position = position.play(*next(iter(group)))
            expected, scores[player] = naive.play(config, expected, scores[player], group)
            assert (position.scores, position.player) == (tuple(scores), 1 - player)
        assert position.over
        assert naive.rows_of(position.board) == expected


def test_points_falling_tiles_and_the_bonus_by_hand():
    points = GameConfig(1, 100).rules.points
    assert points[[2, 3, 4, 5, 6, 7, 50]].tolist() == [1, 2, 4, 8, 12, 14, 100]
    after = Position(GameConfig(3, 4, 3), rows("1232 1213 2213")).play(0, 0)
    assert after.board.tolist() == rows("0232 0213 2213").tolist()
    assert Position(GameConfig(1, 2, 1), rows("11"), scores=(0, 8), player=1).play(0, 0).scores == (0, 11)
    assert Position(GameConfig(1, 2, 1, bonus=2.125), rows("11"), scores=(7, 0)).play(0, 1).scores == (17, 0)


def test_a_cell_of_no_group_is_refused():
    position = Position(GameConfig(2, 3, 3), rows("123 231"))
    assert position.over
    with pytest.raises(ValueError, match=r"cell \(0,1\) belongs to no group of two or more equal tiles"):
        position.play(0, 1)
    for cell in ((-1, 0), (0, 3), (2, 0)):
        with pytest.raises(ValueError, match=r"a row in 0..1 and a column in 0..2"):
            position.play(*cell)


@pytest.mark.parametrize(
    "fields",
    [
        {"rows": 0}, {"cols": 101}, {"colours": 10}, {"points": (1, -1)}, {"per_tile": 1.5}, {"bonus": 0.5},
        {"bonus": "much"}, {"side": "up"},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_rules_are_refused(fields):
    with pytest.raises(ValueError, match=next(iter(fields))):
        GameConfig(**fields)


@pytest.mark.parametrize(
    ("word", "fields"),
    [
        ("shape", {"board": [[1, 1]]}),
        ("float64", {"board": [[1.0, 1], [1, 1]]}),
        ("0 to 3", {"board": [[1, 4], [1, 1]]}),
        ("0 to 3", {"board": [[1, -1], [1, 1]]}),
        ("scores", {"scores": (1, -1)}),
        ("scores", {"scores": (1, 0.5)}),
        ("player", {"player": 2}),
    ],
)
def test_a_wrong_position_is_refused(word, fields):
    with pytest.raises(ValueError, match=word):
        Position(GameConfig(2, 2), **{"board": [[1, 1], [1, 1]], **fields})


SIZES = st.integers(1, 12)


@given(SIZES, SIZES, st.integers(1, 9), st.tuples(st.integers(0, 999), st.integers(0, 999)), st.booleans())
def test_what_is_written_is_read_again(height, width, colours, scores, windows):
    config = GameConfig(height, width, colours)
    position = Position(config, random_board(config, 1), scores)
    text = write_game_text(position)
    again = read_game_text(text.replace("\n", "\r\n").rstrip() if windows else text)
    assert (again.board == position.board).all()
    assert again.scores == position.scores


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the number of rows must be"),
        ("two\n", "line 1: the number of rows must be a whole number from 1 to 100, not 'two'"),
        ("2\n3\n-1\n0\n", "line 3: the score of the first player must be"),
        ("2\n3\n0\n0\n112\n", "line 5 is the last one: the file has 1 row of tiles, not 2"),
        ("2\n3\n0\n0\n112\n312\n\n", "line 7: a row must be 3 digits, not ''"),
        ("2\n3\n0\n0\n112\n3x2\n", "line 6: a row must be 3 digits, not '3x2'"),
        ("2\n3\n0\n0\n1121\n312\n", "line 5: a row must be 3 digits, not '1121'"),
        ("2\n3\n0\n0\n112\n3é2\n", "line 6: a row must be 3 digits, not '3\N{REPLACEMENT CHARACTER}2'"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, text, message):
    (tmp_path / "game.txt").write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match="line") as error:
        read_game(tmp_path / "game.txt")
    assert str(error.value).startswith(message)
