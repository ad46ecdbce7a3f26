"""The page of the coach shows what the code prints."""

from __future__ import annotations

import re

import pytest
from support.docs_scripts import load_script

from minesweeper_play.coach.review import Mark

coach = load_script("coach")


@pytest.mark.slow
def test_the_blocks_of_the_page_are_what_the_code_prints_and_have_the_marks_of_their_sections():
    page = coach.PAGE.read_text(encoding="utf-8")
    assert {"position", "avoidable"} == set(re.findall("<!-- coach: (\\w+) -->", page))
    assert coach.fill(page) == page
    assert Mark.AVOIDABLE in {turn.mark for turn in coach.review().turns}
