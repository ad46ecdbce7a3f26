"""The render mode "human": a window, here on the dummy display of SDL."""

import copy
import pickle
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled, Error
from gymnasium.utils.env_checker import check_env

from minesweeper_env import MineProbabilities, MinesweeperEnv, MinesweeperVectorEnv, VectorMineProbabilities, window
from minesweeper_env.checks import DISPLAY_VARIABLES
from minesweeper_env.window import DRIVER_VARIABLES, NoDisplayError, load_pygame

LAYOUT = np.zeros((3, 6), np.bool_)
LAYOUT[[0, 0, 2], [0, 3, 5]] = True
ARGUMENTS = {"size": (3, 6), "mines": 3, "first_click": "any"}
HUMAN = {**ARGUMENTS, "render_mode": "human"}


@pytest.fixture
def pygame(monkeypatch):
    """Returns pygame with a display that nobody sees, and lets frames pass at once."""
    for name in DISPLAY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    monkeypatch.setattr(window, "END_SECONDS", 0.0)
    monkeypatch.setitem(MinesweeperEnv.metadata, "render_fps", 1000)
    module = pytest.importorskip("pygame")
    yield module
    module.display.quit()


def start():
    env = MinesweeperEnv(**HUMAN)
    env.reset(options={"layout": LAYOUT})
    return env


def shown(pygame):
    """Returns the content of the window, (height, width, 3)."""
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


def picture_of(*actions):
    env = MinesweeperEnv(**ARGUMENTS, render_mode="rgb_array")
    env.reset(options={"layout": LAYOUT})
    for action in actions:
        env.step(action)
    return env.render()


def test_each_step_shows_the_picture_up_to_the_mines_and_wrong_flags_of_a_lost_game(pygame):
    assert pygame.display.get_surface() is None
    env, actions = start(), []
    turns = ((None, "3 mines", "playing"), (18, "2 mines", "playing"), (19, "1 mine", "playing"), (3, "1 mine", "lost"))
    for action, left, status in turns:
        if action is not None:
            actions.append(action)
            env.step(action)
        assert np.array_equal(shown(pygame), picture_of(*actions))
        assert pygame.display.get_caption()[0] == f"Minesweeper 3x6: {left} left, {status}"
    assert env.render() is None
    for _ in range(2):
        env.close()
        assert pygame.display.get_surface() is None


def test_a_won_game_has_flags_on_its_mines(pygame):
    env = start()
    for cell in np.flatnonzero(~LAYOUT.ravel()).tolist():
        env.step(cell)
    assert pygame.display.get_caption()[0] == "Minesweeper 3x6: 0 mines left, won"
    tile = shown(pygame)[:32, :32]
    assert np.array_equal(tile, picture_of(18)[:32, :32])


def test_the_picture_is_drawn_anew_for_the_size_of_the_window(pygame):
    env = start()
    pygame.display.set_mode((400, 500), pygame.RESIZABLE)
    pygame.event.post(pygame.event.Event(pygame.VIDEORESIZE, size=(400, 500), w=400, h=500))
    env.step(12)
    side = 400 // 6
    top, left = (500 - 3 * side) // 2, (400 - 6 * side) // 2
    board = shown(pygame)[top : top + 3 * side, left : left + 6 * side]
    assert (shown(pygame)[: top - 1] == window.BACKGROUND).all()
    opened, covered = board[2 * side :, :side], board[:side, :side]
    assert np.array_equal(opened, board[2 * side :, side : 2 * side])
    assert not np.array_equal(opened, covered)


def test_a_user_who_closes_the_window_ends_neither_program_nor_game(pygame):
    env = start()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(12)
    assert pygame.display.get_surface() is None
    env.step(18)
    env.reset(seed=1)
    assert env.render() is None
    assert pygame.display.get_surface() is None
    env.close()


def test_two_environments_share_the_window(pygame):
    first, second = start(), start()
    first.close()
    second.step(12)
    assert np.array_equal(shown(pygame), picture_of(12))
    second.close()
    assert pygame.display.get_surface() is None


def test_copies_open_windows_of_their_own(pygame):
    env = start()
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert not other.view._pygame
        other.step(12)
        assert np.array_equal(shown(pygame), picture_of(12))
        other.close()


def test_a_batch_is_tiled(pygame):
    envs = gymnasium.make_vec("minesweeper_env:Minesweeper-v0", num_envs=3, **HUMAN)
    envs.reset(seed=0, options={"layout": LAYOUT})
    envs.step(np.array([12, 3, 12]))
    seen = shown(pygame)
    assert np.array_equal(seen[: 3 * 32, : 6 * 32], picture_of(12))
    assert np.array_equal(seen[: 3 * 32, 7 * 32 : 13 * 32], picture_of(3))
    assert pygame.display.get_caption()[0] == "Minesweeper 3x6 with 3 mines: games 0 to 2 of 3: 2 playing, 1 lost"
    assert envs.render() is None
    envs.close()
    assert pygame.display.get_surface() is None


def test_the_last_board_of_a_game_is_shown_though_the_same_step_starts_the_next(pygame):
    envs = MinesweeperVectorEnv(1, **HUMAN, autoreset_mode="SameStep")
    envs.reset(seed=0, options={"layout": LAYOUT})
    envs.step(np.array([3]))
    assert np.array_equal(shown(pygame), picture_of(3))
    envs.close()


@pytest.mark.parametrize("count", [1, 7, 5000])
@pytest.mark.parametrize("size", [(8, 8), (16, 30), (200, 3), (3, 200)])
def test_the_games_of_a_batch_fit_a_screen(count, size):
    config = MinesweeperEnv(size=size, mines=5).config
    rows, cols = window.grid_of(count, config)
    assert rows >= 1
    assert 1 <= cols <= count
    assert (rows - 1) * cols < count
    assert rows == 1 or rows * (size[0] + 1) <= window.MOST_TILES[0]
    assert cols == 1 or cols * (size[1] + 1) <= window.MOST_TILES[1]


@pytest.mark.parametrize("count", [None, 2])
def test_the_overlay_shows_in_the_window(pygame, count):
    if count is None:
        plain, env = MinesweeperEnv(**HUMAN), MineProbabilities(MinesweeperEnv(**HUMAN), overlay=True)
    else:
        plain, bare = (MinesweeperVectorEnv(count, **HUMAN) for _ in range(2))
        env = VectorMineProbabilities(bare, overlay=True)
    seen = []
    for each in (plain, env):
        each.reset(seed=0, options={"layout": LAYOUT})
        each.step(12 if count is None else np.array([12] * count))
        assert each.render() is None
        seen.append(shown(pygame))
        each.close()
    assert not np.array_equal(*seen)
    assert np.array_equal(seen[0][64:96, :32], seen[1][64:96, :32])


def test_without_a_display_one_line_says_what_to_do(monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setattr(sys, "platform", "linux")
    for name in DISPLAY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    env = gymnasium.make("minesweeper_env:Minesweeper-v0", render_mode="human")
    with pytest.raises(NoDisplayError, match=r"rgb_array.*SDL_VIDEODRIVER=dummy") as caught:
        env.reset(seed=0)
    assert isinstance(caught.value, Error)
    assert "\n" not in str(caught.value)


def test_a_driver_of_sdl_that_shows_nothing_is_no_display(monkeypatch):
    module = pytest.importorskip("pygame")
    for name in DRIVER_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":none")
    monkeypatch.setattr(module.display, "init", lambda: None)
    monkeypatch.setattr(module.display, "get_driver", lambda: "offscreen")
    with pytest.raises(NoDisplayError, match="no usable display; use render_mode"):
        load_pygame()


def test_a_display_that_does_not_answer_is_explained(monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "no-such-driver")
    with pytest.raises(NoDisplayError, match="no usable display"):
        start()


def test_without_pygame_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(DependencyNotInstalled, match=r"pip install '\.\[window\]'"):
        start()


@pytest.mark.parametrize("display", [True, False])
def test_the_modes_of_an_environment_are_those_that_work_here(monkeypatch, display):
    monkeypatch.setattr("minesweeper_env.checks.has_display", lambda: display)
    modes = MinesweeperEnv().metadata["render_modes"]
    assert modes == ["ansi", "rgb_array", "human"][: 3 if display else 2]
    assert MinesweeperVectorEnv().metadata["render_modes"] == modes
    assert MinesweeperEnv.metadata["render_modes"] == ["ansi", "rgb_array", "human"]
    assert "human" in MinesweeperEnv(render_mode="human").metadata["render_modes"]


def test_the_checker_of_gymnasium_finds_nothing_where_a_window_can_open(pygame, recwarn):
    check_env(gymnasium.make("minesweeper_env:Minesweeper-v0").unwrapped)
    assert [str(warning.message) for warning in recwarn] == []
    assert pygame.display.get_surface() is None
