"""first-cells.png: win rate of `exact` on 8x8/14 by the cell of its first click, from the result files."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray
from places import DOCS

from baselines.support.figures import image, styled_figure

RULES = ("opening", "safe")
SIDE = 8


def win_rates(rule: str) -> NDArray[np.float64]:
    """Returns the win rate by first cell, (8, 8); symmetric cells share the games of one of them."""
    content = json.loads((DOCS / "results" / f"first-cells-{rule}.json").read_bytes())
    played = {row["policy"].partition("=")[2]: row["win_rate"] for row in content["results"]}
    values = np.empty((SIDE, SIDE))
    for row, col in np.ndindex(SIDE, SIDE):
        low, high = sorted((min(row, SIDE - 1 - row), min(col, SIDE - 1 - col)))
        values[row, col] = played[str(low * SIDE + high)]
    return values


def draw_first_cells() -> bytes:
    """Returns the picture as a PNG file: a heat map per rule, each cell with its win rate in per cent."""
    with styled_figure(8, 4.5) as figure:
        for axes, rule in zip(figure.subplots(1, 2), RULES, strict=True):
            values = 100 * win_rates(rule)
            axes.imshow(values, cmap="Blues")
            middle = (values.min() + values.max()) / 2
            for (row, col), value in np.ndenumerate(values):
                colour = "white" if value > middle + 1 else "black"
                axes.text(col, row, f"{value:.1f}", ha="center", va="center", size=9, color=colour)
            axes.set_title(f'first_click="{rule}"', weight="bold")
            axes.set(xticks=[], yticks=[])
        figure.suptitle("Win rate of exact in per cent by its first cell, 8x8 with 14 mines, 20000 games per cell")
        return image(figure)
