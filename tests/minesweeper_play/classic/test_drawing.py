"""Boards of the line mode: glyphs, colours, folding, and the end of a game."""

from __future__ import annotations

import io

import numpy as np
import pytest

from minesweeper_env.config import BoardConfig
from minesweeper_play.classic.drawing import board_lines, cover, draw_codes, draw_risks, draw_session
from minesweeper_play.classic.glyphs import ASCII, NERD, PLAIN, Painter, choose_glyphs
from minesweeper_play.game.session import Session

ROW = np.array([[0, 1, 8, 9, 10, 11]], np.int8)


class Stream(io.StringIO):
    """A stream that may be a terminal."""

    def __init__(self, is_terminal, encoding="utf-8"):
        super().__init__()
        self.is_terminal = is_terminal
        self._encoding = encoding

    @property
    def encoding(self):
        return self._encoding

    def isatty(self):
        return self.is_terminal


def plain(cells, width=None):
    return board_lines(cells, lambda text, _: text, width)


def test_every_cell_has_its_glyph():
    assert plain(draw_codes(ROW, ASCII)) == ["  1 2 3 4 5 6", "1 . 1 8 F ? #"]
    assert plain(draw_codes(ROW, PLAIN))[1] == "1 · 1 8 ⚑ ? ■"


def test_counts_of_a_wider_neighbourhood_have_two_digits():
    board = np.array([[0, 24, 25, 27]], np.int8)
    assert plain(draw_codes(board, ASCII, radius=2))[1] == "1  . 24  F  #"


def test_the_end_shows_mines_wrong_flags_and_the_explosion():
    layout = np.array([[1, 0, 1, 0], [0, 0, 0, 1]], bool)
    session = Session(BoardConfig(2, 4, 3, first_click="any"), layout=layout, seed=0)
    session.flag(0, 0), session.flag(1, 0), session.open(1, 1), session.open(0, 2)
    assert plain(draw_session(session, ASCII)) == ["  1 2 3 4", "1 F # ! #", "2 X 2 # *"]


def test_risks_are_in_per_cent_and_only_certainty_is_0_or_100():
    risks = np.array([[0.0, 0.0, 0.0, 0.001, 0.9999, 1.0]])
    assert plain(draw_risks(ROW, risks, ASCII))[1] == "1    .    1    8   1%  99% 100%"


def test_a_frame_of_an_animation_covers_cells_again():
    assert plain(cover(draw_codes(ROW, ASCII), [(0, 0), (0, 2)], ASCII))[1] == "1 # 1 # F ? #"


@pytest.mark.parametrize("width", [20, 40, 79, 80, 100])
def test_boards_of_any_size_fit_the_width(width):
    cells = draw_codes(np.full((3, 130), 11, np.int8), ASCII)
    assert max(map(len, plain(cells, width))) < width
    assert sum(line.count("#") for line in plain(cells, width)) == 3 * 130


def test_narrow_columns_have_upright_numbers():
    lines = plain(draw_codes(np.full((2, 30), 11, np.int8), ASCII), 80)
    assert lines[0].split() == ["1"] * 10 + ["2"] * 10 + ["3"]
    assert lines[1].split() == [str(col % 10) for col in range(1, 31)]
    assert lines[0].index("1") == lines[1].index("0")
    wide = plain(draw_codes(np.full((2, 30), 11, np.int8), ASCII), 100)
    assert wide[0].split() == [str(col) for col in range(1, 31)]


def test_a_pipe_and_a_poor_encoding_have_ascii(monkeypatch):
    assert choose_glyphs("plain", Stream(True)) == PLAIN
    assert choose_glyphs("nerd", Stream(True)) == NERD
    assert choose_glyphs("nerd", Stream(False)) == ASCII
    assert choose_glyphs("plain", Stream(True, "latin-1")) == ASCII
    assert choose_glyphs("plain", Stream(True, "no-such-encoding")) == ASCII


def test_colours_are_for_terminals_without_no_color(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for palette in ("standard", "colour-blind"):
        painter = Painter(palette, Stream(True))
        kinds = ("count", "flag", "mine", "exploded", "wrong", "question")
        painted = {kind: painter.paint("1", kind) for kind in kinds}
        assert all(text.startswith("\033[") and text.endswith("1\033[0m") for text in painted.values())
        assert len(set(painted.values())) >= 5
        assert painter.paint("#", "hidden") == "#"
        assert Painter(palette, Stream(False)).paint("1", "count") == "1"
    monkeypatch.setenv("NO_COLOR", "1")
    assert Painter("standard", Stream(True)).paint("1", "count") == "1"
