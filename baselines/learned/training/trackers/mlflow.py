"""MLflow; the environment variable MLFLOW_EXPERIMENT_NAME names another experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from baselines.learned.training.trackers.tracker import Tracker, keep_id, kept_id, project_named_by
from baselines.support.extras import import_extra


def open_mlflow(folder: Path, settings: Any) -> Tracker:
    """Returns a tracker that continues the run of a folder, or begins one.

    Args:
        folder: the run folder.
        settings: the settings of the training.

    Raises:
        MissingExtraError: the package is not installed.
    """
    mlflow = import_extra("mlflow", "mlflow")
    mlflow.set_experiment(project_named_by("MLFLOW_EXPERIMENT_NAME"))
    earlier = kept_id(folder, "mlflow")
    run = mlflow.start_run(run_id=earlier, run_name=None if earlier else folder.name)
    if earlier is None:
        mlflow.log_params(_flat(settings.to_json()))
        keep_id(folder, "mlflow", run.info.run_id)
    return Tracker("mlflow", lambda numbers, step: mlflow.log_metrics(_dotted(numbers), step=step), mlflow.end_run)


def _dotted(numbers: dict[str, float]) -> dict[str, float]:
    """Returns numbers under names without slashes: a store of files takes "eval/8x8-14" for a folder and a file."""
    return {name.replace("/", "."): number for name, number in numbers.items()}


def _flat(settings: dict[str, Any]) -> dict[str, Any]:
    hyperparameters = settings.get("hyperparameters", {})
    return {name: value for name, value in settings.items() if name != "hyperparameters"} | hyperparameters
