"""Exact inference on hard positions: long frontiers, wide ones, big boards, and those beyond the bounds."""

import math
import sys
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from support.hard_positions import LATTICES, TOO_HARD, assert_fits, grid, position
from support.naive_game import neighbours
from support.positions import board_of, counts_of, flood
from support.processes import run_python

from minesweeper_env import inference
from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError, optimal
from minesweeper_env.inference.counting import workspace as memory
from minesweeper_env.inference.counting.forward_pass import BOOLEAN, FIXED_TOTAL, IID
from minesweeper_env.inference.counting.posterior import posteriors
from minesweeper_env.inference.kernels import infer_posteriors
from minesweeper_env.inference.sampling import draw_layouts

EXACT = 1e-12

H, M = 11, 12


def unbroken_chain(mines, seed):
    """Returns a board whose frontier is one chain, every other cell of its middle row: no single number decides it."""
    rng = np.random.default_rng(seed)
    while True:
        board, layout = position((5, 100), [(2, col) for col in range(1, 100, 2)], mines, rng)
        if not np.isin(board, [0, 8]).any():
            return board, layout


def count_by_sweep(board, mines):
    """Returns the number of layouts that fit: cell by cell, column after column, in Python's integers.

    The ways are told apart by the mines used and by what each number lacks that has cells on both sides.
    """
    rows, cols = board.shape
    covered = [(row, col) for col in range(cols) for row in range(rows) if 9 <= board[row, col] <= H]
    over = {cell: [near for near in neighbours(rows, cols, cell, 1) if board[near] < 9] for cell in covered}
    inside = [cell for cell in covered if over[cell]]
    last = {number: cell for cell in inside for number in over[cell]}
    shown = {number: sum(board[near] == M for near in neighbours(rows, cols, number, 1)) for number in last}
    ways = Counter({(0, ()): 1})
    for cell in inside:
        following = Counter()
        for (used, lacks), many in ways.items():
            for mine in (0, 1):
                left = dict(lacks)
                for number in over[cell]:
                    left[number] = left.get(number, int(board[number] - shown[number])) - mine
                done = [left.pop(number) for number in over[cell] if last[number] == cell]
                if not any(done) and min(left.values(), default=0) >= 0:
                    following[used + mine, tuple(sorted(left.items()))] += many
        ways = following
    mines -= int((board == M).sum())
    outside = len(covered) - len(inside)
    return sum(many * math.comb(outside, mines - used) for (used, _), many in ways.items() if used <= mines)


def assert_probabilities_are_ratios(board, mines, number, count):
    """Compares the probabilities of some random covered cells with the fraction of layouts that have a mine there."""
    probabilities = inference.mine_probabilities(board, mines)
    layouts = count(board, mines)
    for cell in np.random.default_rng(0).permutation(np.argwhere(board == H))[:number].tolist():
        seen = board.copy()
        seen[tuple(cell)] = M
        try:
            fitting = count(seen, mines)
        except InconsistentBoardError:
            fitting = 0
        assert abs(probabilities[tuple(cell)] - float(Fraction(fitting, layouts))) <= EXACT, cell


def assert_is_a_layout(layout, board, mines):
    assert layout.sum() == mines
    assert not layout[board <= 8].any()
    assert np.array_equal(counts_of(layout, 1)[board <= 8], board[board <= 8])


@pytest.mark.parametrize(("size", "mines"), [(None, 140), (None, 230), ((7, 9), 16), ((5, 21), 30)])
def test_long_chains_and_small_lattices_are_counted_cell_by_cell(size, mines):
    board, layout = position(size, grid(*size), mines, mines) if size else unbroken_chain(mines, mines)
    assert_fits(board, mines, layout)
    assert inference.count_layouts(board, mines) == count_by_sweep(board, mines)
    assert_probabilities_are_ratios(board, mines, 7, count_by_sweep)


def test_a_chain_may_be_thousands_of_cells_long():
    """Each covered cell but the ends lies between two ones, so that every other one is a mine."""
    board = np.array([[H, 1] * 5000 + [H]])
    for mines, first in ((2500, 0.0), (2501, 1.0)):
        probabilities = inference.mine_probabilities(board, mines)
        assert np.array_equal(probabilities[0, ::2], np.resize([first, 1.0 - first], 5001))
        assert inference.count_layouts(board, mines) == 1
    with pytest.raises(InconsistentBoardError):
        inference.mine_probabilities(board, 2499)


@pytest.mark.parametrize(("mines", "seed"), LATTICES)
def test_a_lattice_turned_or_mirrored_has_its_probabilities_turned_or_mirrored(mines, seed):
    board, layout = position((15, 31), grid(15, 31), mines, seed)
    probabilities = assert_fits(board, mines, layout)
    for turn in (np.flipud, np.fliplr, np.transpose, lambda array: np.rot90(array, 2)):
        assert np.abs(inference.mine_probabilities(turn(board), mines) - turn(probabilities)).max() <= EXACT


@pytest.mark.slow
@pytest.mark.parametrize(("mines", "seed"), LATTICES[:1])
def test_probabilities_on_a_lattice_are_fractions_of_its_layouts(mines, seed):
    board, _ = position((15, 31), grid(15, 31), mines, seed)
    assert_probabilities_are_ratios(board, mines, 1, inference.count_layouts)


def posterior_in(workspace, board, mines, mode, density=0.0):
    """Returns the probabilities (n,) and the logarithm of the number of layouts, computed in a given workspace."""
    probabilities, log_layouts = np.empty((1, board.size)), np.empty(1)
    outcome = posteriors(board.reshape(1, -1), mines, density, mode, 0, probabilities, log_layouts, *workspace)
    assert outcome == (1, memory.OK)
    return probabilities[0], log_layouts[0]


def draw_in(workspace, board, mines, size):
    """Returns (size, n) bool, layouts drawn in a given workspace."""
    uniforms = np.random.default_rng(0).random((size, 3 * board.size + 1))
    in_group, position = np.empty((size, board.size + 1), np.int32), np.empty((3, size), np.int32)
    layouts = np.empty((size, board.size), np.bool_)
    assert draw_layouts(board.ravel(), mines, 0.0, uniforms, in_group, position, layouts, *workspace) == memory.OK
    return layouts


@pytest.mark.parametrize(("mines", "seed", "stride"), [(116, 1, 4), (186, 0, 8), (186, 1, 16)])
def test_values_that_were_given_up_and_computed_again_are_the_same(mines, seed, stride):
    """A small workspace keeps the values of one level in `stride`, and a ten times larger one keeps all."""
    board, _ = position((15, 31), grid(15, 31), mines, seed)
    short = memory.make_workspace(15, 31, 1, states=memory.MAX_STATES, keys=memory.MAX_KEYS)
    short = short._replace(values=np.empty(memory.MAX_VALUES))
    ample = memory.make_workspace(15, 31, 1, states=memory.MAX_STATES, keys=memory.MAX_KEYS)
    ample = ample._replace(values=np.empty(10 * memory.MAX_VALUES))
    for mode, density in ((FIXED_TOTAL, 0.0), (BOOLEAN, 0.0), (IID, 0.4)):
        probabilities, log_layouts = posterior_in(short, board, mines, mode, density)
        expected, expected_log = posterior_in(ample, board, mines, mode, density)
        if mode != IID:
            assert (memory.name_tables(short).stride[0], memory.name_tables(ample).stride[0]) == (stride, 1)
        assert np.array_equal(probabilities == 0, expected == 0)
        assert np.array_equal(probabilities == 1, expected == 1)
        if mode != BOOLEAN:
            assert np.abs(probabilities - expected).max() <= EXACT
        if mode == FIXED_TOTAL:
            assert abs(log_layouts - expected_log) <= 1e-9
    layouts = draw_in(short, board, mines, 20)
    assert np.array_equal(layouts, draw_in(ample, board, mines, 20))
    for layout in layouts:
        assert_is_a_layout(layout.reshape(board.shape), board, mines)


def play(layout, rng, clicks):
    """Yields the board after each round of a game that never loses: all safe cells, or a free one of little risk."""
    counts, mines = counts_of(layout, 1), int(layout.sum())
    opened = np.zeros(layout.shape, np.bool_)
    flood(opened, counts, tuple(rng.permutation(np.argwhere((counts == 0) & ~layout))[0].tolist()), 1)
    for _ in range(clicks):
        board = board_of(layout, opened, 1)
        yield board
        safe = inference.certain_cells(board, mines).safe
        if not safe.any():
            risk = inference.mine_probabilities(board, mines)
            safe.flat[np.where(opened | layout, 2.0, risk).argmin()] = True
        for cell in np.argwhere(safe).tolist():
            flood(opened, counts, tuple(cell), 1)


def test_ten_thousand_cells_with_two_thousand_mines_do_not_overflow():
    rng = np.random.default_rng(5)
    layout = rng.permutation(np.arange(10_000) < 2000).reshape(100, 100)
    boards = list(play(layout, rng, 41))
    for board in boards[::10]:
        probabilities = assert_fits(board, 2000, layout)
        (log_layouts,) = infer_posteriors(board[None], 2000, 1, np.empty((1, *board.shape)))
        assert abs(log_layouts - math.log(inference.count_layouts(board, 2000))) <= 1e-6
        assert ((probabilities > 0.1) & (probabilities < 0.3)).sum() > 1000
    assert_probabilities_are_ratios(boards[-1], 2000, 3, inference.count_layouts)
    assert_is_a_layout(inference.sample_layouts(boards[-1], 2000, 1, rng)[0], boards[-1], 2000)


@pytest.mark.parametrize(("size", "mines", "seed", "bound"), TOO_HARD)
def test_a_position_beyond_a_bound_is_refused(size, mines, seed, bound):
    board, layout = position(size, grid(*size), mines, seed)
    for function in (inference.mine_probabilities, inference.certain_cells):
        with pytest.raises(PositionTooHardError, match=f"too wide: .* too many {bound}") as caught:
            function(board, mines)
        assert not isinstance(caught.value, InconsistentBoardError)
    with pytest.raises(PositionTooHardError):
        inference.mine_probabilities_batch(np.stack([np.full_like(board, H), board]), mines, threads=2)
    # The failure leaves no trace in the next answer.
    simple = board_of(layout, np.eye(*size, dtype=np.bool_) & ~layout, 1)
    assert_fits(simple, mines, layout)


PEAK = """
import numpy as np
from support.hard_positions import LATTICES, TOO_HARD, grid, position
from minesweeper_env import inference

# The lattice of the most values, and what each bound stops.
for (rows, cols), mines, seed in [((15, 31), *LATTICES[-1]), *(hard[:3] for hard in TOO_HARD)]:
    board, _ = position((rows, cols), grid(rows, cols), mines, seed)
    try:
        inference.mine_probabilities(board, mines)
        inference.sample_layouts(board, mines, 10, np.random.default_rng(0))
    except inference.PositionTooHardError:
        pass
(line,) = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(int(line.split()[1]) * 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak of the memory")
def test_hard_positions_take_less_than_500_megabytes():
    # Compile the kernels first, so that the measured memory excludes it.
    board, _ = position((3, 3), [(1, 1)], 3, 0)
    inference.mine_probabilities(board, 3)
    inference.sample_layouts(board, 3, 1, np.random.default_rng(0))
    code = f"import sys; sys.path[:0] = {sys.path!r}\n{PEAK}"
    assert int(run_python("-c", code).stdout) < 500e6


def lattice(side, mines):
    return position((side, side), grid(side, side), mines, 0)[0]


ISLANDS = np.where((np.arange(300)[:, None] % 5 == 2) & (np.arange(300) % 5 == 2), 1, H)
COVERED = np.full((1024, 1024), H, np.int8)
BEYOND_THE_LIMITS = {
    "memory of a list": lambda: optimal.best_click(COVERED, 200_000),
    "time of a list": lambda: optimal.best_click(lattice(101, 1500), 1500),
    "passes for exact counts": lambda: inference.count_layouts(lattice(25, 120), 120),
    "passes for the clues of a cell": lambda: inference.count_distribution(lattice(25, 120), 120, (0, 0)),
    "digits of a count": lambda: inference.count_layouts(COVERED, 100_000),
    "components of a count": lambda: inference.count_layouts(ISLANDS, 12_000),
    "clues of a proof": lambda: inference.hint(np.tile(ISLANDS, (2, 2)), 20_000),
    "layouts of a large board": lambda: inference.win_probability(1000, 1000, 200_000),
    "layouts times cells": lambda: inference.first_cell_values(35, 35, 2),
}


@pytest.mark.parametrize("name", BEYOND_THE_LIMITS)
def test_limits_are_checked_before_time_and_memory_are_spent(name):
    """Each of these took from 19 seconds to for ever, or tens of gigabytes."""
    tiny = np.array([[1, H], [H, H]])
    optimal.best_click(tiny, 1), inference.count_layouts(tiny, 1), inference.mine_probabilities(tiny, 1)
    begin = time.process_time()
    with pytest.raises(PositionTooHardError):
        BEYOND_THE_LIMITS[name]()
    assert time.process_time() - begin < 10


def test_components_are_counted_exactly_however_many_there_are():
    """Ten islands of eight cells with one mine each need one prime, not one for every 21 covered cells."""
    board = ISLANDS[:7, :50]
    outside = board.size - 10 * 9
    assert inference.count_layouts(board, 10 + 5) == 8**10 * math.comb(outside, 5)


def test_a_sample_of_a_large_board_takes_little_memory():
    layouts = inference.sample_layouts(COVERED, 1000, 1, np.random.default_rng(0))
    assert layouts.sum() == 1000
