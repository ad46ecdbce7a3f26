"""Content of a picture of a game: the board, and at its end the mines, the wrong flags and the exploded cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.config import BoardConfig
from minesweeper_env.rendering.board import render_board
from minesweeper_env.rendering.probabilities import STANDARD, Tints, render_overlay
from minesweeper_env.rendering.tiles import TILE


class Scene(NamedTuple):
    """A board as a picture shows it.

    Attributes:
        codes: (rows, cols) int8, the codes that the player sees.
        meaning: the meaning of the codes.
        mines: (rows, cols) bool, the mines of a finished game; all False otherwise.
        exploded: (rows, cols) bool, the mines that the last move opened.
        probabilities: (rows, cols) float64, the mine probabilities to write on covered cells; None writes none.
        tints: the colours of cells with a probability.
    """

    codes: NDArray[np.int8]
    meaning: Codes
    mines: NDArray[np.bool_]
    exploded: NDArray[np.bool_]
    probabilities: NDArray[np.float64] | None = None
    tints: Tints = STANDARD

    def picture(self, side: int = TILE) -> NDArray[np.uint8]:
        """Returns a (side * rows, side * cols, 3) uint8 picture."""
        codes, meaning, mines, exploded, probabilities, tints = self
        if probabilities is None:
            drawn = render_board("rgb_array", codes, meaning, mines, exploded, side)
        else:
            drawn = render_overlay("rgb_array", codes, meaning, mines, probabilities, exploded, side, tints)
        assert isinstance(drawn, np.ndarray)
        return drawn


def exploded_cells(codes: NDArray[np.int8], config: BoardConfig, action: int) -> NDArray[np.bool_]:
    """Returns the mines that the last action of a lost game opened.

    Args:
        codes: (rows, cols) int8, the board after the action.
        config: the board and the moves of the game.
        action: the action, move_index * cells + row * cols + col.

    Returns:
        (rows, cols) bool; a click opens one mine, and a chord perhaps several.
    """
    move, cell = divmod(action, config.cells)
    row, col = divmod(cell, config.cols)
    reach = config.radius if config.moves[move] == "chord" else 0
    near = np.zeros(codes.shape, np.bool_)
    near[max(0, row - reach) : row + reach + 1, max(0, col - reach) : col + reach + 1] = True
    return near & (codes == config.codes.mine)


def with_mines_flagged(codes: NDArray[np.int8], meaning: Codes, mines: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Returns the board of a won game with a flag on every mine."""
    return np.where(mines & (codes > meaning.max_count), np.int8(meaning.flagged), codes)
