"""A training in its run folder, from the checks to the last lines."""

from __future__ import annotations

import argparse
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.cli.arguments import FAILED, INTERRUPTED, Parser
from baselines.cli.failures import explain
from baselines.cli.start import announce, sibling
from baselines.cli.training.games import Game
from baselines.learned.settings.files import RUN_FILE
from baselines.support.extras import MissingExtraError, check_extra, import_extra
from baselines.support.files import check_folder, check_writable, hold_folder, is_empty
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from baselines.learned.training.run import Outcome
    from baselines.learned.training.session import Training
    from baselines.terminal.tables import Page

NEEDED = ("torch", "stable_baselines3", "sb3_contrib", "safetensors", "scipy", "matplotlib", "rich")
"""Packages of a training."""


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
            log_to = getattr(options, "log_to", [])
            for module in NEEDED:
                check_extra(module)
            for tracker in log_to:
                check_extra(tracker, tracker)
            settings, folder = game.settings_and_folder(options)
            check_folder(folder)
            if not options.resume:
                check_unused(folder)
            announce(f"Train {settings.title} for {settings.budget_in_words}, in {folder}")
            training = _prepare(game, settings, folder, options.resume, held)
        except (ValueError, OSError, MissingExtraError) as error:
            parser.error(str(error))
        return _train(parser.prog, training, folder, game, command, log_to)


def _train(program: str, training: Training, folder: Path, game: Game, command: str, log_to: Sequence[str]) -> int:
    """Trains, and reports the result; returns the exit status."""
    from baselines.learned.training.run import run
    from baselines.learned.training.session import stopped_at_once

    try:
        outcome = run(training, command, log_to=log_to)
    except OSError as error:
        saved = f"--resume continues, and what was saved before is in {folder}"
        say(f"{program}: {explain(error)}; {saved}")
        return FAILED
    except KeyboardInterrupt:
        say(f"{program}: {stopped_at_once(folder)}")
        return INTERRUPTED
    report(program, game, outcome, training.settings, folder).print()
    return INTERRUPTED if outcome.interrupted else 0


def report(program: str, game: Game, outcome: Outcome, settings: Any, folder: Path) -> Page:
    """Returns the last lines of a training; they wrap, but the command to copy does not."""
    from baselines.terminal.tables import Page

    page = Page.for_stdout()
    for line in outcome.in_words(settings.eval_games, folder):
        page.note(line)
    page.line(f"{sibling(program, 'train', 'evaluate')} {game.evaluation(settings, folder)}")
    return page


def _prepare(game: Game, settings: Any, folder: Path, resume: bool, held: ExitStack) -> Training:
    """Returns a training that is ready to run, in its folder, which `held` locks."""
    import_extra("torch")
    game.check_resources(settings, folder)
    # The lock comes before the checkpoint is read, because a session that is about to end writes one more.
    held.enter_context(run_folder(folder))
    if not resume:
        check_unused(folder)
    check_writable(folder / RUN_FILE)
    return game.prepare(settings, folder, resume)


@contextmanager
def run_folder(folder: Path) -> Generator[None]:
    """Makes a run folder and locks it; a new folder that is still empty in the end is removed.

    Raises:
        ValueError: the folder cannot be made, or another process writes into it.
    """
    new = not folder.exists()
    with ExitStack() as lock:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock.enter_context(hold_folder(folder))
        except OSError as error:
            raise ValueError(f"the folder {folder} cannot be used: {error.strerror}") from error
        try:
            yield
        finally:
            if new:
                with suppress(OSError):
                    folder.rmdir()


def check_unused(folder: Path) -> None:
    """Raises a ValueError if a folder for a new training holds files."""
    if folder.exists() and not (folder.is_dir() and is_empty(folder)):
        raise ValueError(f"{folder} exists and is not empty; go on with --resume, or choose another --out")
