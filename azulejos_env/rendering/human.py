"""Render mode "human": one game, or a batch of games next to each other, in a window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from azulejos_env.config import GameConfig
from azulejos_env.rendering.picture import picture_size, render_picture
from azulejos_env.rendering.view import View
from minesweeper_env.rendering.human import END_SECONDS, grid_of, tiled
from minesweeper_env.rendering.window import Window


class _Area(NamedTuple):
    rows: int
    cols: int


class HumanView:
    """The window of an environment."""

    def __init__(self, config: GameConfig) -> None:
        """Opens nothing yet."""
        self._title = f"Azulejos {config.rows}x{config.cols}"
        self._window = Window()

    def show(self, views: Sequence[View], fps: float) -> None:
        """Shows N games for one frame; games that do not fit on a screen are left out.

        Args:
            views: the games.
            fps: frames per second.

        Raises:
            DependencyNotInstalled: pygame is not installed.
            NoDisplayError: the machine has no display.
        """
        sizes = [picture_size(view) for view in views]
        height, width = max(size[0] for size in sizes), max(size[1] for size in sizes)
        grid = grid_of(len(views), _Area(height, width))
        shown = views[: grid[0] * grid[1]]
        tiles = (grid[0] * (height + 1) - 1, grid[1] * (width + 1) - 1)
        over = len(views) == 1 and views[0].turn is None
        self._window.show(
            lambda side: tiled([render_picture(view, side, (height, width)) for view in shown], grid, side),
            tiles,
            self._caption(views, len(shown)),
            END_SECONDS if over else 1 / fps,
        )

    def close(self) -> None:
        """Closes the window."""
        self._window.close()

    def _caption(self, views: Sequence[View], shown: int) -> str:
        if len(views) == 1:
            return f"{self._title}: {views[0].status_line()}"
        over = sum(view.turn is None for view in views[:shown])
        return f"{self._title}: games 0 to {shown - 1} of {len(views)}: {shown - over} playing, {over} over"
