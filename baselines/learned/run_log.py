"""Read the log of a run folder: a row for each report of the training, and its curves."""

import csv
import math
from contextlib import suppress
from pathlib import Path
from typing import Any

LOG_FILE = "progress.csv"

STEP = "time/total_timesteps"
"""Name of the column with the environment steps."""

Points = dict[str, list[tuple[float, float]]]


def steps_of(folder: Path) -> int:
    """Returns the environment steps of a training by its log; 0 without one."""
    return max((int(float(row[STEP])) for row in read_rows(folder)), default=0)


def read_points(folder: Path) -> Points:
    """Returns the curves in the log by name, each a list of (step, value)."""
    points: Points = {}
    for row in read_rows(folder):
        for name, value in row.items():
            points.setdefault(name, []).append((float(row[STEP]), float(value)))
    return points


def read_rows(folder: Path) -> list[dict[str, str]]:
    """Returns the numbers of the log by column, one row a step."""
    rows: dict[float, dict[str, str]] = {}
    with suppress(FileNotFoundError), (folder / LOG_FILE).open(newline="", encoding="utf-8", errors="replace") as file:
        try:
            for row in map(_numbers, csv.DictReader(file)):
                if STEP in row:
                    rows.setdefault(float(row[STEP]), {}).update(row)
        except csv.Error as error:
            raise ValueError(f"{folder / LOG_FILE} is damaged: {error}") from error
    return [rows[step] for step in sorted(rows)]


def _numbers(row: dict[str, Any]) -> dict[str, str]:
    """Returns the numbers of a row; it has none where nothing was recorded, and where a kill cut it off."""
    found = {}
    for name, text in row.items():
        with suppress(TypeError, ValueError):
            if math.isfinite(float(text)):
                found[name] = text
    return found
