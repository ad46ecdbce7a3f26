"""`python train.py --env Azulejos-v0`: trains an agent by masked PPO against a mix of opponents."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

from azulejos_env.config import MAX_SIDE
from baselines.azulejos.learning.settings import AzulejosHyperparameters, AzulejosSettings
from baselines.cli.arguments import parse_size
from baselines.cli.azulejos.arguments import AzulejosParser
from baselines.cli.environments import AZULEJOS, add_environment
from baselines.cli.start import typed_command
from baselines.cli.training.arguments import add_length, add_options, add_set
from baselines.cli.training.running import run_training
from baselines.learned.settings.command_line import given_settings, resumed
from baselines.learned.settings.options import describe, options_of
from baselines.support.board_names import size_name

if TYPE_CHECKING:
    from baselines.learned.training.session import Training

EXAMPLES = """\
examples:
  {0} --env Azulejos-v0
  {0} --env Azulejos-v0 --size 10x12 --colours 4 --opponents greedy,self --minutes 60 --out runs/tiles
  {0} --env Azulejos-v0 --resume --out runs/tiles --minutes 90
"""


def main(arguments: Sequence[str] | None = None, program: str = "train.py") -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.

    Returns:
        0 when the training is done, 130 when SIGINT or SIGTERM ended it with a checkpoint, 1 when a file could not be
        written.
    """
    parser = _make_parser(program)
    return run_training(parser, parser.parse_args(arguments), Azulejos(), typed_command(program, arguments))


class Azulejos:
    """Azulejos, for the command; see `baselines.cli.training.games.Game` for the methods."""

    def settings_and_folder(self, options: argparse.Namespace) -> tuple[AzulejosSettings, Path]:
        """Returns the settings and the folder."""
        given = given_settings(options, {field.name for field in fields(AzulejosSettings)})
        if options.size is not None:
            given["size"] = size_name(*options.size)
        if options.opponents is not None:
            given["opponents"] = opponent_names(options.opponents)
        if options.resume and options.out is not None:
            return resumed(AzulejosSettings, options.out, given), options.out
        settings = AzulejosSettings.from_some(given)
        folder = options.out or Path("runs") / f"azulejos-{settings.size}-{settings.colours}"
        return (resumed(AzulejosSettings, folder, given) if options.resume else settings), folder

    def check_resources(self, settings: AzulejosSettings, folder: Path) -> None:  # noqa: ARG002
        """Checks the memory."""
        from baselines.azulejos.learning.training import memory_needed
        from baselines.learned.training.resources import check_memory

        check_memory(memory_needed(settings), "batch_size, n_steps, envs, channels or board")

    def prepare(self, settings: AzulejosSettings, folder: Path, resume: bool) -> Training:
        """Returns the training."""
        from baselines.azulejos.learning.training import prepare_training

        return prepare_training(settings, folder, resume)

    def evaluation(self, settings: AzulejosSettings, folder: Path) -> str:
        """Returns the options that play the agent against the scripted policies."""
        return (
            f"--env {AZULEJOS} --policy {shlex.quote(str(folder))} random greedy minimax:depth=2 "
            f"--size {settings.size} --colours {settings.colours}"
        )


def opponent_names(text: str) -> tuple[str, ...]:
    """Returns the names of "random,minimax:depth=2,nodes=500,self"; options of a name may follow its own commas."""
    names: list[str] = []
    for part in text.split(","):
        if names and ":" in names[-1] and "=" in part and ":" not in part:
            names[-1] += f",{part}"
        else:
            names.append(part)
    return tuple(names)


def _make_parser(program: str) -> AzulejosParser:
    width = max(get_terminal_size().columns - 2, 20)
    parser = AzulejosParser(
        prog=program,
        description="Train an agent of Azulejos by masked PPO, against scripted opponents and past versions of itself.",
        epilog="\n".join([EXAMPLES.format(typed_command(program, ())), _hyperparameter_help(width)]),
    )
    _add_task(parser)
    add_length(parser, AzulejosSettings, "runs/azulejos-SIZE-COLOURS")
    how = parser.add_argument_group("how to train")
    add_options(how, AzulejosSettings, ("envs", "channels", "depth", "optimizer", "eval_games"))
    add_set(how)
    return parser


def _add_task(parser: AzulejosParser) -> None:
    task = parser.add_argument_group("what to train")
    add_environment(task, AZULEJOS)
    task.add_argument(
        "--size",
        type=parse_size,
        metavar="SIZE",
        help=f"train on a square board of this side, or on ROWSxCOLS such as 10x12, at most {MAX_SIDE} each "
        f"(default {AzulejosSettings.size})",
    )
    defaults: Any = AzulejosSettings.opponents
    task.add_argument(
        "--opponents",
        metavar="NAMES",
        help="play against these opponents, separated by commas, equally often: random, greedy, minimax with "
        "options as in minimax:depth=2, and self, past versions of the agent; a name given twice gets twice as many "
        f"games (default {','.join(defaults)})",
    )
    add_options(task, AzulejosSettings, ("colours", "reward", "gamma", "start", "seed"))


def _hyperparameter_help(width: int) -> str:
    """Returns a list of the hyperparameters, in lines of `width`."""
    lines = ["hyperparameters (--set NAME=VALUE):"]
    texts = [f"{entry.name}: {describe(entry, option)}" for entry, option in options_of(AzulejosHyperparameters)]
    return "\n".join(lines + [fill(text, width, initial_indent="  ", subsequent_indent=" " * 6) for text in texts])
