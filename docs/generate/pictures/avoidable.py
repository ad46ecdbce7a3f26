"""avoidable.png: a lost game of `subset` whose last click took a risk although a safe cell existed."""

from __future__ import annotations

from itertools import count

import numpy as np
from numpy.typing import NDArray

from baselines.registry import build_policy
from baselines.support.figures import image, styled_figure
from minesweeper_env import BoardConfig, MinesweeperVectorEnv
from minesweeper_env.inference import mine_probabilities
from pictures.boards import CODES, draw_board, outline

POLICY = "subset"
BOARD = BoardConfig(8, 8, 14, moves=("click",))
FATAL, SAFE = "#000000", "#0072B2"


def last_click(seed: int) -> tuple[NDArray[np.int8], tuple[int, int], bool]:
    """Returns the board before the last click of a game, the cell of the click, and whether the game was lost."""
    env = MinesweeperVectorEnv.of_config(BOARD, 1, autoreset_mode="Disabled")
    board, _ = env.reset(seed=[seed])
    player = build_policy(POLICY, BOARD, 0)
    while True:
        before = board[0].copy()
        mask = (before > CODES.max_count).reshape(1, -1).astype(np.int8)
        cell = int(player.act(before[None], mask)[0])
        board, _, over, _, _ = env.step(np.array([cell]))
        if over[0]:
            row, col = divmod(cell, BOARD.cols)
            return before, (row, col), bool((board[0] == CODES.mine).any())


def avoidable_loss() -> tuple[int, NDArray[np.int8], tuple[int, int], NDArray[np.float64]]:
    """Returns the first loss past a safe cell: seed, board, fatal cell, and the risk of each cell."""
    for seed in count():
        board, cell, lost = last_click(seed)
        risks = mine_probabilities(board, BOARD.mines)
        covered = board > CODES.max_count
        if lost and not covered.all() and risks[covered].min() == 0.0 < risks[cell] < 1.0:
            return seed, board, cell, risks
    raise AssertionError("there is always another seed")


def draw_avoidable() -> bytes:
    """Returns the picture as a PNG file."""
    seed, board, cell, risks = avoidable_loss()
    safe = [(int(row), int(col)) for row, col in np.argwhere((board > CODES.max_count) & (risks == 0.0))]
    with styled_figure(8, 4.6) as figure:
        axes, text = figure.subplots(1, 2, width_ratios=(5, 4))
        draw_board(axes, board, risks, size=10)
        outline(axes, safe, SAFE)
        outline(axes, [cell], FATAL)
        axes.set_title(f"{POLICY} on 8x8 with {BOARD.mines} mines, seed {seed}: risks in per cent")
        text.set_axis_off()
        lines = (
            (f"black: the click that lost, risk {100 * risks[cell]:.0f} %", FATAL),
            (f"blue: {len(safe)} safe cell{'s' if len(safe) > 1 else ''}, risk 0 %", SAFE),
            ("The loss was avoidable.", "black"),
        )
        for place, (line, colour) in enumerate(lines):
            text.text(0, 0.75 - 0.12 * place, line, color=colour, weight="bold", transform=text.transAxes)
        return image(figure)
