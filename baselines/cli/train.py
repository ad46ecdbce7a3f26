"""`python train.py`: trains an agent and leaves it in a run folder that `evaluate.py` plays."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.cli.arguments import INTERRUPTED, Parser, parse_size, positive_number, whole_number_from
from baselines.extras import MissingExtraError, import_extra
from minesweeper_env.config import FIRST_CLICKS
from minesweeper_env.rewards import REWARDS

if TYPE_CHECKING:
    from baselines.learned.settings import TrainingSettings
    from baselines.learned.training import Outcome

NEEDED = ("torch", "stable_baselines3", "sb3_contrib", "safetensors", "tensorboard", "tqdm")
FAILED = 1
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
        run = _prepare(settings, folder, options.resume, sys.argv[1:] if arguments is None else arguments)
    except (ValueError, OSError, MissingExtraError) as error:
        parser.error(str(error))
    print(f"training {settings.algo} on {_board(settings)} for {_budget(settings)}, in {folder}", flush=True)
    try:
        outcome = run()
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
    parser.add_argument("--algo", choices=("ppo", "dqn"), help="the algorithm (ppo)")
    parser.add_argument("--size", type=parse_size, help="8, or 16x30 for rows x columns (8)")
    parser.add_argument("--mines", type=whole_number_from(1), help="the number of mines (14)")
    parser.add_argument("--first-click", choices=FIRST_CLICKS, help="the first-click rule (opening)")
    parser.add_argument("--minutes", type=positive_number, help="how long to train in all, by the clock (10)")
    parser.add_argument("--steps", type=whole_number_from(1), help="how many steps to train in all, instead")
    parser.add_argument("--out", type=Path, help="the run folder (runs/ALGO-SIZE-MINES)")
    parser.add_argument("--seed", type=whole_number_from(0), help="of all random choices (0)")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint of the run folder")
    parser.add_argument("--reward", choices=REWARDS, help="the reward scheme (safe_click)")
    parser.add_argument("--gamma", type=float, help="the discount factor, 0 to 1 (0)")
    parser.add_argument("--envs", type=whole_number_from(1), help="the games played at once")
    parser.add_argument("--channels", type=whole_number_from(1), help="the width of the network")
    parser.add_argument("--blocks", type=whole_number_from(1), help="the residual blocks of the network")
    parser.add_argument("--eval-games", type=whole_number_from(1), help="the games of each evaluation while training")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), help="where to learn (auto)")
    parser.add_argument("--threads", type=whole_number_from(1), help="the processor threads to learn with (all cores)")
    return parser


def _resolve(options: argparse.Namespace) -> tuple[TrainingSettings, Path]:
    """Returns the settings, and the folder to train in."""
    from baselines.learned.settings import TrainingSettings

    given = _given(options, {field.name for field in fields(TrainingSettings)})
    if options.steps is not None and options.minutes is not None:
        raise ValueError("give either --minutes or --steps")
    if options.resume and options.out is not None:
        return _resumed(options.out, given), options.out
    settings = replace(TrainingSettings(threads=_cores()), **given)
    name = f"{settings.algo}-{settings.rows}x{settings.cols}-{settings.mines}"
    folder = options.out or Path("runs") / name
    return (_resumed(folder, given) if options.resume else settings), folder


def _given(options: argparse.Namespace, names: set[str]) -> dict[str, Any]:
    """Returns the settings that the command line gives; a budget of one kind replaces one of the other."""
    given = {name: value for name, value in vars(options).items() if name in names and value is not None}
    if options.size is not None:
        given["rows"], given["cols"] = options.size
    if options.steps is not None:
        given["minutes"] = None
    if options.minutes is not None:
        given["steps"] = None
    return given


def _resumed(folder: Path, given: dict[str, Any]) -> TrainingSettings:
    from baselines.learned.files import read_json
    from baselines.learned.settings import TrainingSettings
    from baselines.learned.training import RUN_FILE

    if not (folder / RUN_FILE).is_file():
        raise ValueError(f"--resume finds no training in {folder}: there is no {RUN_FILE}")
    settings = TrainingSettings.from_json(read_json(folder / RUN_FILE).get("settings"))
    for name, value in given.items():
        if name not in MAY_CHANGE and value != getattr(settings, name):
            raise ValueError(f"the training in {folder} has {name} {getattr(settings, name)}, not {value}")
    return replace(settings, **given)


def _prepare(settings: TrainingSettings, folder: Path, resume: bool, arguments: Sequence[str]) -> Callable[[], Outcome]:
    """Returns what trains in the folder, which is made last, when nothing else is wrong."""
    if not resume and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} exists and is not empty; go on with --resume, or choose another --out")
    from baselines.learned.training import TrainingRun

    run = TrainingRun(settings, folder, shlex.join(["python", "train.py", *arguments]), resume=resume)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be made: {error.strerror}") from error
    return run.run


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _board(settings: TrainingSettings) -> str:
    return f"{settings.rows}x{settings.cols} with {settings.mines} mines"


def _budget(settings: TrainingSettings) -> str:
    return f"{settings.steps} steps" if settings.minutes is None else f"{settings.minutes:g} minutes"


def _report(outcome: Outcome, settings: TrainingSettings, folder: Path) -> str:
    rate = "not evaluated" if outcome.win_rate is None else f"{outcome.win_rate:.1%} of {settings.eval_games} games won"
    evaluate = (
        f"python evaluate.py --policy {shlex.quote(str(folder))} --size {settings.rows}x{settings.cols} "
        f"--mines {settings.mines} --first-click {settings.first_click}"
    )
    state = "interrupted" if outcome.interrupted else "trained"
    return f"{state} after {outcome.steps} steps: agent in {folder} ({rate} while training); {evaluate}"
