"""Options of `play.py`, as its command line gives them to the game, the window and the coach."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from minesweeper_env.config import BoardConfig

Language = Literal["en", "es"]

LANGUAGES: tuple[Language, ...] = ("en", "es")
"""The languages of the game."""

ICONS = ("plain", "nerd")
"""The sets of icons: characters of every terminal, and characters of a Nerd Font."""

PALETTES = ("standard", "colour-blind")
"""The sets of colours."""


@dataclass(frozen=True)
class PlayOptions:
    """Choice of the game, and of its look.

    Attributes:
        program: the command as the user typed it, for messages: "play.py" or "minesweeper play".
        language: the language of the game.
        config: the board and its rules; None if the command line names no board.
        first_click: the first-click rule of boards that are chosen later.
        seed: seed of the first game; None draws one.
        no_guess: the reasoning that solves each board without a guess; False for any board.
        icons: one of `ICONS`.
        palette: one of `PALETTES`.
        animation: whether openings are animated.
        saved: path of a saved game to continue.
        policy: specification of a policy to watch.
        versus: specifications of two policies to watch on the same seeds, from one first cell.
        host: address of the web page.
        port: port of the web page; None takes the usual one.
        analyse: path of the position or the game to analyse; "-" for stdin.
        mines: the number of mines of that position.
        as_json: whether to print the analysis as JSON.
        quick: whether to compute fewer probabilities of winning in a review.
        plot: path of a picture of the review; None draws none.
        keeps_settings: whether the full terminal begins with the settings that it kept, and keeps new ones.
        given: the attributes of this class that the command line states.
    """

    program: str = "play.py"
    language: Language = "en"
    config: BoardConfig | None = None
    first_click: str = BoardConfig.first_click
    seed: int | None = None
    no_guess: Literal[False, "subset", "exact"] = False
    icons: str = "plain"
    palette: str = "standard"
    animation: bool = True
    saved: Path | None = None
    policy: str | None = None
    versus: tuple[str, str] | None = None
    host: str = "localhost"
    port: int | None = None
    analyse: str | None = None
    mines: int | None = None
    as_json: bool = False
    quick: bool = False
    plot: Path | None = None
    keeps_settings: bool = True
    given: frozenset[str] = frozenset()
