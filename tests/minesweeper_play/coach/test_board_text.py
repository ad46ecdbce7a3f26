"""Boards as text: what is read, what is written, and the errors, which name the line."""

import json
import time
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from minesweeper_env import FLAGGED, HIDDEN, MINE, QUESTION, BoardConfig, MinesweeperEnv
from minesweeper_env.text import board_text
from minesweeper_play.coach import board_text as texts
from minesweeper_play.coach.board_text import read_board, read_position, write_board
from minesweeper_play.game.moves import TextError
from minesweeper_play.game.session import Session


@given(arrays(np.int8, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=st.integers(0, MINE)))
def test_what_is_written_is_read_back(board):
    if not np.isin(board, (HIDDEN, FLAGGED, QUESTION)).any():
        # No game is lost here, so the mines are covered cells.
        board = np.where(board == MINE, HIDDEN, board)
    assert read_board(write_board(board)).tolist() == board.tolist()


def test_blanks_blank_lines_and_the_line_ends_of_other_systems_do_not_matter():
    assert read_board("\ufeff\r\n 1 # \t2\r\n\r\n##?\r\n\n").tolist() == [[1, HIDDEN, 2], [HIDDEN, HIDDEN, QUESTION]]


def test_the_mine_that_was_opened_has_a_sign_of_its_own():
    board = np.array([[MINE, MINE], [2, HIDDEN]], np.int8)
    assert write_board(board, (0, 1)) == "*!\n2#"
    assert read_board("*!\n2#").tolist() == board.tolist()


@pytest.mark.parametrize(("rows", "cols", "mines"), [(3, 12, 5), (11, 4, 6), (2, 1, 1)])
def test_a_board_as_the_environment_prints_it_is_read(rows, cols, mines):
    env = MinesweeperEnv((rows, cols), mines, first_click="any", render_mode="ansi")
    env.reset(seed=1)
    lost = False
    while not lost:
        board, _, lost, _, _ = env.step(env.unwrapped.action_masks()[: rows * cols].argmax())
        assert read_board(env.render()).tolist() == board.tolist()


@pytest.mark.parametrize(("size", "width"), [((3, 12), 100), ((16, 30), 80), ((11, 4), 80)])
@pytest.mark.parametrize("glyphs", [texts.ASCII, texts.PLAIN])
def test_a_board_as_the_line_mode_prints_it_is_read(size, width, glyphs):
    session = Session(BoardConfig(*size, mines=5), seed=3)
    session.open(0, 0)
    session.flag(*np.argwhere(session.board == HIDDEN)[0].tolist())
    lines = texts.board_lines(texts.draw_session(session, glyphs), width)
    assert read_board("\n".join([*lines, "Mines left: 4   Time: 0:00"])).tolist() == session.board.tolist()


def test_stars_may_be_hidden_cells_and_numbers_at_the_edges_may_be_cells():
    assert read_board("**1 / 110").tolist() == [[HIDDEN, HIDDEN, 1], [1, 1, 0]]
    assert read_board("0 1\n0 1").tolist() == [[0, 1], [0, 1]]


CORNER = [[0, 1, 1, 1], [1, 2, HIDDEN, HIDDEN], [1, HIDDEN, HIDDEN, HIDDEN], [HIDDEN] * 4]
"""The position of all texts below, with 3 mines."""

FORMS = {
    "observation": str(np.array(CORNER)),
    "array": repr(np.array(CORNER, np.int8)),
    "Tatham's Mines": "-111\n12??\n1???\n????",
    "JSMinesweeper": "4x4x3\n0111\n12HH\n1HHH\nHHHH",
    "blanks": " 111\n12##\n1###\n####",
    "spaced blanks": "  1 1 1\n1 2 # #\n1 # # #\n# # # #",
    "dots for covered cells": "0111\n12..\n1...\n....",
    "x and 0": "0111\n12xx\n1xxx\nxxxx",
    "-1": "0 1 1 1\n1 2 -1 -1\n1 -1 -1 -1\n-1 -1 -1 -1",
    "JSON": json.dumps([[None if code == HIDDEN else code for code in row] for row in CORNER]),
    "csv": ",1,1,1\n1,2,#,#\n1,#,#,#\n#,#,#,#",
    "Markdown": "|0|1|1|1|\n|---|---|---|---|\n|1|2|#|#|\n|1|#|#|#|\n|#|#|#|#|",
    "box": "┌─┐\n│ │1│1│1│\n│1│2│H│H│\n|1|H|H|H|\n|H|H|H|H|",
    "emoji": "0\ufe0f\u20e31\ufe0f\u20e311\n12\u2b1b\u2b1b\n1\u2b1b\u2b1b\u2b1b\n\u2b1b\u2b1b\u2b1b\u2b1b",
    "squares": "\u2b1c111\n12\U0001f7e6\U0001f7e6\n1\U0001f7e6\U0001f7e6\U0001f7e6\n" + "\U0001f7e6" * 4,
    "TextGame": board_text(np.array(CORNER, np.int8), 3),
    "TextGame, json": board_text(np.array(CORNER, np.int8), 3, style="json"),
    "TextGame, json on one line": json.dumps(json.loads(board_text(np.array(CORNER, np.int8), 3, style="json"))),
    "numbered rows": "1 . 1 1 1\n2 1 2 # #\n3 1 # # #\n4 # # # #",
}


@pytest.mark.parametrize("form", FORMS)
def test_boards_of_other_programs_are_read(form):
    board, mines, _ = read_position(FORMS[form])
    assert board.tolist() == CORNER
    assert mines == ({3} if form.startswith(("JSMinesweeper", "TextGame")) else set())


@pytest.mark.parametrize(
    "text",
    [
        *("F1.\n11.", "x1.\n11.", "  2*2  \n 25*52 ", " 1*1 \n 111 ", "1 _ _\n1 . .", "|1|2|\n|-|-|\n|#|#|"),
        *("1 1\nand\n# #", "Row 1: # #\nRow 2: 1 1", "  a b\n1 # 1\n2 # 1", "9 1\n1 1", "1 1 1\n1 -2 1"),
        *("Board: ##1\n##1", "?..\n.11\n.1F", "1 2 3\n. . .\n. . F", "##\n11\n\n11\n##"),
        board_text(np.array(CORNER, np.int8), 3, style="list"),
    ],
)
def test_a_text_that_can_mean_several_boards_or_none_is_refused(text):
    with pytest.raises(TextError):
        read_board(text)


def test_the_number_of_mines_is_taken_from_the_text():
    assert read_position("New game: 3 columns, 4 mines, seed 3.\n1F#\n###\nMines left: 3   Time: 0:07")[1] == {4}
    assert read_position("1F#\n###\nMinas restantes: -1   Tiempo: 0:07")[1] == {0}
    assert read_position("3 minas\n1##\n2 mines")[1] == {2, 3}


@pytest.mark.parametrize("line", ["|" * 100_000, "#" + " " * 100_000 + "#", "- " * 50_000])
def test_a_long_line_is_read_in_linear_time(line):
    begin = time.process_time()
    with suppress(TextError):
        read_board(line)
    assert time.process_time() - begin < 10  # a quadratic reader takes longer than a minute


@pytest.mark.parametrize("row", [".1" * 600, "#" * 1200, "|" + "#|" * 1200])
def test_a_board_larger_than_any_game_is_refused_before_its_readings_are_compared(row):
    begin = time.process_time()
    with pytest.raises(TextError):
        read_board("\n".join([row] * 1000))
    assert time.process_time() - begin < 20  # the comparison takes more than a minute, and 1 GB


@pytest.mark.parametrize(
    ("text", "problem", "values"),
    [
        ("", "empty", {}),
        (" \n\n", "empty", {}),
        ("##1\n##1\n###x", "cell", {"line": 3, "found": "x"}),
        ("  0 1 2\n0 # # #\n1 # z #", "cell", {"line": 3, "found": "z"}),
        ("# 9", "cell", {"line": 1, "found": "9"}),
        ("##\n\n###", "row", {"line": 3, "found": 3, "expected": 2}),
    ],
)
def test_an_error_says_where_it_is(text, problem, values):
    with pytest.raises(TextError) as error:
        read_board(text)
    assert (error.value.key, error.value.values) == (f"coach_{problem}", values)
