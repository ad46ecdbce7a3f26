"""`play.py --window` on the dummy display of SDL: events, pictures, and machines without a display."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from minesweeper_env import BoardConfig
from minesweeper_env.rendering.tiles import TILE
from minesweeper_env.rendering.window import DISPLAY_VARIABLES, load_pygame
from minesweeper_play.cli import play
from minesweeper_play.game.saved import SavedGameError
from minesweeper_play.options import PlayOptions
from minesweeper_play.window.command import GameWindow, run
from minesweeper_play.window.game import WindowGame
from minesweeper_play.window.painting import MARKS, MOST_LINES, Painter

pytest.importorskip("pygame")


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


def opened(pygame, **options):
    window = GameWindow(pygame, WindowGame(PlayOptions(**{"seed": 3, **options})))
    window.draw()
    return window


def shown(pygame):
    """Returns the content of the window, (height, width, 3)."""
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


def send(pygame, window, kind, **values):
    pygame.event.post(pygame.event.Event(kind, **values))
    window.turn()


def click(pygame, window, button, cell):
    left, top, side, _ = window.geometry.cell(*cell)
    for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
        send(pygame, window, kind, button=button, pos=(left + side // 2, top + side // 2))


def board_of(pygame, window):
    left, top, width, height = window.geometry.board
    return shown(pygame)[top : top + height, left : left + width]


def test_clicks_and_keys_arrive(pygame):
    window = opened(pygame)
    assert pygame.display.get_caption()[0] == "Minesweeper 9x9, 10 mines"
    click(pygame, window, 1, (4, 4))
    assert window.game.session.status == "playing"
    assert np.array_equal(board_of(pygame, window), window.game.scene().picture(TILE))
    covered = tuple(np.argwhere(window.game.session.board == 11)[0].tolist())
    click(pygame, window, 3, covered)
    assert window.game.session.mines_left == 9
    assert np.array_equal(board_of(pygame, window), window.game.scene().picture(TILE))
    send(pygame, window, pygame.KEYDOWN, key=pygame.K_p)
    assert window.game.overlay
    send(pygame, window, pygame.KEYDOWN, key=pygame.K_h)
    for cell, mark in window.game.marks.items():
        left, top, side, _ = window.geometry.cell(*cell)
        assert (shown(pygame)[top, left : left + side] == MARKS[mark]).all()
    send(pygame, window, pygame.KEYDOWN, key=pygame.K_q)
    assert window.game.is_over


def test_the_face_starts_a_new_game(pygame):
    window = opened(pygame)
    click(pygame, window, 1, (4, 4))
    left, top, side, _ = window.geometry.face
    place = (left + side // 2, top + side // 2)
    send(pygame, window, pygame.MOUSEBUTTONDOWN, button=1, pos=place)
    send(pygame, window, pygame.MOUSEBUTTONUP, button=1, pos=place)
    assert window.game.session.seed == 4
    assert window.game.session.status == "ready"


def test_the_face_shows_the_state_of_the_game(pygame):
    def face(window):
        left, top, side, _ = window.geometry.face
        return shown(pygame)[top : top + side, left : left + side].tobytes()

    window = opened(pygame, config=BoardConfig(9, 9, 10, first_click="any"))
    faces = [face(window)]
    window.game.press(1, (0, 0))
    window.draw()
    faces.append(face(window))
    window.game.release(1, None)
    for mine in (False, True):
        window.game.new_game()
        while not window.game.session.is_over:
            layout = window.game.session.placed_mines()
            placed = layout.any()
            cells = np.argwhere(layout == mine) if placed else [(0, 0)]
            covered = [cell for cell in cells if window.game.session.board[tuple(cell)] > 8]
            window.game.session.open(*covered[0])
        window.draw()
        faces.append(face(window))
    assert len(set(faces)) == 4


def test_a_larger_window_has_larger_sharp_tiles(pygame):
    window = opened(pygame)
    pygame.display.set_mode((700, 900), pygame.RESIZABLE)
    send(pygame, window, pygame.VIDEORESIZE, size=(700, 900), w=700, h=900)
    side = window.geometry.side
    assert side > TILE
    assert np.array_equal(board_of(pygame, window), window.game.scene().picture(side))


def test_another_board_gives_the_window_another_size(pygame):
    window = opened(pygame)
    send(pygame, window, pygame.KEYDOWN, key=pygame.K_3)
    assert pygame.display.get_caption()[0] == "Minesweeper 16x30, 99 mines"
    assert window.geometry.cols == 30
    assert window.geometry.board[2] <= pygame.display.get_surface().get_width()


def test_closing_the_window_leaves(pygame):
    window = opened(pygame)
    send(pygame, window, pygame.QUIT)
    assert window.game.is_over


def test_escape_cancels_a_search_and_closing_the_window_leaves(pygame):
    window = opened(pygame)
    assert not window.game.on_search()
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE))
    assert window.game.on_search()
    assert not window.game.is_over
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert window.game.on_search()
    assert window.game.is_over


def test_long_texts_wrap(pygame):
    painter = Painter(pygame)
    lines = painter.wrapped("word " * 200, 300)
    assert len(lines) == MOST_LINES
    assert lines[-1].endswith("...")
    assert painter.wrapped("", 300) == [""]


def test_the_command_plays_and_stores_finished_games(pygame, monkeypatch, tmp_path):
    def lose(self):
        session = self.game.session
        self.game.press(1, (4, 4))
        self.game.release(1, (4, 4))
        while not session.is_over:
            mine = tuple(np.argwhere(session.placed_mines())[0].tolist())
            self.game.press(1, mine)
            self.game.release(1, mine)
        self.game.is_over = True

    monkeypatch.setattr(GameWindow, "turn", lose)
    assert run(PlayOptions(seed=5)) == 0
    assert len(list(tmp_path.rglob("games.jsonl"))) == 1
    assert pygame.display.get_surface() is None


def test_ctrl_c_closes_the_window(pygame, monkeypatch):
    def interrupt(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(GameWindow, "turn", interrupt)
    assert run(PlayOptions(seed=5)) == 130
    assert pygame.display.get_surface() is None


def test_a_machine_without_a_display_gets_one_line(monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "linux")
    for name in DISPLAY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert play.main(["--window"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        "play.py: a window cannot open: this machine has no display; leave out --window to play in the terminal"
    )


def test_a_missing_pygame_is_named_with_its_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pygame", None)
    assert run(PlayOptions()) == 1
    assert "pip install 'minesweeper-env[play]'" in capsys.readouterr().err


def test_a_damaged_saved_game_is_refused_before_a_window_opens(pygame, tmp_path):
    path = tmp_path / "saved.json"
    path.write_text("{")
    with pytest.raises(SavedGameError):
        run(PlayOptions(saved=path))
    assert pygame.display.get_surface() is None


def test_without_platformdirs_the_game_is_played_and_not_stored(pygame, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert run(PlayOptions()) == 0
    assert "platformdirs is not installed" in capsys.readouterr().err
