"""Short calls of the inference; each compiles the kernels of one part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import HIDDEN
from minesweeper_env.config import BoardConfig
from minesweeper_env.generation import generate
from minesweeper_env.inference import count_layouts, mine_probabilities, sample_layouts, win_probability
from minesweeper_env.inference.kernels import consistent_layouts
from minesweeper_env.inference.search.endgame import solve_endgame

MINES = 3


def _board() -> NDArray[np.int8]:
    """Returns a board of 4 x 4 cells with one open cell."""
    board = np.full((4, 4), HIDDEN, np.int8)
    board[0, 0] = 1
    return board


def infer() -> None:
    """Computes mine probabilities."""
    mine_probabilities(_board(), MINES)


def search_endgame() -> None:
    """Searches an endgame of two layouts."""
    solve_endgame([[1, 0], [0, 1]], [[0, 1], [1, 0]])


def list_layouts() -> None:
    """Lists the layouts of a board."""
    consistent_layouts(_board(), MINES, 1000)


def sample() -> None:
    """Draws a layout."""
    sample_layouts(_board(), MINES, 1, np.random.default_rng(0))


def count() -> None:
    """Counts layouts."""
    count_layouts(_board(), MINES)


def generate_board() -> None:
    """Searches a board without guesses."""
    generate(BoardConfig(4, 4, MINES), (0, 0), seed=0)


def play_small_board() -> None:
    """Computes the win probability of perfect play on a small board."""
    win_probability(3, 3, 2, "safe")
