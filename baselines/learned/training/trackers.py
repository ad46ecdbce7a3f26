"""Trackers of experiments that a training may log to: Weights & Biases, and MLflow.

A tracker gets the settings and every row of the log. A resumed training continues the same run, whose id lies in the
run folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from numbers import Real
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter

from baselines.support.extras import MissingExtraError, import_extra
from baselines.support.files import replace_file
from minesweeper_env.compilation.live_line import say

PROJECT = "minesweeper-env"
"""Name of the project, or the experiment, unless an environment variable of the tracker names another."""


class Tracker(KVWriter):
    """Writes the rows of a log to a tracker. A failure ends the logging, and not the training."""

    def __init__(self, name: str, log: Callable[[dict[str, float], int], object], close: Callable[[], object]) -> None:
        """Takes the name, what logs the numbers of a step, and what ends the session."""
        self._name, self._log, self._close = name, log, close
        self._works = True

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Logs the numbers of a row."""
        numbers = {
            key: float(value)
            for key, value in key_values.items()
            if isinstance(value, Real) and type(self).__name__ not in (key_excluded[key] or ())
        }
        self._call(lambda: self._log(numbers, step))

    def close(self) -> None:
        """Ends the session."""
        self._call(self._close)

    def _call(self, work: Callable[[], object]) -> None:
        if not self._works:
            return
        try:
            work()
        except Exception as error:
            self._works = False
            say(f"{self._name} fails, and the training goes on without it: {str(error).splitlines()[0]}")


def open_tracker(name: str, folder: Path, settings: Any) -> Tracker:
    """Returns a tracker that continues the run of a folder, or begins one.

    Args:
        name: one of `TRACKERS`.
        folder: the run folder.
        settings: the settings of the training.

    Raises:
        MissingExtraError: the tracker is not installed.
        ConnectionError: the tracker refuses; the message is one line.
    """
    try:
        return TRACKERS[name](folder, settings)
    except MissingExtraError:
        raise
    except Exception as error:
        raise ConnectionError(f"{name} cannot be used: {str(error).splitlines()[0]}") from error


def _open_wandb(folder: Path, settings: Any) -> Tracker:
    wandb = import_extra("wandb", "wandb")
    run = wandb.init(
        project=_named("WANDB_PROJECT"),
        name=folder.name,
        dir=str(folder),
        id=_kept_id(folder, "wandb"),
        resume="allow",
        config=settings.to_json(),
    )
    _keep_id(folder, "wandb", run.id)
    return Tracker("wandb", lambda numbers, step: run.log(numbers, step=step), run.finish)


def _open_mlflow(folder: Path, settings: Any) -> Tracker:
    mlflow = import_extra("mlflow", "mlflow")
    mlflow.set_experiment(_named("MLFLOW_EXPERIMENT_NAME"))
    earlier = _kept_id(folder, "mlflow")
    run = mlflow.start_run(run_id=earlier, run_name=None if earlier else folder.name)
    if earlier is None:
        mlflow.log_params(_flat(settings.to_json()))
        _keep_id(folder, "mlflow", run.info.run_id)
    return Tracker("mlflow", lambda numbers, step: mlflow.log_metrics(_dotted(numbers), step=step), mlflow.end_run)


def _dotted(numbers: dict[str, float]) -> dict[str, float]:
    """Returns numbers under names without slashes: a store of files takes "eval/8x8-14" for a folder and a file."""
    return {name.replace("/", "."): number for name, number in numbers.items()}


TRACKERS: dict[str, Callable[[Path, Any], Tracker]] = {"wandb": _open_wandb, "mlflow": _open_mlflow}
"""Trackers by their names, which are those of their packages and extras."""


def _named(variable: str) -> str:
    return os.environ.get(variable, PROJECT)


def _flat(settings: dict[str, Any]) -> dict[str, Any]:
    hyperparameters = settings.get("hyperparameters", {})
    return {name: value for name, value in settings.items() if name != "hyperparameters"} | hyperparameters


def _kept_id(folder: Path, tracker: str) -> str | None:
    path = folder / f"{tracker}.id"
    return path.read_text(encoding="utf-8").strip() if path.is_file() else None


def _keep_id(folder: Path, tracker: str, run: str) -> None:
    replace_file(folder / f"{tracker}.id", f"{run}\n".encode())
