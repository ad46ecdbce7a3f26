"""Names at a limited width: where they fold, and what stays whole."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.terminal.folding import Name, fold, longest_part
from baselines.terminal.page import Page

NAMES = st.text("abc019:,/=_.-", min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("semi_deterministic", 18, ["semi_deterministic"]),
        ("semi_deterministic", 14, ["semi_", "deterministic"]),
        ("bayes:prior=count,inference=pgmpy", 24, ["bayes:prior=count,", "inference=pgmpy"]),
        ("runs/dqn-8x8-14:temperature=0.25", 15, ["runs/", "dqn-8x8-14:", "temperature=0.25"]),
        ("package.module:Class", 9, ["package.", "module:", "Class"]),
        ("mean 12.345, by the law 12.346", 12, ["mean 12.345,", "by the law", "12.346"]),
        ("decay=1e-05", 3, ["decay=1e-05"]),
        ("", 5, [""]),
    ],
)
def test_names_fold_after_separators(text, width, lines):
    assert fold(text, width) == lines


@given(NAMES, st.integers(4, 30))
def test_folding_loses_nothing_and_cuts_no_number(text, width):
    lines = fold(text, width)
    assert "".join(lines) == text
    for line, following in pairwise(lines):
        assert not (line[-1].isdigit() and following[0].isdigit())
    assert all(len(line) <= max(width, longest_part(text)) for line in lines)
    assert all(len(line) <= width or not re.search("[:,/_](?!$)", line) for line in lines)


@given(NAMES, st.integers(20, 60))
def test_a_page_shows_all_of_a_name(text, width):
    page = Page(width)
    page.add(Name(text))
    lines = page.text().splitlines()
    assert "".join(lines) == text
    assert all(len(line) <= width for line in lines)


def test_wide_characters_take_two_columns():
    page = Page(20)
    page.add(Name("扫雷" * 6))
    assert page.text() == "扫雷" * 5 + "\n扫雷"
    assert longest_part("扫雷:扫雷") == 5
