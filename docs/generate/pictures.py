"""Pictures of the documentation: the clicks of each scripted policy, first clicks, and two suites."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from results import DOCS

from baselines.benchmark.results import plot
from baselines.registry import SCRIPTED, build_policy
from baselines.support.figures import image, styled_figure
from minesweeper_env import HIDDEN, BoardConfig, MinesweeperVectorEnv
from minesweeper_env.codes import Codes
from minesweeper_env.inference import mine_probabilities

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Cell = tuple[int, int]

CODES = Codes.of_radius(1)
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
        text = _cell_text(code, float(risks[cell]) if covered else None)
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


def _cell_text(code: int, risk: float | None) -> str:
    """Returns the text of a cell: its count, its risk in per cent, or nothing."""
    if risk is not None:
        return f"{100 * risk:.0f}" if risk in (0.0, 1.0) or 0.005 <= risk < 0.995 else "<1" if risk < 0.5 else ">99"
    return str(code) if 0 < code <= CODES.max_count else ""


RULES = ("opening", "safe", "any", "corners")
GAMES, CENTRE = 20_000, (4, 4)


def frequencies(rule: str, games: int = GAMES) -> NDArray[np.float64]:
    """Returns the fraction of layouts of 9x9/10 with a mine in each cell, (9, 9), for the games of seeds from 0."""
    env = MinesweeperVectorEnv(games, (9, 9), 10, rule, ("click",))
    env.reset(seed=0)
    env.step(np.full(games, CENTRE[0] * 9 + CENTRE[1]))
    return env.get_state()["mines"].mean(axis=0)


def draw_first_clicks() -> bytes:
    """Returns a heat map per first-click rule, around a click in the middle, as a PNG file."""
    maps = {rule: 100 * frequencies(rule) for rule in RULES}
    top = max(float(each.max()) for each in maps.values())
    with styled_figure(8, 8.4) as figure:
        for axes, (rule, values) in zip(figure.subplots(2, 2).ravel(), maps.items(), strict=True):
            axes.imshow(values, cmap="Blues", vmin=0, vmax=top)
            for (row, col), value in np.ndenumerate(values):
                colour = "white" if value > 0.6 * top else "black"
                axes.text(col, row, f"{value:.0f}", ha="center", va="center", size=8.5, color=colour)
            axes.plot(*CENTRE, "s", markersize=19, markerfacecolor="none", markeredgecolor="#D55E00", mew=2)
            axes.set_title(f'first_click="{rule}"', weight="bold")
            axes.set(xticks=[], yticks=[])
        figure.suptitle(f"Games in per cent with a mine in each cell, 9x9 with 10 mines, {GAMES} games")
        return image(figure)


def ladder_content() -> dict[str, Any]:
    """Returns the results of the suite `ladder` with those of trained agents, without rows of under 1000 games."""
    ladder, learned = (json.loads((DOCS / "results" / f"{name}.json").read_bytes()) for name in ("ladder", "learned"))
    for board in ladder["boards"]:
        known = {row["policy"] for row in board["results"]}
        same = [other for other in learned["boards"] if other["config"] == board["config"]]
        agents = [row for other in same for row in other["results"] if ":" not in row["policy"]]
        rows = board["results"] + [row for row in agents if row["policy"] not in known]
        board["results"] = [row for row in rows if row["games"] >= 1000]
    return ladder | {"title": "Scripted policies and trained agents on the classic boards"}


def draw_agents() -> bytes:
    """Returns the win rates of the agents of Antimatroid (2012) by the number of mines as a PNG file."""
    return plot(json.loads((DOCS / "results" / "agents.json").read_bytes()))


PICTURES: dict[str, Callable[[], bytes]] = {
    "agents": draw_agents,
    "first-clicks": draw_first_clicks,
    "ladder": lambda: plot(ladder_content()),
    **{f"policy-{name}": partial(draw_clicks, name) for name in SCRIPTED},
}
"""Each picture by the name of its file."""
