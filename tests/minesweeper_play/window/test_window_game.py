"""The game behind `play.py --window`: buttons, keys and texts, without a window."""

from __future__ import annotations

import re

import numpy as np
import pytest

import minesweeper_env.generation
from minesweeper_env import FLAGGED, HIDDEN, BoardConfig
from minesweeper_env.generation import AttemptsExceededError, ImpossibleBoardError
from minesweeper_env.inference import PositionTooHardError
from minesweeper_play.game.session import Session
from minesweeper_play.options import PlayOptions
from minesweeper_play.window.game import LEFT, MIDDLE, RIGHT, WindowGame
from minesweeper_play.window.geometry import FOOTER, HEADER, LABEL, LEAST_WIDTH, Geometry, place_on_screen, window_size

LAYOUT = np.zeros((4, 5), np.bool_)
LAYOUT[[0, 3], [0, 4]] = True
CONFIG = BoardConfig(4, 5, 2, first_click="any")


def game(**options):
    return WindowGame(PlayOptions(config=CONFIG, **options), Session(CONFIG, seed=1, layout=LAYOUT))


def click(played, button, cell):
    played.press(button, cell)
    played.release(button, cell)


def test_the_left_button_opens_when_it_goes_up():
    played = game()
    played.press(LEFT, (0, 1))
    assert played.session.board[0, 1] == HIDDEN
    assert played.is_pressed
    assert played.sunken == [(0, 1)]
    played.release(LEFT, (0, 1))
    assert played.session.board[0, 1] == 1
    assert not played.is_pressed


def test_a_button_that_goes_up_elsewhere_opens_the_cell_there_or_nothing():
    played = game()
    played.press(LEFT, (0, 1))
    played.release(LEFT, None)
    assert (played.session.board == HIDDEN).all()
    played.press(LEFT, (0, 0))
    played.move_pointer((1, 1))
    assert played.sunken == [(1, 1)]
    played.release(LEFT, (1, 1))
    assert played.session.board[1, 1] == 1
    assert played.session.board[0, 0] == HIDDEN


def test_the_right_button_sets_and_removes_a_flag_at_once():
    played = game()
    played.press(RIGHT, (0, 0))
    assert played.session.board[0, 0] == FLAGGED
    assert played.mines_left == 1
    played.release(RIGHT, (0, 0))
    click(played, LEFT, (0, 0))
    assert "right button" in played.message
    click(played, RIGHT, (0, 0))
    assert played.session.board[0, 0] == HIDDEN


@pytest.mark.parametrize("buttons", [(MIDDLE,), (LEFT, RIGHT), (RIGHT, LEFT)])
def test_the_middle_button_or_both_chord(buttons):
    played = game()
    click(played, RIGHT, (0, 0))
    click(played, LEFT, (1, 1))
    for button in buttons:
        played.press(button, (1, 1))
    assert (0, 1) in played.sunken
    assert (0, 0) not in played.sunken
    for button in buttons:
        played.release(button, (1, 1))
    assert played.session.board[0, 1] == 1
    assert played.session.board[2, 2] == 0 or played.session.status == "won"
    assert played.session.board[0, 0] == FLAGGED or played.session.status == "won"
    assert not played.is_pressed


def test_a_click_on_an_open_cell_says_nothing():
    played = game()
    click(played, LEFT, (1, 1))
    click(played, LEFT, (1, 1))
    assert played.message == ""


def test_a_lost_game_shows_its_mines_and_u_takes_the_move_back():
    played = game()
    click(played, LEFT, (1, 1))
    click(played, RIGHT, (0, 1))
    click(played, LEFT, (0, 0))
    scene = played.scene()
    assert played.session.status == "lost"
    assert (scene.mines == LAYOUT).all()
    assert np.argwhere(scene.exploded).tolist() == [[0, 0]]
    assert played.message.startswith("You lost!")
    assert "3BV" in played.message
    assert re.search(r", time \d+\.\d\u00a0s\.", played.message)
    click(played, LEFT, (2, 2))
    assert "over" in played.message
    played.key("u")
    assert played.session.status == "playing"
    assert not played.scene().mines.any()


def test_no_mine_is_in_the_scene_before_the_end():
    played = game()
    click(played, LEFT, (1, 1))
    scene = played.scene()
    assert not scene.mines.any()
    assert not scene.exploded.any()


def test_a_won_game_has_flags_on_all_mines():
    played = game()
    for cell in np.argwhere(~LAYOUT).tolist():
        click(played, LEFT, tuple(cell))
    assert played.session.status == "won"
    assert ((played.scene().codes == FLAGGED) == LAYOUT).all()
    assert played.mines_left == 0


def test_h_marks_the_proof_and_gives_it_in_words():
    played = game()
    click(played, LEFT, (1, 1))
    played.key("h")
    assert played.marks == {played.session.hint().cell: "safe"}
    played = WindowGame(PlayOptions(config=BoardConfig(9, 9, 10), seed=3))
    click(played, LEFT, (4, 4))
    played.key("h")
    steps = played.session.hint().steps
    assert set(played.marks) == {cell for step in steps for cell in (*step.because, *step.safe, *step.mine)}
    assert {"clue", "safe"} <= set(played.marks.values())
    assert "safe" in played.message
    played.key("u")
    assert not played.marks


def test_p_shows_the_probabilities_until_the_end(monkeypatch):
    played = game()
    click(played, LEFT, (1, 1))
    assert played.scene().probabilities is None
    played.key("p")
    shown = played.scene().probabilities
    assert shown is not None
    monkeypatch.setattr(Session, "probabilities", lambda _: pytest.fail("asked twice for one board"))
    assert played.scene().probabilities is shown
    played.key("p")
    assert played.scene().probabilities is None


def test_the_palette_for_colour_blind_players_tints_the_probabilities():
    pictures = []
    for palette in ("standard", "colour-blind"):
        played = game(palette=palette)
        click(played, LEFT, (1, 1))
        plain = played.scene().picture(16)
        played.key("p")
        shown = played.scene().picture(16)
        assert not np.array_equal(plain, shown)
        pictures.append(shown)
    assert not np.array_equal(*pictures)


def test_a_position_that_is_too_hard_is_drawn_plainly(monkeypatch):
    def refuse(_):
        raise PositionTooHardError("too hard")

    played = game()
    click(played, LEFT, (1, 1))
    for name in ("probabilities", "hint"):
        monkeypatch.setattr(Session, name, refuse)
    played.key("p")
    assert played.scene().probabilities is None
    assert "too hard" in played.message
    played.key("h")
    assert "too hard" in played.message


def test_n_starts_the_game_of_the_next_seed():
    played = WindowGame(PlayOptions(seed=7))
    seeds = [played.session.seed]
    for key in ("n", "f2", "2", "3", "1"):
        played.key(key)
        seeds.append(played.session.seed)
        assert played.session.status == "ready"
    assert seeds == list(range(7, 13))
    assert (played.config.rows, played.config.mines) == (9, 10)


@pytest.mark.parametrize(("key", "size"), [("1", (9, 9)), ("2", (16, 16)), ("3", (16, 30))])
def test_digits_choose_a_classic_board(key, size):
    played = WindowGame(PlayOptions(seed=7))
    played.key(key)
    assert (played.config.rows, played.config.cols) == size
    played.key("n")
    assert (played.config.rows, played.config.cols) == size


def test_a_search_for_a_board_without_guesses_shows_its_attempts_and_can_be_cancelled(monkeypatch):
    def search(*arguments, on_attempts, **settings):
        on_attempts(250)
        pytest.fail("the search was not cancelled")

    seen = []
    played = WindowGame(PlayOptions(config=BoardConfig(9, 9, 10), no_guess="exact", seed=1))
    played.on_search = lambda: seen.append(played.message) is None
    monkeypatch.setattr(minesweeper_env.generation, "generate", search)
    click(played, LEFT, (4, 4))
    assert "250 tried" in seen[0]
    assert "cancelled" in played.message
    assert played.session.status == "ready"


@pytest.mark.parametrize("error", [ImpossibleBoardError, AttemptsExceededError])
def test_a_search_in_vain_says_so_and_goes_on(monkeypatch, error):
    def search(*arguments, **settings):
        raise error("no board")

    played = WindowGame(PlayOptions(config=BoardConfig(9, 9, 10), no_guess="exact", seed=1))
    monkeypatch.setattr(minesweeper_env.generation, "generate", search)
    click(played, LEFT, (4, 4))
    assert "may need a guess" in played.message
    assert played.session.status == "playing"


@pytest.mark.parametrize("key", ["q", "escape"])
def test_keys_that_leave(key):
    played = game()
    played.key(key)
    assert played.is_over


def test_the_keyboard_alone_plays():
    played = game()
    played.key("space")
    assert played.session.status == "ready"
    played.key("up")
    assert played.cursor == (2, 2)
    for _ in range(9):
        played.key("up")
        played.key("left")
    assert played.cursor == (0, 0)
    played.key("f")
    assert played.session.board[0, 0] == FLAGGED
    played.key("down")
    played.key("right")
    played.key("return")
    assert played.session.board[1, 1] == 1
    played.key("c")
    assert played.session.board[0, 1] == 1
    played.press(LEFT, None)
    assert played.cursor is None


def test_the_texts_are_spanish_if_asked():
    played = WindowGame(PlayOptions(language="es"))
    assert "bandera" in played.text("window_flagged")
    assert played.message.startswith("Izquierdo")


@pytest.mark.parametrize("size", [(440, 400), (1200, 800), (200, 200), (90, 60)])
@pytest.mark.parametrize("board", [(9, 9), (16, 30), (1, 40), (40, 1)])
def test_each_cell_is_found_at_its_place(size, board):
    places = Geometry.of(size, *board)
    for row in (0, board[0] - 1):
        for col in (0, board[1] - 1):
            left, top, side, _ = places.cell(row, col)
            assert places.cell_at((left, top)) == (row, col)
            assert places.cell_at((left + side - 1, top + side - 1)) == (row, col)
    left, top, _, height = places.board
    assert places.cell_at((left - 1, top)) is None
    assert places.cell_at((left, top + height)) is None
    assert places.is_on_face((places.face[0], places.face[1]))
    assert not places.is_on_face((0, 0))


def test_a_new_window_fits_the_screen():
    assert window_size(9, 9, (1920, 1080)) == (LEAST_WIDTH, 9 * 32 + HEADER + FOOTER + 16 + LABEL)
    width, height = window_size(16, 30, (800, 600))
    assert width <= 720
    assert height <= 540


@pytest.mark.parametrize(
    ("place", "expected"),
    [((10, 20), (10, 20)), ((900, 100), (304, 100)), ((-50, 700), (0, 154)), ((0, 0), (0, 0))],
)
def test_a_window_stays_on_the_screen(place, expected):
    assert place_on_screen(place, (976, 646), (1280, 800)) == expected


def test_a_window_larger_than_the_screen_begins_at_its_corner():
    assert place_on_screen((30, 40), (2000, 900), (1280, 800)) == (0, 0)
