"""Settings that outlive the game: a JSON file in the user's folder for settings, with what the user has changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from baselines.support.files import write_json
from minesweeper_env.config import BoardConfig
from minesweeper_play.folders import config_folder, hold, set_aside
from minesweeper_play.game.moves import Report
from minesweeper_play.terminal.choice import BoardChoice
from minesweeper_play.terminal.settings import CHOICES

FILE = "settings.json"
"""The file in the folder."""

BOARD = "board"
"""The key of the board in the file; the other keys are the names of `CHOICES`."""

BOARD_FIELDS = ("rows", "cols", "mines", "first_click", "no_guess")
"""The fields of `BoardConfig` that the board in the file has."""


@dataclass(frozen=True)
class Kept:
    """Settings as a file has them.

    Attributes:
        settings: values of `Settings` by name, as far as the user has changed them.
        board: the board that the user has chosen; None if the user has chosen none.
        problem: the message on what could not be read; its key is "" if all could.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    board: BoardChoice | None = None
    problem: Report = field(default_factory=Report)


class KeptSettings:
    """The settings of a user.

    Attributes:
        path: the file.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Reads nothing yet.

        Args:
            folder: the folder of the file; None for the user's folder for settings.
        """
        self.path = (config_folder() if folder is None else folder) / FILE

    def read(self) -> Kept:
        """Returns the settings; what cannot be read is left out, and `problem` says so."""
        try:
            content = self._content()
        except OSError as error:
            return Kept(problem=self._report("settings_unreadable", reason=error.strerror or str(error)))
        except (ValueError, RecursionError):
            return Kept(problem=self._report("settings_damaged"))
        settings = {name: value for name, value in content.items() if _is_choice(name, value)}
        wrong = sorted((content.keys() & CHOICES.keys()) - settings.keys())
        board = None
        if BOARD in content:
            try:
                board = _board(content[BOARD])
            except (KeyError, TypeError, ValueError):
                wrong.append(BOARD)
        return Kept(settings, board, self._report("settings_wrong", names=", ".join(wrong)) if wrong else Report())

    def keep(self, changed: Mapping[str, object]) -> None:
        """Adds changed settings to the file, which has the others already; a damaged file is copied aside first.

        Args:
            changed: values of `Settings` by name, and a `BoardChoice` as `BOARD`.

        Raises:
            OSError: the file cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with hold(self.path.parent):
            try:
                content = self._content()
            except (ValueError, RecursionError):
                set_aside(self.path)
                content = {}
            content |= {name: _plain(value) for name, value in changed.items()}
            write_json(self.path, content)

    def _content(self) -> dict[str, Any]:
        """Returns the object in the file, empty without a file; raises a ValueError if it holds something else."""
        try:
            content = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        if not isinstance(content, dict):
            raise ValueError("the file holds no JSON object")
        return content

    def _report(self, key: str, **values: object) -> Report:
        return Report(key, values={"path": self.path, **values})


def _is_choice(name: str, value: object) -> bool:
    """Returns whether a value is allowed; to Python True equals 1, which is no size of cells."""
    return any(type(value) is type(choice) and value == choice for choice in CHOICES.get(name, ()))


def _board(content: Any) -> BoardChoice:
    """Returns a board; raises a KeyError, TypeError or ValueError if the content is none."""
    fields = {name: content[name] for name in BOARD_FIELDS}
    level = BoardConfig(**fields).no_guess
    return BoardChoice(BoardConfig(**{**fields, "no_guess": False}), level)


def _plain(value: object) -> object:
    """Converts a value for JSON; of a board it leaves out the seed."""
    if not isinstance(value, BoardChoice):
        return value
    config = replace(value.config, no_guess=value.no_guess)
    return {name: getattr(config, name) for name in BOARD_FIELDS}
