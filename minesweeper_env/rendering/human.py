"""Render mode "human": one game, or a batch of games side by side, in a window."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig, counted
from minesweeper_env.engine.state import FRESH, LOST, PLAYING, TRUNCATED, WON
from minesweeper_env.inference.oracle import Answers
from minesweeper_env.rendering.board import METADATA, Scene, exploded_cells, with_mines_flagged
from minesweeper_env.rendering.window import BACKGROUND, Window, can_open_window

END_SECONDS = 1.0
"""Time for which the end of a game stays in the window."""

MOST_TILES = (72, 128)
"""The largest number of tiles, from top to bottom and from left to right, that a batch of games may take."""

STATUS_NAMES = {FRESH: "playing", PLAYING: "playing", WON: "won", LOST: "lost", TRUNCATED: "out of steps"}


def metadata_here(render_mode: str | None) -> dict[str, Any]:
    """Returns the metadata of an environment on this machine.

    Where no window can open, "human" is a render mode only of an environment that was made with it. Checkers that try
    all render modes then meet none that must fail.
    """
    shows = render_mode == "human" or can_open_window()
    return {**METADATA, "render_modes": [mode for mode in METADATA["render_modes"] if shows or mode != "human"]}


class HumanView:
    """The window of an environment; `ask` returns mine probabilities of (N, rows, cols) boards to write, or is None."""

    def __init__(self, config: BoardConfig) -> None:
        """Opens nothing yet."""
        self._config = config
        self._window = Window()
        self.ask: Callable[[NDArray[np.int8]], Answers] | None = None

    def show(
        self,
        codes: NDArray[np.int8],
        mines: NDArray[np.bool_],
        status: NDArray[np.int64],
        actions: Sequence[int | None],
        fps: float,
    ) -> None:
        """Shows N games for one frame; games that do not fit on a screen are left out.

        Args:
            codes: (N, rows, cols) int8, the codes that the players see.
            mines: (N, rows, cols) bool, the mines of finished games; all False for the others.
            status: (N,) int64, as in `engine.state`.
            actions: the last action of each game, None where it is unknown.
            fps: frames per second.

        Raises:
            DependencyNotInstalled: pygame is not installed.
            NoDisplayError: the machine has no display.
        """
        grid = grid_of(len(codes), self._config)
        count = min(len(codes), grid[0] * grid[1])
        found = None if self.ask is None else self.ask(codes[:count]).probabilities
        config = self._config
        scenes = [
            Scene(
                with_mines_flagged(codes[i], config.codes, mines[i]) if status[i] == WON else codes[i],
                config.codes,
                mines[i],
                exploded_cells(codes[i], config, actions[i]),
                found[i] if found is not None and status[i] <= PLAYING else None,
            )
            for i in range(count)
        ]
        tiles = (grid[0] * (config.rows + 1) - 1, grid[1] * (config.cols + 1) - 1)
        seconds = END_SECONDS if count == 1 and status[0] > PLAYING else 1 / fps
        self._window.show(
            lambda side: tiled([scene.picture(side) for scene in scenes], grid, side),
            tiles,
            self._caption(codes, status, count),
            seconds,
        )

    def close(self) -> None:
        """Closes the window."""
        self._window.close()

    def _caption(self, codes: NDArray[np.int8], status: NDArray[np.int64], shown: int) -> str:
        config = self._config
        board = f"Minesweeper {config.rows}x{config.cols}"
        if len(codes) == 1:
            left = 0 if status[0] == WON else config.mines - int((codes == config.codes.flagged).sum())
            return f"{board}: {left} mine{'' if left == 1 else 's'} left, {STATUS_NAMES[int(status[0])]}"
        counts = Counter(STATUS_NAMES[each] for each in status[:shown].tolist())
        facts = ", ".join(f"{count} {name}" for name, count in counts.items())
        return f"{board} with {counted(config.mines, 'mine')}: games 0 to {shown - 1} of {len(codes)}: {facts}"


def grid_of(count: int, config: BoardConfig) -> tuple[int, int]:
    """Returns the rows and columns of games in a window: about as many tiles wide as a screen, at most `MOST_TILES`."""
    height, width = config.rows + 1, config.cols + 1
    most_rows, most_cols = max(1, MOST_TILES[0] // height), max(1, MOST_TILES[1] // width)
    wanted = math.ceil(math.sqrt(count * MOST_TILES[1] / MOST_TILES[0] * height / width))
    cols = min(count, wanted, most_cols)
    return min(math.ceil(count / cols), most_rows), cols


def tiled(pictures: Sequence[NDArray[np.uint8]], grid: tuple[int, int], side: int) -> NDArray[np.uint8]:
    """Returns pictures of one size in rows and columns, with the side of a tile between them."""
    height, width = pictures[0].shape[:2]
    down, right = height + side, width + side
    whole = np.full((grid[0] * down - side, grid[1] * right - side, 3), BACKGROUND, np.uint8)
    for i, picture in enumerate(pictures):
        row, col = divmod(i, grid[1])
        whole[row * down : row * down + height, col * right : col * right + width] = picture
    return whole
