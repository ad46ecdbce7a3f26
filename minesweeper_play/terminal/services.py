"""Services that all screens share: settings and their file, texts, statistics, and the board of the next game."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from baselines.cli.start import explain
from baselines.support.files import write_json
from minesweeper_env.config import BoardConfig
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.game.moves import Report
from minesweeper_play.game.session import NoGuess, Session
from minesweeper_play.game.statistics import Statistics, user_folder
from minesweeper_play.options import Icons, Language, Palette, PlayOptions
from minesweeper_play.terminal.drawing import ICONS, Pencil, RiskStyle
from minesweeper_play.terminal.palette import PALETTES

Theme = Literal["dark", "light"]

CHOICES: Mapping[str, tuple[Any, ...]] = {
    "language": get_args(Language),
    "theme": get_args(Theme),
    "palette": get_args(Palette),
    "icons": get_args(Icons),
    "animation": (True, False),
}
"""The values of the settings that the dialog offers; the overlay has a key of its own."""

BOARD_FIELDS = ("rows", "cols", "mines", "first_click", "no_guess")
"""The fields of `BoardConfig` that the board in the file has."""


class Settings(msgspec.Struct, frozen=True):
    """Settings of the screen; `overlay` is how risks are shown on the cells."""

    language: Language = "en"
    theme: Theme = "dark"
    palette: Palette = "standard"
    icons: Icons = "plain"
    animation: bool = True
    overlay: RiskStyle = "off"

    @property
    def pencil(self) -> Pencil:
        """The look of boards."""
        return Pencil(PALETTES[self.theme, self.palette == "colour-blind"], ICONS[self.icons])


@dataclass(frozen=True)
class BoardChoice:
    """A board to play, with the reasoning that solves it without a guess; a `seed` of None draws one."""

    config: BoardConfig
    no_guess: NoGuess = False
    seed: int | None = None


def first_settings(options: PlayOptions, kept: Mapping[str, Any]) -> tuple[Settings, BoardChoice]:
    """Returns the settings and the board of a command line, and for what it does not state those of the file.

    A command line with a board decides everything about boards, so that it means the same on every computer. Without
    a board, what it states changes the kept one, or else Beginner.

    Raises:
        ValueError, TypeError, KeyError, msgspec.ValidationError: the file has a value that is not allowed.
    """
    stated = {name: getattr(options, name) for name in ("language", "palette", "icons", "animation")}
    known = {name: kept[name] for name in Settings.__struct_fields__ if name in kept and name not in options.given}
    settings = msgspec.convert({**stated, **known}, Settings)
    if options.config is not None or "board" not in kept:
        config = options.config or BoardConfig.of_size(9, first_click=options.first_click)
        return settings, BoardChoice(config, options.no_guess, options.seed)
    board = BoardConfig(**{name: kept["board"][name] for name in BOARD_FIELDS})
    level = options.no_guess if "no_guess" in options.given else board.no_guess
    rule = options.first_click if "first_click" in options.given else board.first_click
    return settings, BoardChoice(replace(board, no_guess=False, first_click=rule), level, options.seed)


class KeptSettings:
    """The file of the settings that a user has changed, and of the board that the user has chosen."""

    def __init__(self, folder: Path | None = None) -> None:
        """Takes the folder of the file; None is the user's folder for settings."""
        self.path = (user_folder("config") if folder is None else folder) / "settings.json"

    def read(self) -> dict[str, Any]:
        """Returns the object in the file, empty without a file; raises an OSError or a ValueError if it is damaged."""
        content = json.loads(self.path.read_bytes()) if self.path.exists() else {}
        if not isinstance(content, dict):
            raise ValueError("the file holds no JSON object")
        return content

    def keep(self, changed: Mapping[str, object]) -> None:
        """Adds changed settings to the file, as it is now; a damaged file begins anew. Raises an OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            content = self.read()
        except ValueError:
            content = {}
        write_json(self.path, {**content, **changed})


class Services:
    """What the screens of one program share.

    Attributes:
        choice: the board of the next game; `choose` replaces it.
        statistics: the statistics; None where none are kept, as for visitors of a web page.
        problem: what went wrong with the settings at the start; its key is "" if nothing did.
        on_change, warn: called after settings have changed, and with what the player has to know.
    """

    def __init__(self, options: PlayOptions, statistics: Statistics | None, kept: KeptSettings | None) -> None:
        """Takes the settings of a file and of the command line; a `kept` of None keeps none."""
        self.statistics, self._kept = statistics, kept
        self.problem = Report()
        self.on_change: Callable[[], object] = lambda: None
        self.warn: Callable[[Report], object] = lambda _: None
        try:
            self.settings, self.choice = first_settings(options, {} if kept is None else kept.read())
        except (OSError, ValueError, KeyError, TypeError) as error:
            assert kept is not None, "the command line has been checked"
            self.problem = Report("settings_unreadable", values={"path": kept.path, "reason": explain(error)})
            self.settings, self.choice = first_settings(options, {})

    @property
    def catalogue(self) -> Catalogue:
        """The texts in the language of the settings."""
        return Catalogue(self.settings.language)

    def text(self, key: str, **values: object) -> str:
        """Returns a text in the language of the settings."""
        return self.catalogue.text(key, **values)

    def change(self, **changed: Any) -> None:
        """Changes settings by name, and keeps for later games those that are new."""
        before, self.settings = self.settings, msgspec.structs.replace(self.settings, **changed)
        self._keep({name: value for name, value in changed.items() if value != getattr(before, name)})
        self.on_change()

    def choose(self, choice: BoardChoice) -> None:
        """Takes another board for the next games, and keeps it for later ones, without its seed."""
        self.choice = choice
        config = replace(choice.config, no_guess=choice.no_guess)
        self._keep({"board": {name: getattr(config, name) for name in BOARD_FIELDS}})

    def next_session(self) -> Session:
        """Returns a new game on the chosen board; after a given seed come the seeds that follow it."""
        choice = self.choice
        if choice.seed is not None:
            self.choice = replace(choice, seed=choice.seed + 1)
        return Session(choice.config, seed=choice.seed, no_guess=choice.no_guess)

    def _keep(self, changed: dict[str, object]) -> None:
        """Keeps changed settings for later games; where that fails, one warning says so."""
        if self._kept is None or not changed:
            return
        try:
            self._kept.keep(changed)
        except OSError as error:
            values = {"path": self._kept.path, "reason": error.strerror or str(error)}
            self._kept = None
            self.warn(Report("settings_failed", values=values))
