"""`python train.py`: trains an agent and leaves it in a run folder that `evaluate.py` plays."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Protocol

from baselines.cli.arguments import FAILED, INTERRUPTED, SIDE, Parser, add_mines, add_ray, parse_size, whole_number_from
from baselines.cli.environments import add_environment, is_azulejos
from baselines.cli.failures import explain
from baselines.cli.start import announce, sibling, typed_command
from baselines.learned.settings.command_line import settings_and_folder
from baselines.learned.settings.files import RUN_FILE
from baselines.learned.settings.listing import configuration_help, hyperparameter_help
from baselines.learned.settings.options import describe, options_of
from baselines.learned.settings.training import TrainingSettings
from baselines.support.board_names import size_name
from baselines.support.extras import MissingExtraError, check_extra
from baselines.support.files import check_folder, check_writable, hold_folder, is_empty
from minesweeper_env.compilation.live_line import live_line

if TYPE_CHECKING:
    from baselines.learned.training.run import Outcome
    from baselines.learned.training.session import Training
    from baselines.terminal.page import Page

NEEDED = ("torch", "stable_baselines3", "sb3_contrib", "safetensors", "tensorboard", "scipy", "matplotlib", "rich")
PROGRAM = "train.py"
EXAMPLES = """\
examples:
  {0} --config quick
  {0} --algo dqn --size 5 --mines 3 --steps 100000 --out runs/small
  {0} --resume --out runs/small --steps 200000
"""


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: those after the name of the command; None for the ones it was started with.
        program: name of the command, as the user typed it.

    Returns:
        0 when the training is done, 130 when SIGINT or SIGTERM ended it with a checkpoint, 1 when a file
        could not be written.
    """
    if is_azulejos(arguments):
        from baselines.cli.azulejos.train import main as train_azulejos

        return train_azulejos(arguments, program)
    parser = _make_parser(program)
    options, command = parser.parse_args(arguments), typed_command(program, arguments)
    if options.ray is not None:
        from baselines.cli.distribution.training import train_on_cluster

        return train_on_cluster(parser, options, command)
    return run_training(parser, options, Minesweeper(), command)


class Game(Protocol):
    """The game to train on, for the command."""

    def settings_and_folder(self, options: argparse.Namespace) -> tuple[Any, Path]:
        """Returns the settings of the training, and the folder to train in.

        Raises:
            ValueError: a setting is not allowed, or there is no training to resume.
        """

    def prepare(self, settings: Any, folder: Path, resume: bool) -> Training:
        """Returns a training that is ready to run; raises ValueError if it cannot be."""

    def check_resources(self, settings: Any, folder: Path) -> None:
        """Raises ValueError if the machine lacks the memory or the disk space for a training."""

    def evaluation(self, settings: Any, folder: Path) -> str:
        """Returns the options of `evaluate.py` that evaluate the agent."""


class Minesweeper:
    """Minesweeper, with policies that play several boards; see `Game` for the methods."""

    def settings_and_folder(self, options: argparse.Namespace) -> tuple[TrainingSettings, Path]:
        """Returns the settings and the folder."""
        return settings_and_folder(options)

    def check_resources(self, settings: TrainingSettings, folder: Path) -> None:
        """Checks the memory and the disk space."""
        from baselines.learned.training.resources import check_resources

        check_resources(settings, folder)

    def prepare(self, settings: TrainingSettings, folder: Path, resume: bool) -> Training:
        """Returns the training."""
        from baselines.learned.training.run import prepare

        return prepare(settings, folder, resume)

    def evaluation(self, settings: TrainingSettings, folder: Path) -> str:
        """Returns the options for the first board of the training."""
        board = settings.configs[0]
        return (
            f"--policy {shlex.quote(str(folder))} --size {size_name(board.rows, board.cols)} "
            f"--mines {board.mines} --first-click {board.first_click}"
        ) + (f" --no-guess {board.no_guess}" if board.no_guess else "")


def run_training(parser: Parser, options: argparse.Namespace, game: Game, command: str) -> int:
    """Trains with the options of a command line; bad ones exit with status 2 and one line.

    Args:
        parser: of the command, which reports bad options.
        options: with `out`, `resume` and what the game needs.
        game: the game to train on.
        command: the command line, recorded in the run folder.

    Returns:
        The exit status, as `main` returns it.
    """
    with ExitStack() as held:
        try:
            for module in NEEDED:
                check_extra(module)
            settings, folder = game.settings_and_folder(options)
            check_folder(folder)
            if not options.resume:
                check_unused(folder)
            announce(f"Train {settings.title} for {settings.budget_in_words}, in {folder}")
            with live_line():
                training = _prepare(game, settings, folder, options.resume, held)
        except (ValueError, OSError, MissingExtraError) as error:
            parser.error(str(error))
        return _train(parser.prog, training, folder, game, command)


def _train(program: str, training: Training, folder: Path, game: Game, command: str) -> int:
    """Trains, and reports the result; returns the exit status."""
    from baselines.learned.training.run import run
    from baselines.learned.training.session import stopped_at_once

    try:
        outcome = run(training, command)
    except OSError as error:
        saved = f"--resume continues, and what was saved before is in {folder}"
        print(f"{program}: {explain(error)}; {saved}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print(f"{program}: {stopped_at_once(folder)}", file=sys.stderr)
        return INTERRUPTED
    report(program, game, outcome, training.settings, folder).print()
    return INTERRUPTED if outcome.interrupted else 0


def report(program: str, game: Game, outcome: Outcome, settings: Any, folder: Path) -> Page:
    """Returns the last lines of a training; they wrap, but the command to copy does not."""
    from baselines.terminal.page import Page

    page = Page.for_stdout()
    for line in outcome.in_words(settings.eval_games, folder):
        page.note(line)
    page.line(f"{sibling(program, 'train', 'evaluate')} {game.evaluation(settings, folder)}")
    return page


def _make_parser(program: str) -> Parser:
    width = max(get_terminal_size().columns - 2, 20)
    examples = EXAMPLES.format(typed_command(program, ()))
    parser = Parser(
        prog=program,
        description="Train a Minesweeper agent by reinforcement learning.",
        epilog="\n".join([examples, configuration_help(width), "", hyperparameter_help(width)]),
    )
    task = parser.add_argument_group("what to train")
    add_environment(task)
    task.add_argument(
        "--config", metavar="NAME|FILE.toml", help="train this configuration, listed below, or that of a file"
    )
    task.add_argument(
        "--size",
        type=parse_size,
        metavar="SIZE",
        help=f"train on a square board of this side, or on ROWSxCOLS (default {SIDE})",
    )
    add_mines(task)
    task.add_argument(
        "--boards",
        nargs="+",
        metavar="BOARD",
        help="train on these boards in turn, such as 5x5/5 16x30/99, instead of --size and --mines",
    )
    add_options(
        task,
        TrainingSettings,
        ("algo", "first_click", "no_guess", "reward", "gamma", "teacher", "start", "seed"),
    )
    add_ray(add_length(parser, TrainingSettings, "runs/ALGO-SIZE-MINES, or runs/CONFIG"))
    how = parser.add_argument_group("how to train")
    add_options(how, TrainingSettings, ("envs", "channels", "depth", "precision", "optimizer", "eval_games"))
    add_set(how)
    return parser


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
        help="continue from the last checkpoint in --out, perhaps to other --minutes or --steps",
    )
    length.add_argument(
        "--threads",
        type=whole_number_from(1),
        metavar="N",
        help="use N processor threads of PyTorch (default all cores)",
    )
    add_options(length, kind, ("minutes", "steps", "device"))
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


def _prepare(game: Game, settings: Any, folder: Path, resume: bool, held: ExitStack) -> Training:
    """Returns a training that is ready to run, in its folder, which `held` locks; an error leaves no new folder."""
    game.check_resources(settings, folder)
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The lock comes before the checkpoint is read, because a session that is about to end writes one more.
        held.enter_context(hold_folder(folder))
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be used: {error.strerror}") from error
    try:
        if not resume:
            check_unused(folder)
        check_writable(folder / RUN_FILE)
        return game.prepare(settings, folder, resume)
    except BaseException:
        if new:
            with suppress(OSError):
                folder.rmdir()
        raise


def check_unused(folder: Path) -> None:
    """Raises a ValueError if a folder for a new training holds files."""
    if folder.exists() and not (folder.is_dir() and is_empty(folder)):
        raise ValueError(f"{folder} exists and is not empty; go on with --resume, or choose another --out")
