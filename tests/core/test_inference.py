"""Exact inference against the obvious reference on random positions, and by what must hold on boards of any size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import (
    board_of,
    counts_of,
    layouts_of_size,
    perturbed,
    position_of,
    random_positions,
    strew,
)
from scipy.stats import chi2

from minesweeper_env import inference
from minesweeper_env.codes import Codes
from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError, naive

EXACT = 1e-12
ALPHA = 1e-3


def assert_equals_the_reference(board, mines, radius):
    """Compares the chances, the certain cells and the number of layouts."""
    chances = inference.mine_probabilities(board, mines, radius=radius)
    expected = naive.mine_probabilities(board, mines, radius=radius)
    assert chances.dtype == np.float64
    assert np.abs(chances - expected).max() <= EXACT, board
    # What is certain comes out without any error.
    assert np.array_equal(chances == 0, expected == 0), board
    assert np.array_equal(chances == 1, expected == 1), board
    certain = inference.certain_cells(board, mines, radius=radius)
    assert np.array_equal(certain.safe, (expected == 0) & (board > Codes.of_radius(radius).max_count)), board
    assert np.array_equal(certain.mine, expected == 1), board
    assert inference.count_layouts(board, mines, radius=radius) == naive.count_layouts(board, mines, radius=radius)


def assert_priors_equal_the_reference(rng, board, mines, radius):
    prior = float(rng.choice([0.5, 0.2, rng.uniform(0.01, 0.99)]))
    chances = inference.mine_probabilities(board, mines, prior=prior, radius=radius)
    expected = naive.mine_probabilities(board, mines, prior=prior, radius=radius)
    assert np.abs(chances - expected).max() <= EXACT, (board, prior)


def assert_distributions_equal_the_reference(rng, board, mines, radius, cells):
    for row, col in rng.permutation(np.argwhere(board > Codes.of_radius(radius).max_count))[:cells].tolist():
        chances = inference.count_distribution(board, mines, (row, col), radius=radius)
        expected = naive.count_distribution(board, mines, (row, col), radius=radius)
        assert np.abs(chances - expected).max() <= EXACT, (board, row, col)


def test_positions_have_the_chances_certain_cells_and_layouts_of_the_reference():
    for board, mines, radius, _ in random_positions(0, 1200):
        assert_equals_the_reference(board, mines, radius)


def test_certain_cells_are_those_of_the_reference():
    for board, mines, radius, _ in random_positions(20, 500):
        certain = inference.certain_cells(board, mines, radius=radius)
        safe, mine = naive.certain_cells(board, mines, radius=radius)
        assert certain.safe.dtype == certain.mine.dtype == np.bool_
        assert np.array_equal(certain.safe, safe), board
        assert np.array_equal(certain.mine, mine), board


def test_independent_cells_have_the_chances_of_the_reference():
    rng = np.random.default_rng(1)
    for board, mines, radius, _ in random_positions(1, 500):
        assert_priors_equal_the_reference(rng, board, mines, radius)


def test_cells_show_the_counts_of_the_reference():
    rng = np.random.default_rng(2)
    for board, mines, radius, _ in random_positions(2, 300):
        assert_distributions_equal_the_reference(rng, board, mines, radius, 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [10, 11, 12, 13])
def test_tens_of_thousands_of_positions_agree_with_the_reference(seed):
    rng = np.random.default_rng(seed)
    for number, (board, mines, radius, _) in enumerate(random_positions(seed, 10_000)):
        assert_equals_the_reference(board, mines, radius)
        if number % 4 == 0:
            assert_priors_equal_the_reference(rng, board, mines, radius)
            assert_distributions_equal_the_reference(rng, board, mines, radius, 1)


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
    chances = inference.mine_probabilities_batch(boards, mines, prior=prior, radius=radius, threads=threads)
    alone = [inference.mine_probabilities(board, mines, prior=prior, radius=radius) for board in boards]
    assert chances.dtype == np.float64
    assert np.array_equal(chances, alone)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_may_be_empty(threads):
    boards = np.zeros((0, 4, 5), np.int8)
    assert inference.mine_probabilities_batch(boards, 3, threads=threads).shape == (0, 4, 5)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_with_a_contradictory_board_raises(threads):
    boards = boards_alike(4, (5, 5), 6, 1, 10)
    boards[7] = 8
    with pytest.raises(InconsistentBoardError):
        inference.mine_probabilities_batch(boards, 6, threads=threads)


def test_arguments_are_left_as_they_are():
    boards = boards_alike(5, (6, 6), 8, 1, 5)
    before = boards.copy()
    for board in boards:
        inference.mine_probabilities(board, 8)
        inference.certain_cells(board, 8)
        inference.count_layouts(board, 8)
        inference.sample_layouts(board, 8, 3, np.random.default_rng(0))
    inference.mine_probabilities_batch(boards, 8)
    assert np.array_equal(boards, before)


@pytest.mark.parametrize("convert", [np.int64, np.uint8, np.asfortranarray, np.ndarray.tolist])
def test_boards_of_any_integer_type_and_order_are_read(convert):
    for board, mines, radius, _ in random_positions(6, 50):
        chances = inference.mine_probabilities(board, mines, radius=radius)
        assert np.array_equal(inference.mine_probabilities(convert(board), mines, radius=radius), chances)


def everything(board, mines, radius):
    """Returns all answers on a board."""
    covered = np.argwhere(board > Codes.of_radius(radius).max_count).tolist()
    return [
        inference.mine_probabilities(board, mines, radius=radius),
        inference.mine_probabilities(board, mines, prior=0.3, radius=radius),
        *inference.certain_cells(board, mines, radius=radius),
        inference.count_layouts(board, mines, radius=radius),
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
            assert all(np.array_equal(one, other) for one, other in zip(answers, expected, strict=True))


def functions(radius):
    """Returns each function of a board and its number of mines."""
    rng = np.random.default_rng(0)
    return [
        lambda board, mines: inference.mine_probabilities(board, mines, radius=radius),
        lambda board, mines: inference.mine_probabilities_batch(board[None], mines, radius=radius)[0],
        lambda board, mines: inference.certain_cells(board, mines, radius=radius),
        lambda board, mines: inference.count_layouts(board, mines, radius=radius),
        lambda board, mines: inference.sample_layouts(board, mines, 2, rng, radius=radius),
    ]


def raises_for(function, board, mines, **options):
    """Says whether a function finds a board contradictory; checks the cell that it names."""
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


def compare_contradictions(seed, number):
    """Compares who raises, on boards whose counts were changed; returns how many are contradictory."""
    rng = np.random.default_rng(seed)
    found = 0
    for position in random_positions(seed, number):
        board, mines = perturbed(rng, position)
        radius = position.radius
        expected = raises_for(naive.mine_probabilities, board, mines, radius=radius)
        found += expected
        for function in functions(radius):
            assert raises_for(function, board, mines) == expected, (board, mines)
        expected = raises_for(naive.mine_probabilities, board, mines, prior=0.5, radius=radius)
        assert raises_for(inference.mine_probabilities, board, mines, prior=0.5, radius=radius) == expected
    return found


def test_contradictory_boards_raise_and_consistent_ones_do_not():
    assert 300 < compare_contradictions(8, 1000) < 900


@pytest.mark.slow
def test_thousands_of_contradictory_boards_raise():
    compare_contradictions(9, 5000)


def test_the_counts_that_a_cell_shows_need_a_consistent_board():
    with pytest.raises(InconsistentBoardError):
        inference.count_distribution([[3, 11, 11]], 1, (0, 1))


def test_what_a_perturbed_board_has_left_equals_the_reference():
    rng = np.random.default_rng(14)
    for position in random_positions(14, 800):
        board, mines = perturbed(rng, position)
        if not raises_for(naive.mine_probabilities, board, mines, radius=position.radius):
            assert_equals_the_reference(board, mines, position.radius)


SYMMETRIES = [lambda a, k=k, m=m: np.rot90(a.T if m else a, k) for k in range(4) for m in (False, True)]


def test_a_board_turned_or_mirrored_has_its_chances_turned_or_mirrored():
    rng = np.random.default_rng(15)
    for radius in (1, 2):
        for layout in layouts_of_size(rng, (7, 11), 15, 20):
            board, mines, _, _ = position_of(rng, layout, radius)
            chances = inference.mine_probabilities(board, mines, radius=radius)
            number = inference.count_layouts(board, mines, radius=radius)
            for turn in SYMMETRIES:
                turned = inference.mine_probabilities(turn(board), mines, radius=radius)
                assert np.abs(turned - turn(chances)).max() <= EXACT
                assert inference.count_layouts(turn(board), mines, radius=radius) == number


GAMES = [((8, 8), 14, 1), ((9, 9), 35, 1), ((16, 30), 99, 1), ((12, 10), 12, 2), ((11, 9), 8, 3), ((13, 13), 4, 5)]


@pytest.mark.parametrize(("size", "mines", "radius"), GAMES)
def test_chances_add_up_to_the_mines_and_never_exclude_the_truth(size, mines, radius):
    rng = np.random.default_rng(16)
    for layout in layouts_of_size(rng, size, mines, 15):
        board = position_of(rng, layout, radius).board
        chances = inference.mine_probabilities(board, mines, radius=radius)
        assert abs(chances.sum() - mines) <= 1e-9
        assert not chances[board <= Codes.of_radius(radius).max_count].any()
        assert (chances[layout] > 0).all()
        assert (chances[~layout] < 1).all()
        safe, mine = inference.certain_cells(board, mines, radius=radius)
        assert not layout[safe].any()
        assert layout[mine].all()
        assert inference.count_layouts(board, mines, radius=radius) >= 1


def test_wide_counts_strewn_over_a_crowded_board_are_answered_truly_or_not_at_all():
    rng = np.random.default_rng(19)
    answered = 0
    for layout in layouts_of_size(rng, (11, 9), 30, 12):
        board = position_of(rng, layout, 3).board
        try:
            chances = inference.mine_probabilities(board, 30, radius=3)
        except PositionTooHardError:
            continue
        answered += 1
        assert abs(chances.sum() - 30) <= 1e-9
        assert (chances[layout] > 0).all()
        assert (chances[~layout] < 1).all()
    assert answered > 3


@pytest.mark.parametrize(("size", "mines", "radius"), GAMES[:4])
def test_what_a_click_shows_leaves_the_chances_as_they_were_on_average(size, mines, radius):
    """The law of total probability, over all that a cell may turn out to be; it ties large boards to one another."""
    rng = np.random.default_rng(17)
    codes = Codes.of_radius(radius)
    for layout in layouts_of_size(rng, size, mines, 4):
        board = position_of(rng, layout, radius).board
        chances = inference.mine_probabilities(board, mines, radius=radius)
        row, col = rng.permutation(np.argwhere((board > codes.max_count) & (board < codes.mine)))[0].tolist()
        shows = inference.count_distribution(board, mines, (row, col), radius=radius)
        assert abs(shows.sum() + chances[row, col] - 1) <= EXACT
        mixed = np.zeros(size)
        for code, chance in [*enumerate(shows), (codes.mine, chances[row, col])]:
            if chance:
                seen = board.copy()
                seen[row, col] = code
                mixed += chance * inference.mine_probabilities(seen, mines, radius=radius)
        assert np.abs(mixed - chances).max() <= 1e-9


def p_value(counts):
    """Pearson's chi-squared test that all outcomes are equally likely."""
    expected = counts.sum() / len(counts)
    return chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1)


H, M = 11, 12
SAMPLED = [
    ([[H, 1, H, H]], 2, 1),
    ([[H, H, H], [H, 1, H], [H, H, H]], 1, 1),
    ([[H, H, H], [H, 2, H], [H, H, H]], 2, 1),
    ([[H, H, H, H, H]], 2, 1),
    ([[M, H, H, H, H]], 3, 1),
    ([[H, H], [H, 1], [9, H], [H, 1], [10, H]], 2, 1),
    ([[H, H, H], [1, 2, 2], [H, H, H], [H, H, H]], 4, 1),
    # Two parts of the frontier that share the mines with the cells away from both.
    ([[H, 1, H, H, H, H, 1, H], [H, H, H, H, H, H, H, H]], 4, 1),
    ([[15 + 12, 15 + 12, 2, 15 + 12, 15 + 12, 15 + 12]], 3, 2),
]


@pytest.mark.parametrize(("board", "mines", "radius"), SAMPLED)
def test_sampled_layouts_are_uniform_and_independent(board, mines, radius):
    board = np.array(board)
    listed = naive.layouts(board, mines, radius=radius)
    number_of = {layout: number for number, layout in enumerate(listed)}
    draws = 100 * len(listed) + 4000
    sampled = inference.sample_layouts(board, mines, draws, np.random.default_rng(0), radius=radius)
    assert (sampled.shape, sampled.dtype) == ((draws, *board.shape), np.bool_)
    numbers = np.array([number_of[frozenset(map(tuple, np.argwhere(one).tolist()))] for one in sampled])
    assert ALPHA < p_value(np.bincount(numbers, minlength=len(listed))) < 1 - ALPHA
    # Each draw is as likely to come after any other: by their places in two halves where they are many.
    halves = numbers * 2 // len(listed)
    if len(listed) % 2 == 0:
        assert p_value(np.bincount(2 * halves[:-1:2] + halves[1::2], minlength=4)) > ALPHA


@pytest.mark.parametrize(("size", "mines", "radius"), GAMES[:4])
def test_sampled_layouts_fit_the_board_and_hold_mines_as_often_as_the_chances_say(size, mines, radius):
    rng = np.random.default_rng(18)
    codes = Codes.of_radius(radius)
    for layout in layouts_of_size(rng, size, mines, 3):
        board = position_of(rng, layout, radius).board
        sampled = inference.sample_layouts(board, mines, 2000, rng, radius=radius)
        opened = board <= codes.max_count
        assert (sampled.sum(axis=(1, 2)) == mines).all()
        assert sampled[:, board == codes.mine].all()
        assert not sampled[:, opened].any()
        assert all(np.array_equal(counts_of(one, radius)[opened], board[opened]) for one in sampled[:100])
        chances = inference.mine_probabilities(board, mines, radius=radius)
        deviation = np.sqrt(chances * (1 - chances) / 2000)
        assert (np.abs(sampled.mean(axis=0) - chances) <= 5 * deviation + EXACT).all()


def test_the_generator_decides_what_is_sampled():
    board = np.full((5, 5), H)
    one, same, other = (inference.sample_layouts(board, 6, 20, np.random.default_rng(s)) for s in (0, 0, 1))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert inference.sample_layouts(board, 6, 0, np.random.default_rng(0)).shape == (0, 5, 5)


COVERED = np.full((3, 4), H)

BAD_BOARDS = [
    (np.full((3, 4), 13), 2, "codes of a board with radius 1 are 0 to 12, not 13"),
    (np.full((3, 4), -1), 2, "codes of a board with radius 1 are 0 to 12, not -1"),
    (np.full((3, 4), 267), 2, "codes of a board with radius 1 are 0 to 12, not 267"),
    (np.full((3, 4), 11.0), 2, "array of integers"),
    (np.full((3, 4), True), 2, "array of integers"),
    (np.full(12, H), 2, r"shape \(rows, cols\)"),
    (np.full((2, 3, 4), H), 2, r"shape \(rows, cols\)"),
    (np.full((0, 4), H), 0, "at least one cell"),
    (np.full((3, 0), H), 0, "at least one cell"),
    (COVERED, 13, "mines must be 0 to 12 on 3 x 4, not 13"),
    (COVERED, -1, "mines must be a whole number"),
    (COVERED, True, "mines must be a whole number"),
    (COVERED, 2.0, "mines must be a whole number"),
    (COVERED, "2", "mines must be a whole number"),
]


@pytest.mark.parametrize(("board", "mines", "message"), BAD_BOARDS)
def test_bad_boards_are_refused(board, mines, message):
    rng = np.random.default_rng(0)
    for call in (
        lambda: inference.mine_probabilities(board, mines),
        lambda: inference.certain_cells(board, mines),
        lambda: inference.count_layouts(board, mines),
        lambda: inference.sample_layouts(board, mines, 1, rng),
        lambda: inference.count_distribution(board, mines, (0, 0)),
        lambda: naive.mine_probabilities(board, mines),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            call()
        assert not isinstance(caught.value, InconsistentBoardError)


@pytest.mark.parametrize("radius", [0, 6, -1, 1.0, True, None])
def test_a_bad_radius_is_refused(radius):
    with pytest.raises(ValueError, match="radius must be"):
        inference.mine_probabilities(COVERED, 2, radius=radius)
    with pytest.raises(ValueError, match="radius must be"):
        inference.certain_cells(COVERED, 2, radius=radius)


@pytest.mark.parametrize("prior", [0, 1, 0.0, 1.0, -0.1, 1.5, float("nan"), float("inf"), "0.5", True])
def test_a_bad_prior_is_refused(prior):
    for function, board in (
        (inference.mine_probabilities, COVERED),
        (inference.mine_probabilities_batch, COVERED[None]),
    ):
        with pytest.raises(ValueError, match="prior must be a number strictly between 0 and 1"):
            function(board, 2, prior=prior)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, None])
def test_a_bad_number_of_threads_is_refused(threads):
    with pytest.raises(ValueError, match="threads must be a whole number of at least 1"):
        inference.mine_probabilities_batch(COVERED[None], 2, threads=threads)


def test_a_batch_has_three_dimensions():
    with pytest.raises(ValueError, match=r"shape \(N, rows, cols\)"):
        inference.mine_probabilities_batch(COVERED, 2)


@pytest.mark.parametrize("cell", [(3, 0), (0, 4), (-1, 0), (0,), (0, 0, 0), (0.0, 0), 3, None, (1, 1)])
def test_only_a_covered_cell_of_the_board_has_a_count_to_come(cell):
    board = COVERED.copy()
    board[1, 1] = 2
    with pytest.raises(ValueError, match=r"cell|row|col"):
        inference.count_distribution(board, 2, cell)


@pytest.mark.parametrize("size", [-1, 1.5, True, None])
def test_a_bad_number_of_samples_is_refused(size):
    with pytest.raises(ValueError, match="size must be a whole number of at least 0"):
        inference.sample_layouts(COVERED, 2, size, np.random.default_rng(0))


@st.composite
def positions(draw):
    """Boards of up to 9 x 9 with any layout, any open cells and any marks; simple ones first when one fails."""
    rows, cols = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    radius = draw(st.integers(1, 3))
    cells = st.lists(st.sampled_from(["mine", "open", "covered"]), min_size=rows * cols, max_size=rows * cols)
    kinds = np.array(draw(cells)).reshape(rows, cols)
    board = board_of(kinds == "mine", kinds == "open", radius)
    if draw(st.booleans()):
        strew(np.random.default_rng(draw(st.integers(0, 9))), board, radius, kinds == "mine")
    return board, int((kinds == "mine").sum()), radius, kinds == "mine"


@given(positions())
def test_any_position_has_chances_that_fit_its_layout(position):
    board, mines, radius, layout = position
    chances = inference.mine_probabilities(board, mines, radius=radius)
    assert abs(chances.sum() - mines) <= 1e-10
    assert (chances[layout] > 0).all()
    assert (chances[~layout] < 1).all()
    safe, mine = inference.certain_cells(board, mines, radius=radius)
    assert np.array_equal(safe, (chances == 0) & (board > Codes.of_radius(radius).max_count))
    assert np.array_equal(mine, chances == 1)


@given(positions())
def test_opening_a_cell_never_adds_a_layout_and_keeps_what_was_certain(position):
    board, mines, radius, layout = position
    codes = Codes.of_radius(radius)
    before = inference.certain_cells(board, mines, radius=radius)
    number = inference.count_layouts(board, mines, radius=radius)
    for row, col in np.argwhere(~layout & (board > codes.max_count))[:3]:
        seen = board.copy()
        seen[row, col] = counts_of(layout, radius)[row, col]
        after = inference.certain_cells(seen, mines, radius=radius)
        assert 1 <= inference.count_layouts(seen, mines, radius=radius) <= number
        still_covered = seen > codes.max_count
        assert (after.safe >= before.safe)[still_covered].all()
        assert (after.mine >= before.mine).all()
