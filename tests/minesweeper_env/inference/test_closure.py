"""The reader and the closure against naive inference, for hints, boards without guesses and policies alike."""

import numpy as np
import pytest
from support import naive_inference as naive
from support.positions import cells_of, perturbed, random_positions

from minesweeper_env.codes import Codes
from minesweeper_env.inference import InconsistentBoardError, deduce
from minesweeper_env.inference.deduction.kernels import SEVERAL, SINGLE, WITH_TOTAL, known_cells
from minesweeper_env.inference.reading import MINE, SAFE


@pytest.mark.parametrize(("level", "name"), [(SINGLE, "count"), (SEVERAL, "subset"), (WITH_TOTAL, "subset")])
def test_a_batch_finds_what_deduce_finds_and_nothing_else_and_each_finding_is_true(level, name):
    for board, mines, radius, _ in random_positions(20, 400, 6):
        known = known_cells(board[None].astype(np.int8), mines, radius, level)[0]
        safe, mine = cells_of(known == SAFE), cells_of(known == MINE)
        certain = naive.certain_cells(board, mines, radius=radius)
        assert safe <= cells_of(certain[0])
        assert mine <= cells_of(certain[1])
        steps = deduce(board, mines, radius=radius, level=name)
        expected = {cell for step in steps for cell in step.safe}
        shown = cells_of(board == Codes.of_radius(radius).mine)
        assert safe <= expected
        assert mine - shown <= {cell for step in steps for cell in step.mine}
        assert level != WITH_TOTAL or bool(safe) == bool(expected)


def test_a_contradiction_ends_a_batch_without_an_error():
    rng, found = np.random.default_rng(21), 0
    for position in random_positions(21, 200):
        board, mines = perturbed(rng, position)
        known = known_cells(board[None].astype(np.int8), mines, position.radius, WITH_TOTAL)[0]
        try:
            safe, mine = naive.certain_cells(board, mines, radius=position.radius)
        except InconsistentBoardError:
            found += 1
        else:
            assert cells_of(known == SAFE) <= cells_of(safe)
            assert cells_of(known == MINE) <= cells_of(mine)
    assert found > 30


def test_the_overlap_of_two_clues_decides_the_cells_of_their_own():
    board = np.array([[11, 11, 11, 11, 11, 11, 11], [11, 11, 1, 2, 1, 11, 11]], np.int8)
    known = known_cells(board[None], 4, 1, SEVERAL)[0]
    assert cells_of(known == SAFE) == {(0, 1), (1, 1), (0, 5), (1, 5), (0, 3)}
