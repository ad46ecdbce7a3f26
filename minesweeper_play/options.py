"""Options of `play.py`, as its command line gives them to the game, the window and the coach."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from minesweeper_env.config import DEFAULT_MINES, PRESETS, BoardConfig, NoGuess

Language = Literal["en", "es"]
Palette = Literal["standard", "colour-blind"]

PRACTICE = ("safe_cell", "all_mines", "best_guess")
"""The kinds of `TextTasks` that a player answers with cells."""


@dataclass(frozen=True)
class PlayOptions:
    """Choice of the game, and of its look."""

    program: str = "play.py"  # the command as the user typed it, for messages: "play.py" or "minesweeper play"
    language: Language = "en"
    config: BoardConfig | None = None  # the board and its rules; None if the command line names no board
    first_click: str = BoardConfig.first_click  # the first-click rule of boards that are chosen later
    seed: int | None = None  # seed of the first game; None draws one
    no_guess: NoGuess = False  # the reasoning that solves each board without a guess; False for any board
    luck: bool = True  # False for games in which forced guesses survive and avoidable ones lose
    palette: Palette = "standard"
    animation: bool = True
    saved: Path | None = None
    policy: str | None = None  # the policy to watch, or to play the analysed game
    versus: tuple[str, str] | None = None  # two policies to watch, on the same seeds and first cell
    host: str = "localhost"
    port: int = 8000
    analyse: str | None = None  # path of the position or the game to analyse; "-" for stdin
    mines: int | None = None  # the number of mines of the position to analyse
    as_json: bool = False  # whether to write the analysis as JSON
    record: Path | None = None
    practice: str | None = None  # the kind of questions to answer, one of `PRACTICE`
    level: str | None = None  # the reasoning that these questions need
    keeps_settings: bool = True  # whether the full terminal begins with the settings that it kept, and keeps new ones
    given: frozenset[str] = frozenset()  # the attributes of this class that the command line states
    words: tuple[str, ...] = field(default=(), compare=False)  # the command line without the program


BOARDS = {name.lower(): preset for name, preset in PRESETS.items() if name}
"""Size and mines of the presets: "beginner", "intermediate" and "expert"."""


def preset_board(name: str, first_click: str, luck: bool = True) -> BoardConfig:
    """Returns the board of a preset, one of `BOARDS`."""
    return BoardConfig.of_size(**BOARDS[name], first_click=first_click, luck=luck)


def recommended_mines(rows: int, cols: int) -> int:
    """Returns the number of mines that makes a good game: a fifth of the cells and one more (Rodríguez)."""
    return int(0.2 * rows * cols) + 1


def sized_board(rows: int, cols: int, mines: int | None, first_click: str | None, luck: bool = True) -> BoardConfig:
    """Returns a board of rows x cols; `mines` of None takes the default number of that size, or the recommended one.

    `first_click` of None takes the default rule, or "safe" where the mines leave no room for that rule. Raises a
    ValueError that states the allowed values.
    """
    if mines is None:
        mines = DEFAULT_MINES.get((rows, cols), recommended_mines(rows, cols))
    if first_click is None:
        with suppress(ValueError):
            return BoardConfig(rows, cols, mines, luck=luck)
    return BoardConfig(rows, cols, mines, first_click=first_click or "safe", luck=luck)
