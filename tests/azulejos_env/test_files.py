"""Game files: read, written, and refused with the line and the column."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azulejos_env.config import GameConfig
from azulejos_env.files import GameFileError, read_game, read_game_text, write_game_text
from azulejos_env.position import Position, random_board

GAME = "2\n3\n4\n0\n112\n312\n"


@pytest.mark.parametrize("text", [GAME.rstrip("\n"), GAME.replace("\n", "\r\n")], ids=["no line feed", "Windows"])
def test_line_ends_of_other_editors_are_read(text):
    assert read_game_text(text).board.tolist() == [[1, 1, 2], [3, 1, 2]]


@given(
    st.integers(1, 12),
    st.integers(1, 12),
    st.integers(1, 9),
    st.tuples(st.integers(0, 999), st.integers(0, 999)),
    st.integers(0, 99),
)
def test_what_is_written_is_read_again(rows, cols, colours, scores, seed):
    position = Position(GameConfig(rows, cols, colours), random_board(GameConfig(rows, cols, colours), seed), scores)
    again = read_game_text(write_game_text(position))
    assert (again.board == position.board).all()
    assert again.scores == position.scores


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the file ends before the number of rows"),
        ("2\n", "line 2: the file ends before the number of columns"),
        ("two\n", "line 1: the number of rows must be a whole number from 1 to 100, not 'two'"),
        ("0\n3\n0\n0\n", "line 1: the number of rows must be a whole number from 1 to 100, not '0'"),
        ("2\n101\n0\n0\n", "line 2: the number of columns must be a whole number from 1 to 100, not '101'"),
        (
            "2\n3\n-1\n0\n",
            "line 3: the score of the first player must be a whole number from 0 to 1000000000, not '-1'",
        ),
        ("2\n3\n0\n1.5\n", "line 4: the score of the second player must be"),
        ("2\n3\n0\n0\n112\n", "line 6: the file ends after 1 of 2 rows"),
        ("2\n3\n0\n0\n112\n3x2\n", "line 6, column 2: 'x' is no tile; allowed are the digits 0 to 9"),
        ("2\n3\n0\n0\n112\n31\n", "line 6, column 3: the row has 2 tiles, not 3"),
        ("2\n3\n0\n0\n1121\n312\n", "line 5, column 4: the row has 4 tiles, not 3"),
        ("2\n3\n0\n0\n112\n3 2\n", "line 6, column 2: ' ' is no tile"),
        ("2\n3\n0\n0\n112\n312\n\n", "line 7: the file has 2 rows, so it ends before this line"),
    ],
)
def test_a_wrong_file_is_refused(text, message):
    with pytest.raises(GameFileError) as error:
        read_game_text(text)
    assert str(error.value).startswith(message)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "game.txt").write_bytes(b"2\n3\n\xff")
    with pytest.raises(GameFileError, match="byte 5 is no ASCII character"):
        read_game(tmp_path / "game.txt")
