"""Window of a match: clicks by posted events, on a display that shows nothing."""

from __future__ import annotations

import sys
import time

import pytest

pygame = pytest.importorskip("pygame", reason="needs the extra play")

from azulejos_env.config import GameConfig  # noqa: E402
from azulejos_env.policies import MinimaxPolicy  # noqa: E402
from azulejos_env.position import Position, random_board  # noqa: E402
from azulejos_env.window.game import BAR, LINE, MatchWindow, play  # noqa: E402
from minesweeper_env.rendering.window import load_pygame  # noqa: E402

CONFIG = GameConfig(6, 8, 3)


@pytest.fixture
def window(monkeypatch):
    """A window on a display that shows nothing."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield MatchWindow(load_pygame(), Position(CONFIG, random_board(CONFIG, 2)), MinimaxPolicy(depth=2))
    pygame.display.quit()


def post(window, kind, **fields):
    """Posts an event, and lets the window answer it."""
    pygame.event.post(pygame.event.Event(kind, **fields))
    window.turn()


def point_of(window, row, col):
    """Returns the middle of a tile."""
    (left, top), side = window._place()
    return left + side * col + side // 2, top + side * (row + 2) + side // 2


def settle(window):
    """Lets the machine move."""
    end = time.monotonic() + 60.0
    while window.match.is_thinking and time.monotonic() < end:
        window.turn()


def test_points_are_the_cells_below_them(window):
    for cell in ((0, 0), (5, 7), (3, 2)):
        assert window.cell_at(point_of(window, *cell)) == cell
    assert window.cell_at((0, 0)) is None


@pytest.mark.parametrize("size", [(300, 300), (900, 500)])
def test_points_follow_the_size_of_the_window(window, size):
    pygame.display.set_mode(size, pygame.RESIZABLE)
    assert window.cell_at(point_of(window, 5, 7)) == (5, 7)
    window.turn()


def test_a_click_removes_a_group_and_the_machine_answers(window):
    window.turn()
    group = window.match.position.groups[0]
    post(window, pygame.MOUSEBUTTONDOWN, button=1, pos=point_of(window, group.row, group.col))
    assert window.match.position.scores[0] > 0
    settle(window)
    assert window.match.position.scores[1] > 0
    assert "you to move" in pygame.display.get_caption()[0]


def test_the_window_shows_the_tiles(window):
    window.turn()
    surface = pygame.display.get_surface()
    assert len({tuple(surface.get_at(point_of(window, row, 0))[:3]) for row in range(6)}) > 1


def test_the_bar_below_the_board_says_whose_turn_it_is(window):
    def bar():
        window.turn()
        surface = pygame.display.get_surface()
        height = surface.get_height()
        return pygame.surfarray.array3d(surface)[:, height - BAR : height - LINE].tobytes()

    first = bar()
    assert len(set(first)) > 3
    window.match.click(*window.match.position.groups[0][:2])
    settle(window)
    assert bar() != first


def test_keys_take_back_begin_again_and_leave(window):
    first = window.match.position
    group = first.groups[0]
    window.match.click(group.row, group.col)
    settle(window)
    post(window, pygame.KEYDOWN, key=pygame.K_u)
    assert window.match.position is first
    window.match.click(group.row, group.col)
    settle(window)
    post(window, pygame.KEYDOWN, key=pygame.K_r)
    assert window.match.position is first
    post(window, pygame.KEYDOWN, key=pygame.K_q)
    assert not window.is_open


def test_closing_the_window_leaves(window):
    post(window, pygame.QUIT)
    assert not window.is_open


def test_a_machine_without_a_display_is_told_in_one_line(monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert play("program", Position(CONFIG, random_board(CONFIG, 2)), MinimaxPolicy()) == 1
    message = capsys.readouterr().err
    assert message.startswith("program: a window cannot open: this machine has no display; use -console")
