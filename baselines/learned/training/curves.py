"""Picture of the learning curves in a run folder: win rates and losses by environment steps, and scripted policies."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from baselines.support.board_names import file_name
from baselines.support.figures import image, styled_figure
from baselines.support.files import replace_file

LOSSES = ("train/loss", "train/value_loss")
STEP = "time/total_timesteps"
"""Name of the column with the environment steps."""

MOST_COLS, WIDTH, ROW_HEIGHT = 2, 8.0, 3.6
"""Panels in a row, and the width of the picture and height of a row in inches; the type is readable at this width."""

Points = dict[str, list[tuple[float, float]]]


def draw_curves(folder: Path, boards: Sequence[str]) -> None:
    """Draws `curves.png` from the logs of all sessions in a run folder, which hold an evaluation on the boards."""
    points, names = read_points(folder), [f"eval/{file_name(board)}" for board in boards]
    panels = [*names, *(name for name in LOSSES if name in points)]
    cols = min(len(panels), MOST_COLS)
    rows = -(-len(panels) // cols)
    with styled_figure(WIDTH, rows * ROW_HEIGHT) as figure:
        for number, name in enumerate(panels, 1):
            axes = figure.add_subplot(rows, cols, number)
            if name in names:
                _draw_board(axes, points, name)
            else:
                axes.plot(*zip(*points[name], strict=True))
                axes.set(title=name, xlabel="environment steps")
            axes.grid()
            axes.locator_params(axis="x", nbins=5)
        replace_file(folder / "curves.png", image(figure))


def _draw_board(axes: Axes, points: Points, board: str) -> None:
    steps, rates = zip(*points[board], strict=True)
    axes.plot(steps, rates, marker="o", label=f"agent, last {rates[-1]:.1%}")
    references = sorted(name for name in points if name.startswith(f"{board}/"))
    for name, style in zip(references, cycle(("--", "-.", ":"))):
        rate = points[name][-1][1]
        axes.axhline(rate, linestyle=style, color="grey", label=f"{name.rpartition('/')[2]} {rate:.1%}")
    title = board.removeprefix("eval/").replace("-", " with ")
    axes.set(title=f"win rate, {title} mines", xlabel="environment steps", ylim=(0, 1))
    # Below the axes the legend covers no curve.
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)


def read_points(folder: Path) -> Points:
    """Returns the curves in the logs by name, each a list of (step, value) in the order of the sessions."""
    points: Points = {}
    for path in sorted(folder.glob("progress*.csv"), key=lambda path: (len(path.name), path.name)):
        with path.open(newline="", encoding="utf-8", errors="replace") as file:
            for row in map(_numbers, csv.DictReader(file)):
                for name, value in row.items() if STEP in row else ():
                    points.setdefault(name, []).append((row[STEP], value))
    return points


def _numbers(row: dict[str, Any]) -> dict[str, float]:
    """Returns the numbers of a row; it has none where nothing was recorded, and where a kill cut it off."""
    found = {}
    for name, text in row.items():
        with suppress(TypeError, ValueError):
            found[name] = float(text)
    return found
