"""Golden games: replay gives the recorded boards. `python tests/support/transcripts.py` records them."""

from __future__ import annotations

import pytest
from support.transcripts import FOLDER, GAMES, transcript


def test_no_golden_game_is_missing_and_none_is_too_much():
    assert {path.stem for path in FOLDER.iterdir()} == set(GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_the_golden_game_is_played_as_recorded(name):
    assert transcript(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
