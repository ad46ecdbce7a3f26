"""Settings of the screen: language, colours, icons, size of cells, animation, keys."""

from __future__ import annotations

from dataclasses import dataclass

from minesweeper_play.options import Language, PlayOptions
from minesweeper_play.terminal.board.canvas import Appearance
from minesweeper_play.terminal.board.icons import ICONS
from minesweeper_play.terminal.board.palette import PALETTES

ZOOMS: tuple[int | None, ...] = (None, 0, 1, 2)
"""The sizes of cells to choose from: the largest that fits, or an index of `CELL_SIZES`."""

THEMES: dict[str, str] = {"dark": "textual-dark", "light": "textual-light"}
"""The themes of Textual by the brightness of the screen."""


@dataclass(frozen=True)
class Settings:
    """Settings of the screen.

    Attributes:
        language: the language.
        theme: "dark" or "light".
        palette: "standard" or "colour-blind".
        icons: "plain" or "nerd".
        zoom: one of `ZOOMS`.
        animation: whether openings are animated.
        vi_keys: whether h, j, k and l move the cursor; then H asks for a hint.
    """

    language: Language = "en"
    theme: str = "dark"
    palette: str = "standard"
    icons: str = "plain"
    zoom: int | None = None
    animation: bool = True
    vi_keys: bool = False

    @classmethod
    def of(cls, options: PlayOptions) -> Settings:
        """Returns the settings that a command line asks for."""
        return cls(options.language, palette=options.palette, icons=options.icons, animation=options.animation)

    @property
    def appearance(self) -> Appearance:
        """How boards look."""
        palette = PALETTES[self.theme, self.palette == "colour-blind"]
        return Appearance(palette, self.icons if self.icons in ICONS else "plain", self.zoom)
