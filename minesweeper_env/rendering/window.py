"""Resizable window that shows pictures; pygame is imported when the first window opens."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar
from weakref import WeakSet

import numpy as np
from gymnasium.error import DependencyNotInstalled, Error
from numpy.typing import NDArray

from minesweeper_env.rendering.tiles import LEAST_TILE, TILE

Draw = Callable[[int], NDArray[np.uint8]]
"""Returns the (side * height, side * width, 3) uint8 picture whose tiles have a given side, in pixels."""

BACKGROUND = (58, 62, 69)
SCREEN_PART = 0.9
"""The part of the screen, in each direction, that a new window may fill."""

DISPLAY_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER")
"""Variables of the environment; a window can open on Linux if one of them is set."""

DRIVER_VARIABLES = DISPLAY_VARIABLES[2:]
INVISIBLE = ("offscreen", "dummy")
"""Drivers of SDL that show nothing; SDL takes the first one where no display answers."""

PIP_LINE = "pip install 'minesweeper-env[window]'"


class NoDisplayError(Error):
    """This machine has no screen on which a window could open; `cause` says so in one line without the way out."""

    def __init__(self, lack: str) -> None:
        """Makes the message from what the machine has, such as "no display"."""
        self.cause = f"a window cannot open: this machine has {lack}"
        way_out = "use render_mode='rgb_array', or set SDL_VIDEODRIVER=dummy to run without a screen"
        super().__init__(f"{self.cause}; {way_out}")


def has_display() -> bool:
    """Returns whether a window can open here; on Linux a variable of the environment tells."""
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in DISPLAY_VARIABLES)


def can_open_window() -> bool:
    """Returns whether pygame is installed and the machine has a display; imports nothing."""
    return has_display() and find_spec("pygame") is not None


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
        raise DependencyNotInstalled(f"a window needs pygame-ce; install it with: {PIP_LINE}") from error
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

    pygame has one window per process. Two objects draw into the same one, and it closes with the last of them.
    Once the user has closed the window, `show` returns at once and draws nothing.

    Attributes:
        dismissed: whether the user has closed the window.
    """

    _users: ClassVar[WeakSet[Window]] = WeakSet()

    def __init__(
        self,
        on_click: Callable[[int, int], object] | None = None,
        on_key: Callable[[str], object] | None = None,
    ) -> None:
        """Opens nothing yet; takes what to call with the row and column of a clicked tile, and with a key's name."""
        self.dismissed = False
        self._on_click, self._on_key = on_click, on_key
        self._pygame: Any = None
        self._draw: Draw | None = None
        self._tiles = (1, 1)

    def __getstate__(self) -> dict[str, Any]:
        """Returns nothing: a copy of a window is a window that has not been opened."""
        return {}

    def __setstate__(self, _state: dict[str, Any]) -> None:
        """Makes a window that has not been opened."""
        self.__init__()  # type: ignore[misc]

    @property
    def is_open(self) -> bool:
        """True from the first picture to the end of the window."""
        return self._pygame is not None

    def show(self, draw: Draw, tiles: tuple[int, int], caption: str, seconds: float) -> None:
        """Shows a picture of (height, width) tiles, and returns after some seconds.

        Meanwhile the user may resize the window, for which `draw` is called again, or close it. Raises what
        `load_pygame` raises.
        """
        if self.dismissed:
            return
        if not self.is_open:
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
        corner, side = self._place()
        picture = self._draw(side)
        size = (picture.shape[1], picture.shape[0])
        image = self._pygame.image.frombuffer(np.ascontiguousarray(picture).tobytes(), size, "RGB")
        surface.fill(BACKGROUND)
        surface.blit(image, corner)
        self._pygame.display.flip()

    def _linger(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        self._answer()
        while self.is_open and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, 0.01))
            self._answer()

    def _answer(self) -> None:
        """Answers the user: closes the window, paints again after a change of its size, passes clicks and keys on."""
        pygame = self._pygame
        for event in pygame.event.get() if self.is_open else ():
            if event.type == pygame.QUIT:
                self.dismissed = True
                self.close()
                return
            if event.type in (pygame.VIDEORESIZE, pygame.VIDEOEXPOSE):
                self._paint()
            elif event.type == pygame.KEYDOWN and self._on_key is not None:
                self._on_key(pygame.key.name(event.key))
            elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and self._on_click is not None:
                (left, top), side = self._place()
                self._on_click((event.pos[1] - top) // side, (event.pos[0] - left) // side)

    def _place(self) -> tuple[tuple[int, int], int]:
        """Returns the upper left corner of the picture, and the side of a tile."""
        width, height = self._pygame.display.get_surface().get_size()
        side = fitting_side(width, height, self._tiles)
        return ((width - side * self._tiles[1]) // 2, (height - side * self._tiles[0]) // 2), side
