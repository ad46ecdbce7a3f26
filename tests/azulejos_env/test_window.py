"""Text, pictures and window of a position, and the match of a person, on a display that shows nothing."""

import sys
import time

import numpy as np
import pytest

from azulejos_env import AzulejosEnv
from azulejos_env.__main__ import main
from azulejos_env.config import GameConfig
from azulejos_env.policies import MinimaxPolicy
from azulejos_env.position import Position, random_board
from azulejos_env.rendering import COLOURS, LEAST_COLS, PAPER, View, picture_size, render_picture
from azulejos_env.window import MACHINE, PERSON, Match, play, show_game
from minesweeper_env.window import Window

SHOWN = np.array([[0, 1, 2], [3, 1, 9]], np.int8)


def view(board=SHOWN, names=("agent", "opponent"), scores=(3, 12), turn=0, last=None):
    last = np.zeros(board.shape, bool) if last is None else last
    return View(board, last, names, scores, turn)


def test_the_status_line_says_that_you_win_or_that_a_game_alone_is_over():
    assert view(names=("machine", "you"), turn=None).status_line() == "machine 3, you 12: you win"
    assert view(names=("agent",), scores=(4,), turn=None).status_line() == "agent 4: over"


def test_a_picture_has_the_colours_of_the_tiles_below_the_players_and_outlines_the_last_move():
    side, last = 20, np.array([[False, True, True], [False, False, False]])
    picture = render_picture(view(), side)
    assert (picture.shape, picture.dtype) == ((4 * side, LEAST_COLS * side, 3), np.uint8)
    for row, col in np.argwhere(SHOWN):
        assert tuple(picture[(2 + row) * side + 4, col * side + 4]) == COLOURS[SHOWN[row, col] - 1]
    assert tuple(picture[-1, -1]) == PAPER
    changed = (render_picture(view(last=last), side) != picture).any(axis=2)
    assert changed[[40, 59], 20:60].all()
    assert not changed[50, 40]
    assert not changed[60:].any()
    assert not changed[:40].any()
    assert picture_size(view(scores=(1, 1234567))) == (4, 10)


def test_an_environment_without_a_mode_warns():
    env = AzulejosEnv(size=4)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="Azulejos-v0"):
        assert env.render() is None


@pytest.fixture
def pygame(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return pytest.importorskip("pygame", reason="needs the extra window")


def match_on(board=((1, 2, 2, 1), (1, 1, 2, 1)), choose=None):
    return Match(Position(GameConfig(*np.shape(board), 9), board), choose or MinimaxPolicy(depth=2).choose)


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
    match = match_on(choose=lambda position: time.sleep(0.2) or position.groups[0][:2])
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
    assert match.hint == match.message


@pytest.mark.parametrize("shape", [(1, 1), (8, 8), (100, 3), (3, 100)])
def test_all_words_stand_in_the_window_whatever_the_shape_of_the_board(pygame, shape):
    def pixels(hint, turn=0):
        window = Window()
        show_game(window, view(np.ones(shape, np.int8), ("you", "machine"), (999, 1000), turn), 1000, hint)
        picture = pygame.surfarray.array3d(pygame.display.get_surface())
        window.close()
        return picture

    longest = "cell (99,99) belongs to no group of two or more equal tiles"
    for changed in (pixels(longest[:-1]), pixels(longest, turn=None)):
        assert (pixels(longest) != changed).any()


def test_a_person_plays_by_mouse_and_leaves_by_key(pygame, monkeypatch):
    """Each frame clicks the first group of the board, until the game is over; then a key leaves."""

    def post(title):
        match, side = matches[0], 32
        if match.position.over:
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_q))
        elif not match.is_thinking:
            row, col = match.position.groups[0][:2]
            left = (pygame.display.get_surface().get_width() - 8 * side) // 2
            pos = (left + side * col + side // 2, side * (row + 2) + side // 2)
            pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=pos))
        caption(title)

    config, matches, caption, begin = GameConfig(4, 5, 3), [], pygame.display.set_caption, Match.__init__
    monkeypatch.setattr(Match, "__init__", lambda self, *given: matches.append(self) or begin(self, *given))
    monkeypatch.setattr(pygame.display, "set_caption", post)
    play(Position(config, random_board(config, 2)), MinimaxPolicy(depth=2).choose)
    assert matches[0].position.over
    assert matches[0].position.scores[MACHINE] > 0
    assert pygame.display.get_surface() is None


def test_closing_the_window_leaves_though_the_machine_thinks(pygame, monkeypatch):
    monkeypatch.setattr(pygame.event, "get", lambda: [pygame.event.Event(pygame.QUIT)])
    play(Position(GameConfig(1, 4, 2), [[1, 1, 2, 2]], player=1), lambda _: time.sleep(600))
    assert pygame.display.get_surface() is None


def test_a_machine_without_a_display_is_told_in_one_line(pygame, monkeypatch, tmp_path, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    (tmp_path / "game.txt").write_text("1\n2\n0\n0\n11\n")
    with pytest.raises(SystemExit):
        main(["-file", str(tmp_path / "game.txt"), "-depth", "1", "-visual"])
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith("python -m azulejos_env: a window cannot open: this machine has no display; use -console")


def test_the_environment_shows_each_step(pygame):
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
