"""The played game: moves, marks, chords, undo, the clock, openings, searches, and the boards of the environment."""

from itertools import pairwise
from unittest.mock import Mock

import gymnasium
import numpy as np
import pytest
from support.played_games import Clock, session_on

from minesweeper_env import FLAGGED, HIDDEN, MINE, QUESTION, BoardConfig
from minesweeper_env.generation import generate
from minesweeper_env.inference import certain_cells
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.coach.review import review_game
from minesweeper_play.explanations import explain_ending
from minesweeper_play.game.records import decode, encode
from minesweeper_play.game.session import Session

MIDDLE = ("...", "*..", "...")


def keys(session, *moves):
    """Makes moves, such as ("open", 0, 1), and returns the keys of their reports."""
    return [getattr(session, kind)(*cell).key for kind, *cell in moves]


RULES = [*((rule, False) for rule in ("any", "safe", "opening", "corners")), ("safe", "subset"), ("safe", "exact")]


@pytest.mark.parametrize(("first_click", "no_guess"), RULES)
@pytest.mark.parametrize("seed", [0, 1, 11])  # Of seed 11 "subset" and "exact" have different boards.
def test_the_board_of_a_seed_is_the_one_of_the_environment(first_click, no_guess, seed):
    env = gymnasium.make("Minesweeper-v0", size=(9, 12), mines=20, first_click=first_click, no_guess=no_guess)
    env.reset(seed=seed)
    expected = env.step(4 * 12 + 5)[0]
    session = Session(BoardConfig(9, 12, 20, first_click=first_click), seed=seed, no_guess=no_guess)
    session.flag(0, 0), session.flag(0, 0)
    session.open(4, 5)
    assert np.array_equal(session.board, expected)
    assert np.array_equal(session.placed_mines, env.unwrapped.get_state()["mines"])


def test_a_session_without_a_seed_draws_one_that_repeats_the_game():
    config = BoardConfig(8, 8, 14)
    first = Session(config)
    first.open(3, 3)
    again = Session(config, seed=first.seed)
    again.open(3, 3)
    assert np.array_equal(first.board, again.board)


def test_a_game_is_ready_then_under_way_then_won_and_stays_won():
    session, statuses = session_on("*.", ".."), []
    for kind, *cell in (("flag", 0, 0), ("open", 0, 1), ("open", 1, 0), ("open", 1, 1)):
        statuses.append(session.status)
        report = getattr(session, kind)(*cell)
    assert statuses == ["ready", "ready", "playing", "playing"]
    assert (report.key, session.status, session.exploded) == ("won", "won", None)
    assert session.placed_mines.tolist() == [[True, False], [False, False]]
    assert [move[:3] for move in session.moves] == [("flag", 0, 0), ("open", 0, 1), ("open", 1, 0), ("open", 1, 1)]
    assert session.undo().key == "game_is_over"


def test_a_lost_game_shows_the_mines_the_wrong_flags_and_the_explosion():
    session = session_on("*..", "...", "*.*")
    moves = ("flag", 2, 2), ("flag", 0, 1), ("open", 2, 0), ("open", 1, 1)
    assert keys(session, *moves) == ["", "", "lost", "game_is_over"]
    assert session.exploded == (2, 0)
    assert session.board.tolist() == [[MINE, FLAGGED, HIDDEN], [HIDDEN, HIDDEN, HIDDEN], [MINE, HIDDEN, FLAGGED]]


def test_marks_come_and_go_and_count_the_mines_left():
    session, found = session_on("*.", ".."), []
    for kind in ("flag", "question", "question", "question", "flag", "flag"):
        assert getattr(session, kind)(0, 0).cells == ((0, 0),)
        found.append((int(session.board[0, 0]), session.mines_left))
    assert found == [(FLAGGED, 0), (QUESTION, 1), (HIDDEN, 1), (QUESTION, 1), (FLAGGED, 0), (HIDDEN, 1)]
    session.flag(0, 0), session.flag(0, 1)
    assert session.mines_left == -1
    session.flag(0, 0), session.flag(0, 1)
    assert keys(session, *(("open", *cell) for cell in ((0, 1), (1, 0), (1, 1)))) == ["", "", "won"]
    assert session.mines_left == 0


def test_a_flagged_cell_stays_shut_and_an_open_cell_takes_no_mark():
    session = session_on("*.", "..", opened=[(0, 1)], flags=[(1, 1)])
    report = session.open(1, 1)
    assert (report.key, report.accepted, report.values) == ("cell_is_flagged", False, {"x": 2, "y": 2})
    assert keys(session, *((kind, 0, 1) for kind in ("open", "flag", "question"))) == ["cell_is_open"] * 3


@pytest.mark.parametrize("kind", ["chord", "click"])
def test_a_chord_or_a_click_on_a_number_needs_as_many_flags_as_the_count(kind):
    session = session_on(*MIDDLE)
    moves = ("open", 1, 1), (kind, 1, 1), ("chord", 0, 0), ("flag", 1, 0), (kind, 1, 1)
    assert keys(session, *moves) == ["", "cannot_chord", "cannot_chord", "", "won"]
    assert [move.kind for move in session.moves] == ["open", "flag", "chord"]


@pytest.mark.parametrize("move", ["chord", "expand"])
def test_a_wrong_flag_loses_and_opens_all_other_neighbours(move):
    session = session_on(*MIDDLE, opened=[(1, 1)], flags=[(0, 0)])
    assert getattr(session, move)(1, 1).key == "lost"
    assert session.exploded == (1, 0)
    assert session.board.tolist() == [[FLAGGED, 1, 0], [MINE, 1, 0], [1, 1, 0]]


def test_expand_flags_where_all_covered_neighbours_are_mines():
    session = session_on("*....*", "*.....")
    moves = ("open", 0, 2), ("expand", 0, 4), ("expand", 0, 0), ("expand", 0, 2), ("flag", 0, 0)
    assert keys(session, *moves) == ["", "cannot_expand", "cannot_expand", "cannot_expand", ""]
    assert session.expand(0, 1).cells == ((1, 0),)
    assert session.mines_left == 1
    assert session.expand(0, 1).key == "nothing_to_expand"
    session.undo()
    assert session.mines_left == 2


def test_undo_takes_back_the_fatal_move_as_practice_and_leads_back_to_the_start_and_the_same_mines():
    session = Session(BoardConfig(8, 8, 10), seed=5)
    session.open(0, 0)
    opened, practice = session.board, session.practice
    assert session.open(*np.argwhere(session.placed_mines)[0].tolist()).key == "lost"
    session.undo()
    assert (session.status, practice, session.practice, session.exploded) == ("playing", False, True, None)
    assert np.array_equal(session.board, opened)
    assert [session.undo().key for _ in range(2)] == ["undone", "nothing_to_undo"]
    session.open(0, 0)
    assert np.array_equal(session.board, opened)


def test_the_clock_runs_from_the_first_open_cell_to_the_end():
    clock = Clock()
    session = session_on("*...", "*...", now=clock)
    session.flag(0, 0)
    session.pause(False)
    clock.seconds += 5
    assert session.seconds == 0.0
    session.open(0, 1)
    session.pause()
    clock.seconds += 7
    session.pause(False)
    clock.seconds += 2.5
    session.open(1, 0)
    clock.seconds += 50
    assert (session.status, session.seconds) == ("lost", 2.5)
    session.undo()
    clock.seconds += 1
    assert session.seconds == 3.5
    assert [move.seconds for move in session.moves] == [0.0, 0.0]


def state_of(session):
    return session.board.tolist(), session.status, session.mines_left, len(session.moves)


@pytest.mark.parametrize("seed", range(4))
def test_any_moves_can_be_taken_back_one_by_one(seed):
    random = np.random.default_rng(seed)
    session = Session(BoardConfig(7, 9, 8), seed=seed)
    positions = []
    for _ in range(300):
        state, count = state_of(session), len(session.moves)
        kinds = ["open", "flag", "question", "chord", "expand", "help"]
        kind = random.choice(kinds, p=[0.1, 0.3, 0.2, 0.15, 0.2, 0.05])
        row, col = int(random.integers(7)), int(random.integers(9))
        report = session.help() if kind == "help" else getattr(session, kind)(row, col)
        made = len(session.moves) - count
        assert report.accepted == (made > 0)
        positions += [state, *[None] * made][:made]
        if session.status == "won":
            break
        if session.status == "lost":
            session.undo()
            positions.pop()
    while session.status != "won" and session.undo().accepted:
        expected = positions.pop()
        assert expected is None or state_of(session) == expected
    assert session.status == "won" or (session.status, positions) == ("ready", [])


def test_layers_of_a_chord_spread_from_the_cells_around_it():
    session = session_on("*....", opened=[(0, 1)], flags=[(0, 0)])
    assert session.opening_layers(session.chord(0, 1), (0, 1)) == [[(0, 2)], [(0, 3)], [(0, 4)]]


@pytest.mark.parametrize("seed", range(10))
def test_every_opened_cell_is_in_one_layer(seed):
    session = Session(BoardConfig(16, 16, 30), seed=seed)
    report = session.open(8, 8)
    layers = session.opening_layers(report, (8, 8))
    assert sorted(cell for layer in layers for cell in layer) == sorted(report.cells)
    assert layers[0] == [(8, 8)]
    for before, after in pairwise(layers):
        for row, col in after:
            assert any(max(abs(row - r), abs(col - c)) == 1 and session.board[r, c] == 0 for r, c in before)


CONFIG = BoardConfig(8, 8, 14)


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
    for game in (session, decode(encode(session))):
        assert game.no_guess == "exact"
        assert np.array_equal(game.placed_mines, first)


def test_a_cancelled_search_changes_nothing():
    session = Session(CONFIG, seed=5, no_guess="exact")
    session.flag(0, 0)
    session.on_attempts = Mock(side_effect=KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        session.open(3, 4)
    ((count, most),) = (call.args for call in session.on_attempts.call_args_list)
    assert 0 < count <= most
    assert (session.status, len(session.moves), session.seconds, session.mines_left) == ("ready", 1, 0.0, 13)
    session.on_attempts = lambda *_: None
    assert session.open(3, 4).accepted


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rule", ["any", "safe"])
def test_an_impossible_board_is_played_as_one_that_may_need_a_guess(rule, seed):
    session = Session(BoardConfig(2, 2, 2, first_click=rule), seed=seed, no_guess="exact")
    # The first click is as safe as the hint says.
    assert session.hint((0, 0)).risk == 0.0
    assert session.open(0, 0).key == "unsolvable"
    assert (session.status, session.no_guess, len(session.moves)) == ("playing", False, 1)
    assert session.placed_mines.sum() == 2


def played_at_random(seed):
    """Returns a finished game of random clicks, flags and chords."""
    session = Session(BoardConfig(4, 4, 4, first_click="safe", luck=False), seed=seed)
    random = np.random.default_rng(seed)
    while not session.is_over:
        getattr(session, random.choice(["open", "open", "flag", "chord"]))(*random.integers(4, size=2).tolist())
    return session


def test_each_loss_without_luck_has_a_proof_in_both_languages():
    lost = 0
    for seed in range(60):
        session = played_at_random(seed)
        lines = [explain_ending(session, None, Catalogue(language)) for language in ("en", "es")]
        safe, mine = certain_cells(board := session.board_before_loss, 4) if session.status == "lost" else (None, None)
        assert str(session.forced_guesses) in lines[0][1]
        if safe is not None:
            assert board[session.exploded] > FLAGGED
            assert safe.any() or mine[session.exploded]
            assert not safe[session.exploded]
            # A loss on a certain mine, where no cell is safe, has no safe cell to name.
            assert [len(each) for each in lines] == [2 + bool(safe.any())] * 2
            if lost < 10:
                review = review_game(session, quick=True)
                assert (round(review.skill, 9), round(review.luck, 9)) == (-1.0, 0.0)
            lost += 1
    assert lost > 20


def test_forced_guesses_survive_and_are_counted_and_a_saved_game_goes_on():
    session = Session(BoardConfig(1, 3, 1, "safe", luck=False), layout=np.array([[True, False, False]]))
    session.open(0, 1)
    assert session.hint().survives
    loaded, helped = (decode(encode(session)) for _ in range(2))
    for game in (session, loaded):
        assert (game.open(0, 0).key, game.forced_guesses, game.config.luck) == ("won", 1, False)
    assert (helped.help().key, helped.forced_guesses) == ("won", 0)
