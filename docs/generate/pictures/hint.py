"""hint.png: a hint of the deduction, with the numbers that prove it and the cells that it finds."""

from __future__ import annotations

from textwrap import fill

import numpy as np
from numpy.typing import NDArray

from baselines.support.figures import image, styled_figure
from minesweeper_env import BoardConfig
from minesweeper_env.inference import Step
from minesweeper_play.game.session import Session
from pictures.boards import draw_board, outline

BOARD = BoardConfig(8, 8, 14, moves=("click",))
PROOF, SAFE, MINE = "#E69F00", "#0072B2", "#D55E00"
SEED, RULE = 1, "subset"
"""The game, and the kind of step that is shown: two numbers, one subtracted from the other."""


def position() -> tuple[NDArray[np.int8], Step]:
    """Returns the first board of the game, played by hints, that has a proof of one step of `RULE`, and the step.

    Raises:
        ValueError: the game has no such board.
    """
    session = Session(BOARD, seed=SEED, now=lambda: 0.0)
    while not session.is_over:
        advice = session.hint()
        if len(advice.steps) == 1 and advice.steps[0].rule == RULE:
            return session.board.copy(), advice.steps[0]
        session.open(*advice.cell)
    raise ValueError(f"the game of seed {SEED} has no hint of one step of the kind {RULE!r}; choose another seed")


def draw_hint() -> bytes:
    """Returns the picture as a PNG file."""
    board, step = position()
    with styled_figure(8, 4.4) as figure:
        axes, text = figure.subplots(1, 2, width_ratios=(5, 4))
        draw_board(axes, board, size=12)
        for cells, colour in ((step.because, PROOF), (step.safe, SAFE), (step.mine, MINE)):
            outline(axes, cells, colour)
        axes.set_title(f"8x8 with {BOARD.mines} mines, seed {SEED}")
        text.set_axis_off()
        lines = [("orange: the numbers of the proof", "#9a6a00"), ("blue: the cells that they prove safe", SAFE)]
        if step.mine:
            lines.append(("red: the cells that they prove to be mines", MINE))
        for place, (line, colour) in enumerate(lines):
            text.text(0, 0.82 - 0.09 * place, line, color=colour, weight="bold", transform=text.transAxes)
        text.text(
            0,
            0.5,
            fill(f"{step.explain()} Cells are (row, column), from 0.", 42),
            va="top",
            transform=text.transAxes,
            linespacing=1.5,
        )
        return image(figure)
