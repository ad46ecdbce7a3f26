"""Parser and arguments that commands share, and what their values name."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NoReturn

from baselines.cli.start import BAD_ARGUMENTS
from baselines.cluster import parse_address
from baselines.support.board_names import parse_size_name
from baselines.support.extras import check_extra
from baselines.workers import MakeWorkers, local_workers
from minesweeper_env.config import FIRST_CLICKS, NO_GUESS_LEVELS, PRESETS, BoardConfig, default_mines_text
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from baselines.learned.settings import TrainingSettings

SIDE: int = PRESETS[""]["size"]
"""The side of the board that a command plays without --size; the number of mines follows."""

ALL = "all"
"""The name that stands for every policy of `baselines.policy_names()` that plays the games."""

DEFAULT_POLICIES = ("random", "straightforward", "bayes", "exact", "lookahead")
"""The policies that play without --policy, weakest first."""

DEFAULT_GAMES = 1000
"""The number of games of each policy without --games."""

MOST = 10**18 - 1
"""The largest whole number of a command line."""

MOST_WORKERS = 1024
"""The largest number of worker processes of a command."""

SUITE_NEEDS = ("scipy", "rich", "matplotlib")
"""The optional dependencies of a suite."""

_UNSET = object()

_ARGUMENT = re.compile(r"(?<![-\w])(first_click|no_guess)(?![\w=,;)])|^(mines|size|seed)(?= must )")
"""The arguments of the library that messages name, and that a user of a command types as options."""


class HelpFormatter(argparse.HelpFormatter):
    """Wraps a description, and keeps the lines of an epilog; a long example continues after a backslash."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" not in text:
            return super()._fill_text(text, width, indent)
        return "\n".join(_continued(line, width) for line in text.splitlines())


def _continued(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    parts = wrap(line, width - 2, subsequent_indent=" " * 6, break_on_hyphens=False, break_long_words=False)
    return " \\\n".join(parts)


class Parser(argparse.ArgumentParser):
    """A parser that accepts no abbreviations and reports a bad argument in one line."""

    def __init__(self, **settings: Any) -> None:
        """Passes the settings on to `argparse.ArgumentParser`."""
        super().__init__(allow_abbrev=False, **{"formatter_class": HelpFormatter, **settings})

    def error(self, message: str) -> NoReturn:
        """Prints the message as one line on stderr, and exits with status 2; arguments are named as options."""
        text = _ARGUMENT.sub(lambda found: f"--{found[0].replace('_', '-')}", " ".join(message.split()))
        text = re.sub("^(rows|cols)(?= must )", r"--size: \1", text)
        say(f"{self.prog}: {text}")
        sys.exit(BAD_ARGUMENTS)

    def parse_given(self, arguments: Sequence[str] | None) -> tuple[argparse.Namespace, list[str]]:
        """Returns all options, and the names of those that the command line gives."""
        options = self.parse_args(arguments)
        found = self.parse_args(arguments, argparse.Namespace(**dict.fromkeys(vars(options), _UNSET)))
        return options, [name for name, value in vars(found).items() if value is not _UNSET]


def add_board_arguments(
    parser: argparse._ActionsContainer,
    side: int = SIDE,
    first_clicks: Sequence[str] = FIRST_CLICKS,
    first_click: str = BoardConfig.first_click,
) -> None:
    """Adds --size, --mines and --first-click.

    Args:
        parser: a parser or a group of its arguments.
        side: the default side, of a square board.
        first_clicks: the first-click rules to choose from.
        first_click: the default one.
    """
    parser.add_argument(
        "--size",
        type=parse_size,
        default=(side, side),
        metavar="SIZE",
        help=f"play on a square board of this side, or on ROWSxCOLS such as 16x30 (default {side})",
    )
    add_mines(parser)
    parser.add_argument(
        "--first-click",
        choices=first_clicks,
        default=first_click,
        metavar="RULE",
        help=f"protect the first click by this rule: {', '.join(first_clicks)} (default {first_click})",
    )


def chosen_board(options: argparse.Namespace) -> BoardConfig:
    """Returns the games that the options of `add_board_arguments` and `add_no_guess` name, played by clicks."""
    rules = {"first_click": options.first_click, "no_guess": options.no_guess}
    return BoardConfig.of_size(options.size, options.mines, **rules, moves=("click",))


def add_no_guess(parser: argparse._ActionsContainer) -> None:
    """Adds --no-guess, False if it is left out."""
    parser.add_argument(
        "--no-guess",
        choices=NO_GUESS_LEVELS,
        default=False,
        metavar="LEVEL",
        help="play boards that logic wins without a guess, at this level: subset (differences of clues) or exact "
        "(every cell that is safe in all layouts) (default: all boards)",
    )


def add_mines(parser: argparse._ActionsContainer) -> None:
    """Adds --mines; left out, the number follows the size."""
    parser.add_argument(
        "--mines",
        type=whole_number_from(1),
        metavar="N",
        help=f"hide N mines (default {default_mines_text()}; other sizes need it)",
    )


def add_count(parser: argparse._ActionsContainer, name: str, meaning: str, default: int, most: int = MOST) -> None:
    """Adds an option that takes a number of things, at least 1.

    Args:
        parser: a parser or a group of its arguments.
        name: the option, such as "--games".
        meaning: the help text without the default, such as "play N games".
        default: the number without the option.
        most: the largest number.
    """
    parser.add_argument(
        name, type=whole_number_from(1, most), default=default, metavar="N", help=f"{meaning} (default {default})"
    )


def add_workers(parser: argparse._ActionsContainer) -> None:
    """Adds --workers and --ray, of which one may be given; `chosen_workers` makes what they name."""
    places = parser.add_mutually_exclusive_group()
    add_count(places, "--workers", "play in N worker processes", 1, MOST_WORKERS)
    add_ray(places)


def add_ray(parser: argparse._ActionsContainer) -> None:
    """Adds --ray, the address of a cluster."""
    parser.add_argument(
        "--ray",
        type=parse_cluster,
        metavar="ADDRESS",
        help="use a cluster of Ray, which needs minesweeper-env[ray]: the address of its head node, auto for the "
        "cluster that runs here, or local for one that is started on this machine alone",
    )


def parse_cluster(text: str) -> str:
    """Returns the address of a cluster."""
    try:
        return parse_address(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def check_workers(options: argparse.Namespace) -> None:
    """Raises a MissingExtraError if --ray is given and Ray is not installed."""
    if options.ray is not None:
        check_extra("ray", "ray")


def chosen_workers(options: argparse.Namespace, policies: Sequence[str]) -> MakeWorkers:
    """Returns the maker of the workers that the options name; the files of these policies travel to other machines."""
    if options.ray is None:
        return local_workers(options.workers)
    from baselines.cluster import ray_workers
    from baselines.registry import policy_files, read_specification

    return ray_workers(
        options.ray, {read_specification(name).base: files for name in policies if (files := policy_files(name))}
    )


@contextmanager
def kept_workers(options: argparse.Namespace, policies: Sequence[str]) -> Generator[int | MakeWorkers]:
    """Yields the workers for several evaluations; a connection to a cluster stays open for all of them."""
    if options.ray is None:
        yield options.workers
        return
    with chosen_workers(options, policies)() as workers:
        yield lambda: nullcontext(workers)


def add_study(parser: argparse._ActionsContainer) -> None:
    """Adds --minutes, --steps, --out and --wide, for a command that trains many times."""
    parser.add_argument(
        "--minutes", type=positive_number, metavar="M", help="train for up to M minutes each (default as configured)"
    )
    parser.add_argument(
        "--steps",
        type=whole_number_from(1),
        metavar="N",
        help="train for up to N steps each, instead of --minutes (default as configured)",
    )
    parser.add_argument(
        "--out",
        type=parse_path,
        required=True,
        metavar="DIR",
        help="write the trainings and results into DIR; the same command resumes them",
    )
    add_wide(parser)


def study_settings(name: str, options: argparse.Namespace) -> TrainingSettings:
    """Returns the settings of a configuration, for the budget that the options name and one thread.

    Raises:
        ValueError: there is no such configuration, or both --minutes and --steps are given.
    """
    from baselines.learned.configurations import read_configuration
    from baselines.learned.settings import TrainingSettings

    if options.steps is not None and options.minutes is not None:
        raise ValueError("give either --minutes or --steps")
    budget = {"minutes": options.minutes, "steps": options.steps} if options.minutes or options.steps else {}
    return TrainingSettings.from_some({**read_configuration(name), **budget, "threads": 1})


def add_seed(parser: argparse._ActionsContainer) -> None:
    """Adds --seed, the seed of the first game."""
    parser.add_argument(
        "--seed",
        type=whole_number_from(0),
        default=0,
        metavar="SEED",
        help="give game i the seed SEED + i (default 0, test seeds; development seeds begin at 1500000000)",
    )


def add_wide(parser: argparse._ActionsContainer) -> None:
    """Adds --wide, for tables with all columns."""
    parser.add_argument("--wide", action="store_true", help="show all columns of tables, whatever the terminal's width")


def parse_size(text: str) -> tuple[int, int]:
    """Returns (rows, cols) of a size such as "8" or "16x30"."""
    try:
        return parse_size_name(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def whole_number_from(least: int, most: int = MOST) -> Callable[[str], int]:
    """Returns a parser of whole numbers from `least` to `most`."""

    def parse(text: str) -> int:
        if re.fullmatch(r"\d{19,}", text, re.ASCII) or (re.fullmatch(r"\d+", text, re.ASCII) and int(text) > most):
            raise argparse.ArgumentTypeError(f"must be a whole number of at most {most}, not {text!r}")
        if not re.fullmatch(r"-?\d{1,18}", text, re.ASCII) or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number of at least {least}, not {text!r}")
        return int(text)

    return parse


def parse_path(text: str) -> Path:
    """Returns a path; refuses the empty text, which pathlib reads as the working folder."""
    if not text:
        raise argparse.ArgumentTypeError("must be a path, not an empty text")
    return Path(text)


def positive_number(text: str) -> float:
    """Returns a finite number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number above 0, not {text!r}")
    return number
