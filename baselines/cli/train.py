"""`python train.py`: trains an agent and leaves it in a run folder that `evaluate.py` plays."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import fields, replace
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

from baselines.cli.arguments import FAILED, INTERRUPTED, SIDE, Parser, parse_size, whole_number_from
from baselines.cli.start import announce, sibling, typed_command
from baselines.learned.settings.files import RUN_FILE, configuration_notes, read_configuration
from baselines.learned.settings.hyperparameters import ALGORITHMS
from baselines.learned.settings.options import describe, options_of
from baselines.learned.settings.retired import present_names
from baselines.learned.settings.training import TrainingSettings
from baselines.support.board_names import board_name, file_name, size_name
from baselines.support.extras import MissingExtraError, check_extra
from baselines.support.files import check_writable, hold_folder, is_empty, read_json
from minesweeper_env.compilation.live_line import live_line
from minesweeper_env.config import default_mines, usual_mines_text

if TYPE_CHECKING:
    from baselines.learned.training.run import Outcome, Training
    from baselines.terminal.page import Page

NEEDED = ("torch", "stable_baselines3", "sb3_contrib", "safetensors", "tensorboard", "scipy", "matplotlib")
PROGRAM = "train.py"
EXAMPLES = """\
examples:
  {0} --config quick
  {0} --algo dqn --size 5 --mines 3 --steps 100000 --out runs/small
  {0} --resume --out runs/small --steps 200000
"""
MAY_CHANGE = ("minutes", "steps", "device", "threads")
"""The settings that a resumed training need not share with its first session."""


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: those after the name of the command; None for the ones it was started with.
        program: name of the command, as the user typed it.

    Returns:
        0 when the training is done, 130 when SIGINT or SIGTERM ended it with a checkpoint, 1 when a file
        could not be written.
    """
    parser = _make_parser(program)
    options = parser.parse_args(arguments)
    with ExitStack() as held:
        try:
            for module in NEEDED:
                check_extra(module)
            settings, folder = _resolve(options)
            if not options.resume:
                _check_unused(folder)
            announce(f"Train {settings.algo} on {', '.join(settings.boards)} for {_budget(settings)}, in {folder}")
            with live_line():
                training = _prepare(settings, folder, options.resume, held)
        except (ValueError, OSError, MissingExtraError) as error:
            parser.error(str(error))
        return _train(program, training, folder, typed_command(program, arguments))


def _train(program: str, training: Training, folder: Path, command: str) -> int:
    """Trains, and reports the result; returns the exit status."""
    try:
        from baselines.learned.training.run import run

        outcome = run(training, command)
    except OSError as error:
        print(f"{program}: {error}; what was saved before is in {folder}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print(f"{program}: {_stopped_at_once(folder)}", file=sys.stderr)
        return INTERRUPTED
    _report(outcome, training.settings, folder, sibling(program, "train", "evaluate")).print()
    return INTERRUPTED if outcome.interrupted else 0


def _make_parser(program: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=program,
        description="Train a Minesweeper agent by reinforcement learning.",
        epilog="\n".join(
            [EXAMPLES.format(typed_command(program, ())), _configuration_help(), "", _hyperparameter_help()]
        ),
    )
    whole, task = whole_number_from(1), parser.add_argument_group("what to train")
    task.add_argument(
        "--config", metavar="NAME|FILE.toml", help="train this configuration, listed below, or that of a file"
    )
    task.add_argument(
        "--size",
        type=parse_size,
        metavar="SIZE",
        help=f"train on a square board of this side, or on ROWSxCOLS (default {SIDE})",
    )
    task.add_argument(
        "--mines", type=whole, metavar="N", help=f"hide N mines (default {usual_mines_text()}; other sizes need it)"
    )
    task.add_argument(
        "--boards",
        nargs="+",
        metavar="BOARD",
        help="train on these boards in turn, such as 5x5/5 16x30/99, instead of --size and --mines",
    )
    _add_options(task, ("algo", "first_click", "reward", "gamma", "teacher", "start", "seed"))
    length = parser.add_argument_group("length and place")
    length.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write the run folder DIR (default runs/ALGO-SIZE-MINES, or runs/CONFIG)",
    )
    length.add_argument(
        "--resume",
        action="store_true",
        help="continue from the last checkpoint in --out, perhaps to other --minutes or --steps",
    )
    length.add_argument(
        "--threads", type=whole, metavar="N", help="use N processor threads of PyTorch (default all cores)"
    )
    _add_options(length, ("minutes", "steps", "device"))
    how = parser.add_argument_group("how to train")
    _add_options(how, ("envs", "channels", "depth", "precision", "optimizer", "eval_games"))
    how.add_argument("--set", nargs="+", metavar="NAME=VALUE", help="set hyperparameters, which are listed below")
    return parser


def _add_options(group: argparse._ArgumentGroup, names: Sequence[str]) -> None:
    """Adds arguments for settings, by their declarations."""
    declared = {entry.name: (entry, option) for entry, option in options_of(TrainingSettings)}
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


def _help_width() -> int:
    return max(get_terminal_size().columns - 2, 20)


def _configuration_help() -> str:
    lines = ["configurations (--config NAME):"]
    for name, note in configuration_notes().items():
        budget = _budget(TrainingSettings.from_some(read_configuration(name)))
        text = f"{name} ({budget}): {note}"
        lines.append(fill(text, _help_width(), initial_indent="  ", subsequent_indent=" " * 6, break_on_hyphens=False))
    return "\n".join(lines)


def _hyperparameter_help() -> str:
    width = _help_width()
    lines = ["hyperparameters (--set NAME=VALUE), by algorithm:"]
    for algo, hyperparameters in ALGORITHMS.items():
        lines.append(f"  {algo}")
        texts = [f"{entry.name}: {describe(entry, option)}" for entry, option in options_of(hyperparameters)]
        lines += [fill(text, width, initial_indent=" " * 4, subsequent_indent=" " * 8) for text in texts]
    return "\n".join(lines)


def _resolve(options: argparse.Namespace) -> tuple[TrainingSettings, Path]:
    """Returns the settings, and the folder to train in."""
    given = _given(options, {field.name for field in fields(TrainingSettings)})
    if options.steps is not None and options.minutes is not None:
        raise ValueError("give either --minutes or --steps")
    if options.resume and options.out is not None:
        return _resumed(options.out, given), options.out
    start = {"threads": _cores(), **(read_configuration(options.config) if options.config else {})}
    given["hyperparameters"] = {**_table(start.get("hyperparameters", {})), **given.get("hyperparameters", {})}
    settings = TrainingSettings.from_some({**start, **given})
    folder = options.out or Path("runs") / (Path(options.config).stem if options.config else _name(settings))
    return (_resumed(folder, given) if options.resume else settings), folder


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"hyperparameters must be a table, not {value!r}")
    return value


def _name(settings: TrainingSettings) -> str:
    return "-".join([settings.algo, *(file_name(board) for board in settings.boards)])


def _given(options: argparse.Namespace, names: set[str]) -> dict[str, Any]:
    """Returns the settings that the command line gives; a budget of one kind replaces one of the other."""
    given = {name: value for name, value in vars(options).items() if name in names and value is not None}
    if options.size is not None or options.mines is not None:
        if options.boards is not None:
            raise ValueError("give either --boards or --size and --mines")
        rows, cols = options.size or (SIDE, SIDE)
        given["boards"] = (board_name(rows, cols, options.mines or default_mines(rows, cols)),)
    if options.steps is not None:
        given["minutes"] = None
    if options.minutes is not None:
        given["steps"] = None
    if options.set is not None:
        given["hyperparameters"] = dict(_assignment(text) for text in options.set)
    return given


def _assignment(text: str) -> tuple[str, int | float]:
    """Returns the name and the number of a text such as "batch_size=128"."""
    name, _, value = text.partition("=")
    for number in (int, float):
        try:
            return name, number(value)
        except ValueError:
            continue
    raise ValueError(f"a hyperparameter is set by NAME=NUMBER, not {text!r}")


def _resumed(folder: Path, given: dict[str, Any]) -> TrainingSettings:
    if not (folder / RUN_FILE).is_file():
        raise ValueError(f"--resume finds no training in {folder}: there is no {RUN_FILE}")
    settings = TrainingSettings.from_json(read_json(folder / RUN_FILE).get("settings"))
    for name, value in given.items():
        current = getattr(settings, name)
        if name == "hyperparameters":
            current, value = current.to_json(), current.to_json() | present_names(value)
        if name not in MAY_CHANGE and value != current:
            raise ValueError(f"the training in {folder} has {name} {current}, not {value}")
    return replace(settings, **{name: value for name, value in given.items() if name in MAY_CHANGE})


def _prepare(settings: TrainingSettings, folder: Path, resume: bool, held: ExitStack) -> Training:
    """Returns a training that is ready to run, in its folder, which `held` locks; an error leaves no new folder."""
    from baselines.learned.training.resources import check_resources
    from baselines.learned.training.run import prepare

    check_resources(settings, folder)
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The lock comes before the checkpoint is read, because a session that is about to end writes one more.
        held.enter_context(hold_folder(folder))
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be used: {error.strerror}") from error
    try:
        if not resume:
            _check_unused(folder)
        check_writable(folder / RUN_FILE)
        return prepare(settings, folder, resume)
    except BaseException:
        if new:
            with suppress(OSError):
                folder.rmdir()
        raise


def _check_unused(folder: Path) -> None:
    if folder.exists() and not (folder.is_dir() and is_empty(folder)):
        raise ValueError(f"{folder} exists and is not empty; go on with --resume, or choose another --out")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _budget(settings: TrainingSettings) -> str:
    if settings.minutes is not None:
        return f"{settings.minutes:g} minutes"
    return f"{settings.steps:_} steps".replace("_", " ")


def _report(outcome: Outcome, settings: TrainingSettings, folder: Path, evaluate: str) -> Page:
    """Returns the last lines of a training; they wrap, but the command to copy does not."""
    from baselines.terminal.page import Page

    board = settings.configs[0]
    command = (
        f"{evaluate} --policy {shlex.quote(str(folder))} --size {size_name(board.rows, board.cols)} "
        f"--mines {board.mines} --first-click {board.first_click}"
    )
    state = "interrupted" if outcome.interrupted else "trained"
    time = ", ".join(f"{name} {fraction:.1%}" for name, fraction in outcome.time_fractions.items())
    lines = [f"{state} after {outcome.steps} steps: agent of step {outcome.kept_steps} in {folder}"]
    if outcome.kept_steps != outcome.steps:
        lines.append(_newer_weights(outcome))
    if outcome.summary:
        lines.append(f"of {settings.eval_games} selection games: {outcome.summary}")
    if time:
        lines.append(f"time: {time}")
    page = Page.for_stdout()
    for line in lines:
        page.note(line)
    page.line(command)
    return page


def _newer_weights(outcome: Outcome) -> str:
    """Returns a line about the newest weights, which are not those of the kept agent."""
    if outcome.newest is None:
        return f"the newest weights, of step {outcome.steps}, have not been evaluated; --resume continues with them"
    newest = f"the newest weights, of step {outcome.steps}, win {outcome.newest:.1%} of the selection games"
    return f"{newest}, fewer than the kept agent"


def _stopped_at_once(folder: Path) -> str:
    """Returns a line about the files that a second Ctrl-C leaves."""
    from baselines.learned.agents.storage import kept_step

    steps = kept_step(folder)
    agent = "there is no agent yet" if steps is None else f"the kept agent is of step {steps}"
    return f"stopped at once; {agent}, and --resume continues from the last checkpoint in {folder}"
