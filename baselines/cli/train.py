"""`python train.py`: trains an agent and leaves it in a run folder that `evaluate.py` plays."""

from __future__ import annotations

from collections.abc import Sequence
from shutil import get_terminal_size

from baselines.cli.arguments import SIDE, Parser, add_mines, parse_size
from baselines.cli.start import typed_command
from baselines.cli.training.arguments import TRACKERS, add_length, add_options, add_set
from baselines.cli.training.games import Minesweeper
from baselines.cli.training.running import run_training
from baselines.learned.settings.listing import configuration_help, hyperparameter_help
from baselines.learned.settings.training import TrainingSettings

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
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.

    Returns:
        0 when the training is done, 130 when SIGINT or SIGTERM ended it with a checkpoint, 1 when a file
        could not be written.
    """
    parser = _make_parser(program)
    options, command = parser.parse_args(arguments), typed_command(program, arguments)
    return run_training(parser, options, Minesweeper(), command)


def _make_parser(program: str) -> Parser:
    width = max(get_terminal_size().columns - 2, 20)
    examples = EXAMPLES.format(typed_command(program, ()))
    parser = Parser(
        prog=program,
        description="Train a Minesweeper agent by reinforcement learning.",
        epilog="\n".join([examples, configuration_help(width), "", hyperparameter_help(width)]),
    )
    task = parser.add_argument_group("what to train")
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
    add_length(parser, TrainingSettings, "runs/ALGO-SIZE-MINES, or runs/CONFIG")
    how = parser.add_argument_group("how to train")
    add_options(how, TrainingSettings, ("envs", "channels", "depth", "precision", "optimizer", "eval_games"))
    add_set(how)
    how.add_argument(
        "--log-to",
        nargs="+",
        choices=TRACKERS,
        default=[],
        metavar="TRACKER",
        help="send the log to wandb (Weights & Biases), too; needs the extra of that name (default none)",
    )
    return parser
