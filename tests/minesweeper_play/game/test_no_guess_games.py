"""Played games whose boards need no guess: the board of the seed, a search that is cancelled, and one in vain."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import minesweeper_env  # noqa: F401
from minesweeper_env.config import BoardConfig
from minesweeper_env.generation import generate
from minesweeper_play.game.records import decode, encode
from minesweeper_play.game.session import Session

CONFIG = BoardConfig(8, 8, 14)


class CancelledError(Exception):
    """Cancels a search."""


@pytest.mark.parametrize("level", ["subset", "exact"])
def test_the_board_is_the_one_of_the_seed_in_the_environment(level):
    # The two levels have different boards here.
    config = BoardConfig(8, 8, 20, "safe")
    env = gymnasium.make("Minesweeper-v0", size=8, mines=20, first_click="safe", no_guess=level)
    env.reset(seed=0)
    expected = env.step(1 * 8 + 1)[0]
    session = Session(config, seed=0, no_guess=level)
    assert session.hint().risk == 0.0
    session.flag(0, 0), session.flag(0, 0)
    session.open(1, 1)
    assert np.array_equal(session.board, expected)
    layouts = {each: generate(config, (1, 1), each, 0).layout.tolist() for each in ("subset", "exact")}
    assert layouts["subset"] != layouts["exact"]
    assert session.placed_mines.tolist() == layouts[level]


def test_taking_the_first_click_back_leads_to_a_new_search_and_a_saved_game_keeps_its_board():
    session = Session(CONFIG, seed=5, no_guess="exact")
    session.flag(0, 0), session.open(3, 4)
    first = session.placed_mines
    session.undo()
    assert (session.status, session.mines_left) == ("ready", 13)
    assert not session.placed_mines.any()
    session.open(6, 6)
    assert session.placed_mines.tolist() == generate(CONFIG, (6, 6), "exact", 5).layout.tolist()
    session.undo(), session.open(3, 4)
    assert np.array_equal(session.placed_mines, first)
    loaded = decode(encode(session))
    assert loaded.no_guess == "exact"
    assert np.array_equal(loaded.placed_mines, session.placed_mines)
    assert np.array_equal(loaded.board, session.board)


def test_a_cancelled_search_changes_nothing():
    counts = []

    def cancel(count, most):
        counts.append(count)
        assert count <= most
        raise CancelledError

    session = Session(CONFIG, seed=5, no_guess="exact")
    session.flag(0, 0)
    session.on_attempts = cancel
    with pytest.raises(CancelledError):
        session.open(3, 4)
    assert [count > 0 for count in counts] == [True]
    assert (session.status, len(session.moves), session.seconds, session.mines_left) == ("ready", 1, 0.0, 13)
    session.on_attempts = lambda *_: None
    assert session.open(3, 4).accepted


def test_an_impossible_board_is_played_as_one_that_may_need_a_guess():
    session = Session(BoardConfig(2, 2, 2, first_click="safe"), seed=0, no_guess="exact")
    assert session.open(0, 0).key == "unsolvable"
    assert (session.status, session.no_guess, len(session.moves)) == ("playing", False, 1)
