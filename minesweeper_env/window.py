"""Render mode "human": one game, or a batch of games side by side, in a resizable window.

pygame is imported when the first window opens.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakSet

import numpy as np
from gymnasium.error import DependencyNotInstalled, Error
from numpy.typing import NDArray

from minesweeper_env.checks import DISPLAY_VARIABLES, has_display
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.state import FRESH, LOST, PLAYING, TRUNCATED, WON
from minesweeper_env.escape import counted
from minesweeper_env.rendering import TILE, Scene, exploded_cells, with_mines_flagged

if TYPE_CHECKING:
    from minesweeper_env.inference.oracle import Answers

AskOracle = Callable[[NDArray[np.int8]], "Answers"]
"""Returns the mine probabilities of (N, rows, cols) boards."""

LEAST_TILE = 4
"""The least side of a tile, in pixels; characters need 7."""

END_SECONDS = 1.0
"""Time for which the end of a game stays in the window."""

MOST_TILES = (72, 128)
"""The largest number of tiles, from top to bottom and from left to right, that a batch of games may take."""

STATUS_NAMES = {FRESH: "playing", PLAYING: "playing", WON: "won", LOST: "lost", TRUNCATED: "out of steps"}

Draw = Callable[[int], NDArray[np.uint8]]
"""Returns the (side * height, side * width, 3) uint8 picture whose tiles have a given side, in pixels."""

BACKGROUND = (58, 62, 69)
SCREEN_PART = 0.9
"""The part of the screen, in each direction, that a new window may fill."""

DRIVER_VARIABLES = DISPLAY_VARIABLES[2:]
INVISIBLE = ("offscreen", "dummy")
"""Drivers of SDL that show nothing; SDL takes the first one where no display answers."""


class NoDisplayError(Error):
    """This machine has no screen on which a window could open; `cause` says so in one line without the way out."""

    def __init__(self, lack: str) -> None:
        """Makes the message; `lack` completes "this machine has", such as "no display"."""
        self.cause = f"a window cannot open: this machine has {lack}"
        way_out = "use render_mode='rgb_array', or set SDL_VIDEODRIVER=dummy to run without a screen"
        super().__init__(f"{self.cause}; {way_out}")


def load_pygame() -> Any:
    """Imports pygame, and opens its connection to the display.

    Raises:
        DependencyNotInstalled: pygame is not installed.
        NoDisplayError: the machine has no display.
    """
    # Without the variable, pygame greets on stdout, where results belong.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        pygame = import_module("pygame")
    except ImportError as error:
        hint = "a window needs pygame-ce; install it, in a clone, with: pip install '.[window]'"
        raise DependencyNotInstalled(hint) from error
    if not has_display():
        raise NoDisplayError("no display")
    try:
        pygame.display.init()
    except pygame.error as error:
        raise NoDisplayError(f"no usable display ({error})") from error
    if pygame.display.get_driver() in INVISIBLE and not any(os.environ.get(name) for name in DRIVER_VARIABLES):
        pygame.display.quit()
        raise NoDisplayError("no usable display")
    return pygame


def fitting_side(width: int, height: int, tiles: tuple[int, int]) -> int:
    """Returns the largest side of a tile, in pixels, with which (height, width) tiles fit into an area."""
    return max(LEAST_TILE, min(width // tiles[1], height // tiles[0]))


class Window:
    """A window that shows a picture in tiles, as large as fits, and scales it when the user resizes it.

    pygame has one window per process. All objects draw into this one, and it closes with the last of them.
    Once the user has closed the window, `show` returns at once and draws nothing.

    Attributes:
        dismissed: whether the user has closed the window.
    """

    _users: ClassVar[WeakSet[Window]] = WeakSet()

    def __init__(
        self, on_click: Callable[[int, int], object] = lambda *_: None, on_key: Callable[[str], object] = lambda _: None
    ) -> None:
        """Opens no window; `on_click` gets the row and column of a clicked tile, `on_key` the name of a pressed key."""
        self.dismissed = False
        self._on_click, self._on_key = on_click, on_key
        self._pygame: Any = None
        self._draw: Draw | None = None
        self._tiles = (1, 1)

    def __reduce__(self) -> tuple[type[Window], tuple[()]]:
        """Makes every copy a window that has not been opened."""
        return type(self), ()

    def show(self, draw: Draw, tiles: tuple[int, int], caption: str, seconds: float) -> None:
        """Shows a picture of (height, width) tiles, and returns after some seconds; raises as `load_pygame` does.

        Meanwhile the user may close the window, or resize it, which calls `draw` again.
        """
        if self.dismissed:
            return
        if self._pygame is None:
            self._open(tiles)
        self._draw, self._tiles = draw, tiles
        self._pygame.display.set_caption(caption)
        self._paint()
        self._linger(seconds)

    def close(self) -> None:
        """Closes the window; the next `show` opens it again, unless the user has closed it."""
        if self._pygame is not None:
            Window._users.discard(self)
            if not Window._users:
                self._pygame.display.quit()
            self._pygame = self._draw = None

    def _open(self, tiles: tuple[int, int]) -> None:
        pygame = load_pygame()
        if pygame.display.get_surface() is None:
            width, height = pygame.display.get_desktop_sizes()[0]
            side = min(TILE, fitting_side(int(SCREEN_PART * width), int(SCREEN_PART * height), tiles))
            try:
                pygame.display.set_mode((side * tiles[1], side * tiles[0]), pygame.RESIZABLE)
            except pygame.error as error:
                raise NoDisplayError(f"no usable display ({error})") from error
        Window._users.add(self)
        self._pygame = pygame

    def _paint(self) -> None:
        surface = self._pygame.display.get_surface()
        if self._draw is None or surface is None:
            return
        corner, side = self._placement()
        picture = self._draw(side)
        size = (picture.shape[1], picture.shape[0])
        image = self._pygame.image.frombuffer(np.ascontiguousarray(picture).tobytes(), size, "RGB")
        surface.fill(BACKGROUND)
        surface.blit(image, corner)
        self._pygame.display.flip()

    def _linger(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        self._handle_events()
        while self._pygame is not None and (remaining := end - time.monotonic()) > 0:
            time.sleep(min(remaining, 0.01))
            self._handle_events()

    def _handle_events(self) -> None:
        """Handles all waiting events: closes the window, repaints it at a new size, or passes a click or a key on."""
        pygame = self._pygame
        for event in pygame.event.get() if pygame is not None else ():
            if event.type == pygame.QUIT:
                self.dismissed = True
                self.close()
                return
            if event.type in (pygame.VIDEORESIZE, pygame.VIDEOEXPOSE):
                self._paint()
            elif event.type == pygame.KEYDOWN:
                self._on_key(pygame.key.name(event.key))
            elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
                (left, top), side = self._placement()
                self._on_click((event.pos[1] - top) // side, (event.pos[0] - left) // side)

    def _placement(self) -> tuple[tuple[int, int], int]:
        """Returns the (x, y) of the picture's upper left corner in the window, and the side of a tile, in pixels."""
        width, height = self._pygame.display.get_surface().get_size()
        side = fitting_side(width, height, self._tiles)
        return ((width - side * self._tiles[1]) // 2, (height - side * self._tiles[0]) // 2), side


class HumanView(Window):
    """The window of an environment."""

    def show_games(
        self,
        config: BoardConfig,
        codes: NDArray[np.int8],
        mines: NDArray[np.bool_],
        status: NDArray[np.int64],
        actions: Sequence[int | None],
        fps: float,
        ask_oracle: AskOracle | None = None,
    ) -> None:
        """Shows the first of N games, as many as fit on a screen, for one frame; raises as `load_pygame` does.

        `codes` is (N, rows, cols) int8, and `mines` bool, all False before the end of a game; `status` is (N,), and
        `actions` has the last action of each game, None if unknown. `ask_oracle` rates the cells of games under way.
        """
        grid = grid_of(len(codes), config)
        count = min(len(codes), grid[0] * grid[1])
        probabilities = None if ask_oracle is None else ask_oracle(codes[:count]).probabilities
        scenes = [
            Scene(
                with_mines_flagged(codes[i], config.codes, mines[i]) if status[i] == WON else codes[i],
                config.codes,
                mines[i],
                exploded_cells(codes[i], config, actions[i]),
                probabilities[i] if probabilities is not None and status[i] <= PLAYING else None,
            )
            for i in range(count)
        ]
        self.show(
            lambda side: tiled([scene.picture(side) for scene in scenes], grid, side),
            (grid[0] * (config.rows + 1) - 1, grid[1] * (config.cols + 1) - 1),  # with a gap of one tile between games
            _caption(config, codes, status, count),
            END_SECONDS if count == 1 and status[0] > PLAYING else 1 / fps,
        )


def _caption(config: BoardConfig, codes: NDArray[np.int8], status: NDArray[np.int64], shown: int) -> str:
    board = f"Minesweeper {config.rows}x{config.cols}"
    if len(codes) == 1:
        mines_left = 0 if status[0] == WON else config.mines - int((codes == config.codes.flagged).sum())
        return f"{board}: {counted(mines_left, 'mine')} left, {STATUS_NAMES[int(status[0])]}"
    counts = Counter(STATUS_NAMES[game_status] for game_status in status[:shown].tolist())
    results = ", ".join(f"{count} {name}" for name, count in counts.items())
    return f"{board} with {counted(config.mines, 'mine')}: games 0 to {shown - 1} of {len(codes)}: {results}"


def grid_of(count: int, config: BoardConfig) -> tuple[int, int]:
    """Returns (rows, columns) of a grid of games shaped like a screen, at most `MOST_TILES`: not all games may fit."""
    height, width = config.rows + 1, config.cols + 1  # of a game and the gap behind it, in tiles
    most_rows, most_cols = max(1, MOST_TILES[0] // height), max(1, MOST_TILES[1] // width)
    # With this number of columns, the grid has the proportions of `MOST_TILES`.
    screen_cols = math.ceil(math.sqrt(count * MOST_TILES[1] / MOST_TILES[0] * height / width))
    cols = min(count, screen_cols, most_cols)
    return min(math.ceil(count / cols), most_rows), cols


def tiled(pictures: Sequence[NDArray[np.uint8]], grid: tuple[int, int], side: int) -> NDArray[np.uint8]:
    """Returns one picture of `pictures` of one size in a grid of (rows, columns), with gaps as wide as a tile."""
    height, width = pictures[0].shape[:2]
    row_step, col_step = height + side, width + side
    canvas = np.full((grid[0] * row_step - side, grid[1] * col_step - side, 3), BACKGROUND, np.uint8)
    for i, picture in enumerate(pictures):
        row, col = divmod(i, grid[1])
        canvas[row * row_step : row * row_step + height, col * col_step : col * col_step + width] = picture
    return canvas
