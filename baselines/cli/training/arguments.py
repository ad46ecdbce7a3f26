"""Options of trainings, by the declarations of their settings."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from baselines.cli.arguments import Parser, whole_number_from
from baselines.learned.settings.options import describe, options_of

TRACKERS = ("wandb",)
"""Trackers that a training may log to, which are extras of the same names."""


def add_length(parser: Parser, kind: type, folder: str) -> argparse._ArgumentGroup:
    """Adds the options of the length and the place of a training, and returns their group.

    Args:
        parser: of the command.
        kind: class of the settings.
        folder: the default run folder, in words.
    """
    length = parser.add_argument_group("length and place")
    length.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help=f"write the run folder DIR (default {folder})",
    )
    length.add_argument(
        "--resume",
        action="store_true",
        help="continue from the last checkpoint in --out; --minutes or --steps change the budget",
    )
    add_options(length, kind, ("minutes", "steps", "device", "threads"))
    return length


def add_set(group: argparse._ArgumentGroup) -> None:
    """Adds --set."""
    group.add_argument("--set", nargs="+", metavar="NAME=VALUE", help="set hyperparameters, which are listed below")


def add_options(group: argparse._ArgumentGroup, kind: type, names: Sequence[str]) -> None:
    """Adds arguments for settings of a class, by their declarations."""
    declared = {entry.name: (entry, option) for entry, option in options_of(kind)}
    for name in names:
        entry, option = declared[name]
        kinds: dict[str, Callable[[str], Any]] = {"int": whole_number_from(int(option.least)), "float": float}
        group.add_argument(
            "--" + name.replace("_", "-"),
            type=kinds.get(str(entry.type).partition(" ")[0], str),
            choices=option.choices or None,
            metavar=None if option.choices else name.upper(),
            help=describe(entry, option),
        )
