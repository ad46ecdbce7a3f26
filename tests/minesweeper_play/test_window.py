"""`play.py --window` on the dummy display of SDL: mouse, keys, pictures, texts, and machines without a display."""

import sys
from unittest.mock import Mock

import numpy as np
import pytest
from support.played_games import session_on

from minesweeper_env import FLAGGED, HIDDEN, BoardConfig, generation
from minesweeper_env.checks import DISPLAY_VARIABLES
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.rendering import TILE
from minesweeper_env.window import load_pygame
from minesweeper_play import command
from minesweeper_play.game.moves import LEFT, MIDDLE, RIGHT
from minesweeper_play.game.session import Session
from minesweeper_play.options import PlayOptions
from minesweeper_play.window import MARKS, GameWindow, run

pytest.importorskip("pygame")

ROWS = ("*....", ".....", ".....", "....*")


@pytest.fixture
def pygame(monkeypatch, tmp_path):
    """Returns pygame with a display that nobody sees; statistics go into a folder of the test."""
    for name in DISPLAY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    module = load_pygame()
    yield module
    module.display.quit()


@pytest.fixture
def played(pygame):
    return GameWindow(pygame, PlayOptions(), session_on(*ROWS))


def opened(pygame, **options):
    window = GameWindow(pygame, PlayOptions(**{"seed": 3, **options}))
    window.draw()
    return window


def shown(pygame):
    """Returns the content of the window, (height, width, 3)."""
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


def send(pygame, window, kind, **values):
    pygame.event.post(pygame.event.Event(kind, **values))
    window.turn()


def corner(window, cell):
    """Returns the first line and column of a cell in the window, and its side."""
    left, top, side = window.place
    return top + cell[0] * side, left + cell[1] * side, side


def board_of(pygame, window):
    top, left, side = corner(window, (0, 0))
    rows, cols = window.session.board.shape
    return shown(pygame)[top : top + rows * side, left : left + cols * side]


def click(window, button, cell):
    window.press(button, cell)
    window.release(button, cell)


def test_clicks_and_keys_arrive(pygame):
    window = opened(pygame)
    assert pygame.display.get_caption()[0] == "Minesweeper 9x9, 10 mines"

    def press(button, cell):
        top, left, side = corner(window, cell)
        for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
            send(pygame, window, kind, button=button, pos=(left + side // 2, top + side // 2))

    press(LEFT, (4, 4))
    assert window.session.status == "playing"
    assert np.array_equal(board_of(pygame, window), window.scene().picture(TILE))
    press(RIGHT, tuple(np.argwhere(window.session.board == HIDDEN)[0].tolist()))
    assert window.session.mines_left == 9
    send(pygame, window, pygame.KEYDOWN, key=pygame.K_h)
    assert "safe" in window.message
    for cell, mark in window.marks.items():
        top, left, side = corner(window, cell)
        assert (shown(pygame)[top, left : left + side] == MARKS[mark]).all()
    send(pygame, window, pygame.KEYDOWN, key=pygame.K_q)
    assert window.is_over


def test_a_larger_window_has_larger_sharp_tiles_and_cells_are_found_at_their_places(pygame):
    window = opened(pygame)
    pygame.display.set_mode((700, 900), pygame.RESIZABLE)
    send(pygame, window, pygame.VIDEORESIZE, size=(700, 900), w=700, h=900)
    side = window.place[2]
    assert side > TILE
    assert np.array_equal(board_of(pygame, window), window.scene().picture(side))
    for cell in ((0, 0), (8, 8)):
        top, left, side = corner(window, cell)
        assert window.cell_at((left, top)) == window.cell_at((left + side - 1, top + side - 1)) == cell
    assert window.cell_at((0, 0)) is None


def test_a_long_message_is_shown_to_its_end_and_hides_no_cell(pygame):
    window = opened(pygame)
    pictures = []
    for end in ("safe", "mine"):
        window.message = "word " * 80 + end
        window.draw()
        pictures.append(shown(pygame))
    changed = np.flatnonzero((pictures[0] != pictures[1]).any(axis=(1, 2)))
    bottom, *_ = corner(window, (9, 0))
    assert changed.size
    assert changed.min() >= bottom


def test_the_left_button_opens_where_it_goes_up_and_the_right_one_flags_where_it_goes_down(played):
    for place in (None, (1, 1)):
        played.press(LEFT, (0, 1))
        assert (played.session.board == HIDDEN).all()
        played.release(LEFT, place)
    assert (played.session.board[1, 1], played.session.board[0, 1]) == (1, HIDDEN)
    click(played, LEFT, (1, 1))
    assert "as many flags" in played.message
    played.press(RIGHT, (0, 0))
    assert played.session.board[0, 0] == FLAGGED
    played.release(RIGHT, (0, 0))
    click(played, LEFT, (0, 0))
    assert "has a flag" in played.message
    click(played, RIGHT, (0, 0))
    assert played.session.board[0, 0] == HIDDEN


@pytest.mark.parametrize("buttons", [(MIDDLE,), (LEFT, RIGHT), (RIGHT, LEFT)])
def test_the_middle_button_or_both_chord(played, buttons):
    click(played, RIGHT, (0, 0))
    click(played, LEFT, (1, 1))
    for button in buttons:
        played.press(button, (1, 1))
    played.release(buttons[0], (1, 1))
    said = played.message
    played.release(buttons[-1], (1, 1))
    assert played.message == said
    assert played.session.board[0, 1] == 1
    assert [move.kind for move in played.session.moves] == ["flag", "open", "chord"]


def test_a_lost_game_shows_its_mines_u_takes_the_move_back_and_a_won_one_has_flags_on_all_mines(played):
    click(played, LEFT, (1, 1))
    assert not played.scene().mines.any()
    click(played, LEFT, (0, 0))
    scene, mines = played.scene(), played.session.placed_mines
    assert (scene.mines == mines).all()
    assert np.argwhere(scene.exploded).tolist() == [[0, 0]]
    assert played.message.startswith("You lost!")
    assert "3BV" in played.message
    click(played, LEFT, (2, 2))
    assert "over" in played.message
    played.key("u")
    assert played.session.status == "playing"
    assert not played.scene().mines.any()
    for cell in np.argwhere(~mines).tolist():
        click(played, LEFT, tuple(cell))
    assert played.session.status == "won"
    assert ((played.scene().codes == FLAGGED) == mines).all()


def test_p_shows_the_probabilities_until_the_end(pygame, played, monkeypatch):
    click(played, LEFT, (1, 1))
    assert played.scene().probabilities is None
    played.key("p")
    risks = played.scene().probabilities
    assert risks is not None
    other = opened(pygame, palette="colour-blind")
    assert other.scene().tints != played.scene().tints
    monkeypatch.setattr(Session, "probabilities", lambda _: pytest.fail("asked twice for one board"))
    assert played.scene().probabilities is risks
    played.key("p")
    assert played.scene().probabilities is None


def test_a_position_that_is_too_hard_is_drawn_plainly(played, monkeypatch):
    click(played, LEFT, (1, 1))
    for name in ("probabilities", "hint"):
        monkeypatch.setattr(Session, name, Mock(side_effect=PositionTooHardError))
    for key in ("p", "h"):
        played.message = ""
        played.key(key)
        assert played.scene().probabilities is None
        assert "too hard" in played.message


def test_keys_start_games_of_the_next_seeds_on_classic_boards(pygame):
    window = opened(pygame, seed=7)
    for seed, (key, shape) in enumerate((("n", (9, 9)), ("2", (16, 16)), ("3", (16, 30)), ("n", (16, 30))), 8):
        send(pygame, window, pygame.KEYDOWN, key=getattr(pygame, f"K_{key}"))
        assert (window.session.seed, window.session.status, window.session.board.shape) == (seed, "ready", shape)
    assert pygame.display.get_caption()[0] == "Minesweeper 16x30, 99 mines"
    assert board_of(pygame, window).shape[1] == 30 * window.place[2]
    send(pygame, window, pygame.QUIT)
    assert window.is_over


@pytest.mark.parametrize("leaves", [False, True])
def test_a_search_for_a_board_without_guesses_shows_its_attempts_and_can_be_cancelled(pygame, monkeypatch, leaves):
    def search(*_arguments, on_attempts, **_settings):
        on_attempts(250)
        assert "250 tried" in window.message
        kind, values = (pygame.QUIT, {}) if leaves else (pygame.KEYDOWN, {"key": pygame.K_ESCAPE})
        pygame.event.post(pygame.event.Event(kind, values))
        on_attempts(251)
        pytest.fail("the search was not cancelled")

    window = opened(pygame, no_guess="exact")
    monkeypatch.setattr(generation, "generate", search)
    click(window, LEFT, (4, 4))
    assert "cancelled" in window.message
    assert (window.session.status, window.is_over) == ("ready", leaves)


@pytest.mark.parametrize("is_loaded", [False, True])
def test_the_game_after_one_without_guesses_needs_none_either(pygame, monkeypatch, is_loaded):
    monkeypatch.setattr(generation, "generate", Mock(side_effect=generation.AttemptsExceededError("many")))
    session = Session(BoardConfig(8, 8, 14), no_guess="exact") if is_loaded else None
    window = GameWindow(pygame, PlayOptions(no_guess=False if is_loaded else "exact"), session)
    click(window, LEFT, (4, 4))
    window.key("n")
    assert (window.session.status, window.session.no_guess) == ("ready", "exact")


def test_the_command_stores_finished_games_and_closes_the_window_also_after_ctrl_c(pygame, monkeypatch, tmp_path):
    def lose(self):
        click(self, LEFT, (4, 4))
        while not self.session.is_over:
            click(self, LEFT, tuple(np.argwhere(self.session.placed_mines)[0].tolist()))
        self.is_over = True

    monkeypatch.setattr(GameWindow, "turn", lose)
    assert run(PlayOptions(seed=5)) == 0
    assert len(list(tmp_path.rglob("games.jsonl"))) == 1
    assert pygame.display.get_surface() is None

    load_pygame()
    monkeypatch.setattr(GameWindow, "turn", Mock(side_effect=KeyboardInterrupt))
    assert run(PlayOptions(seed=5)) == 130
    assert pygame.display.get_surface() is None


def test_a_machine_without_a_display_gets_one_line(pygame, monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("SDL_VIDEODRIVER")
    assert command.main(["--window"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "this machine has no display; leave out --window" in line


def test_a_missing_pygame_is_named_with_its_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pygame", None)
    assert run(PlayOptions()) == 1
    assert "pip install '.[window]'" in capsys.readouterr().err
