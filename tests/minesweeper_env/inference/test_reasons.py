"""Reasons of certain cells: which of two is easier, and what a reason forces."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from minesweeper_env.codes import Codes
from minesweeper_env.inference.deduction.board_state import BoardState, Reason, forced


def test_a_reason_is_easier_without_the_number_of_mines_and_then_with_fewer_clues():
    ordered = [Reason([1, 2], False), Reason([1, 2, 3], False), Reason([1], True), Reason([1, 2], True)]
    for easier, harder in pairwise(ordered):
        assert easier.difficulty < harder.difficulty


def state_of(codes, mines, radius=1):
    return BoardState(np.array(codes, np.int8), mines, radius)


HIDDEN = Codes.of_radius(1).hidden


def test_without_the_number_of_mines_all_unknown_cells_may_be_mines():
    state = state_of([[HIDDEN, 2, HIDDEN, 2, HIDDEN, 1, HIDDEN]], 4 - 1)
    assert forced(state, Reason([1, 3], False)) == (0, 0b0010101)
    assert forced(state_of([[HIDDEN, 2, HIDDEN]], 2), Reason([1], False)) == (0, 0b101)


def test_the_cells_that_stand_for_the_other_mines_are_out_of_reach_at_every_radius():
    hidden = Codes.of_radius(2).hidden
    assert forced(state_of([[hidden, 1]], 1, 2), Reason([1], False)) == (0, 0b01)
