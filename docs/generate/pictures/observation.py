"""observation.png: a board in the middle of a game, and the observation of an agent, its int8 codes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.support.figures import image, styled_figure
from minesweeper_env import BoardConfig, MinesweeperEnv
from pictures.boards import CODES, COVERED, EDGE, OPEN, draw_board

SEED, CLICK, FLAG = 7, (2, 2), (0, 1)
"""The game of docs/concepts/game.md: its seed, its first click, and a cell that receives a flag."""

BOARD = BoardConfig(5, 5, 4)

MEANINGS = (
    "0 to 8: count of an open cell",
    "9: flag",
    "10: question mark",
    "11: covered cell",
    "12: mine of a lost game",
)


def observation() -> NDArray[np.int8]:
    """Returns the observation, (5, 5) int8."""
    env = MinesweeperEnv(size=(BOARD.rows, BOARD.cols), mines=BOARD.mines)
    env.reset(seed=SEED)
    board = np.zeros(0, np.int8)
    for move, (row, col) in (("click", CLICK), ("flag", FLAG)):
        action = BOARD.moves.index(move) * BOARD.cells + row * BOARD.cols + col
        board = np.asarray(env.step(action)[0])
    return board


def draw_observation() -> bytes:
    """Returns the picture as a PNG file."""
    from matplotlib.patches import Rectangle

    board = observation()
    with styled_figure(8, 3.5) as figure:
        shown, codes, meanings = figure.subplots(1, 3, width_ratios=(5, 5, 4))
        draw_board(shown, board, size=13)
        shown.set_title("what a player sees")
        draw_board(codes, np.full_like(board, 0), size=13)
        for (row, col), code in np.ndenumerate(board):
            face = OPEN if code <= CODES.max_count else COVERED
            codes.add_patch(Rectangle((col - 0.5, row - 0.5), 1, 1, facecolor=face, edgecolor=EDGE, linewidth=0.8))
            codes.text(col, row, str(code), ha="center", va="center_baseline", family="monospace", size=12)
        codes.set_title(f"observation: int8, shape {board.shape}")
        meanings.set_axis_off()
        for place, line in enumerate(MEANINGS):
            meanings.text(0, 0.8 - 0.14 * place, line, transform=meanings.transAxes, va="center")
        return image(figure)
