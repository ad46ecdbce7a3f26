"""Reasons of certain cells: which of two is easier, which clues stay, and what a reason forces."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from minesweeper_env.codes import Codes
from minesweeper_env.inference.deduction import board_state
from minesweeper_env.inference.deduction.board_state import BoardState, Reason, easiest_reason, forced

SIDE = 9
MIDDLE = 4 * SIDE + 4


def test_a_reason_is_easier_without_the_number_of_mines_and_then_with_fewer_clues():
    ordered = [Reason([1, 2], False), Reason([1, 2, 3], False), Reason([1], True), Reason([1, 2], True)]
    for easier, harder in pairwise(ordered):
        assert easier.difficulty < harder.difficulty


def easiest_of(monkeypatch, *numbers):
    """Returns the number of clues of the chosen reason, and how many reasons were looked for.

    Args:
        monkeypatch: replaces the search for the reason of a cell.
        *numbers: number of clues of the reason of each findable cell.
    """
    found = [Reason([cell] * number, False) for cell, number in enumerate(numbers)]
    asked = []

    def find(_, bit):
        asked.append(found[bit.bit_length() - 1])
        return asked[-1]

    monkeypatch.setattr(board_state, "find_reason", find)
    state = SimpleNamespace(findable=(1 << len(numbers)) - 1, clues_about=lambda bit: [bit])
    return found.index(easiest_reason(state, state.findable)), len(asked)


@pytest.mark.parametrize(
    ("numbers", "chosen", "asked"), [((5, 4, 4, 6), 1, 4), ((3, 2, 2), 1, 2), ((2, 1), 0, 1), ((3, 3), 0, 2)]
)
def test_the_first_of_the_easiest_reasons_is_chosen_and_two_clues_end_the_search(monkeypatch, numbers, chosen, asked):
    assert easiest_of(monkeypatch, *numbers) == (chosen, asked)


def shrunk(monkeypatch, clues, forces):
    """Returns the clues that stay of a reason for the middle cell, and the number of questions that this took."""
    asked = []

    def ask(_, reason, bit):
        assert bit == 1 << MIDDLE
        asked.append(reason)
        return forces({*reason.clues})

    monkeypatch.setattr(board_state, "_forces", ask)
    state = SimpleNamespace(shape=(SIDE, SIDE), cells_of=lambda _: ((4, 4),))
    return list(board_state._shrink(state, list(clues), False, 1 << MIDDLE).clues), len(asked)


@pytest.mark.parametrize(
    ("stays", "goes"),
    [((3, 3), (4, 0)), ((3, 4), (3, 8)), ((5, 4), (8, 4)), ((5, 4), (3, 4)), ((5, 5), (0, 4))],
)
def test_of_two_clues_the_nearer_one_stays_and_of_equals_the_later_one(monkeypatch, stays, goes):
    either = {row * SIDE + col for row, col in (stays, goes)}
    assert shrunk(monkeypatch, sorted(either), lambda clues: bool(clues & either))[0] == [stays[0] * SIDE + stays[1]]


@pytest.mark.parametrize("needed", [{3 * SIDE + 3}, {0}, {0, 40, 80}])
def test_clues_are_dropped_in_runs_until_each_is_needed(monkeypatch, needed):
    clues, asked = shrunk(monkeypatch, range(SIDE * SIDE), lambda clues: clues >= needed)
    assert set(clues) == needed
    assert asked < SIDE * SIDE / 2


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
