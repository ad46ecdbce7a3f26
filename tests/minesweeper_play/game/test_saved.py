"""Saved games: the same game after loading, and one clear line for every damaged or foreign file."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from support.played_games import Clock

from minesweeper_env.config import BoardConfig
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.game.records import SavedGameError, decode, encode, load_game, save_game
from minesweeper_play.game.session import Session

ENGLISH = Catalogue("en")


def played(moves=12, **settings):
    """Returns a game of several moves, of all kinds that are possible."""
    session = Session(BoardConfig(8, 8, 10, **settings), seed=4, now=Clock(0.25))
    session.flag(7, 7), session.question(7, 6)
    session.open(2, 2)
    random = np.random.default_rng(1)
    while len(session.moves) < moves and not session.is_over:
        row, col = (int(number) for number in random.integers(8, size=2))
        kind = str(random.choice(["open", "flag", "question", "chord", "expand"]))
        getattr(session, kind)(row, col)
    return session


def assert_same(loaded, session):
    assert np.array_equal(loaded.board, session.board)
    assert loaded.config == session.config
    for name in ("seed", "status", "identity", "practice", "aids", "exploded", "mines_left", "no_guess"):
        assert getattr(loaded, name) == getattr(session, name), name
    assert [move[:3] for move in loaded.moves] == [move[:3] for move in session.moves]
    assert [move.seconds for move in loaded.moves] == pytest.approx([move.seconds for move in session.moves], abs=1e-3)


@pytest.mark.parametrize("moves", [3, 8, 40, 200])
def test_a_loaded_game_is_the_saved_one_and_goes_on(tmp_path, moves):
    session = played(moves)
    session.aids.add("hint")
    save_game(session, tmp_path / "game.json")
    loaded = load_game(tmp_path / "game.json", ENGLISH)
    assert_same(loaded, session)
    saved = json.loads((tmp_path / "game.json").read_text())["seconds"]
    assert saved <= loaded.seconds < saved + 60
    session.undo(), loaded.undo()
    assert np.array_equal(loaded.board, session.board)


@pytest.mark.parametrize("rule", ["opening", "any"])
def test_a_game_without_an_open_cell_keeps_its_protection_and_help_is_repeated(rule):
    session = Session(BoardConfig(6, 6, 9, first_click=rule), seed=2)
    session.flag(0, 0)
    for _ in range(4 * (rule == "any")):
        session.help()
    loaded = decode(encode(session))
    assert_same(loaded, session)
    assert (rule == "any") == any(move.kind == "reveal" for move in loaded.moves)
    session.open(4, 4), loaded.open(4, 4)
    assert np.array_equal(loaded.board, session.board)


def changed(**changes):
    content = {**json.loads(encode(played(6))), **changes}
    return json.dumps({key: value for key, value in content.items() if value is not ...}).encode()


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"format": "chess"}, "format"),
        ({"version": 2}, "version"),
        ({"mines": 64}, "mines must be 1 to 55"),
        ({"first_click": "kind"}, "first_click"),
        ({"no_guess": "luck"}, "no_guess"),
        ({"layout": [".", *["........"] * 7]}, "shape"),
        ({"layout": ["........"] * 8}, "layout must have 10 mines"),
        ({"moves": [["jump", 0, 0, 1.0]]}, "moves"),
        ({"moves": [["open", 0, 99, 1.0]]}, "lies between"),
        ({"moves": [["chord", 0, 0, 1.0]]}, "move 1"),
        ({"moves": []}, "status"),
        ({"seconds": -1}, "seconds"),
        ({"seconds": 1e300}, "seconds"),
        ({"seconds": 0.5}, "must rise from 0 to its 0.5 seconds"),
        ({"moves": [["open", 2, 2, -1e9]]}, "must rise from 0"),
        ({"moves": [["flag", 7, 7, 2.0], ["open", 2, 2, 1.0]]}, "must rise from 0"),
        ({"moves": [["open", -1, 2, 1.0]]}, "lies between"),
        ({"rows": 10**12}, "cells"),
        ({"layout": ["xxxxxxxx"] * 8}, "shape"),
        ({"layout": ["********", "**......", *["........"] * 6], "moves": [["open", 0, 0, 1.0]]}, "first click"),
        ({"layout": ["********", "**......", *["........"] * 6], "moves": [["open", 2, 0, 1.0]]}, "first click"),
    ],
)
def test_a_damaged_game_says_what_is_wrong(changes, word):
    with pytest.raises(SavedGameError, match=re.escape(word)):
        decode(changed(**changes))


@pytest.mark.parametrize("content", ["", "{", "[]", "5", '"x"', "\x00", "[" * 100_000, '{"format": "chess"}'])
def test_a_foreign_file_is_one_line(tmp_path, content):
    path = tmp_path / "game.json"
    path.write_text(content)
    with pytest.raises(SavedGameError) as error:
        load_game(path, ENGLISH)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_of_another_kind_is_not_replaced(tmp_path):
    session, path = played(3), tmp_path / "notes.txt"
    path.write_text("dear diary")
    with pytest.raises(FileExistsError, match="the file exists, and is no saved game"):
        save_game(session, path)
    assert path.read_text() == "dear diary"
    save_game(session, tmp_path / "game.json")
    session.undo()
    save_game(session, tmp_path / "game.json")
    assert_same(load_game(tmp_path / "game.json", ENGLISH), session)
    # A missing file is one line, too.
    with pytest.raises(SavedGameError, match="No such file"):
        load_game(tmp_path / "none.json", ENGLISH)
    with pytest.raises(SavedGameError, match=r"Is a directory|Permission denied"):
        load_game(tmp_path, ENGLISH)
