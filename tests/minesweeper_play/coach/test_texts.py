"""Analyses and reviews in words: both languages, 80 columns, and what they name."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from support.played_games import play_judged

from minesweeper_env import BoardConfig
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.coach.board_text import read_board
from minesweeper_play.coach.position import analyse_position
from minesweeper_play.coach.review import Mark, review_game
from minesweeper_play.coach.texts import detail_sentences, position_lines, review_lines
from minesweeper_play.game.session import Session

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


def lost_chord():
    """Returns a game that a chord lost because of a wrong flag: the 1 at (1 1) has its mine at (2 2)."""
    session = Session(BoardConfig(4, 4, 2, "any"), seed=0, layout=np.diag([0, 1, 0, 1]).astype(bool))
    session.open(0, 0), session.flag(0, 1), session.chord(0, 0)
    return session


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("en", ("The chord opened (1 2) and (2 2).", "The flag at (2 1) was wrong.", "The game was practice")),
        ("es", ("El despeje descubrió (1 2) y (2 2).", "La bandera de (2 1) era incorrecta.", "era de práctica")),
    ],
)
def test_a_lost_chord_names_its_cells_and_the_wrong_flag(language, sentences):
    review = review_game(lost_chord(), quick=True)
    assert review.turns[-1].wrong_flags == ((0, 1),)
    text = " ".join(" ".join(review_lines(review, Catalogue(language), 1000)).split())
    assert all(sentence in text for sentence in sentences)


def test_a_loss_that_no_safer_cell_would_have_bettered_is_no_mistake():
    game = play_judged("lookahead", CONFIG, [23])[0][0]
    turn = review_game(game, quick=True).turns[-1]
    assert (turn.mark, turn.better) == (Mark.UNLUCKY, None)
    assert turn.excess > 0.0
    *_, last = detail_sentences(turn, Catalogue("en"))
    assert last == "There were safer cells, but none of them wins more games: the choice was no mistake."


def test_luck_that_rounds_to_nothing_and_tiny_estimates_have_no_signs():
    config = BoardConfig(8, 8, 30, "any", ("click",))
    games = (Session(config, seed=seed, now=lambda: 0.0) for seed in range(20))
    game = next(game for game in games if game.open(3, 3).key == "lost")
    text = "\n".join(review_lines(review_game(game, quick=True), Catalogue("en"), 80))
    assert "<0.1%" in text
    assert "~<" not in text
    assert "Worst luck" not in text
    assert "with 30 mines" in text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("text", "mines"),
    [("1 1 1 1\n# F # #\n# # # #", 4), ("2 # #\n# # #\n# # #", 4), ("1 #\n1 1", 1), ("1 *\n1 #", 1), ("####\n####", 2)],
)
def test_analyses_fit_80_columns_in_both_languages(text, mines, language):
    lines = position_lines(analyse_position(read_board(text), mines, "any", games=20), Catalogue(language), 80)
    assert max(map(len, lines)) <= 80
    assert not re.search(r"\{\w+\}", "\n".join(lines))
