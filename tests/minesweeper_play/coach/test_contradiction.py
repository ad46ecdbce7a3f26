"""Positions that no layout fits: which clues contradict each other, and which numbers of mines are allowed."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minesweeper_env import HIDDEN, MINE
from minesweeper_play.coach.board_text import read_board
from minesweeper_play.coach.position import find_contradiction


def layouts_that_fit(board, clues):
    """Returns the numbers of mines of all layouts that fit some clues, by trying every layout."""
    covered = [tuple(cell) for cell in np.argwhere(board > 8)]
    numbers = set()
    for choice in product((0, 1), repeat=len(covered)):
        mines = {cell for cell, mine in zip(covered, choice, strict=True) if mine}
        known = {cell for cell in covered if board[cell] == MINE}
        near = {
            (row, col): sum((row + i, col + j) in mines for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
            for row, col in clues
        }
        if known <= mines and all(near[clue] == board[clue] for clue in clues):
            numbers.add(len(mines))
    return numbers


CELLS = st.sampled_from([HIDDEN, HIDDEN, HIDDEN, MINE, 0, 1, 1, 2, 3])
SMALL_BOARDS = st.sampled_from([(2, 3), (3, 3), (2, 4), (1, 6)]).flatmap(
    lambda shape: st.lists(CELLS, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
        lambda cells: np.array(cells, np.int8).reshape(shape)
    )
)


@settings(max_examples=150, deadline=None)
@given(SMALL_BOARDS, st.integers(0, 6))
def test_faults_are_those_that_all_layouts_show(board, mines):
    found = find_contradiction(board, mines)
    clues = [tuple(cell) for cell in np.argwhere(board <= 8).tolist()]
    allowed = layouts_that_fit(board, clues)
    if mines in allowed:
        assert found is None
    elif allowed:
        assert found.clues == ()
        assert found.below == max((number for number in allowed if number < mines), default=None)
        assert found.above == min((number for number in allowed if number > mines), default=None)
    else:
        assert not layouts_that_fit(board, found.clues)
        for fewer in combinations(found.clues, len(found.clues) - 1):
            assert layouts_that_fit(board, fewer)


@pytest.mark.parametrize(
    ("text", "mines", "fault"),
    [
        ("1#\n0#", 1, (((0, 0), (1, 0)), None, None)),
        ("4#\n##", 3, (((0, 0),), None, None)),
        ("1##\n###", 0, ((), None, 1)),
        ("1#", 5, ((), 1, None)),
        ("1###1\n#####", 9, ((), 4, None)),
        ("1*1", 2, ((), 1, None)),
        # The cell in the middle is the only hidden mine, or the other three are.
        ("**#**\n**6**\n**#5#\n**6**\n**#**", 20, ((), 19, 21)),
    ],
)
def test_the_fault_is_named(text, mines, fault):
    found = find_contradiction(read_board(text), mines)
    assert (found.clues, found.below, found.above) == fault


def test_only_the_clues_at_fault_are_named_on_a_large_board():
    board = np.full((16, 30), HIDDEN, np.int8)
    board[2:5, 2:5] = 1
    board[3, 3] = 0
    board[10, 20:22] = [7, 1]
    assert find_contradiction(board, 99).clues == ((10, 20), (10, 21))
