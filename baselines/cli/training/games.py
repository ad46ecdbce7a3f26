"""Games to train on, for the commands that train."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from baselines.learned.settings.command_line import settings_and_folder
from baselines.learned.settings.training import TrainingSettings
from baselines.support.board_names import size_name

if TYPE_CHECKING:
    from baselines.learned.training.session import Training


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
