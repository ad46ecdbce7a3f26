"""Games in the line mode, in both languages, against golden transcripts."""

from __future__ import annotations

import re

import pytest
from support.classic_games import GAMES, GOLDEN, transcript

from minesweeper_play.game.commands import WORDS


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("name", GAMES)
def test_a_game_prints_its_golden_transcript(name, language):
    golden = (GOLDEN / f"{name}.{language}.txt").read_text(encoding="utf-8")
    assert transcript(name, language) == golden, "if the change is meant, run tests/support/classic_games.py"


def test_the_games_use_every_command():
    typed = {line.partition(" ")[0] for _, lines in GAMES.values() for line in lines}
    assert set(WORDS) <= typed


def test_no_line_is_wider_than_a_terminal():
    for path in GOLDEN.iterdir():
        wide = [line for line in path.read_text(encoding="utf-8").splitlines() if len(re.sub(r"^.*: ", "", line)) > 100]
        assert not wide, path.name
