"""The page of the coach shows what the code prints."""

from __future__ import annotations

import pytest
from support.docs_scripts import load_script

from minesweeper_play.coach.review import Mark


@pytest.fixture(scope="module")
def coach():
    return load_script("coach")


@pytest.mark.slow
def test_the_blocks_of_the_page_are_what_the_code_prints(coach):
    page = coach.PAGE.read_text(encoding="utf-8")
    assert page.count("<!-- coach: ") == 5
    assert coach.fill(page) == page


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["avoidable", "inaccurate", "unlucky"])
def test_each_game_shows_the_mark_that_its_section_explains(coach, kind):
    marks = {turn.mark for turn in coach.review(kind).turns}
    assert Mark[kind.upper()] in marks


def test_the_page_describes_every_mark_and_every_key_of_the_json(coach):
    page = coach.PAGE.read_text(encoding="utf-8")
    texts = [coach.Catalogue("en").text(f"mark_{mark.value}") for mark in Mark]
    assert not [text for text in texts if f"| {text} |" not in page]
    assert not [mark.value for mark in Mark if mark.value not in page]
