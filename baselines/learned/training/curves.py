"""Log of a run folder, and the picture of its learning curves: win rates and losses by environment steps.

Weights & Biases gets the log, too, if the user asks; the environment variable WANDB_PROJECT names another project.
"""

import csv
import io
import os
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from stable_baselines3.common.logger import KVWriter, Logger, make_output_format

from baselines.checks import import_extra
from baselines.files import file_name, first_line, remove_link, replace_file
from baselines.learned.configurations import LOG_FILE, STEP, Points, read_points, read_rows
from baselines.learned.settings import TrainingSettings
from baselines.learned.training.selection import References, Score
from baselines.plot_style import image, styled_figure

LOSSES = ("train/loss", "train/value_loss")
PROJECT, ID_FILE = "minesweeper-env", "wandb.id"
"""Project of Weights & Biases, and the file of a run folder with the id of the run that a training continues."""

MOST_COLS, WIDTH, ROW_HEIGHT = 2, 8.0, 3.6
"""Panels in a row, and the width of the picture and height of a row in inches; the type is readable at this width."""


def draw_curves(folder: Path, boards: Sequence[str], games: int) -> None:
    """Draws `curves.png` from the log of a run folder, which holds evaluations in `games` games on each board."""
    points, board_columns = read_points(folder), [f"eval/{file_name(board)}" for board in boards]
    panels = [*board_columns, *(name for name in LOSSES if name in points)]
    cols = min(len(panels), MOST_COLS)
    rows = -(-len(panels) // cols)
    with styled_figure(WIDTH, rows * ROW_HEIGHT) as figure:
        for number, name in enumerate(panels, 1):
            axes = figure.add_subplot(rows, cols, number)
            if name in board_columns:
                _draw_win_rates(axes, points, name, games)
            else:
                axes.plot(*zip(*points[name], strict=True))
                axes.set(title=name, xlabel="environment steps")
            axes.grid()
            axes.locator_params(axis="x", nbins=5)
        replace_file(folder / "curves.png", image(figure))


def _draw_win_rates(axes: Axes, points: Points, column: str, games: int) -> None:
    """Draws the win rates of the agent on one board, `column` of the log, and the last ones of scripted policies."""
    steps, rates = zip(*points[column], strict=True)
    axes.plot(steps, rates, marker="o", label=f"agent, last {Score({column: rates[-1]}, games)}")
    references = sorted(name for name in points if name.startswith(f"{column}/"))
    for name, style in zip(references, cycle(("--", "-.", ":"))):
        _, rate = points[name][-1]
        label = f"{name.rpartition('/')[2]} {Score({column: rate}, games)}"
        axes.axhline(rate, linestyle=style, color="grey", label=label)
    title = column.removeprefix("eval/").replace("-", " with ")
    axes.set(title=f"{title} mines, {games} selection games", xlabel="environment steps", ylim=(0, 1))
    # Below the axes the legend covers no curve.
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)


class CsvLog(KVWriter):
    """Writes `progress.csv` atomically: columns in alphabetical order, and the rows of all sessions.

    A session that resumes at step `steps` drops the later rows of a killed session, since it repeats these steps.
    """

    def __init__(self, folder: Path, steps: int) -> None:
        self.folder: Path = folder
        self.rows: list[dict[str, Any]] = [row for row in read_rows(folder) if float(row[STEP]) <= steps]
        if self.rows:
            self._replace()

    def write(self, key_values: dict[str, Any], *_: Any, **__: Any) -> None:
        """Adds a row, and replaces the file."""
        self.rows.append(dict(key_values))
        self._replace()

    def _replace(self) -> None:
        text = io.StringIO()
        writer = csv.DictWriter(text, sorted(set().union(*self.rows)), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        replace_file(self.folder / LOG_FILE, text.getvalue().encode())

    def close(self) -> None:
        """Does nothing, since no file is open."""


class Log(Logger):
    """Logger of a session that begins at step `steps`: to progress.csv, and to TensorBoard if it is installed."""

    def __init__(self, folder: Path, steps: int) -> None:
        formats: list[KVWriter] = [CsvLog(folder, steps)]
        if find_spec("tensorboard"):
            remove_link(folder / "tensorboard")
            formats.append(make_output_format("tensorboard", f"{folder}/tensorboard"))
        super().__init__(str(folder), formats)

    def record_evaluation(self, score: Score, references: References, minutes: float, seconds: float) -> None:
        """Records an evaluation that took `seconds` seconds, after `minutes` minutes of training."""
        self.record("time/minutes", minutes)
        self.record("eval/win_rate", score.win_rate)
        self.record("eval/seconds", seconds)
        for board, rate in score.win_rates.items():
            self.record(f"eval/{file_name(board)}", rate)
            for policy, reference in references.get(board, {}).items():
                self.record(f"eval/{file_name(board)}/{policy}", reference)


def start_tracking(folder: Path, settings: TrainingSettings) -> Any:
    """Returns the Weights & Biases run of a folder, new or continued; it copies what a later `Log` writes."""
    wandb, id_path = import_extra("wandb", "wandb"), folder / ID_FILE
    remove_link(folder / "wandb")
    try:
        run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", PROJECT),
            name=folder.name,
            dir=str(folder),
            id=id_path.read_text(encoding="utf-8").strip() if id_path.is_file() else None,
            resume="allow",
            config=settings.to_json(),
            sync_tensorboard=True,
        )
    except Exception as error:
        raise ConnectionError(f"wandb cannot be used: {first_line(error)}") from error
    replace_file(id_path, f"{run.id}\n".encode())
    return run
