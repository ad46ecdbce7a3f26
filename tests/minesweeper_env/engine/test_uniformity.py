"""Placement of the mines by the first-click rules: chi-squared tests, and naive restatements of the draws.

All samples come from fixed seeds, so the tests are deterministic. `ALPHA` rejects at both ends: mines that lie too
evenly are as wrong as mines that lie too unevenly.
"""

import runpy
from itertools import combinations

import numpy as np
import pytest
from gymnasium.utils import seeding
from scipy.stats import chi2, chisquare
from support import ROOT
from support.naive_game import ALL_MOVES, neighbours
from support.positions import cells_of

from minesweeper_env import MinesweeperVectorEnv
from minesweeper_env.compiled import kernel
from minesweeper_env.engine.rules import random_below

ALPHA = 1e-3

PLACEMENTS = [
    ("any", (9, 9), 10, 1, (4, 4)),
    ("any", (4, 7), 20, 1, (0, 0)),
    ("safe", (8, 8), 14, 1, (0, 0)),
    ("safe", (5, 6), 25, 1, (2, 3)),
    ("opening", (8, 8), 14, 1, (0, 0)),
    ("opening", (8, 8), 14, 1, (4, 3)),
    ("opening", (6, 6), 22, 1, (5, 5)),
    ("opening", (9, 8), 12, 2, (4, 4)),
    ("opening", (9, 8), 40, 2, (0, 7)),
    ("opening", (16, 30), 99, 1, (7, 0)),
]


def draw(first_click, size, mines, radius, click, games=4000, seed=0, number=1):
    """Returns the layouts of game `number` of each seed after a first click on a cell, (games, rows, cols) bool."""
    env = MinesweeperVectorEnv(games, size, mines, first_click, ("click",), radius=radius)
    env.reset(seed=seed)
    for _ in range(1, number):
        env.reset()
    env.step(np.full(games, click[0] * size[1] + click[1]))
    return env.get_state()["mines"]


def allowed_cells(first_click, size, radius, click):
    near = {"any": (), "safe": [click], "opening": [click, *neighbours(*size, click, radius)]}[first_click]
    allowed = np.ones(size, np.bool_)
    for cell in near:
        allowed[cell] = False
    return allowed


def placement_p_value(layouts, allowed):
    """Chi-squared test that each allowed cell holds a mine equally often, corrected for sampling without replacement.

    For M mines on n cells the counts vary less than independent draws would, by the factor (n - M) / (n - 1). The
    statistic divided by this factor has the chi-squared distribution with n - 1 degrees of freedom.
    """
    counts = layouts[:, allowed].sum(axis=0)
    n, mines = len(counts), int(layouts[0].sum())
    expected = len(layouts) * mines / n
    statistic = ((counts - expected) ** 2 / expected).sum() * (n - 1) / (n - mines)
    return chi2.sf(statistic, n - 1)


def is_plausible(p_value):
    return ALPHA < p_value < 1 - ALPHA


@pytest.mark.parametrize(("first_click", "size", "mines", "radius", "click"), PLACEMENTS)
def test_each_allowed_cell_is_a_mine_equally_often(first_click, size, mines, radius, click):
    layouts = draw(first_click, size, mines, radius, click)
    assert (layouts.sum(axis=(1, 2)) == mines).all()
    allowed = allowed_cells(first_click, size, radius, click)
    assert not layouts[:, ~allowed].any()
    assert is_plausible(placement_p_value(layouts, allowed))


@pytest.mark.parametrize(
    ("first_click", "size", "mines", "radius", "click"),
    [
        ("any", (2, 3), 2, 1, (0, 1)),
        ("any", (2, 4), 6, 1, (1, 1)),
        ("safe", (3, 3), 2, 1, (1, 1)),
        ("safe", (3, 3), 6, 1, (0, 0)),
        ("opening", (3, 4), 3, 1, (0, 0)),
        ("opening", (3, 5), 6, 1, (2, 4)),
        ("opening", (5, 6), 2, 2, (0, 0)),
    ],
)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_all_allowed_layouts_are_equally_likely(first_click, size, mines, radius, click, number):
    layouts = draw(first_click, size, mines, radius, click, 12000, 1, number)
    cells = np.flatnonzero(allowed_cells(first_click, size, radius, click))
    numbers = layouts.reshape(len(layouts), -1) @ (1 << np.arange(size[0] * size[1]))
    possible = [sum(1 << cell for cell in chosen) for chosen in combinations(cells.tolist(), mines)]
    counts = [int((numbers == number).sum()) for number in possible]
    assert sum(counts) == len(layouts)
    assert is_plausible(chisquare(counts).pvalue)


def test_the_games_of_one_seed_are_uniform_together():
    layouts = np.concatenate([draw("safe", (5, 5), 6, 1, (2, 2), 8, 3, number) for number in range(1, 500, 7)])
    assert is_plausible(placement_p_value(layouts, allowed_cells("safe", (5, 5), 1, (2, 2))))


class NaiveGenerator:
    """SplitMix64 (Steele, Lea and Flood 2014) on Python integers, and Lemire's unbiased draw below a bound."""

    def __init__(self, state):
        self.state = state

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB % 2**64
        return mixed ^ (mixed >> 31)

    def below(self, bound):
        while True:
            product = (self.next() >> 32) * bound
            if product % 2**32 >= 2**32 % bound:
                return product >> 32


def naive_layout(seed, cells, mines):
    """Returns the mines that the "any" rule draws on a board that is not crowded."""
    generator = NaiveGenerator(int(seeding.np_random(seed)[0].integers(1 << 64, dtype=np.uint64)))
    chosen = []
    while len(chosen) < mines:
        cell = generator.below(cells)
        if cell not in chosen:
            chosen.append(cell)
    return set(chosen)


def move_to_corners(rows, cols, mines, click, radius):
    """Returns the mines after the "corners" rule has moved them out of the first click's neighbourhood."""
    zone = {click} | neighbours(rows, cols, click, radius)
    board = [(row, col) for row in range(rows) for col in range(cols)]
    corners = [(rows - 1, cols - 1), (0, 0), (rows - 1, 0), (0, cols - 1)]
    sides = [(row, col) for row, col in board if row in (0, rows - 1) or col in (0, cols - 1)]
    mines = set(mines)
    for mine in sorted(mines & zone):
        mines.remove(mine)
        mines.add(next(cell for cell in corners + sides + board if cell not in mines | zone))
    return mines


def test_the_draws_are_those_of_the_documented_generator():
    layouts = draw("any", (8, 9), 14, 1, (0, 0), games=50, seed=100)
    for i, layout in enumerate(layouts):
        assert set(np.flatnonzero(layout)) == naive_layout(100 + i, 72, 14)


@pytest.mark.parametrize("click", [(0, 0), (0, 3), (2, 2), (6, 8), (5, 8), (3, 4)])
@pytest.mark.parametrize(("mines", "radius"), [(10, 1), (40, 1), (20, 2), (38, 2)])
def test_corners_moves_the_mines_of_the_zone_to_corners_then_sides(mines, radius, click):
    before = draw("any", (7, 9), mines, radius, click, games=100, seed=7)
    after = draw("corners", (7, 9), mines, radius, click, games=100, seed=7)
    moved = 0
    for uniform, layout in zip(before, after, strict=True):
        assert cells_of(layout) == move_to_corners(7, 9, cells_of(uniform), click, radius)
        moved += cells_of(layout) != cells_of(uniform)
    assert moved


def test_corners_fills_all_that_is_outside_the_zone_when_it_must():
    after = draw("corners", (5, 5), 16, 1, (2, 2), games=20)
    assert (after == allowed_cells("opening", (5, 5), 1, (2, 2))).all()


@kernel
def fill_with_draws(generator, bound, draws):
    for k in range(draws.shape[0]):
        draws[k] = random_below(generator, 0, bound)


def test_a_bound_that_does_not_divide_the_draws_is_exact():
    # Without rejection the multiples of 3, a third of the numbers, would come twice as often.
    bound = 3 << 30
    generator = np.zeros(1, np.uint64)
    draws = np.empty(30_000, np.int64)
    fill_with_draws(generator, bound, draws)
    assert 0 <= draws.min() <= draws.max() < bound
    assert is_plausible(chisquare(np.bincount(draws % 3, minlength=3)).pvalue)


@pytest.mark.parametrize(("given", "said"), [("40", "at least 41"), ("9 --mines 80", "--mines"), ("0", "--games")])
def test_the_script_refuses_samples_that_its_tests_cannot_judge(capsys, monkeypatch, given, said):
    monkeypatch.setattr("sys.argv", ["uniformity.py", "--games", *given.split()])
    with pytest.raises(SystemExit):
        runpy.run_path(str(ROOT / "benchmarks" / "uniformity.py"), run_name="__main__")
    captured = capsys.readouterr()
    assert said in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)


def boards(size, mines, clicks, moves):
    """Returns 100 unfinished games with mines on the given cells, after clicks on the given cells."""
    layout = np.zeros(size[0] * size[1], np.bool_)
    layout[mines] = True
    env = MinesweeperVectorEnv(100, size, len(mines), "any", moves)
    env.reset(seed=1, options={"layout": layout.reshape(size)})
    for cell in clicks:
        assert not env.step(np.full(100, cell))[2].any()
    return env


# Mines that close off the last corner of a board of 30 x 30, so that a flood leaves four cells covered.
CORNER = [28 * 30 + 28, 28 * 30 + 29, 29 * 30 + 28]


@pytest.mark.parametrize(
    ("size", "mines", "clicks", "moves", "legal"),
    [
        ((5, 5), [20, 21, 22, 23], [], ("click",), 25),
        ((5, 5), list(range(13, 25)), [12, 11], ("click",), 23),
        ((4, 4), list(range(6, 16)), [0, 5], ALL_MOVES, 36),
        ((30, 30), CORNER, [0], ("click", "flag"), 8),
        ((30, 30), CORNER, [0], ("click",), 4),
    ],
)
def test_each_legal_action_is_drawn_equally_often(size, mines, clicks, moves, legal):
    env = boards(size, mines, clicks, moves)
    mask = env.action_masks()[0]
    counts = np.bincount(np.concatenate([env.sample_actions() for _ in range(60)]), minlength=len(mask))
    assert mask.sum() == legal
    assert not counts[~mask].any()
    assert counts.sum() == 6000
    assert is_plausible(chisquare(counts[mask]).pvalue)


def test_the_seed_decides_what_is_drawn():
    drawn = []
    for seed in (3, 3, 4, range(50), range(50)):
        env = MinesweeperVectorEnv(50, moves=("click",))
        env.reset(seed=seed)
        drawn.append([env.sample_actions().tolist() for _ in range(3)])
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[3] == drawn[4]


def test_a_finished_game_has_actions_to_draw():
    env = boards((3, 3), [8], [], ("click",))
    env.step(np.full(100, 8))
    assert env.action_masks().all()
    assert set(env.sample_actions()) == set(range(9))
