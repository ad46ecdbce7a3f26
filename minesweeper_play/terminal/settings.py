"""Settings of the screen: language, colours, icons, size of cells, animation, keys, and how risks are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from minesweeper_play.options import ICONS, LANGUAGES, PALETTES, Language, PlayOptions
from minesweeper_play.terminal.board.canvas import Appearance
from minesweeper_play.terminal.board.palette import PALETTES as COLOURS
from minesweeper_play.terminal.board.picture import RISK_STYLES, RiskStyle

THEMES: dict[str, str] = {"dark": "textual-dark", "light": "textual-light"}
"""The themes of Textual by the brightness of the screen."""

CHOICES: Mapping[str, tuple[object, ...]] = {
    "language": LANGUAGES,
    "theme": tuple(THEMES),
    "palette": PALETTES,
    "icons": ICONS,
    "zoom": (None, 0, 1, 2),
    "animation": (True, False),
    "vi_keys": (False, True),
    "overlay": RISK_STYLES,
}
"""The values of each setting."""


@dataclass(frozen=True)
class Settings:
    """Settings of the screen, each one of its `CHOICES`.

    Attributes:
        language: the language.
        theme: the brightness of the screen.
        palette: the colours of the board.
        icons: the icons of cells.
        zoom: the size of cells: the largest that fits, or an index of `CELL_SIZES`.
        animation: whether openings are animated.
        vi_keys: whether h, j, k and l move the cursor; then H asks for a hint.
        overlay: how risks are shown on the cells.
    """

    language: Language = "en"
    theme: str = "dark"
    palette: str = "standard"
    icons: str = "plain"
    zoom: int | None = None
    animation: bool = True
    vi_keys: bool = False
    overlay: RiskStyle = "off"

    @classmethod
    def of(cls, options: PlayOptions, kept: Mapping[str, Any] | None = None) -> Settings:
        """Returns the settings of a command line, and for those that it does not state the kept ones.

        Args:
            options: the command line.
            kept: settings by name that earlier games kept; None for none.
        """
        settings = cls(options.language, palette=options.palette, icons=options.icons, animation=options.animation)
        return replace(settings, **{name: value for name, value in (kept or {}).items() if name not in options.given})

    @property
    def appearance(self) -> Appearance:
        """The look of boards."""
        return Appearance(COLOURS[self.theme, self.palette == "colour-blind"], self.icons, self.zoom)
