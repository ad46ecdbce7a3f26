"""Golden games: replay gives the recorded boards. `python tests/support/transcripts.py` records them."""

from __future__ import annotations

import pytest
from support.transcripts import FOLDER, GAMES, transcript


def test_no_golden_game_is_missing_and_none_is_too_much():
    assert {path.stem for path in FOLDER.iterdir()} == set(GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_the_golden_game_is_played_as_recorded(name):
    assert transcript(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_the_golden_games_end_in_every_way():
    recorded = [path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt")]
    endings = [text.rpartition("reward")[2].splitlines()[0] for text in recorded]
    assert any("terminated is_success" in ending for ending in endings)
    assert any("terminated" in ending and "is_success" not in ending for ending in endings)
    assert any("truncated" in ending for ending in endings)
    moves = ("click", "flag", "unflag", "question", "chord")
    assert all(any(f": {move} " in text for text in recorded) for move in moves)
    assert any("invalid_action" in text for text in recorded)
