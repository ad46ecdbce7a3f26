"""`python train.py`: trains an agent and leaves it in a run folder that `evaluate.py` plays."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.cli.arguments import FAILED, INTERRUPTED, Parser, parse_size, positive_number, whole_number_from
from baselines.support.board_names import board_name, file_name, size_name
from baselines.support.extras import MissingExtraError, import_extra
from baselines.support.files import check_writable, hold_folder
from minesweeper_env.config import FIRST_CLICKS
from minesweeper_env.rewards import REWARDS

if TYPE_CHECKING:
    from baselines.learned.settings.training import TrainingSettings
    from baselines.learned.training.run import Outcome, Training

NEEDED = ("torch", "stable_baselines3", "sb3_contrib", "safetensors", "tensorboard", "tqdm", "matplotlib")
MAY_CHANGE = ("minutes", "steps", "device", "threads")
"""The settings that a resumed training need not share with its first session."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: those after the name of the command; None for the ones it was started with.

    Returns:
        0 when the training is done, 130 when SIGINT or SIGTERM ended it with a checkpoint, 1 when a file
        could not be written.
    """
    parser = _make_parser()
    options = parser.parse_args(arguments)
    try:
        for module in NEEDED:
            import_extra(module)
        settings, folder = _resolve(options)
        training = _prepare(settings, folder, options.resume)
    except (ValueError, OSError, MissingExtraError) as error:
        parser.error(str(error))
    boards = ", ".join(settings.boards)
    print(f"training {settings.algo} on {boards} for {_budget(settings)}, in {folder}", flush=True)
    try:
        from baselines.learned.training.run import run

        with hold_folder(folder):
            outcome = run(training, _command(arguments))
    except OSError as error:
        print(f"{parser.prog}: {error}; what was saved before is in {folder}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print(f"{parser.prog}: stopped at once; what was saved before is in {folder}", file=sys.stderr)
        return INTERRUPTED
    print(_report(outcome, settings, folder))
    return INTERRUPTED if outcome.interrupted else 0


def _make_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="train.py", description="Train a Minesweeper agent by reinforcement learning.")
    whole = whole_number_from(1)
    what = parser.add_argument_group("what to train")
    what.add_argument("--config", help="settings to start from: one that comes with the package, or a .toml file")
    what.add_argument("--algo", choices=("ppo", "plain-ppo", "dqn", "value"), help="the algorithm (ppo)")
    what.add_argument("--size", type=parse_size, help="8, or 16x30 for rows x columns (8)")
    what.add_argument("--mines", type=whole, help="the number of mines (14)")
    what.add_argument("--boards", nargs="+", metavar="BOARD", help="several boards in turn, such as 5x5/5 16x30/99")
    what.add_argument("--first-click", choices=FIRST_CLICKS, help="the first-click rule (opening)")
    what.add_argument("--reward", choices=REWARDS, help="the reward scheme (safe_click)")
    what.add_argument("--gamma", type=float, help="the discount factor, 0 to 1 (0)")
    what.add_argument("--teacher", choices=("none", "exact"), help="exact: learn the oracle's probabilities (none)")
    what.add_argument("--start", metavar="AGENT", help="a run folder, or an agent by name, that the network begins as")
    what.add_argument("--seed", type=whole_number_from(0), help="of all random choices (0)")
    length = parser.add_argument_group("how long, and where")
    length.add_argument("--minutes", type=positive_number, help="how long to train in all, by the clock (10)")
    length.add_argument("--steps", type=whole, help="how many steps to train in all, instead")
    length.add_argument("--out", type=Path, help="the run folder (runs/ALGO-SIZE-MINES, or runs/CONFIG)")
    length.add_argument("--resume", action="store_true", help="go on from the last checkpoint of the run folder")
    length.add_argument("--device", choices=("auto", "cpu", "cuda"), help="where to learn (auto)")
    length.add_argument("--threads", type=whole, help="the processor threads to learn with (all cores)")
    size = parser.add_argument_group("how")
    size.add_argument("--envs", type=whole, help="the games played at once (256)")
    size.add_argument("--channels", type=whole, help="the width of the network (32)")
    size.add_argument("--depth", type=whole, help="how many times the network applies its block (6)")
    size.add_argument(
        "--precision", choices=("float32", "bfloat16"), help="number format of the convolutions (default float32)"
    )
    size.add_argument("--optimizer", choices=("muon", "adam"), help="what takes the steps (muon)")
    size.add_argument("--eval-games", type=whole, help="the games of each evaluation while training (300)")
    size.add_argument("--set", nargs="+", metavar="NAME=VALUE", help="hyperparameters of the algorithm")
    return parser


def _resolve(options: argparse.Namespace) -> tuple[TrainingSettings, Path]:
    """Returns the settings, and the folder to train in."""
    from baselines.learned.settings.files import read_configuration
    from baselines.learned.settings.training import TrainingSettings

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
        rows, cols = options.size or (8, 8)
        given["boards"] = (board_name(rows, cols, options.mines or 14),)
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
    from baselines.learned.common.tensor_files import read_json
    from baselines.learned.settings.retired import present_names
    from baselines.learned.settings.training import TrainingSettings
    from baselines.learned.training.run import RUN_FILE

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


def _command(arguments: Sequence[str] | None) -> str:
    return shlex.join(["python", "train.py", *(sys.argv[1:] if arguments is None else arguments)])


def _prepare(settings: TrainingSettings, folder: Path, resume: bool) -> Training:
    """Returns a training that is ready to run, and makes its folder; an error leaves no new folder."""
    if not resume and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} exists and is not empty; go on with --resume, or choose another --out")
    from baselines.learned.training.resources import check_resources
    from baselines.learned.training.run import RUN_FILE, prepare

    check_resources(settings, folder)
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be made: {error.strerror}") from error
    try:
        check_writable(folder / RUN_FILE)
        return prepare(settings, folder, resume)
    except (ValueError, OSError):
        if new:
            folder.rmdir()
        raise


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _budget(settings: TrainingSettings) -> str:
    return f"{settings.steps} steps" if settings.minutes is None else f"{settings.minutes:g} minutes"


def _report(outcome: Outcome, settings: TrainingSettings, folder: Path) -> str:
    board = settings.configs[0]
    evaluate = (
        f"python evaluate.py --policy {shlex.quote(str(folder))} --size {size_name(board.rows, board.cols)} "
        f"--mines {board.mines} --first-click {board.first_click}"
    )
    state = "interrupted" if outcome.interrupted else "trained"
    time = ", ".join(f"{name} {share:.1%}" for name, share in outcome.shares.items())
    lines = [f"{state} after {outcome.steps} steps: agent in {folder}"]
    if outcome.summary:
        lines.append(f"of {settings.eval_games} selection games: {outcome.summary}")
    if time:
        lines.append(f"time: {time}")
    return "\n".join([*lines, evaluate])
