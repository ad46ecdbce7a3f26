"""Lineage of an agent: its training, and the trainings of the agents that it began as."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from baselines.learned.settings.files import RUN_FILE
from baselines.support.files import read_json
from baselines.support.run_folders import AGENT_FILE
from baselines.support.structs import Agent, read_as

START = "start"
"""Entry of a `run.json`: `training_of` the agent whose weights the training began with."""


def training_of(folder: Path) -> dict[str, Any]:
    """Returns the training of the agent in a run folder.

    Args:
        folder: has an `agent.json`, and a `run.json` unless the agent came without one.

    Returns:
        JSON-able: `steps`, the steps until the agent was kept, and `run`, the content of `run.json`. Either is None if
        the folder does not tell. The entry `START` of `run` has the same about the agent that this one began as.

    Raises:
        ValueError: a file is damaged; the message is one line.
    """
    path = folder / RUN_FILE
    selected = read_as(folder / AGENT_FILE, Agent).selected_by
    return {"steps": selected and selected["steps"], "run": read_json(path) if path.exists() else None}


def lineage(training: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Yields a training of `training_of`, then those of the agents that it began as, the oldest one last."""
    while training is not None:
        yield training
        training = (training["run"] or {}).get(START)
