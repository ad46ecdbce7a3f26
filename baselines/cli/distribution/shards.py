"""The option --shard: one of several parts of the work."""

from __future__ import annotations

import argparse

from baselines.cli.start import MODULE
from baselines.sharding.shard import Shard


def add_shard(parser: argparse._ActionsContainer, meaning: str) -> None:
    """Adds --shard, None if it is left out.

    Args:
        parser: a parser or a group of its arguments.
        meaning: the help text up to the command that merges, such as "play part I of N".
    """
    parser.add_argument(
        "--shard",
        type=parse_shard,
        metavar="I/N",
        help=f"{meaning}; `{MODULE} merge` puts the N parts together (default: all, undivided)",
    )


def parse_shard(text: str) -> Shard:
    """Returns the shard that a text such as "2/4" names."""
    try:
        return Shard.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
