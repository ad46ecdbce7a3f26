"""Texts on lines of a given width: paragraphs, second columns, and the names of cells."""

from __future__ import annotations

import pytest

from minesweeper_play.catalogue import Catalogue, wrapped_lines

LONG = "(1 1) is a mine: the number at (1 2) needs all its remaining neighbours. (2 1) and (3 1) are safe."


def test_a_second_column_continues_below_itself():
    text = "KEYS\n  f  flag\n  h  hint: a safe cell and the numbers that prove it\n     or the least risk\n"
    assert wrapped_lines(text, 24) == [
        "KEYS",
        "  f  flag",
        "  h  hint: a safe cell",
        "     and the numbers",
        "     that prove it or",
        "     the least risk",
    ]


def test_lines_that_are_not_indented_make_a_paragraph():
    text = "one two\nthree\n\nfour\n  five\nsix"
    assert wrapped_lines(text, 20) == ["one two three", "", "four", "  five", "six"]


def test_the_name_of_a_cell_stays_on_one_line():
    for width in range(12, 60):
        lines = wrapped_lines(LONG, width)
        assert " ".join(lines) == LONG
        assert max(map(len, lines)) <= width
        assert all(line.count("(") == line.count(")") for line in lines)


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_manual_keeps_its_words_and_its_columns_on_80_columns(language):
    manual = Catalogue(language).manual()
    lines = wrapped_lines(manual, 80)
    assert " ".join(lines).split() == manual.split()
    assert max(map(len, lines)) <= 80
    assert all(line[:2] != "  " or line[2] != " " or line.startswith(" " * 17) for line in lines)
