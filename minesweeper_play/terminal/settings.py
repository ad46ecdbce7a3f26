"""Settings of the screen and the board of the next game, and the file of a user that keeps what was changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from baselines.support.files import write_json
from minesweeper_env.config import BoardConfig
from minesweeper_play.game.session import NoGuess
from minesweeper_play.game.statistics import user_folder
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
    """Settings of the screen.

    Attributes:
        language: the language.
        theme: the brightness of the screen.
        palette: the colours of the board.
        icons: the icons of cells.
        animation: whether openings are animated.
        overlay: how risks are shown on the cells.
    """

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
    """A board to play.

    Attributes:
        config: the board and its rules.
        no_guess: the reasoning that solves it without a guess; False for any board.
        seed: the seed of the game; None draws one.
    """

    config: BoardConfig
    no_guess: NoGuess = False
    seed: int | None = None

    def plain(self) -> dict[str, Any]:
        """Returns the entries of the file for the board, without the seed."""
        config = replace(self.config, no_guess=self.no_guess)
        return {name: getattr(config, name) for name in BOARD_FIELDS}


def first_settings(options: PlayOptions, kept: Mapping[str, Any]) -> tuple[Settings, BoardChoice]:
    """Returns the settings and the board of a command line, and for what it does not state those of the file.

    A command line with a board decides everything about boards, so that it means the same on every computer. Without
    a board, what it states changes the kept one, or else Beginner.

    Raises:
        ValueError, TypeError: the file has a value that is not allowed.
        msgspec.ValidationError: so has it.
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
    """The settings that a user has changed, and the board that the user has chosen.

    Attributes:
        path: the file.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Reads nothing yet.

        Args:
            folder: the folder of the file; None for the user's folder for settings.
        """
        self.path = (user_folder("config") if folder is None else folder) / "settings.json"

    def read(self) -> dict[str, Any]:
        """Returns the object in the file, empty without a file.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file holds no JSON object.
        """
        content = json.loads(self.path.read_bytes()) if self.path.exists() else {}
        if not isinstance(content, dict):
            raise ValueError("the file holds no JSON object")
        return content

    def keep(self, changed: Mapping[str, object]) -> None:
        """Adds changed settings to the file, which has the others already; a damaged file begins anew.

        Raises:
            OSError: the file cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            content = self.read()
        except ValueError:
            content = {}
        write_json(self.path, {**content, **changed})
