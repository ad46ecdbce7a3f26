"""Exact search of endgames, against plain recursions and by playing them out; and the enumeration of layouts."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from support import naive_inference as naive
from support.positions import counts_of, perturbed, random_positions

from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError
from minesweeper_env.inference.search import layouts as listing
from minesweeper_env.inference.search.endgame import solve_endgame
from minesweeper_env.inference.search.layouts import consistent_layouts
from minesweeper_env.inference.search.small_boards import SmallBoard


def solve(mine, count, **options):
    return solve_endgame(np.asarray(mine, np.uint8), np.asarray(count, np.uint8), **options)


def naive_wins(mine, count):
    """Returns the number of layouts that the best play wins, by trying every covered cell."""
    layouts, cells = mine.shape
    free = cells - int(mine[0].sum())

    @cache
    def wins(left, opened):
        if len(opened) == free:
            return len(left)
        best = 0
        for cell in set(range(cells)) - set(opened):
            parts = {}
            for i in left:
                if not mine[i, cell]:
                    parts.setdefault(count[i, cell], []).append(i)
            best = max(best, sum(wins(tuple(part), (*sorted({*opened, cell}),)) for part in parts.values()))
        return best

    return wins(tuple(range(layouts)), ())


def played_wins(mine, count):
    """Returns the number of layouts won by the clicks of `solve_endgame`."""
    layouts, cells = mine.shape
    lost = 0
    waiting = [(np.arange(layouts), frozenset())]
    while waiting:
        left, opened = waiting.pop()
        columns = [cell for cell in range(cells) if cell not in opened]
        if mine[np.ix_(left, columns)].all():
            assert len(left) == 1
            continue
        cell = columns[solve(mine[np.ix_(left, columns)], count[np.ix_(left, columns)]).cell]
        lost += int(mine[left, cell].sum())
        shown = np.where(mine[left, cell], -1, count[left, cell].astype(int))
        waiting += [(left[shown == value], opened | {cell}) for value in set(shown.tolist()) - {-1}]
    return layouts - lost


def random_layouts(rng, number, cells, mines):
    """Returns distinct layouts with equally many mines, and random counts: the search assumes no geometry."""
    every = np.array(list(combinations(range(cells), mines)), int)
    mine = np.zeros((min(number, len(every)), cells), np.uint8)
    np.put_along_axis(mine, every[rng.permutation(len(every))[: len(mine)]], 1, axis=1)
    return mine, rng.integers(0, rng.integers(1, 4), mine.shape).astype(np.uint8)


def layouts_of_board(rng, rows, cols, mines, number):
    """Returns layouts of a board, with their counts."""
    mine, _ = random_layouts(rng, number, rows * cols, mines)
    return mine, np.stack([counts_of(row.reshape(rows, cols), 1).ravel() for row in mine]).astype(np.uint8)


def random_sets(seed, number):
    rng = np.random.default_rng(seed)
    for _ in range(number):
        cells = int(rng.integers(2, 7))
        mines = int(rng.integers(0, cells))
        if rng.random() < 0.5:
            yield random_layouts(rng, int(rng.integers(1, 11)), cells, mines)
        else:
            yield layouts_of_board(rng, *[(1, cells), (cells, 1), (2, max(cells // 2, 1))][rng.integers(3)], 1, 11)


def test_the_wins_are_those_of_trying_everything():
    some_lost = several_won = 0
    for mine, count in random_sets(seed=1, number=600):
        found = solve(mine, count)
        expected = naive_wins(mine, count)
        assert (found.wins, found.exact) == (expected, True)
        some_lost += expected < len(mine)
        several_won += 1 < expected < len(mine)
    assert some_lost > 200
    assert several_won > 60


def test_the_click_wins_as_much_as_is_said():
    for mine, count in random_sets(seed=2, number=300):
        assert played_wins(mine, count) == solve(mine, count).wins
    rng = np.random.default_rng(3)
    for number in (40, 300):
        mine, count = layouts_of_board(rng, 4, 4, 5, number)
        assert played_wins(mine, count) == solve(mine, count).wins


def test_sets_of_any_size_are_worth_what_their_parts_are():
    # A further cell, free in all layouts, tells copies of a set apart. All copies have the same value. Together they
    # need the coarse matrix of conflicts; a single one needs the fine matrix, or none.
    rng = np.random.default_rng(4)
    for number, copies in ((30, 30), (100, 12), (400, 30)):
        mine, count = layouts_of_board(rng, 4, 4, 4, number)
        alone = solve(mine, count)
        which = np.repeat(np.arange(copies), len(mine))
        mines = np.column_stack([np.zeros(len(which)), np.tile(mine, (copies, 1)), np.eye(copies)[which]])
        counts = np.column_stack([which, np.tile(count, (copies, 1)), np.zeros((len(which), copies))])
        together = solve(mines, counts)
        assert together == (0, copies * alone.wins, True, together.nodes)


def test_fifty_fifties_that_nothing_can_break_count_once():
    # Seven pairs, each with one mine in either cell.
    pairs = np.array([[bits >> k & 1 for k in range(7)] for bits in range(128)], np.uint8)
    mine = np.concatenate([pairs, 1 - pairs], axis=1)
    assert solve(mine, np.zeros_like(mine))[1:] == (1, True, 1)
    # A safe cell shows the layout of the last pair.
    told = np.column_stack([mine, np.zeros(128, int)])
    count = np.zeros_like(told)
    count[:, -1] = pairs[:, -1]
    found = solve(told, count)
    assert (found.cell, found.wins, found.exact) == (14, 2, True)


def test_a_safe_cell_is_clicked_first_and_a_mine_never():
    mine = np.array([[1, 0, 0, 1], [1, 0, 1, 0]])
    assert solve(mine, np.zeros_like(mine)).cell == 1
    assert solve(mine[:, [0, 2, 3]], np.zeros((2, 3), int)).cell in (1, 2)
    assert solve([[1, 1, 0]], [[0, 0, 3]]) == (2, 1, True, 1)


@pytest.mark.parametrize("mines", [2, 5, 8])
def test_a_goal_changes_no_value_and_yields_a_bound(mines):
    board = SmallBoard(3, 4, 1, 1000)
    covered = np.setdiff1d(np.arange(12), [5])
    value = board.solve_everywhere(covered, mines, 0)
    assert value > 1
    for goal in range(value + 5):
        fresh = SmallBoard(3, 4, 1, 1000)
        found = fresh.solve_everywhere(covered, mines, goal)
        assert found == value if goal < value else value <= found <= goal
        # Entries of the table from earlier goals stay valid for the next goal.
        assert (board.solve_everywhere(covered, mines, goal) > goal) == (goal < value)
    assert board.solve_everywhere(covered, mines, 0) == value


def test_a_search_that_is_given_up_says_so_and_is_the_same_every_time():
    rng = np.random.default_rng(5)
    mine, count = layouts_of_board(rng, 4, 5, 6, 300)
    best = solve(mine, count)
    assert best.exact
    assert best.nodes > 50
    limits = [*range(1, best.nodes + 2, 7), best.nodes, best.nodes + 1]
    found = [solve(mine, count, max_nodes=limit) for limit in limits]
    for limit, result in zip(limits, found, strict=True):
        assert result.exact == (limit >= best.nodes)
        assert result.nodes <= limit
        assert 1 <= result.wins <= best.wins
        assert not mine[:, result.cell].all()
    assert [result.wins for result in found] == sorted(result.wins for result in found)
    assert [solve(mine, count, max_nodes=limit) for limit in limits[::-1]] == found[::-1]
    assert found[-1] == best


def test_counts_of_wide_neighbourhoods_are_told_apart():
    mine = np.eye(6, dtype=int)[:5]
    count = np.zeros_like(mine)
    count[:, 5] = [0, 9, 15, 16, 120]
    assert solve(mine, count).wins == 5
    count[:, 5] = [7, 7, 15, 15, 120]
    assert solve(mine, count).wins == 3


# Enumeration of layouts, against the reference and on boards that defeat a simple search

H = 11


def listed(board, mines, radius):
    """Returns the layouts as a set of sorted cells with mines, and checks the counts."""
    found = consistent_layouts(board, mines, 100_000, radius=radius)
    assert found.cells.tolist() == np.flatnonzero(board > (2 * radius + 1) ** 2 - 1).tolist()
    for mine, count in zip(found.mines, found.counts, strict=True):
        layout = np.zeros(board.size, np.bool_)
        layout[found.cells] = mine
        around = counts_of(layout.reshape(board.shape), radius).ravel()[found.cells]
        assert (around == count)[mine == 0].all()
    rows = [frozenset(found.cells[mine == 1].tolist()) for mine in found.mines]
    assert len(set(rows)) == len(rows)
    return set(rows)


def expected(board, mines, radius):
    """Returns the same from the reference; the empty set if no layout fits."""
    try:
        layouts = naive.layouts(board, mines, radius=radius)
    except InconsistentBoardError:
        return set()
    return {frozenset(row * board.shape[1] + col for row, col in layout) for layout in layouts}


def test_the_layouts_are_those_of_the_reference():
    several = 0
    for board, mines, radius, layout in random_positions(seed=11, number=200, max_side=4):
        found = listed(board, mines, radius)
        assert found == expected(board, mines, radius)
        assert frozenset(np.flatnonzero(layout).tolist()) in found
        several += len(found) > 1
    assert several > 100


def test_a_board_that_no_layout_fits_is_refused_with_a_cell():
    rng = np.random.default_rng(12)
    refused = 0
    for position in random_positions(seed=13, number=200, max_side=4):
        board, mines = perturbed(rng, position)
        if expected(board, mines, position.radius):
            assert listed(board, mines, position.radius)
            continue
        with pytest.raises(InconsistentBoardError) as caught:
            consistent_layouts(board, mines, 100, radius=position.radius)
        assert np.less(caught.value.cell, board.shape).all()
        refused += 1
    assert refused > 50


def test_the_limit_is_the_most_layouts():
    board = np.full((2, 3), H)
    assert len(consistent_layouts(board, 2, 15).mines) == 15
    with pytest.raises(PositionTooHardError, match="more than 14 layouts"):
        consistent_layouts(board, 2, 14)
    with pytest.raises(ValueError, match="limit must be"):
        consistent_layouts(board, 2, 0)


def test_a_total_that_few_of_very_many_fillings_meet_is_no_obstacle():
    # In each fifth of the strip the middle cell is a mine, or both ends are: 2^40 fillings, one of them with 40 mines.
    strip = np.array([[H, 1, H, 1, H] * 40])
    assert listed(strip, 40, 1) == {frozenset(range(2, 200, 5))}
    assert len(listed(strip, 41, 1)) == 40
    assert len(listed(strip, 79, 1)) == 40
    with pytest.raises(InconsistentBoardError, match="number of mines"):
        consistent_layouts(strip, 39, 100)


def test_a_listing_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(listing, "MAX_WORK", 50)
    with pytest.raises(PositionTooHardError, match="more than 50 steps"):
        consistent_layouts(np.full((4, 4), H), 8, 100_000)
