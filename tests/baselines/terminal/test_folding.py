"""Texts at a limited width: where names fold, and what stays whole."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.terminal.folding import fold, shorten, text_width

NAMES = st.text("abc019:,/=_.-", min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("semi_deterministic", 18, ["semi_deterministic"]),
        ("semi_deterministic", 14, ["semi_", "deterministic"]),
        ("bayes:prior=count,inference=pgmpy", 24, ["bayes:prior=count,", "inference=pgmpy"]),
        ("runs/dqn-8x8-14:temperature=0.25", 12, ["runs/", "dqn-8x8-14:", "temperature=", "0.25"]),
        ("package.module:Class", 9, ["package.", "module:", "Class"]),
        ("mean 12.345, by the law 12.346", 12, ["mean 12.345,", "by the law", "12.346"]),
        ("decay=1e-05", 3, ["dec", "ay=", "1e-05"]),
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
    longest = max(map(len, re.findall(r"\d[\d.]*", text)), default=0)
    assert all(len(line) <= max(width, longest) for line in lines)


@given(NAMES, st.integers(8, 60))
def test_a_shortened_name_fits_and_its_numbers_are_whole(text, width):
    short = shorten(text, width)
    assert len(short) <= width
    if short != text:
        head, tail = re.fullmatch(r"(.*?)\.\.\.(.*)", short).groups() if short.count("...") == 1 else ("", "")
        assert text.startswith(head)
        assert text.endswith(tail)
        assert not re.match(re.escape(head) + r"\d", text) or not head[-1:].isdigit()


def test_a_long_path_is_shortened_in_its_middle():
    assert shorten("/home/somebody/projects/mines/runs/dqn-8x8-14", 24) == "/home/some.../dqn-8x8-14"


def test_wide_characters_take_two_columns():
    assert text_width("扫雷 e\u0301") == 6
    assert fold("扫雷:扫雷", 5) == ["扫雷:", "扫雷"]
