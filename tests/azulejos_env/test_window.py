"""Window: what it shows, and the match of a person, by events on a display that shows nothing."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest

pygame = pytest.importorskip("pygame", reason="needs the extra window")

from azulejos_env import AzulejosEnv  # noqa: E402
from azulejos_env.__main__ import main  # noqa: E402
from azulejos_env.config import GameConfig  # noqa: E402
from azulejos_env.policies import MinimaxPolicy  # noqa: E402
from azulejos_env.position import Position, random_board  # noqa: E402
from azulejos_env.window import MACHINE, PERSON, Match, play  # noqa: E402

BOARD = [[1, 2, 2, 1], [1, 1, 2, 1]]


@pytest.fixture(autouse=True)
def _display(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def match_on(board=BOARD, choose=None, **fields):
    """Returns a match on a small board."""
    config = GameConfig(*np.shape(board), 9)
    return Match(Position(config, np.array(board), **fields), choose or MinimaxPolicy(depth=2).choose)


def wait(match):
    """Waits for the move of the machine."""
    end = time.monotonic() + 60.0
    while match.is_thinking and time.monotonic() < end:
        match.poll()
        time.sleep(0.005)
    assert not match.is_thinking


def test_the_machine_answers_and_moves_are_taken_back():
    match = match_on()
    first = match.position
    match.click(0, 1)
    assert (match.is_thinking, match.position.scores) == (True, (2, 0))
    assert match.view.last.tolist() == [[False, True, True, False], [False, False, True, False]]
    wait(match)
    assert match.position.player == PERSON
    assert match.position.scores[MACHINE] > 0
    for key in ("u", "r"):
        match.press(key)
        assert match.position is first
        assert not match.view.last.any()
        match.press(key)
        assert "no move" in match.message
        match.click(0, 1)
        wait(match)


def test_clicks_and_keys_during_the_machines_turn_are_refused():
    match = match_on(choose=lambda position: time.sleep(0.2) or MinimaxPolicy(depth=1).choose(position))
    match.click(0, 1)
    before = match.position
    for act in (lambda: match.click(0, 0), lambda: match.press("u"), lambda: match.press("r")):
        act()
        assert match.message == "the machine is thinking"
        assert match.position is before
    wait(match)


def test_an_error_of_the_machine_is_not_lost():
    match = match_on(choose=lambda _: 1 // 0)
    match.click(0, 1)
    with pytest.raises(ZeroDivisionError):
        wait(match)


def test_a_match_ends_and_a_tie_is_called_a_tie():
    match = match_on([[1, 2, 2], [1, 3, 4]])
    match.click(1, 1)
    assert "belongs to no group" in match.message
    match.click(0, 0)
    wait(match)
    assert match.view.status_line() == "you 1, machine 1: a tie"
    match.click(0, 0)
    assert match.message == "the game is over"


def test_a_person_plays_by_mouse_and_leaves_by_key(monkeypatch):
    """Each frame clicks the first group of the board, until the game is over; then a key leaves."""
    config, shown = GameConfig(4, 5, 3), []
    position = Position(config, random_board(config, 2))

    def choose(now):
        shown.append(now)
        return MinimaxPolicy(depth=2).choose(now)

    def post(title):
        match, side = matches[0], 32
        width = pygame.display.get_surface().get_width()
        if match.position.over:
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_q))
        elif not match.is_thinking:
            row, col = match.position.groups[0][:2]
            left = (width - 8 * side) // 2
            pos = (left + side * col + side // 2, side * (row + 2) + side // 2)
            pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=pos))
        caption(title)

    matches, caption, begin = [], pygame.display.set_caption, Match.__init__
    monkeypatch.setattr(Match, "__init__", lambda self, *given: matches.append(self) or begin(self, *given))
    monkeypatch.setattr(pygame.display, "set_caption", post)
    play(position, choose)
    assert matches[0].position.over
    assert shown
    assert pygame.display.get_surface() is None


def test_closing_the_window_leaves_though_the_machine_thinks(monkeypatch):
    monkeypatch.setattr(pygame.event, "get", lambda: [pygame.event.Event(pygame.QUIT)])
    config = GameConfig(1, 4, 2)
    play(Position(config, [[1, 1, 2, 2]], player=1), lambda _: time.sleep(600))
    assert pygame.display.get_surface() is None


def test_a_machine_without_a_display_is_told_in_one_line(monkeypatch, tmp_path, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    (tmp_path / "game.txt").write_text("1\n2\n0\n0\n11\n")
    with pytest.raises(SystemExit):
        main(["-file", str(tmp_path / "game.txt"), "-depth", "1", "-visual"])
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith("python -m azulejos_env: a window cannot open: this machine has no display; use -console")


def test_the_environment_shows_each_step():
    env = AzulejosEnv(size=4, render_mode="human")
    env.metadata["render_fps"] = 1000
    env.reset(seed=0)
    assert pygame.display.get_caption()[0] == "Azulejos 4x4: agent 0, opponent 0: agent to move"
    before = pygame.surfarray.array3d(pygame.display.get_surface())
    env.step(env.action_masks().argmax())
    assert (pygame.surfarray.array3d(pygame.display.get_surface()) != before).any()
    assert env.render() is None
    env.close()
    assert pygame.display.get_surface() is None
