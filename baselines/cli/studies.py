"""Studies of many trainings: the options, settings, folder and runs that `seeds` and `sweep` share."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.cli.command import SIDE, Parser, add_options, add_settings
from baselines.files import hold_folder, write_json
from baselines.hub import RUN_FILE
from baselines.learned.configurations import checked_settings, given_settings, read_configuration
from baselines.learned.settings import TrainingSettings
from baselines.provenance import earlier_results, installation_id

if TYPE_CHECKING:
    from baselines.learned.training.state import Training


def add_task(parser: Parser) -> None:
    """Adds the arguments of the folder, the tables, and the board and training."""
    add_options(parser, "--wide")
    add_options(parser, "--out", required=True)
    task = parser.add_argument_group("board and training (default as configured)")
    add_options(task, "--size", default=None, help=f"play on this side, or on ROWSxCOLS (default {SIDE})")
    add_options(task, "--mines", "--boards")
    add_settings(task, "first_click", "no_guess", "luck", "reward", "minutes", "steps")


def study_settings(name: str, options: argparse.Namespace) -> TrainingSettings:
    """Returns the settings of a configuration, with those that the options replace, and one thread."""
    given = given_settings(options) | {"threads": 1}
    # Studies give each training its own seed; --seed of a sweep is that of its draws.
    given.pop("seed", None)
    return checked_settings(read_configuration(name), given)


def claim_folder(out: Path, file: str, plan: Mapping[str, Any], noted: Mapping[str, Any] | None = None) -> None:
    """Creates the folder of a study with its file; a ValueError if that tells of another plan or of other code.

    `noted` is written into the file, too, but compared with nothing.
    """
    out.mkdir(parents=True, exist_ok=True)
    earlier_results(out, file, plan)
    write_json(out / file, {**plan, **(noted or {}), "identity": installation_id()})


def train_in(folder: Path, settings: TrainingSettings, command: str, **how: Any) -> Training:
    """Trains in a run folder, or goes on there; a signal raises a KeyboardInterrupt. For `how` see `loop.run`."""
    from baselines.learned.training import loop

    folder.mkdir(parents=True, exist_ok=True)
    with hold_folder(folder):
        training = loop.train(settings, folder, command, resume=(folder / RUN_FILE).is_file(), bar=False, **how)
    if training.is_interrupted:
        raise KeyboardInterrupt
    return training
