"""`train.py --ray`: train on a node of a cluster, with the run folder on this machine."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.cli.arguments import FAILED, INTERRUPTED, Parser
from baselines.cli.distribution.workers import check_workers
from baselines.cli.failures import explain
from baselines.cli.start import announce
from baselines.cli.training.games import Minesweeper
from baselines.cli.training.running import NEEDED, check_unused, report, run_folder
from baselines.learned.settings.files import RUN_FILE
from baselines.learned.settings.training import TrainingSettings
from baselines.support.extras import MissingExtraError, check_extra
from baselines.support.files import check_folder
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from baselines.learned.training.on_nodes import TrainingPool
    from baselines.learned.training.run import Outcome


def train_on_cluster(parser: Parser, options: argparse.Namespace, command: str) -> int:
    """Trains on a node; bad options exit with status 2 and one line.

    Args:
        parser: of the command, which reports bad options.
        options: of `train.py`, with `ray`.
        command: the command line, recorded in the run folder.

    Returns:
        The exit status, as `baselines.cli.train.main` returns it.
    """
    with ExitStack() as held:
        try:
            settings, folder = _check(options)
            announce(f"Train {settings.title} for {settings.budget_in_words} on the cluster {options.ray}, in {folder}")
            held.enter_context(run_folder(folder))
        except (ValueError, OSError, MissingExtraError) as error:
            parser.error(explain(error))
        return _train(parser.prog, settings, folder, options.ray, command)


def _check(options: argparse.Namespace) -> tuple[TrainingSettings, Path]:
    """Returns the settings and the run folder.

    Raises:
        ValueError: an option is not allowed.
        MissingExtraError: a package is not installed.
    """
    for module in NEEDED:
        check_extra(module)
    check_workers(options)
    settings, folder = Minesweeper().settings_and_folder(options)
    check_folder(folder)
    if not options.resume:
        check_unused(folder)
    return settings, folder


def _train(program: str, settings: TrainingSettings, folder: Path, address: str, command: str) -> int:
    from baselines.executors.errors import WorkerError

    try:
        outcome = _outcome(settings, folder, address, command)
    except KeyboardInterrupt:
        say(f"{program}: stopped at once{_saved(folder)}")
        return INTERRUPTED
    except (OSError, ValueError, WorkerError) as error:
        say(f"{program}: {explain(error)}{_saved(folder)}")
        return FAILED
    report(program, Minesweeper(), outcome, settings, folder).print()
    return INTERRUPTED if outcome.interrupted else 0


def _saved(folder: Path) -> str:
    """Returns how to go on; nothing without a checkpoint."""
    return f"; --resume continues from the last checkpoint in {folder}" if (folder / RUN_FILE).is_file() else ""


def _outcome(settings: TrainingSettings, folder: Path, address: str, command: str) -> Outcome:
    from baselines.learned.training.on_nodes import RemoteTraining, training_pool, training_work

    with training_pool(address, settings) as pool:
        work = training_work(settings, command)
        training = RemoteTraining(f"the training in {folder}", work, folder, settings.start)
        (outcome,) = pool.run([training], _Checkpoints(pool, folder).show)
    return outcome


class _Checkpoints:
    """Prints a line when a checkpoint has arrived."""

    def __init__(self, pool: TrainingPool, folder: Path) -> None:
        self._pool, self._folder, self._shown = pool, folder, 0

    def show(self) -> None:
        steps = self._pool.steps(self._folder)
        if steps is not None and steps > self._shown:
            self._shown = steps
            say(f"step {steps}: the checkpoint is in {self._folder}")
