"""Exact inference against the naive reference, on random positions of small boards, and its checks of input."""

import copy

import numpy as np
import pytest
from support import naive_inference as naive
from support.equality import assert_same
from support.positions import layouts_of_size, perturbed, position_of, random_positions

from minesweeper_env import inference
from minesweeper_env.codes import Codes
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import InconsistentBoardError

EXACT = 1e-12
RNG = np.random.default_rng(0)


def assert_equals_the_reference(board, mines, radius):
    """Compares the probabilities, the certain cells and the number of layouts."""
    probabilities = inference.mine_probabilities(board, mines, radius=radius)
    expected = naive.mine_probabilities(board, mines, radius=radius)
    assert probabilities.dtype == np.float64
    assert np.abs(probabilities - expected).max() <= EXACT, board
    # Certain cells have exactly 0 or 1.
    assert np.array_equal(probabilities == 0, expected == 0), board
    assert np.array_equal(probabilities == 1, expected == 1), board
    certain = inference.certain_cells(board, mines, radius=radius)
    assert np.array_equal(certain.safe, (expected == 0) & (board > Codes.of_radius(radius).max_count)), board
    assert np.array_equal(certain.mine, expected == 1), board
    assert inference.count_layouts(board, mines, radius=radius) == naive.count_layouts(board, mines, radius=radius)


def test_positions_have_the_probabilities_certain_cells_and_layouts_of_the_reference():
    for board, mines, radius, _ in random_positions(0, 800):
        assert_equals_the_reference(board, mines, radius)


def test_independent_cells_and_shown_counts_have_the_probabilities_of_the_reference():
    rng = np.random.default_rng(1)
    for place, (board, mines, radius, _) in enumerate(random_positions(1, 500)):
        prior = float(rng.choice([0.5, 0.2, rng.uniform(0.01, 0.99)]))
        probabilities = inference.mine_probabilities(board, mines, prior=prior, radius=radius)
        expected = naive.mine_probabilities(board, mines, prior=prior, radius=radius)
        assert np.abs(probabilities - expected).max() <= EXACT, (board, prior)
        covered = np.argwhere(board > Codes.of_radius(radius).max_count)
        for row, col in rng.permutation(covered)[: 2 * (place % 2)].tolist():
            probabilities = inference.count_distribution(board, mines, (row, col), radius=radius)
            expected = naive.count_distribution(board, mines, (row, col), radius=radius)
            assert np.abs(probabilities - expected).max() <= EXACT, (board, row, col)


def boards_alike(seed, size, mines, radius, number):
    """Returns (number, rows, cols) int8, random positions with the same number of mines."""
    rng = np.random.default_rng(seed)
    return np.array([position_of(rng, layout, radius).board for layout in layouts_of_size(rng, size, mines, number)])


@pytest.mark.parametrize("prior", [None, 0.2])
@pytest.mark.parametrize("threads", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("size", "mines", "radius"), [((8, 8), 14, 1), ((4, 9), 20, 1), ((9, 7), 10, 2), ((1, 1), 1, 1)]
)
def test_a_batch_gives_what_its_boards_give_alone(size, mines, radius, threads, prior):
    boards = boards_alike(3, size, mines, radius, 40)
    probabilities = inference.mine_probabilities_batch(boards, mines, prior=prior, radius=radius, threads=threads)
    alone = [inference.mine_probabilities(board, mines, prior=prior, radius=radius) for board in boards]
    assert probabilities.dtype == np.float64
    assert np.array_equal(probabilities, alone)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_may_be_empty_and_raises_for_a_contradictory_board(threads):
    boards = boards_alike(4, (5, 5), 6, 1, 10)
    assert inference.mine_probabilities_batch(boards[:0], 6, threads=threads).shape == (0, 5, 5)
    boards[7] = 8
    with pytest.raises(InconsistentBoardError):
        inference.mine_probabilities_batch(boards, 6, threads=threads)


def test_boards_and_numbers_of_any_integer_type_and_order_are_read_and_left_as_they_are():
    for board, mines, radius, _ in random_positions(6, 50):
        expected = everything(board, mines, radius)
        for convert, number in ((np.int64, np.int8), (np.uint8, np.uint64), (np.asfortranarray, np.array), (list, int)):
            given = convert(board)
            before = copy.deepcopy(given)
            assert_same(everything(given, number(mines), number(radius)), expected)
            assert np.array_equal(given, before)


def everything(board, mines, radius):
    """Returns all answers on a board."""
    covered = np.argwhere(np.asarray(board) > Codes.of_radius(radius).max_count).tolist()
    return [
        inference.mine_probabilities(board, mines, radius=radius),
        inference.mine_probabilities(board, mines, prior=0.3, radius=radius),
        *inference.certain_cells(board, mines, radius=radius),
        inference.count_layouts(board, mines, radius=radius),
        repr(inference.deduce(board, mines, radius=radius)),
        inference.sample_layouts(board, mines, 4, np.random.default_rng(0), radius=radius),
        *(inference.count_distribution(board, mines, (row, col), radius=radius) for row, col in covered[:2]),
    ]


def test_flags_and_question_marks_change_no_answer():
    rng = np.random.default_rng(7)
    for board, mines, radius, _ in random_positions(7, 200):
        codes = Codes.of_radius(radius)
        marked = np.isin(board, [codes.flagged, codes.question, codes.hidden])
        expected = everything(np.where(marked, codes.hidden, board).astype(np.int8), mines, radius)
        for _ in range(2):
            drawn = rng.choice([codes.flagged, codes.question, codes.hidden], board.shape)
            answers = everything(np.where(marked, drawn, board).astype(np.int8), mines, radius)
            assert_same(answers, expected)


def functions(radius):
    """Returns each function of a board and its number of mines."""
    return [
        lambda board, mines: inference.mine_probabilities(board, mines, radius=radius),
        lambda board, mines: inference.mine_probabilities_batch(board[None], mines, radius=radius)[0],
        lambda board, mines: inference.certain_cells(board, mines, radius=radius),
        lambda board, mines: inference.count_layouts(board, mines, radius=radius),
        lambda board, mines: inference.sample_layouts(board, mines, 2, RNG, radius=radius),
    ]


def raises_for(function, board, mines, **options):
    """Returns whether a function finds a board contradictory; checks the cell that it names."""
    try:
        function(board, mines, **options)
    except InconsistentBoardError as error:
        found = error
    else:
        return False
    row, col = found.cell
    assert 0 <= row < len(board)
    assert 0 <= col < len(board[0])
    assert f"({row}, {col})" in str(found)
    return True


def test_contradictory_boards_raise_and_others_have_the_answers_of_the_reference():
    rng = np.random.default_rng(8)
    found = 0
    for position in random_positions(8, 700):
        board, mines = perturbed(rng, position)
        radius = position.radius
        expected = raises_for(naive.mine_probabilities, board, mines, radius=radius)
        found += expected
        for function in functions(radius):
            assert raises_for(function, board, mines) == expected, (board, mines)
        if not expected:
            assert_equals_the_reference(board, mines, radius)
        expected = raises_for(naive.mine_probabilities, board, mines, prior=0.5, radius=radius)
        assert raises_for(inference.mine_probabilities, board, mines, prior=0.5, radius=radius) == expected
    assert 200 < found < 650


def test_the_error_for_a_wrong_number_of_mines_says_what_the_clues_need():
    told = 0
    for board, _, radius, _ in random_positions(9, 60, max_side=4):
        numbers = range(board.size + 1)
        fits = [mines for mines in numbers if not raises_for(naive.count_layouts, board, mines, radius=radius)]
        for mines, bound in ((fits[0] - 1, f"need at least {fits[0]} "), (fits[-1] + 1, f"allow at most {fits[-1]} ")):
            for function in functions(radius) if mines in numbers else ():
                with pytest.raises(InconsistentBoardError, match=bound):
                    function(board, mines)
                told += 1
    assert told > 100


def test_the_counts_that_a_cell_shows_need_a_consistent_board():
    with pytest.raises(InconsistentBoardError):
        inference.count_distribution([[3, 11, 11]], 1, (0, 1))


H = 11
COVERED = np.full((3, 4), H)

BAD_BOARDS = [
    (np.full((3, 4), 13), 2, "codes of a board with radius 1 are 0 to 12, not 13"),
    (np.full((3, 4), -1), 2, "codes of a board"),
    (np.full((3, 4), 267), 2, "codes of a board"),
    (np.full((3, 4), 11.0), 2, "array of integers"),
    (np.full((3, 4), True), 2, "array of integers"),
    (np.full(12, H), 2, r"shape \(rows, cols\)"),
    (np.full((2, 3, 4), H), 2, r"shape \(rows, cols\)"),
    (np.full((0, 4), H), 0, "at least one cell"),
    ([[1, H], [H]], 1, r"shape \(rows, cols\) with at least one cell, not rows of different lengths"),
    (COVERED, 13, "mines must be 0 to 12 on 3 x 4, not 13"),
    (COVERED, -1, "mines must be"),
    (COVERED, True, "mines must be"),
    (COVERED, 2.0, "mines must be"),
]


@pytest.mark.parametrize(("board", "mines", "message"), BAD_BOARDS)
def test_bad_boards_are_refused(board, mines, message):
    for call in (
        lambda: inference.mine_probabilities(board, mines),
        lambda: inference.certain_cells(board, mines),
        lambda: inference.count_layouts(board, mines),
        lambda: inference.sample_layouts(board, mines, 1, RNG),
        lambda: inference.count_distribution(board, mines, (0, 0)),
        lambda: inference.deduce(board, mines),
        lambda: inference.hint(board, mines),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            call()
        assert not isinstance(caught.value, InconsistentBoardError)


def batch_of_one(board, mines, **settings):
    return inference.mine_probabilities_batch(board[None], mines, **settings)


WRONG = [
    (inference.mine_probabilities, "radius", [0, 6, -1, 1.0, True, None]),
    (inference.certain_cells, "radius", [0]),
    (inference.deduce, "radius", [0]),
    (inference.mine_probabilities, "prior", [0, 1.0, -0.1, float("nan"), float("inf"), "0.5", True]),
    *((batch_of_one, name, [0, 1.5]) for name in ("prior", "threads")),
    (lambda board, mines, size: inference.sample_layouts(board, mines, size, RNG), "size", [-1, 1.5, True]),
]


@pytest.mark.parametrize(("function", "name", "values"), WRONG)
def test_a_wrong_argument_is_refused(function, name, values):
    board = COVERED.copy()
    board[1, 1] = 2
    for value in values:
        with pytest.raises(ValueError, match=f"{name} must be"):
            function(board, 2, **{name: value})


def test_a_batch_has_three_dimensions():
    oracle = inference.Oracle(BoardConfig(3, 4, 2, "any"))
    for answer in (oracle.ask, lambda boards: inference.mine_probabilities_batch(boards, 2)):
        with pytest.raises(ValueError, match=r"shape \(N, rows, cols\)"):
            answer(COVERED)
    assert oracle.ask(COVERED[None].tolist()).exact.all()
