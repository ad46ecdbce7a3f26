"""policy-NAME.png: where a scripted policy clicks on two boards of 5x5, with the exact risks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from baselines.registry import build_policy
from baselines.support.figures import image, styled_figure
from minesweeper_env import HIDDEN, BoardConfig
from minesweeper_env.inference import mine_probabilities
from pictures.boards import CODES, Cell, cell_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BOARD = BoardConfig(5, 5, 5, moves=("click",))
DRAWS = 400
"""The actions that each policy draws on a board."""

H = HIDDEN
POSITIONS = {
    "one cell is safe, by the number of mines": [
        [H, H, H, H, H],
        [H, 2, 1, 2, H],
        [1, 1, 0, 2, H],
        [0, 0, 0, 2, H],
        [0, 0, 0, 1, H],
    ],
    "no cell is safe": [
        [H, 1, 0, 1, H],
        [H, 2, 0, 1, H],
        [H, 2, 0, 1, 1],
        [H, 2, 1, 1, H],
        [H, H, 1, H, H],
    ],
}
"""The boards by their titles."""

OPEN, COVERED, EDGE, INK = "#f4f5f7", "#dfe2e6", "#8e949d", "#26292e"


def actions(policy: str, board: NDArray[np.int8]) -> Counter[tuple[Cell, bool]]:
    """Returns how many of `DRAWS` actions of a policy choose each cell, with whether the action is a flag."""
    flags = policy == "bayes_source"
    config = BoardConfig(BOARD.rows, BOARD.cols, BOARD.mines, moves=("click", "flag") if flags else ("click",))
    player = build_policy(policy, config)
    player.reset(0)
    boards = np.repeat(board[None], DRAWS, 0)
    legal = (boards > CODES.max_count).reshape(DRAWS, -1).astype(np.int8)
    chosen = player.act(boards, np.tile(legal, 2) if flags else legal).tolist()
    return Counter((divmod(action % board.size, BOARD.cols), action >= board.size) for action in chosen)


def draw_clicks(policy: str) -> bytes:
    """Returns the picture of a policy as a PNG file."""
    with styled_figure(8, 4.1) as figure:
        for axes, (title, rows) in zip(figure.subplots(1, 2), POSITIONS.items(), strict=True):
            board = np.array(rows, np.int8)
            _draw(axes, board, actions(policy, board))
            axes.set_title(title)
        figure.suptitle(f"{policy} on 5x5 with {BOARD.mines} mines: exact risk in per cent, and share of its actions")
        return image(figure)


def _draw(axes: Axes, board: NDArray[np.int8], counts: Counter[tuple[Cell, bool]]) -> None:
    from matplotlib.patches import Rectangle

    risks = mine_probabilities(board, BOARD.mines)
    for cell in np.ndindex(board.shape):
        row, col = cell
        code = int(board[cell])
        covered = code > CODES.max_count
        clicks, flags = counts[(row, col), False], counts[(row, col), True]
        share = (clicks + flags) / DRAWS
        face = _colour(share) if share else COVERED if covered else OPEN
        axes.add_patch(Rectangle((col - 0.5, row - 0.5), 1, 1, facecolor=face, edgecolor=EDGE, linewidth=0.8))
        ink = "white" if share > 0.5 else INK
        text = cell_text(code, float(risks[cell]) if covered else None)
        place = row - 0.2 if share else row
        weight = "normal" if covered else "bold"
        axes.text(col, place, text, ha="center", va="center", size=11, weight=weight, color=ink)
        if share:
            verb = "flag" if flags else "click"
            axes.text(col, row + 0.2, f"{verb}\n{100 * share:.0f} %", ha="center", va="center", size=8, color=ink)
    axes.set_xlim(-0.55, board.shape[1] - 0.45)
    axes.set_ylim(board.shape[0] - 0.45, -0.55)
    axes.set_aspect("equal")
    axes.set_axis_off()


def _colour(share: float) -> tuple[float, float, float]:
    """Returns the face of a cell from light blue for rare actions to dark blue."""
    red, green, blue = (float(np.interp(share, (0, 1), ends)) for ends in ((0.78, 0.0), (0.87, 0.27), (0.95, 0.54)))
    return red, green, blue
