"""Configurations: files of settings that come with the package, or are the user's own."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import Any

from baselines.registry import AGENT_FILE
from baselines.support.files import read_json
from baselines.support.structs import Agent, read_as

FOLDER = files("baselines.learned") / "configs"
SUFFIX = ".toml"

RUN_FILE = "run.json"
"""The file of a run folder that holds the settings and the sessions of the training."""


def configuration_names() -> list[str]:
    """Returns the names of the configurations that come with the package."""
    return sorted(entry.name.removesuffix(SUFFIX) for entry in FOLDER.iterdir() if entry.name.endswith(SUFFIX))


def configuration_notes() -> dict[str, str]:
    """Returns the first comment of each configuration that comes with the package: what it trains, and how long."""
    notes = {}
    for name in configuration_names():
        lines = (FOLDER / f"{name}{SUFFIX}").read_text(encoding="utf-8").splitlines()
        comment = takewhile(lambda line: line.startswith("#"), lines)
        notes[name] = " ".join(line.removeprefix("#").strip() for line in comment)
    return notes


def read_configuration(name: str) -> dict[str, Any]:
    """Returns the settings of a configuration, by the names of `TrainingSettings`.

    Args:
        name: one of `configuration_names()`, or the path of a TOML file, which ends in .toml.

    Raises:
        ValueError: there is none of this name, or the file cannot be read; the message is one line.
    """
    if not name.endswith(SUFFIX):
        if name not in configuration_names():
            known = ", ".join(configuration_names())
            raise ValueError(f"there is no configuration {name!r}; there are {known}, and files that end in {SUFFIX}")
        text = (FOLDER / f"{name}{SUFFIX}").read_text(encoding="utf-8")
    else:
        try:
            text = Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"the configuration {name} cannot be read: {error}") from error
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"the configuration {name} is no TOML file: {error}") from error


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
