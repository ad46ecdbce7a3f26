"""Analyses and reviews in words: both languages, 80 columns, and what they name."""

from __future__ import annotations

import re
from functools import cache

import pytest
from support.played_games import play_judged

from minesweeper_env import BoardConfig
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.coach.board_text import read_board
from minesweeper_play.coach.review import Mark, analyse_position, review_game
from minesweeper_play.coach.sentences import position_lines, review_lines

LANGUAGES = ("en", "es")
CONFIG = BoardConfig(8, 8, 14, moves=("click",))


@cache
def reviews():
    games = [game for name in ("subset", "exact", "lookahead") for game, _ in play_judged(name, CONFIG, range(12))]
    return [review_game(game, quick=True) for game in games]


@pytest.mark.parametrize("language", LANGUAGES)
def test_reviews_fit_80_columns_and_name_every_turn(language):
    catalogue = Catalogue(language)
    found = set()
    for review in reviews():
        lines = review_lines(review, catalogue, 80)
        assert max(map(len, lines)) <= 80
        text = "\n".join(lines)
        assert not re.search(r"\{\w+\}", text)
        for turn in review.turns:
            found.add(turn.mark)
            assert catalogue.text(f"mark_{turn.mark}") in text
    assert {Mark.AVOIDABLE, Mark.UNLUCKY, Mark.INACCURATE, Mark.SAFE, Mark.FIRST, Mark.BEST} <= found


def test_a_loss_that_no_safer_cell_would_have_bettered_is_no_mistake():
    game = play_judged("lookahead", CONFIG, [23])[0][0]
    turn = review_game(game, quick=True).turns[-1]
    assert (turn.mark, turn.better) == (Mark.UNLUCKY, None)
    assert turn.excess > 0.0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("text", "mines"),
    [("1 1 1 1\n# F # #\n# # # #", 4), ("2 # #\n# # #\n# # #", 4), ("1 #\n1 1", 1), ("1 *\n1 #", 1), ("####\n####", 2)],
)
def test_analyses_fit_80_columns_in_both_languages(text, mines, language):
    lines = position_lines(analyse_position(read_board(text), mines, "any", games=20), Catalogue(language), 80)
    assert max(map(len, lines)) <= 80
    assert not re.search(r"\{\w+\}", "\n".join(lines))
