"""Comparison of configurations over several trainings that differ in their seeds only.

A single failed training can dominate the mean of a few. So the report gives the interquartile mean, with a bootstrap
interval over the seeds, as Agarwal et al. (2021) recommend.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import check_seeds
from baselines.learned.agents import find_agent
from baselines.learned.configurations import RUN_FILE
from baselines.learned.settings import LEAST_SEEDS, TrainingSettings
from baselines.learned.training.curves import by_minutes, read_points
from baselines.learned.training.loop import train
from baselines.support.files import replace_file, write_json
from baselines.support.structs import Count, Games, read_as

RESULT_FILE = "result.json"
TRIMMED, RESAMPLES = 0.25, 10_000


class Result(msgspec.Struct):
    """Content of `RESULT_FILE`: steps of the training, test games on each board, and games won by board."""

    steps: Count
    games: Games
    wins: dict[str, Count]

    def __post_init__(self) -> None:
        """Checks that no board has more wins than games."""
        if any(wins > self.games for wins in self.wins.values()):
            raise ValueError("more wins than games")


class Task(NamedTuple):
    """One training and its test: the configuration, settings, run folder, command to record, and games per board."""

    config: str
    settings: TrainingSettings
    folder: Path
    command: str
    games: int

    @property
    def name(self) -> str:
        """The configuration and the seed."""
        return f"{self.config} with seed {self.settings.seed}"

    @property
    def result(self) -> Result | None:
        """The stored result, which may be one of fewer test games; None if there is none."""
        path = self.folder / RESULT_FILE
        if not path.exists():
            return None
        result = read_as(path, Result)
        if set(result.wins) != set(self.settings.boards):
            raise ValueError(f"{path} must have wins on {', '.join(self.settings.boards)}")
        return result

    @property
    def done(self) -> bool:
        """True if the result of its test is stored."""
        return self.result is not None and self.result.games == self.games

    @property
    def win_rate(self) -> float:
        """The win rate in the test games, averaged over the boards."""
        assert self.result is not None
        return float(np.mean([wins / self.result.games for wins in self.result.wins.values()]))

    @property
    def curve(self) -> list[tuple[float, float]]:
        """The evaluations of the training, as (minute, win rate)."""
        return by_minutes(read_points(self.folder), "eval/win_rate")


class Summary(NamedTuple):
    """Win rates of a configuration (seeds,), their interquartile mean, and its 95 % bootstrap interval."""

    config: str
    win_rates: NDArray[np.float64]
    iqm: float
    interval: tuple[float, float]


def plan(bases: Mapping[str, TrainingSettings], seeds: int, out: Path, command: str, games: int) -> list[Task]:
    """Returns the trainings of all configurations, seed by seed.

    Args:
        bases: the settings of each configuration, by its name; their seeds become 0, 1, ...
        seeds: the number of seeds.
        out: the folder for all run folders.
        command: the command line to record.
        games: the number of test games per board; their seeds are 0 to games - 1.

    Raises:
        ValueError: there are fewer seeds than `LEAST_SEEDS`, or the test games are not allowed.
    """
    if seeds < LEAST_SEEDS:
        raise ValueError(f"a comparison needs at least {LEAST_SEEDS} seeds, not {seeds}")
    check_seeds(0, games)
    return [
        Task(name, replace(base, seed=seed), out / f"{name}-{seed}", command, games)
        for seed in range(seeds)
        for name, base in bases.items()
    ]


def carry_out(task: Task) -> None:
    """Trains and tests unless that is done; resumes an interrupted training.

    Raises:
        KeyboardInterrupt: a signal ended the training before its budget was spent.
    """
    if task.done:
        return
    if (earlier := task.result) is None:
        task.folder.mkdir(parents=True, exist_ok=True)
        resume = (task.folder / RUN_FILE).is_file()
        training = train(task.settings, task.folder, task.command, resume=resume, bar=False)
        if training.is_interrupted:
            raise KeyboardInterrupt
    make, seeds = find_agent(task.folder), check_seeds(0, task.games)
    wins = {
        board: sum(record.won for record in play_games(make(config), config, seeds))
        for board, config in zip(task.settings.boards, task.settings.configs, strict=True)
    }
    steps = training.steps if earlier is None else earlier.steps
    write_json(task.folder / RESULT_FILE, {"steps": steps, "games": task.games, "wins": wins})


def carry_out_elsewhere(task: Task, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Carries out a task on another machine; takes and returns the files of its folder, by their paths in it."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, files)
        carry_out(task._replace(folder=folder))
        return read_files(folder)


def read_files(folder: Path) -> dict[str, bytes]:
    """Returns the content of all files of a folder, by their paths in it; none without a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes files into a folder, by their paths in it; `RESULT_FILE`, which says that all is done, comes last."""
    for name in sorted(files, key=RESULT_FILE.__eq__):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        replace_file(folder / name, files[name])


def _resampled(values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Returns the interquartile means of bootstrap samples, (RESAMPLES,)."""
    from scipy.stats import trim_mean

    return np.asarray(trim_mean(rng.choice(values, (RESAMPLES, len(values))), TRIMMED, axis=1))


def _interval(means: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def summarise(config: str, win_rates: Sequence[float]) -> Summary:
    """Returns the interquartile mean of a configuration's win rates, and its 95 % percentile bootstrap interval."""
    from scipy.stats import trim_mean

    values = np.asarray(win_rates, np.float64)
    interval = _interval(_resampled(values, np.random.default_rng(0)))
    return Summary(config, values, float(trim_mean(values, TRIMMED)), interval)


def difference(one: Summary, other: Summary) -> tuple[float, tuple[float, float]]:
    """Returns the difference of two interquartile means and its 95 % bootstrap interval, resampled independently."""
    rng = np.random.default_rng(1)
    first, second = (_resampled(each.win_rates, rng) for each in (one, other))
    return one.iqm - other.iqm, _interval(first - second)


def reference(task: Task, policy: str = "exact") -> float | None:
    """Returns the mean win rate of a scripted policy on the selection games; None if it did not play them."""
    rates = [points[-1][1] for name, points in read_points(task.folder).items() if name.endswith(f"/{policy}")]
    return float(np.mean(rates)) if rates else None


def band(curves: Sequence[Sequence[tuple[float, float]]], points: int = 100) -> NDArray[np.float64]:
    """Returns (4, points): minutes, and the lowest, median and highest win rate of all trainings at each.

    Args:
        curves: the curve of each training, with at least one evaluation.
        points: the number of minutes, from the last first evaluation to the first last one.
    """
    minutes = np.linspace(max(each[0][0] for each in curves), min(each[-1][0] for each in curves), points)
    rates = np.array([np.interp(minutes, *np.transpose(each)) for each in curves])
    return np.array([minutes, rates.min(axis=0), np.median(rates, axis=0), rates.max(axis=0)])


def to_json(summaries: Sequence[Summary], tasks: Sequence[Task]) -> dict[str, Any]:
    """Returns the report as JSON-able values."""
    return {
        "games": tasks[0].games,
        "command": tasks[0].command,
        "settings": {task.config: task.settings.to_json() for task in tasks if task.settings.seed == 0},
        "results": [
            {"config": each.config, "win_rates": each.win_rates.tolist(), "iqm": each.iqm, "ci95": list(each.interval)}
            for each in summaries
        ],
        "curves": {task.name: task.curve for task in tasks},
    }
