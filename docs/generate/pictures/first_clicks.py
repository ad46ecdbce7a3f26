"""first-clicks.png: how often each cell holds a mine under the four first-click rules, around a click in the middle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.support.figures import image, styled_figure
from minesweeper_env import MinesweeperVectorEnv

RULES = ("opening", "safe", "any", "corners")
ROWS, COLS, MINES, CLICK = 9, 9, 10, (4, 4)
GAMES = 20_000


def frequencies(rule: str, games: int = GAMES) -> NDArray[np.float64]:
    """Returns the fraction of layouts with a mine in each cell, (rows, cols), for the games of seeds 0 to games - 1."""
    env = MinesweeperVectorEnv(games, (ROWS, COLS), MINES, rule, ("click",))
    env.reset(seed=0)
    env.step(np.full(games, CLICK[0] * COLS + CLICK[1]))
    return env.get_state()["mines"].mean(axis=0)


def draw_first_clicks() -> bytes:
    """Returns the picture as a PNG file: a heat map per rule, each cell with its value in per cent."""
    maps = {rule: 100 * frequencies(rule) for rule in RULES}
    top = max(float(each.max()) for each in maps.values())
    with styled_figure(8, 8.4) as figure:
        panels = figure.subplots(2, 2).ravel()
        for axes, (rule, values) in zip(panels, maps.items(), strict=True):
            axes.imshow(values, cmap="Blues", vmin=0, vmax=top)
            for (row, col), value in np.ndenumerate(values):
                colour = "white" if value > 0.6 * top else "black"
                axes.text(col, row, f"{value:.0f}", ha="center", va="center", size=8.5, color=colour)
            axes.plot(CLICK[1], CLICK[0], "s", markersize=19, markerfacecolor="none", markeredgecolor="#D55E00", mew=2)
            axes.set_title(f'first_click="{rule}"', weight="bold")
            axes.set(xticks=[], yticks=[])
        figure.suptitle(
            f"Games in per cent with a mine in each cell, {ROWS}x{COLS} with {MINES} mines, "
            f"{GAMES} games; the first click is outlined"
        )
        return image(figure)
