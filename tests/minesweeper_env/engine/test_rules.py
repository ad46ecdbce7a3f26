"""Rules on boards small enough to check by eye, known faults of other implementations, and golden games."""

import numpy as np
import pytest
from support.naive_game import ALL_MOVES
from support.transcripts import FOLDER, GAMES, transcript

from minesweeper_env import MinesweeperEnv


class Table:
    """A game on a layout drawn as text, with "*" for a mine; its moves are names and its boards are text."""

    def __init__(self, *rows, **rules):
        layout = np.array([[cell == "*" for cell in row] for row in rows])
        self.env = MinesweeperEnv(layout.shape, int(layout.sum()), "any", ALL_MOVES, render_mode="ansi", **rules)
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


BY_EYE = {
    "a flood opens zeros and the numbers around them": (
        (".....* ...... *..... *....*", {}),
        ("click 1 2", "....1# 11..1# #2..1# #2..1#"),
    ),
    "counts go up to eight": (("*** *.* ***", {}), ("click 1 1 won", "### #8# ###")),
    "counts go up to 24 with radius 2": (
        ("***** ***** **.** ***** *****", {"radius": 2}),
        ("click 2 2 won", "##### ##### ##24## ##### #####"),
    ),
    "radius 2 counts and floods two cells far": (
        ("*.... ..... ..... ....*", {"radius": 2}),
        ("click 0 4", "#11.. #1211 #1211 #####"),
    ),
    "flagged cells stay shut and question marks do not": (
        (".....* ...... *.....", {}),
        ("flag 1 2, question 1 3, click 0 0", "....1# 11F.11 #1...."),
        ("click 1 2 invalid, unflag 1 2, click 1 2 won", "....1# 11..11 #1...."),
    ),
    "a chord opens what is not flagged": (
        ("*.. ... ..*", {}),
        ("click 1 1, chord 1 1 invalid, flag 0 0, chord 1 1 invalid, flag 2 2, chord 1 1 won", "F1. 121 .1F"),
    ),
    "a chord on a wrong flag loses and shows the mine and the wrong flag": (
        ("*.. ...", {}),
        ("click 0 1, flag 1 0, chord 0 1 lost", "*1. X1."),
    ),
    "a lost game shows all mines without flags": (
        ("**. ... ..*", {}),
        ("flag 0 1, flag 1 0, question 2 2, click 0 0 lost", "*F# X## ##*"),
    ),
    "flags on all mines do not win, and open safe cells do whatever the flags": (
        ("*. .*", {}),
        ("flag 0 0, flag 1 1, unflag 1 1, click 0 1, click 1 0 won", "F2 2#"),
    ),
    "the step limit truncates, and then nothing moves": (
        ("*.. ...", {"max_steps": 3}),
        ("flag 0 0, unflag 1 1 invalid, question 0 1 truncated, click 1 2 truncated", "F?# ###"),
    ),
    "a game won on the last step is not truncated": (("*.", {"max_steps": 1}), ("click 0 1 won", "#1")),
    "a game lost on the last step is not truncated": (("*.", {"max_steps": 1}), ("click 0 0 lost", "*#")),
    "the marks turn into each other": (
        ("*.. ...", {}),
        ("unflag 0 0 invalid, flag 0 0", "F## ###"),
        ("question 0 0, question 0 0 invalid", "?## ###"),
        ("flag 0 0", "F## ###"),
        ("flag 0 0", "### ###"),
        ("question 0 0", "?## ###"),
        ("unflag 0 0", "### ###"),
        ("flag 0 0, click 0 0 invalid", "F## ###"),
        ("unflag 0 0", "### ###"),
        ("question 0 0, click 0 0 lost", "*## ###"),
    ),
}
"""Layouts with rules, and moves with their results unless they just succeed, each time with the board after them."""


@pytest.mark.parametrize("name", BY_EYE)
def test_games_by_eye(name):
    (rows, rules), *turns = BY_EYE[name]
    table = Table(*rows.split(), **rules)
    for moves, shown in turns:
        for move in moves.split(", "):
            kind, row, col, *result = move.split()
            assert table.play(kind, int(row), int(col)) == "".join(result), move
        assert table.shown() == shown.split()


# Golden games: replay gives the recorded boards. `python tests/support/transcripts.py` records them.


def test_no_golden_game_is_missing_and_none_is_too_much():
    assert {path.stem for path in FOLDER.iterdir()} == set(GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_the_golden_game_is_played_as_recorded(name):
    assert transcript(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
