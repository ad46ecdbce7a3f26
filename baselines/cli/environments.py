"""Choice of the game of a command, `--env`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from azulejos_env.registration import ENV_ID

MINESWEEPER, AZULEJOS = "Minesweeper-v0", ENV_ID

ENVIRONMENTS = (MINESWEEPER, AZULEJOS)
"""The environments that commands know, by id; the first one is the default."""


def add_environment(parser: argparse._ActionsContainer, default: str = MINESWEEPER) -> None:
    """Adds --env, which chooses the game."""
    parser.add_argument(
        "--env",
        type=_environment,
        default=default,
        metavar="ID",
        help=f"play this game: {' or '.join(ENVIRONMENTS)}, each with its own options, which --env ID --help shows "
        f"(default {MINESWEEPER})",
    )


def is_azulejos(arguments: Sequence[str] | None) -> bool:
    """Returns whether a command line chooses Azulejos; whatever is wrong with it is left to the command's parser.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--env", nargs="?")
    return parser.parse_known_args(arguments)[0].env == AZULEJOS


def _environment(text: str) -> str:
    if text not in ENVIRONMENTS:
        raise argparse.ArgumentTypeError(f"must be {' or '.join(ENVIRONMENTS)}, not {text!r}")
    return text
