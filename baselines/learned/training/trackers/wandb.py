"""Weights & Biases; the environment variable WANDB_PROJECT names another project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from baselines.learned.training.trackers.tracker import Tracker, keep_id, kept_id, project_named_by
from baselines.support.extras import import_extra


def open_wandb(folder: Path, settings: Any) -> Tracker:
    """Returns a tracker that continues the run of a folder, or begins one.

    Args:
        folder: the run folder.
        settings: the settings of the training.

    Raises:
        MissingExtraError: the package is not installed.
    """
    wandb = import_extra("wandb", "wandb")
    run = wandb.init(
        project=project_named_by("WANDB_PROJECT"),
        name=folder.name,
        dir=str(folder),
        id=kept_id(folder, "wandb"),
        resume="allow",
        config=settings.to_json(),
    )
    keep_id(folder, "wandb", run.id)
    return Tracker("wandb", lambda numbers, step: run.log(numbers, step=step), run.finish)
