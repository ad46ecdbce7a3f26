"""3BV against worked boards and a plain restatement; clicks, efficiency and speed."""

from __future__ import annotations

import numpy as np
import pytest

from minesweeper_env.config import BoardConfig
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import GameRecord, board_value

# Each board with its 3BV, counted by hand: openings and the cells that no opening uncovers.
WORKED = [
    (["*."], 1),
    (["*..."], 1),
    (["*.*"], 1),
    (["...", ".*.", "..."], 8),
    (["*....", ".....", "....."], 1),
    (["*...*", ".....", "....*"], 2),
    ([".*...", ".*...", ".*..."], 4),
    (["..*..", "..*..", "..*.."], 2),
    (["*..*", "....", "....", "*..*"], 12),
    ([".....", ".....", "..*..", ".....", "....."], 1),
    (["****", "****", "***."], 1),
]


def layout_of(rows):
    return np.array([[character == "*" for character in row] for row in rows])


def plain_value(layout, radius=1):
    """Opens every zero that is covered, then counts the safe cells that are left."""
    rows, cols = layout.shape
    cells = {(row, col) for row in range(rows) for col in range(cols)}
    near = {
        (row, col): {
            (r, c)
            for r in range(row - radius, row + radius + 1)
            for c in range(col - radius, col + radius + 1)
            if (r, c) in cells and (r, c) != (row, col)
        }
        for row, col in cells
    }
    count = {cell: sum(layout[each] for each in near[cell]) for cell in cells}
    covered = {cell for cell in cells if not layout[cell]}
    clicks = 0
    for start in sorted(cells):
        if start not in covered or count[start]:
            continue
        clicks += 1
        waiting = [start]
        while waiting:
            cell = waiting.pop()
            if cell in covered:
                covered.remove(cell)
                waiting += near[cell] if count[cell] == 0 else []
    return clicks + len(covered)


@pytest.mark.parametrize(("rows", "value"), WORKED)
def test_worked_boards(rows, value):
    assert board_value(layout_of(rows)) == value


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "radius"), [(9, 9, 10, 1), (5, 12, 14, 1), (16, 16, 40, 1), (9, 9, 4, 2)]
)
def test_random_boards_agree_with_a_plain_restatement(rows, cols, mines, radius):
    random = np.random.default_rng(3)
    for _ in range(40):
        layout = random.permutation(np.arange(rows * cols) < mines).reshape(rows, cols)
        assert board_value(layout, radius) == plain_value(layout, radius)


def test_the_least_number_of_clicks_wins():
    session = Session(BoardConfig(2, 5, 1, first_click="any"), layout=layout_of(["*....", "....."]), seed=0)
    session.open(0, 4)
    session.open(1, 0)
    assert session.status == "won"
    metrics = GameRecord.of(session)
    assert (metrics.value, metrics.solved, metrics.clicks, metrics.efficiency) == (2, 2, 2, 1.0)


def test_a_lost_game_counts_what_is_open():
    session = Session(BoardConfig(1, 6, 2, first_click="any"), layout=layout_of(["*..*.."]), seed=0)
    session.open(0, 5), session.flag(0, 0), session.open(0, 3)
    metrics = GameRecord.of(session)
    assert (metrics.value, metrics.solved, metrics.clicks) == (3, 1, 3)
    assert metrics.efficiency == pytest.approx(1 / 3)


def test_chords_can_be_more_efficient_than_single_clicks():
    session = Session(BoardConfig(3, 3, 1, first_click="any"), layout=layout_of(["*..", "...", "..."]), seed=0)
    session.flag(0, 0), session.open(1, 1), session.chord(1, 1)
    assert (session.status, GameRecord.of(session).value) == ("won", 1)
    ring = Session(BoardConfig(3, 3, 1, first_click="any"), layout=layout_of(["...", ".*.", "..."]), seed=0)
    ring.flag(1, 1), ring.open(0, 1), ring.chord(0, 1), ring.chord(1, 2)
    ring.chord(1, 0)
    assert GameRecord.of(ring).efficiency == 8 / 5
