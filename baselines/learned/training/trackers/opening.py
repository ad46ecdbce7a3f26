"""Trackers by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from baselines.learned.training.trackers.mlflow import open_mlflow
from baselines.learned.training.trackers.tracker import Tracker
from baselines.learned.training.trackers.wandb import open_wandb
from baselines.support.extras import MissingExtraError

TRACKERS: dict[str, Callable[[Path, Any], Tracker]] = {"wandb": open_wandb, "mlflow": open_mlflow}
"""Trackers by their names, which are those of their packages and extras."""


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
