"""The board that a player chooses for the next games."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from minesweeper_env.config import BoardConfig
from minesweeper_play.options import PlayOptions

NoGuess = Literal[False, "subset", "exact"]

NO_GUESS: dict[str, NoGuess] = {"off": False, "subset": "subset", "exact": "exact"}
"""The kinds of boards by the names that the dialog gives them."""


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


def first_choice(options: PlayOptions, kept: BoardChoice | None = None) -> BoardChoice:
    """Returns the board of a command line.

    A command line with a board decides everything, so that it means the same on every computer. Without a board, what
    it states changes the kept one, or else Beginner.

    Args:
        options: the command line.
        kept: the board that an earlier game kept; None for none.
    """
    stated = BoardChoice(options.config or _beginner(options.first_click), options.no_guess, options.seed)
    if options.config is not None or kept is None:
        return stated
    config, level = kept.config, options.no_guess if "no_guess" in options.given else kept.no_guess
    if "first_click" in options.given:
        try:
            config = replace(config, first_click=options.first_click)
        except ValueError:
            # The kept board has no room for the stated rule.
            config = stated.config
    return BoardChoice(config, level, options.seed)


def _beginner(first_click: str) -> BoardConfig:
    return BoardConfig.of_size(9, first_click=first_click)
