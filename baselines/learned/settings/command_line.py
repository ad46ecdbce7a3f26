"""Settings of a training from the options of a command line, a configuration and an earlier session."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from textwrap import fill
from typing import Any

from baselines.learned.settings.files import RUN_FILE, configuration_notes, read_configuration
from baselines.learned.settings.hyperparameters import ALGORITHMS
from baselines.learned.settings.options import describe, options_of
from baselines.learned.settings.training import TrainingSettings
from baselines.registry import AGENT_FILE, AGENT_WEIGHTS_FILE, CHECKPOINT_FILE
from baselines.support.board_names import board_name, file_name
from baselines.support.checks import number_or_text
from baselines.support.files import read_json
from baselines.support.provenance import earlier_results
from minesweeper_env.config import PRESETS, default_mines, parse_size


def configuration_help(width: int) -> str:
    """Returns a list of the configurations, each with its budget and its first comment, in lines of `width`."""
    lines = ["configurations (--config NAME):"]
    for name, note in configuration_notes().items():
        settings = TrainingSettings.from_some(read_configuration(name))
        text = f"{name} ({settings.budget_in_words}): {note}"
        lines.append(fill(text, width, initial_indent="  ", subsequent_indent=" " * 6, break_on_hyphens=False))
    return "\n".join(lines)


def hyperparameter_help(width: int) -> str:
    """Returns a list of the hyperparameters of each algorithm, in lines of `width`."""
    lines = ["hyperparameters (--set NAME=VALUE), by algorithm:"]
    for algo, hyperparameters in ALGORITHMS.items():
        lines.append(f"  {algo}")
        texts = [f"{entry.name}: {describe(entry, option)}" for entry, option in options_of(hyperparameters)]
        lines += [fill(text, width, initial_indent=" " * 4, subsequent_indent=" " * 8) for text in texts]
    return "\n".join(lines)


MAY_CHANGE = ("minutes", "steps", "device", "threads")
"""The settings that a resumed training need not share with its first session."""


def settings_and_folder(options: argparse.Namespace) -> tuple[TrainingSettings, Path]:
    """Returns the settings of a training, and the folder to train in.

    Args:
        options: what the command line gives, under the names of `TrainingSettings` and as `config`, `size`, `mines`,
            `out`, `resume` and `set`; None where it gives nothing.

    Raises:
        ValueError: two options contradict each other, a setting is not allowed, or there is no training to resume.
    """
    given = _given(options, {field.name for field in fields(TrainingSettings)})
    if options.resume and options.out is not None and not options.config:
        return resumed(options.out, given), options.out
    start = read_configuration(options.config) if options.config else {}
    given["hyperparameters"] = {**_table(start.get("hyperparameters", {})), **given.get("hyperparameters", {})}
    settings = TrainingSettings.from_some({**start, **given})
    if options.resume:
        # The budget of the first session may be another one.
        given |= {name: value for name, value in settings.to_json().items() if name in start.keys() - {*MAY_CHANGE}}
    folder = options.out or Path("runs") / (Path(options.config).stem if options.config else _name(settings))
    return (resumed(folder, given) if options.resume else settings), folder


def _given(options: argparse.Namespace, names: set[str]) -> dict[str, Any]:
    """Returns the settings that the command line gives, with the boards."""
    given = _given_settings(options, names)
    if options.size is not None or options.mines is not None:
        if options.boards is not None:
            raise ValueError("give either --boards or --size and --mines")
        rows, cols = parse_size(options.size or PRESETS[""]["size"])
        given["boards"] = (board_name(rows, cols, options.mines or default_mines(rows, cols)),)
    return given


def _given_settings(options: argparse.Namespace, names: set[str]) -> dict[str, Any]:
    """Returns the settings that options give under their own names, with the budget and the hyperparameters.

    A budget of one kind replaces one of the other.

    Args:
        options: what the command line gives, None where it gives nothing.
        names: the names of the settings.

    Raises:
        ValueError: two options contradict each other, or a hyperparameter has another form.
    """
    if options.steps is not None and options.minutes is not None:
        raise ValueError("give either --minutes or --steps")
    given = {name: value for name, value in vars(options).items() if name in names and value is not None}
    if options.steps is not None:
        given["minutes"] = None
    if options.minutes is not None:
        given["steps"] = None
    if options.set is not None:
        given["hyperparameters"] = dict(_assignment(text) for text in options.set)
    return given


def _assignment(text: str) -> tuple[str, int | float | str]:
    """Returns the name and the value of a text such as "batch_size=128"."""
    name, equals, value = text.partition("=")
    if not name or not equals or not value:
        raise ValueError(f"a hyperparameter is set by NAME=VALUE, not {text!r}")
    return name, number_or_text(value)


def resumed(folder: Path, given: dict[str, Any]) -> TrainingSettings:
    """Returns the settings of the training in a folder, with the given ones that may change.

    Raises:
        ValueError: there is no training, or it has other settings than the given ones.
    """
    if not (folder / RUN_FILE).is_file():
        raise ValueError(f"--resume finds no training in {folder}: there is no {RUN_FILE}")
    _check_agent(folder)
    settings = TrainingSettings.from_json(read_json(folder / RUN_FILE).get("settings"))
    check_earlier(folder, {name: value for name, value in given.items() if name not in MAY_CHANGE})
    return replace(settings, **{name: value for name, value in given.items() if name in MAY_CHANGE})


def check_earlier(folder: Path, settings: Mapping[str, Any]) -> None:
    """Checks that a run folder is new, or holds a training with these settings by this code.

    Args:
        folder: the run folder.
        settings: JSON-able, by name; settings left to the machine, which are "auto", may differ.

    Raises:
        ValueError: a setting or the code differs, and the message names each with both values; or the folder holds an
            agent without its checkpoint, which a new training would overwrite.
    """
    _check_agent(folder)
    fixed = {name: value for name, value in settings.items() if value != "auto"}
    earlier_results(folder, RUN_FILE, {"settings": fixed})


def _check_agent(folder: Path) -> None:
    checkpoint = folder / CHECKPOINT_FILE
    agents = [folder / name for name in (AGENT_FILE, AGENT_WEIGHTS_FILE) if (folder / name).exists()]
    if agents and not checkpoint.exists():
        raise ValueError(
            f"{checkpoint} is missing, and a new training would overwrite {agents[0]}; "
            f"train on from its weights in another folder: --start {folder} --out DIR"
        )


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"hyperparameters must be a table, not {value!r}")
    return value


def _name(settings: TrainingSettings) -> str:
    logic = [] if settings.no_guess == "none" else ["no-guess", settings.no_guess]
    return "-".join([settings.algo, *(file_name(board) for board in settings.boards), *logic])
