"""Plan of a sweep: its trials, their folders and what each has reached, on the machine of the command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from baselines.learned.settings.training import TrainingSettings
from baselines.support.files import write_json
from baselines.support.reuse import earlier_results, own_identity
from baselines.support.structs import Count, Rate, read_as
from baselines.sweeps.space import settings_of

PLAN_FILE = "sweep.json"
EVALUATIONS_FILE = "evaluations.json"
"""File of a trial's folder with its evaluations so far."""

STOPPED_FILE = "stopped.json"
"""File of a trial's folder that says that the scheduler ended it early."""

COMPLETE = 100
"""Percentage of the budget at which a trial is complete."""


class Point(NamedTuple):
    """An evaluation of a trial.

    Attributes:
        percent: part of the budget that is spent, 0 to 100.
        steps: number of steps so far.
        win_rate: win rate of the newest weights in the selection games.
        kept_win_rate: win rate of the agent in the run folder.
    """

    percent: Annotated[int, msgspec.Meta(ge=0, le=COMPLETE)]
    steps: Count
    win_rate: Rate
    kept_win_rate: Rate


@dataclass(frozen=True)
class Trial:
    """A training of a sweep.

    Attributes:
        number: its number, from 0.
        values: the values of the settings that vary.
        settings: all settings of the training.
        folder: its run folder.
    """

    number: int
    values: dict[str, Any]
    settings: TrainingSettings
    folder: Path

    @property
    def points(self) -> list[Point]:
        """The evaluations so far."""
        return read_points(self.folder)

    @property
    def was_stopped(self) -> bool:
        """Whether the scheduler ended it early."""
        return (self.folder / STOPPED_FILE).is_file()

    @property
    def is_complete(self) -> bool:
        """Whether its whole budget is spent."""
        points = self.points
        return bool(points) and points[-1].percent >= COMPLETE

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to train."""
        return self.was_stopped or self.is_complete


@dataclass(frozen=True)
class Sweep:
    """A search for hyperparameters.

    Attributes:
        base: settings of the configuration.
        search: the texts of `--search`.
        values: the values of each trial.
        seed: seed of the draws.
        out: its folder.
        command: the command line to record.
    """

    base: TrainingSettings
    search: tuple[str, ...]
    values: tuple[dict[str, Any], ...]
    seed: int
    out: Path
    command: str

    @property
    def trials(self) -> list[Trial]:
        """All trials in order."""
        return [
            Trial(number, values, settings_of(self.base, values), self.out / "trials" / f"{number:03}")
            for number, values in enumerate(self.values)
        ]

    def store(self) -> None:
        """Writes the plan into the folder of the sweep, or checks that the folder holds the same plan.

        Raises:
            ValueError: the folder holds another sweep.
        """
        parameters = {
            "settings": self.base.to_json(),
            "search": list(self.search),
            "seed": self.seed,
            "trials": len(self.values),
        }
        if not earlier_results(self.out, PLAN_FILE, parameters):
            for trial in self.trials:
                trial.folder.mkdir(parents=True, exist_ok=True)
            write_json(self.out / PLAN_FILE, parameters | {"identity": own_identity()._asdict()})


class _Evaluations(msgspec.Struct):
    """Content of `EVALUATIONS_FILE`."""

    evaluations: list[Point]


def read_points(folder: Path) -> list[Point]:
    """Returns the evaluations in the folder of a trial."""
    path = folder / EVALUATIONS_FILE
    return read_as(path, _Evaluations).evaluations if path.exists() else []


def write_points(folder: Path, points: list[Point]) -> None:
    """Writes the evaluations into the folder of a trial."""
    write_json(folder / EVALUATIONS_FILE, {"evaluations": points})
