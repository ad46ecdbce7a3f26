"""The oracle on one page, against a list of all layouts, the naive reference, and the compiled oracle."""

import runpy
import sys
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from support import ROOT
from support import naive_inference as naive
from support.positions import layouts_of_size, perturbed, position_of, random_positions

from minesweeper_env.inference import InconsistentBoardError, mine_probabilities

PAGE = ROOT / "examples" / "oracle_on_one_page.py"
oracle = SimpleNamespace(**runpy.run_path(str(PAGE)))


def shares(board, mines):
    """Returns the probabilities by a list of all layouts."""
    layouts, (rows, cols) = naive.layouts(board, mines), np.shape(board)
    return [[Fraction(sum((r, c) in one for one in layouts), len(layouts)) for c in range(cols)] for r in range(rows)]


def answer(mine_probabilities, board, mines):
    """Returns the probabilities by a function, or None if it finds no layout."""
    try:
        return mine_probabilities(board, mines)
    except ValueError:
        return None


def radius_of_one(positions):
    return (position for position in positions if position.radius == 1)


def test_every_board_of_two_rows_has_the_fractions_of_all_its_layouts():
    for codes in product([0, 1, 2, 11, 12], repeat=4):
        for mines in range(5):
            board = [list(codes[:2]), list(codes[2:])]
            assert answer(oracle.mine_probabilities, board, mines) == answer(shares, board, mines)


def test_positions_have_the_probabilities_of_the_reference_and_of_the_compiled_oracle():
    for board, mines, _, _ in radius_of_one(random_positions(3, 150)):
        found = np.array(oracle.mine_probabilities(board.tolist(), mines))
        assert np.array_equal(found.astype(float), naive.mine_probabilities(board, mines))
        assert np.abs(found.astype(float) - mine_probabilities(board, mines)).max() <= 1e-12


def test_positions_of_large_boards_have_the_probabilities_of_the_compiled_oracle():
    rng = np.random.default_rng(4)
    for size, mines, number in (((8, 8), 10, 40), ((9, 9), 20, 15), ((16, 30), 99, 1)):
        for layout in layouts_of_size(rng, size, mines, number):
            board = position_of(rng, layout, 1).board
            found = np.array(oracle.mine_probabilities(board, mines), float)
            assert np.abs(found - mine_probabilities(board, mines)).max() <= 1e-12


def test_contradictory_boards_raise_where_the_compiled_oracle_does():
    rng, refused = np.random.default_rng(5), 0
    for position in radius_of_one(random_positions(5, 300, max_side=8)):
        board, mines = perturbed(rng, position)
        try:
            expected = mine_probabilities(board, mines)
        except InconsistentBoardError:
            refused += 1
            with pytest.raises(ValueError, match="no layout of mines fits this board"):
                oracle.mine_probabilities(board, mines)
        else:
            assert np.abs(np.array(oracle.mine_probabilities(board, mines), float) - expected).max() <= 1e-12
    assert refused > 100


def test_it_prints_the_board_of_the_page_that_explains_it(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [PAGE.name])
    runpy.run_path(str(PAGE), run_name="__main__")
    printed = [[float(Fraction(risk)) for risk in line.split()] for line in capsys.readouterr().out.splitlines()]
    page = (ROOT / "docs" / "studies" / "inference.md").read_text(encoding="utf-8")
    assert repr(np.array(printed)) in page
