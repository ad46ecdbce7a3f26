"""Moves of a player as records, reports of their effects, and the commands that a player types: `3 7`, `hint`, ..."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, int]
"""(row, col), from 0."""

MoveKind = Literal["open", "flag", "question", "chord", "expand", "reveal"]
"""The kinds of moves; "reveal" opens a safe cell at the player's request for help."""

Aid = Literal["help", "hint", "probabilities"]
"""The kinds of help that a game notes."""

LAYER_SECONDS = 0.03

MOST_SECONDS = 1e8
"""The longest time of a game that a file may state: three years."""


class Move(NamedTuple):
    """A move that changed the board, and the time on the clock of the game when it was made."""

    kind: MoveKind
    row: int
    col: int
    seconds: float

    @property
    def cell(self) -> Cell:
        return self.row, self.col


@dataclass(frozen=True)
class Report:
    """Effect of a move."""

    key: str = ""  # a message of the catalogues; "" where there is nothing to say
    cells: tuple[Cell, ...] = ()  # the cells whose codes changed, in reading order; none if the move was refused
    values: Mapping[str, object] = field(default_factory=dict)  # by placeholder; `x` is a column, `y` a row, from 1

    @property
    def accepted(self) -> bool:
        return bool(self.cells)


class CancelledError(Exception):
    """The player has cancelled long work."""


class TextError(ValueError):
    """A text is no command, or no board: the key of the message that says why, and what fills its placeholders."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(f"{key} {values}")
        self.key, self.values = key, values


def cells_of(chosen: NDArray[np.bool_]) -> tuple[Cell, ...]:
    """Returns the chosen cells of a (rows, cols) bool array, in reading order."""
    return tuple((row, col) for row, col in np.argwhere(chosen).tolist())


def neighbours(cell: Cell, shape: tuple[int, ...]) -> list[Cell]:
    """Returns the cells around a cell of a board of shape (rows, cols), in reading order."""
    rows, cols = (range(max(index - 1, 0), min(index + 2, side)) for index, side in zip(cell, shape, strict=True))
    return [(row, col) for row in rows for col in cols if (row, col) != cell]


LEFT, MIDDLE, RIGHT = 1, 2, 3
"""The buttons of a mouse, as terminals and pygame number them."""


class MouseButtons:
    """The buttons that are down, and what they do: the right one flags, the left one clicks, the middle or both chord.

    A press flags, and a release clicks or chords; after a chord of both, the second release does nothing more.
    """

    def __init__(self) -> None:
        self.down: set[int] = set()
        self._chords = self._is_done = False

    def press(self, button: int, *, flags: bool = False) -> bool:
        """Notes that a button goes down, and returns whether it flags; `flags` says that the left one does, too."""
        if not self.down:
            self._chords = self._is_done = False
        self.down.add(button)
        self._chords |= button == MIDDLE or {LEFT, RIGHT} <= self.down
        self._is_done |= flags and not self._chords
        return not self._chords and (flags or button == RIGHT)

    def release(self, button: int, cell: Cell | None) -> Literal["click", "chord", ""]:
        """Notes that a button goes up over a cell (None: beside the board); returns the move that this makes, or ""."""
        may_act = button in self.down and not self._is_done
        self.down.discard(button)
        if cell is None or not may_act or not (self._chords or button == LEFT):
            return ""
        self._is_done = True
        return "chord" if self._chords else "click"


ON_CELLS = ("try", "flag", "question", "expand", "chord")

PLAIN = ("help", "assist", "probabilities", "undo", "review", "share", "man", "new", "again", "pause", "quit")
"""Commands of one word. `assist` is the `help` of the Spanish source, which elsewhere lists the commands."""

WORDS = (*ON_CELLS, "hint", *PLAIN, "save")
"""All commands; Buscaminas_Terminal (Rodríguez) has `try`, `flag`, `expand`, `help` and `man`."""

SYNONYMS = {
    **{"open": "try", "risks": "probabilities", "pausa": "pause"},
    **{"abrir": "try", "bandera": "flag", "interrogación": "question", "interrogacion": "question"},
    **{"expandir": "expand", "despejar": "chord", "pista": "hint", "inferir": "assist", "riesgos": "probabilities"},
    **{"deshacer": "undo", "revisar": "review", "compartir": "share", "guardar": "save", "nueva": "new"},
    **{"otra": "again", "ayuda": "man", "salir": "quit"},
    **{"f": "flag", "x": "question", "c": "expand", "h": "hint", "p": "probabilities", "u": "undo", "n": "new"},
    **{"r": "again", "v": "review", "g": "share", "z": "pause", "?": "man", "q": "quit"},
}
"""Words that mean a command as well: the Spanish ones, those by which the full screen names its keys, and the keys."""


class Command(NamedTuple):
    """A typed command: one of `WORDS`, its cell as (row, col) from 0 if it has one, and the path of `save` or ""."""

    word: str
    cell: Cell | None = None
    path: str = ""


def parse_command(line: str, rows: int, cols: int) -> Command:
    """Returns the command of a line on a board of rows x cols; raises a TextError.

    The case of words does not matter. The first coordinate is the column and the second the row, both from 1. Two
    coordinates alone mean `try`.
    """
    words = _words(line)
    if not words:
        raise TextError("syntax_empty")
    if _is_number(words[0]):
        words.insert(0, "try")
    typed, rest = words[0].lower(), words[1:]
    word = SYNONYMS.get(typed, typed)
    if word == "save":
        return Command(word, path=line.strip().partition(" ")[2].strip())
    if word in ON_CELLS or (word == "hint" and rest):
        return Command(word, _cell(rest, rows, cols))
    if word not in WORDS:
        raise TextError("syntax_unknown", word=words[0])
    if rest:
        raise TextError("syntax_too_many", word=typed)
    return Command(word)


def parse_cells(line: str, rows: int, cols: int) -> list[Cell]:
    """Returns the cells, (row, col) from 0, of a line such as "3 7, 4 7" on a board of rows x cols, or a TextError."""
    words = _words(line)
    return [_cell(words[start : start + 2], rows, cols) for start in range(0, len(words), 2)]


def _words(line: str) -> list[str]:
    """Returns the words of a line without the signs that people write around coordinates, such as "(3, 7)"."""
    return re.sub("[(),;]", " ", line).split()


def _cell(texts: list[str], rows: int, cols: int) -> Cell:
    """Returns the cell, (row, col) from 0, of a typed column and row, from 1; raises a TextError."""
    if len(texts) != 2 or not all(_is_number(text) for text in texts):
        raise TextError("syntax_coordinates")
    col, row = (int(text) if len(text) < 10 else 0 for text in texts)  # int() refuses thousands of digits
    if not (1 <= col <= cols and 1 <= row <= rows):
        raise TextError("syntax_off_board", cols=cols, rows=rows)
    return row - 1, col - 1


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal()
