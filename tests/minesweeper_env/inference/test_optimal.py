"""The best win probability: against the whole game tree of small boards, and against known fractions."""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from support import naive_inference as naive
from support.naive_game import neighbours
from support.positions import board_of, layouts_of_size, random_opened

from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError, optimal
from minesweeper_env.inference.optimal import OptimalPlay, best_click, first_cell_values, win_probability
from minesweeper_env.inference.search import small_boards
from minesweeper_env.inference.search.endgame import Endgame

H = 11
RULES = ("opening", "safe", "any")


class GameTree:
    """Game tree of a configuration: every click in every position, safe or not.

    Positions are visible boards, as codes; layouts are sets of mines. There is nothing clever about it.
    """

    def __init__(self, rows, cols, mines):
        self.rows, self.cols, self.mines = rows, cols, mines
        self.cells = list(product(range(rows), range(cols)))
        self.layouts = [frozenset(chosen) for chosen in combinations(self.cells, mines)]
        self.wins = cache(self.wins)

    def click(self, board, layout, cell):
        """Returns the board after a click on a free cell."""
        shown = dict(zip(self.cells, board, strict=True))
        waiting = [cell]
        while waiting:
            cell = waiting.pop()
            if shown[cell] == H:
                shown[cell] = len(neighbours(self.rows, self.cols, cell) & layout)
                if shown[cell] == 0:
                    waiting += neighbours(self.rows, self.cols, cell)
        return tuple(shown.values())

    def wins(self, board, layouts):
        """Returns the number of layouts that the best play wins, given all layouts that fit the board."""
        if board.count(H) == self.mines:
            return len(layouts)
        covered = [cell for cell, code in zip(self.cells, board, strict=True) if code == H]
        return max(self.wins_after(board, layouts, cell) for cell in covered)

    def wins_after(self, board, layouts, cell):
        """Returns the number of layouts that the best play wins after a click."""
        after = {}
        for layout in layouts:
            if cell not in layout:
                after.setdefault(self.click(board, layout, cell), []).append(layout)
        return sum(self.wins(new, tuple(left)) for new, left in after.items())

    def first_cell_value(self, rule, cell):
        """Returns the win probability after a first click, by the layouts that the rule draws."""
        zone = {"any": set(), "safe": {cell}, "opening": {cell, *neighbours(self.rows, self.cols, cell)}}[rule]
        drawn = tuple(layout for layout in self.layouts if not layout & zone)
        return Fraction(self.wins_after((H,) * len(self.cells), drawn, cell), len(drawn))


def assert_equal_to_the_game_tree(rows, cols, mines, rules):
    tree = GameTree(rows, cols, mines)
    for rule in rules:
        if mines > rows * cols - (min(rows, 3) * min(cols, 3) if rule == "opening" else 1):
            continue
        expected = [tree.first_cell_value(rule, cell) for cell in tree.cells]
        values = first_cell_values(rows, cols, mines, rule)
        assert values.shape == (rows, cols)
        assert values.ravel().tolist() == expected
        assert win_probability(rows, cols, mines, rule) == max(expected)


@pytest.mark.parametrize(("rows", "cols"), [*product(range(1, 4), repeat=2)][1:])
def test_all_boards_up_to_3x3_are_worth_what_their_game_tree_is(rows, cols):
    for mines in range(1, rows * cols):
        assert_equal_to_the_game_tree(rows, cols, mines, RULES)


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "rules"),
    [
        (1, 7, 3, RULES),
        (2, 5, 3, RULES),
        (5, 2, 4, RULES),
        (3, 4, 2, RULES),
        (4, 3, 3, RULES),
        (4, 4, 1, RULES),
        (4, 4, 2, ["opening"]),
        (4, 4, 3, ["opening"]),
        (4, 4, 13, ["safe"]),
        (4, 4, 15, ["any"]),
        (4, 3, 5, RULES),
    ],
)
def test_larger_boards_are_worth_what_their_game_tree_is(rows, cols, mines, rules):
    assert_equal_to_the_game_tree(rows, cols, mines, rules)


KNOWN = [
    (5, 5, 5, "opening", Fraction(125, 156)),
    (5, 5, 6, "opening", Fraction(3037, 4004)),
    (5, 5, 7, "opening", Fraction(2089, 2860)),
    (4, 5, 5, "any", Fraction(3499, 7752)),
    (4, 4, 5, "safe", Fraction(487, 1001)),
]


@pytest.mark.parametrize(("rows", "cols", "mines", "rule", "expected"), KNOWN)
def test_known_win_probabilities(rows, cols, mines, rule, expected):
    play = OptimalPlay(rows, cols, mines, rule)
    first = play.best_first_click()
    assert first.win_probability == expected == win_probability(rows, cols, mines, rule)
    values = first_cell_values(rows, cols, mines, rule)
    assert values.max() == values[first.cell] == expected
    assert play.best_click(np.full((rows, cols), H)) == first
    if rule == "opening":
        assert first.cell == (2, 2)


def test_a_wide_neighbourhood_is_one_that_ends_at_the_edge():
    # On 3 x 3, radius 2 lets every count see all other cells.
    assert first_cell_values(3, 3, 1, "safe", radius=2).tolist() == [[Fraction(1, 8)] * 3] * 3
    assert win_probability(1, 5, 2, "safe", radius=4) == win_probability(1, 5, 2, "safe", radius=5) < 1


def test_the_best_click_of_a_position_is_that_of_its_game_tree():
    tree = GameTree(3, 3, 3)
    play = OptimalPlay(3, 3, 3, "any")
    rng = np.random.default_rng(7)
    seen = 0
    for layout in layouts_of_size(rng, (3, 3), 3, 200):
        opened = random_opened(rng, layout, 1)
        if not opened.any() or (opened | layout).all():
            continue
        board = board_of(layout, opened, 1)
        codes = tuple(board.ravel().tolist())
        fits = tuple(naive.layouts(board, 3))
        expected = Fraction(tree.wins(codes, fits), len(fits))
        for found in (play.best_click(board), best_click(board, 3)):
            assert found.win_probability == expected
            assert tree.wins_after(codes, fits, found.cell) == expected * len(fits)
        seen += expected < 1
    assert seen > 30


def test_marks_are_no_evidence_and_boards_may_be_large():
    layout = np.zeros((16, 30), np.bool_)
    layout[0, 0] = layout[15, 29] = True
    board = board_of(layout, ~layout, 1)
    board[0, 1] = H
    plain = best_click(board, 2)
    board[0, 0], board[0, 1], board[15, 29] = 9, 10, 9
    assert best_click(board, 2) == plain
    assert plain.win_probability == 1


def test_what_is_too_hard_is_refused_at_once(monkeypatch):
    with pytest.raises(PositionTooHardError, match=f"at most 1000000 layouts .* has up to {comb(60, 14)};"):
        win_probability(8, 8, 14)
    with pytest.raises(PositionTooHardError, match="smaller board"):
        OptimalPlay(5, 5, 9, "any")
    with pytest.raises(PositionTooHardError, match="more than 20000 layouts"):
        best_click(np.full((8, 8), H), 10)
    monkeypatch.setattr(small_boards, "MAX_POSITION_NODES", 300)
    monkeypatch.setattr(small_boards, "SLICE", 100)
    with pytest.raises(PositionTooHardError, match="not found among 300 sets"):
        win_probability(4, 4, 5, "safe")
    monkeypatch.setattr(optimal, "solve_endgame", lambda *_: Endgame(0, 1, False, 7))
    with pytest.raises(PositionTooHardError, match="not found among 7 sets"):
        best_click(np.full((3, 3), H), 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 5, 5, "corners"), "first_click must be one of any, safe, opening"),
        ((3, 3, 9, "any"), "mines must be 1 to 8"),
        ((3, 3, 1, "opening"), "no number of mines fits"),
    ],
)
def test_bad_boards_are_refused(arguments, message):
    for function in (win_probability, first_cell_values, OptimalPlay):
        with pytest.raises(ValueError, match=message):
            function(*arguments)


def test_bad_positions_are_refused():
    play = OptimalPlay(3, 3, 2, "any")
    with pytest.raises(ValueError, match=r"shape \(3, 3\), not \(3, 4\)"):
        play.best_click(np.full((3, 4), H))
    full = np.where([[0, 0, 1], [0, 0, 1], [0, 0, 0]], H, [[0, 2, 0], [0, 2, 0], [0, 1, 1]])
    for find in (play.best_click, lambda board: best_click(board, 2)):
        with pytest.raises(ValueError, match="no click is left"):
            find(full)
        with pytest.raises(InconsistentBoardError):
            find(np.where(np.eye(3), 7, H))
        with pytest.raises(ValueError, match="codes of a board"):
            find(np.full((3, 3), 13))
        # The game is lost by its first click, so that no cell is open.
        lost = np.full((3, 3), H)
        lost[0, 1] = 12
        assert find(lost).win_probability == Fraction(7, 8)
        assert find(lost).cell != (0, 1)
