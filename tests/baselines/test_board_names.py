"""Names of boards: parsing inverts writing."""

from argparse import ArgumentTypeError

import pytest

from baselines.cli.command import parse_size
from minesweeper_env.config import BoardConfig, board_name


@pytest.mark.parametrize("board", [(8, 8, 14), (16, 30, 99), (1, 4, 1)])
def test_what_is_written_is_parsed(board):
    config = BoardConfig.of_name(board_name(*board), "any")
    assert (config.rows, config.cols, config.mines) == board
    assert (config.first_click, config.moves) == ("any", ("click",))
    assert config.name == board_name(*board)


def test_sizes():
    assert parse_size("8") == (8, 8)
    assert parse_size("16x30") == (16, 30)
    for text in ("", "x", "8x", "-8", "8x8x8", "٨"):
        with pytest.raises(ArgumentTypeError, match=r"a size is a side such as 8"):
            parse_size(text)


@pytest.mark.parametrize("text", ["8x8", "8x8/", "8x8-14", "8/14", " 8x8/14", "8x8/14\n", 14, None])
def test_other_texts_are_no_boards(text):
    with pytest.raises(ValueError, match="a board is written ROWSxCOLS/MINES"):
        BoardConfig.of_name(text, "any")
