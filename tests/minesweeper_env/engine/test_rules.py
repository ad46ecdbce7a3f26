"""Rules on boards small enough to check by eye, and known faults of other implementations."""

from __future__ import annotations

import numpy as np
import pytest
from support.naive_game import ALL_MOVES

from minesweeper_env import MinesweeperEnv


class Table:
    """A game on a layout drawn as text, with "*" for a mine; its moves are names and its boards are text."""

    def __init__(self, *rows, radius=1, **arguments):
        layout = np.array([[cell == "*" for cell in row] for row in rows])
        self.env = MinesweeperEnv(
            layout.shape, int(layout.sum()), "any", ALL_MOVES, radius=radius, render_mode="ansi", **arguments
        )
        self.env.reset(options={"layout": layout})

    def play(self, move, row, col):
        """Makes a move; returns "", "won", "lost", "invalid" or "truncated"."""
        cells, cols = self.env.config.cells, self.env.config.cols
        _, _, terminated, truncated, info = self.env.step(ALL_MOVES.index(move) * cells + row * cols + col)
        assert not (info["invalid_action"] and (terminated or truncated))
        if terminated:
            return "won" if info["is_success"] else "lost"
        return "invalid" if info["invalid_action"] else "truncated" if truncated else ""

    def shown(self):
        """Returns the rows of the board as the player sees them, without the numbers at the edges."""
        return ["".join(line.split()[1:]) for line in self.env.render().splitlines()[1:]]


def test_a_flood_opens_zeros_and_the_numbers_around_them():
    table = Table(".....*", "......", "*.....", "*....*")
    assert table.play("click", 1, 2) == ""
    assert table.shown() == ["....1#", "11..1#", "#2..1#", "#2..1#"]


def test_counts_go_up_to_eight_and_to_24_with_radius_2():
    table = Table("***", "*.*", "***")
    assert table.play("click", 1, 1) == "won"
    assert table.shown() == ["###", "#8#", "###"]
    rows = ["*****", "*****", "**.**", "*****", "*****"]
    table = Table(*rows, radius=2)
    assert table.play("click", 2, 2) == "won"
    assert table.shown() == ["#####", "#####", "##24##", "#####", "#####"]


def test_radius_2_counts_and_floods_two_cells_far():
    table = Table("*....", ".....", ".....", "....*", radius=2)
    assert table.play("click", 0, 4) == ""
    assert table.shown() == ["#11..", "#1211", "#1211", "#####"]


def test_flagged_cells_stay_shut_and_question_marks_do_not():
    table = Table(".....*", "......", "*.....")
    table.play("flag", 1, 2)
    table.play("question", 1, 3)
    assert table.play("click", 0, 0) == ""
    assert table.shown() == ["....1#", "11F.11", "#1...."]
    assert table.play("click", 1, 2) == "invalid"
    assert table.play("unflag", 1, 2) == ""
    assert table.play("click", 1, 2) == "won"


def test_the_marks_turn_into_each_other_as_the_table_says():
    table = Table("*..", "...")
    for move, expected, shown in [
        ("unflag", "invalid", "#"),
        ("flag", "", "F"),
        ("question", "", "?"),
        ("question", "invalid", "?"),
        ("flag", "", "F"),
        ("flag", "", "#"),
        ("question", "", "?"),
        ("unflag", "", "#"),
        ("flag", "", "F"),
        ("click", "invalid", "F"),
        ("unflag", "", "#"),
        ("question", "", "?"),
        ("click", "lost", "*"),
    ]:
        assert table.play(move, 0, 0) == expected
        assert table.shown()[0][0] == shown


def test_a_chord_opens_what_is_not_flagged():
    table = Table("*..", "...", "..*")
    table.play("click", 1, 1)
    assert table.play("chord", 1, 1) == "invalid"
    table.play("flag", 0, 0)
    assert table.play("chord", 1, 1) == "invalid"
    table.play("flag", 2, 2)
    assert table.play("chord", 1, 1) == "won"
    assert table.shown() == ["F1.", "121", ".1F"]


def test_a_chord_on_a_wrong_flag_loses_and_shows_the_mine_and_the_wrong_flag():
    table = Table("*..", "...")
    table.play("click", 0, 1)
    table.play("flag", 1, 0)
    assert table.play("chord", 0, 1) == "lost"
    assert table.shown() == ["*1.", "X1."]


def test_a_lost_game_shows_all_mines_without_flags():
    table = Table("**.", "...", "..*")
    table.play("flag", 0, 1)
    table.play("flag", 1, 0)
    table.play("question", 2, 2)
    assert table.play("click", 0, 0) == "lost"
    assert table.shown() == ["*F#", "X##", "##*"]


def test_flags_on_all_mines_do_not_win_and_open_safe_cells_do_whatever_the_flags():
    table = Table("*.", ".*")
    table.play("flag", 0, 0)
    assert table.play("flag", 1, 1) == ""
    table.play("unflag", 1, 1)
    assert table.play("click", 0, 1) == ""
    assert table.play("click", 1, 0) == "won"


def test_moves_after_the_end_do_nothing():
    for end in [(0, 0), (0, 1)]:
        table = Table("*.")
        result = table.play("click", *end)
        shown = table.shown()
        for move in ALL_MOVES:
            assert table.play(move, 0, 0) == table.play(move, 0, 1) == result
        assert table.shown() == shown


def test_the_step_limit_truncates_and_then_nothing_moves():
    table = Table("*..", "...", max_steps=3)
    assert table.play("flag", 0, 0) == ""
    assert table.play("unflag", 1, 1) == "invalid"
    assert table.play("question", 0, 1) == "truncated"
    assert table.play("click", 1, 2) == "truncated"
    assert table.shown() == ["F?#", "###"]


@pytest.mark.parametrize(("last", "result"), [((0, 1), "won"), ((0, 0), "lost")])
def test_a_game_decided_on_the_last_step_is_not_truncated(last, result):
    table = Table("*.", max_steps=1)
    assert table.play("click", *last) == result


def test_an_honest_game_never_meets_the_default_limit():
    env = MinesweeperEnv(5, 4)
    env.reset(seed=0)
    assert env.config.step_limit == 250
    truncations = [env.step(25)[3] for _ in range(250)]
    assert truncations == [False] * 249 + [True]
