"""The played game: moves, marks, chords, help, undo, the clock, and the same boards as the environment."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import minesweeper_env  # noqa: F401
from minesweeper_env.codes import FLAGGED, HIDDEN, MINE, QUESTION
from minesweeper_env.config import BoardConfig
from minesweeper_play.game.session import Session

ONE_MINE_LEFT_OF_THE_MIDDLE = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]], bool)


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self):
        self.seconds = 100.0

    def __call__(self):
        return self.seconds


def session_on(layout, first_click="any", **settings):
    layout = np.array(layout, bool)
    config = BoardConfig(*layout.shape, int(layout.sum()), first_click=first_click)
    return Session(config, layout=layout, seed=0, **settings)


@pytest.mark.parametrize("first_click", ["any", "safe", "opening", "corners"])
@pytest.mark.parametrize("seed", [0, 1, 77])
def test_the_board_of_a_seed_is_the_one_of_the_environment(first_click, seed):
    env = gymnasium.make("Minesweeper-v0", size=(9, 12), mines=20, first_click=first_click)
    env.reset(seed=seed)
    expected = env.step(4 * 12 + 5)[0]
    session = Session(BoardConfig(9, 12, 20, first_click=first_click), seed=seed)
    session.flag(0, 0), session.flag(0, 0)
    session.open(4, 5)
    assert np.array_equal(session.board, expected)


def test_a_session_without_a_seed_draws_one_that_repeats_the_game():
    config = BoardConfig(8, 8, 14)
    first = Session(config)
    first.open(3, 3)
    again = Session(config, seed=first.seed)
    again.open(3, 3)
    assert np.array_equal(first.board, again.board)


def test_a_game_is_ready_then_under_way_then_won():
    session = session_on([[1, 0], [0, 0]])
    assert session.status == "ready"
    session.flag(0, 0)
    assert session.status == "ready"
    session.open(0, 1)
    assert session.status == "playing"
    session.open(1, 0)
    assert session.open(1, 1).key == "won"
    assert (session.status, session.exploded) == ("won", None)
    assert session.placed_mines.tolist() == [[True, False], [False, False]]
    assert [move[:3] for move in session.moves] == [("flag", 0, 0), ("open", 0, 1), ("open", 1, 0), ("open", 1, 1)]


def test_a_lost_game_shows_the_mines_the_wrong_flags_and_the_explosion():
    session = session_on([[1, 0, 0], [0, 0, 0], [1, 0, 1]])
    session.flag(2, 2), session.flag(0, 1)
    report = session.open(2, 0)
    assert report.key == "lost"
    assert session.exploded == (2, 0)
    assert session.board.tolist() == [[MINE, FLAGGED, HIDDEN], [HIDDEN, HIDDEN, HIDDEN], [MINE, HIDDEN, FLAGGED]]
    assert session.open(1, 1).key == "game_is_over"


def test_marks_come_and_go_and_count_the_mines_left():
    session = session_on([[1, 0], [0, 0]])
    assert session.flag(0, 0).cells == ((0, 0),)
    assert (session.board[0, 0], session.mines_left) == (FLAGGED, 0)
    session.flag(0, 1)
    assert session.mines_left == -1
    session.question(0, 0)
    assert (session.board[0, 0], session.mines_left) == (QUESTION, 0)
    session.question(0, 0)
    assert session.board[0, 0] == HIDDEN
    session.question(0, 0), session.flag(0, 0)
    assert session.board[0, 0] == FLAGGED
    session.flag(0, 0)
    assert session.board[0, 0] == HIDDEN


def test_a_flagged_cell_stays_shut_and_an_open_cell_takes_no_mark():
    session = session_on([[1, 0], [0, 0]])
    session.flag(1, 1)
    report = session.open(1, 1)
    assert (report.key, report.accepted, report.values) == ("cell_is_flagged", False, {"x": 2, "y": 2})
    session.open(0, 1)
    for move in (session.open, session.flag, session.question):
        assert move(0, 1).key == "cell_is_open"


def test_a_chord_needs_as_many_flags_as_the_count():
    session = session_on(ONE_MINE_LEFT_OF_THE_MIDDLE)
    session.open(1, 1)
    assert session.chord(1, 1).key == "cannot_chord"
    assert session.chord(0, 0).key == "cannot_chord"
    session.flag(1, 0)
    assert session.chord(1, 1).key == "won"
    assert session.moves[-1].kind == "chord"


def test_a_click_on_a_number_chords():
    session = session_on(ONE_MINE_LEFT_OF_THE_MIDDLE)
    session.click(1, 1)
    assert session.click(1, 1).key == "cannot_chord"
    session.flag(1, 0)
    assert session.click(1, 1).key == "won"
    assert [move.kind for move in session.moves] == ["open", "flag", "chord"]


@pytest.mark.parametrize("move", ["chord", "expand"])
def test_a_wrong_flag_loses_and_opens_all_other_neighbours(move):
    session = session_on(ONE_MINE_LEFT_OF_THE_MIDDLE)
    session.open(1, 1), session.flag(0, 0)
    assert getattr(session, move)(1, 1).key == "lost"
    assert session.exploded == (1, 0)
    assert session.board.tolist() == [[FLAGGED, 1, 0], [MINE, 1, 0], [1, 1, 0]]


def test_expand_flags_where_all_covered_neighbours_are_mines():
    session = session_on([[1, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0]])
    session.open(0, 2)
    assert session.expand(0, 4).key == "cannot_expand"
    session.flag(0, 0)
    assert session.expand(0, 1).cells == ((1, 0),)
    assert session.mines_left == 1
    assert session.expand(0, 1).key == "nothing_to_expand"
    session.undo()
    assert session.mines_left == 2


def test_expand_needs_an_open_cell_with_a_count():
    session = session_on([[1, 0, 0, 0], [0, 0, 0, 0]])
    session.open(0, 3)
    assert session.expand(0, 0).key == "cannot_expand"
    assert session.expand(0, 3).key == "cannot_expand"


def test_undo_takes_back_the_fatal_move_as_practice():
    session = Session(BoardConfig(2, 2, 1, first_click="safe"), seed=3)
    session.open(0, 0)
    assert not session.practice
    before = session.board
    mine = next(
        cell for cell in [(0, 1), (1, 0), (1, 1)] if session.open(*cell).key == "lost" or session.undo().key != "undone"
    )
    assert session.undo().key == "undone"
    assert (session.status, session.practice, session.exploded) == ("playing", True, None)
    assert np.array_equal(session.board, before)
    assert mine not in [move[1:3] for move in session.moves]


def test_undo_leads_back_to_the_start_and_to_the_same_mines():
    session = Session(BoardConfig(8, 8, 10), seed=5)
    session.flag(7, 7)
    session.open(0, 0)
    opened = session.board
    session.undo()
    assert (session.status, len(session.moves)) == ("ready", 1)
    session.open(0, 0)
    assert np.array_equal(session.board, opened)
    session.undo(), session.undo()
    assert session.undo().key == "nothing_to_undo"
    assert (session.board == HIDDEN).all()


def test_a_won_game_stays_won():
    session = session_on([[1, 0]])
    session.open(0, 1)
    assert session.undo().key == "game_is_over"


def test_the_clock_runs_from_the_first_open_cell_to_the_end():
    clock = Clock()
    session = session_on([[1, 0, 0, 0], [1, 0, 0, 0]], now=clock)
    session.flag(0, 0)
    clock.seconds += 5
    assert session.seconds == 0.0
    session.open(0, 1)
    clock.seconds += 2.5
    session.open(1, 0)
    clock.seconds += 50
    assert (session.status, session.seconds) == ("lost", 2.5)
    session.undo()
    clock.seconds += 1
    assert session.seconds == 3.5
    assert [move.seconds for move in session.moves] == [0.0, 0.0]


def test_a_cell_off_the_board_is_an_error():
    with pytest.raises(ValueError, match=r"between \(0, 0\) and \(1, 1\), not at \(2, 0\)"):
        session_on([[1, 0], [0, 0]]).open(2, 0)


@pytest.mark.parametrize("seed", [-1, 1.5, True])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(ValueError, match="seed must be a whole number of at least 0"):
        Session(BoardConfig(8, 8, 10), seed=seed)


@pytest.mark.parametrize("radius", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_any_moves_can_be_taken_back_one_by_one(seed, radius):
    random = np.random.default_rng(seed)
    session = Session(BoardConfig(7, 9, 8, radius=radius), seed=seed)
    positions = []
    for _ in range(300):
        state = (session.board.tolist(), session.status, session.mines_left, len(session.moves))
        kind = random.choice(
            ["open", "flag", "question", "chord", "expand", "help"], p=[0.1, 0.3, 0.2, 0.15, 0.2, 0.05]
        )
        row, col = int(random.integers(7)), int(random.integers(9))
        count = len(session.moves)
        report = session.help() if kind == "help" else getattr(session, kind)(row, col)
        assert report.accepted == (len(session.moves) > count)
        positions += [state] if len(session.moves) == count + 1 else []
        positions += [None] * (len(session.moves) - count - 1)
        if session.status == "won":
            break
        if session.status == "lost":
            session.undo()
            positions.pop()
    while session.status != "won" and session.undo().accepted:
        expected = positions.pop()
        state = (session.board.tolist(), session.status, session.mines_left, len(session.moves))
        assert expected is None or state == expected
    assert session.status == "won" or (session.status, positions) == ("ready", [])


def test_recorded_moves_repeat_the_game_with_the_cells_that_help_opened():
    session, again = (session_on([[1, 0], [0, 0]]) for _ in range(2))
    session.open(0, 1)
    session.help()
    assert {move.kind for move in session.moves[1:]} == {"reveal"}
    assert all(again.repeat(move).accepted for move in session.moves)
    assert np.array_equal(again.board, session.board)
    assert not again.repeat(session.moves[-1]).accepted
