"""Picture of the learning curves in a run folder: win rates by minutes, with scripted policies, and losses by steps."""

from __future__ import annotations

import csv
from contextlib import suppress
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from baselines.support.board_names import parse_file_name
from baselines.support.figures import image, styled_figure
from baselines.support.files import replace_file
from minesweeper_env.notices import say

CURVES_FILE = "curves.png"
LOSSES = ("train/loss", "train/value_loss")
MINUTES = "time/minutes"
"""Name of the curve with the minutes of training at each evaluation."""

ROW = "time/row"
"""Name of the column with the number of the row, from 1."""

STYLES = ("--", "-.", ":")
MOST_COLS = 2
WIDTH, ROW_HEIGHT = 8.0, 3.6
"""Width of the picture and height of a row of panels, in inches; the type is readable at this width."""

Points = dict[str, list[tuple[float, float]]]


def draw_curves(folder: Path) -> None:
    """Draws `curves.png` from the logs of all sessions in a run folder, once they contain an evaluation."""
    points = read_points(folder)
    boards = sorted((name for name in points if _board(name) is not None), key=_size)
    losses = [name for name in LOSSES if name in points]
    if not boards:
        return
    panels = len(boards) + len(losses)
    cols = min(panels, MOST_COLS)
    rows = -(-panels // cols)
    with styled_figure(WIDTH, rows * ROW_HEIGHT) as figure:
        for number, name in enumerate(boards + losses, 1):
            axes = figure.add_subplot(rows, cols, number)
            draw = _draw_board if name in boards else _draw_loss
            draw(axes, points, name)
            axes.grid()
            axes.locator_params(axis="x", nbins=5)
        replace_file(folder / CURVES_FILE, image(figure))


def _board(name: str) -> tuple[int, int, int] | None:
    """Returns (rows, cols, mines) of a curve such as "eval/16x30-99"; None for all other curves."""
    group, _, board = name.partition("/")
    return parse_file_name(board) if group == "eval" else None


def _size(name: str) -> tuple[int, int]:
    """Returns the number of cells and of mines of a board's curve."""
    rows, cols, mines = _board(name) or (0, 0, 0)
    return rows * cols, mines


def _draw_loss(axes: Axes, points: Points, name: str) -> None:
    axes.plot(*zip(*points[name], strict=True))
    axes.set(title=name, xlabel="steps")


def _draw_board(axes: Axes, points: Points, board: str) -> None:
    unit, curve = by_minutes(points, board)
    times, rates = zip(*curve, strict=True)
    axes.plot(times, rates, marker="o", label=f"agent, last {rates[-1]:.1%}")
    references = sorted(name for name in points if name.startswith(f"{board}/"))
    for name, style in zip(references, cycle(STYLES)):
        rate = points[name][-1][1]
        axes.axhline(rate, linestyle=style, color="grey", label=f"{name.rpartition('/')[2]} {rate:.1%}")
    title = board.removeprefix("eval/").replace("-", " with ")
    axes.set(title=f"win rate, {title} mines", xlabel=unit, ylim=(0, 1))
    # Below the axes the legend covers no curve.
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)


def by_minutes(points: Points, name: str) -> tuple[str, list[tuple[float, float]]]:
    """Returns the unit of time and a curve: ("minutes", [(minute, value), ...]).

    The unit is "steps" in logs of earlier versions, which have no minutes.
    """
    minutes = dict(points.get(MINUTES, []))
    curve = points.get(name, [])
    if all(step in minutes for step, _ in curve):
        return "minutes", [(minutes[step], value) for step, value in curve]
    return "steps", curve


def read_points(folder: Path) -> Points:
    """Returns the curves in the logs by name, each a list of (step, value) in the order of the sessions.

    Damaged logs must not end a training, so a line on stderr names each log that has lost rows.
    """
    points: Points = {}
    for path in sorted(folder.glob("progress*.csv"), key=lambda path: (len(path.name), path.name)):
        whole, expected = [], 1
        with suppress(csv.Error, OSError), path.open(newline="", encoding="utf-8", errors="replace") as file:
            for row in csv.DictReader(file):
                whole.append(_number(row.get(ROW)) == expected)
                expected += 1
                _add_row(points, row)
        if not whole or not all(whole):
            _tell(f"{path} is damaged: the curves lack its lost rows")
    return points


def _add_row(points: Points, row: dict[str, Any]) -> None:
    step = _number(row.get("time/total_timesteps"))
    for name, text in row.items():
        value = _number(text)
        if step is not None and value is not None and isinstance(name, str):
            points.setdefault(name, []).append((step, value))


_tell = cache(say)
"""Prints each line once, although curves are drawn after each evaluation."""


def _number(text: object) -> float | None:
    try:
        return float(text) if isinstance(text, str) else None
    except ValueError:
        return None
