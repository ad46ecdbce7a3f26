"""Language of typed commands: `3 7`, `flag 3 7`, `hint` and the like; the words are the same in every language."""

from __future__ import annotations

from dataclasses import dataclass

from minesweeper_play.game.moves import Cell

ON_CELLS = ("try", "flag", "question", "expand", "chord")
"""Commands with a column and a row."""

PLAIN = ("help", "assist", "probabilities", "undo", "review", "man", "new", "quit")
"""Commands of one word."""

WORDS = (*ON_CELLS, "hint", *PLAIN, "save")
"""All commands; Buscaminas_Terminal (Rodríguez) has `try`, `flag`, `expand`, `help` and `man`.

`assist` is its `help`, which elsewhere lists the commands.
"""


@dataclass(frozen=True)
class Command:
    """A typed command.

    Attributes:
        word: one of `WORDS`.
        cell: (row, col) from 0, for the commands in `ON_CELLS`; for `hint` it may be None.
        path: the path, for `save`.
    """

    word: str
    cell: Cell | None = None
    path: str = ""


class CommandError(ValueError):
    """A line that is no command.

    Attributes:
        key: the message of the catalogues that says why.
        values: what fills its placeholders.
    """

    def __init__(self, key: str, **values: object) -> None:
        """Stores the reason."""
        super().__init__(f"{key} {values}")
        self.key = key
        self.values = values


def parse_command(line: str, rows: int, cols: int) -> Command:
    """Returns the command of a line.

    Words are split at blanks and are written in lower case. The first coordinate is the column and the second the row,
    both from 1. Two coordinates alone mean `try`.

    Args:
        line: the line.
        rows: the number of rows of the board.
        cols: the number of columns.

    Raises:
        CommandError: the line is no command, or its cell is off the board.
    """
    words = line.split()
    if not words:
        raise CommandError("syntax_empty")
    if _is_number(words[0]):
        words.insert(0, "try")
    word, rest = words[0], words[1:]
    if word == "save":
        if not rest:
            raise CommandError("syntax_path", word=word)
        return Command(word, path=line.strip().removeprefix(word).strip())
    if word in ON_CELLS or (word == "hint" and rest):
        return Command(word, _cell(word, rest, rows, cols))
    if word not in (*PLAIN, "hint"):
        raise CommandError("syntax_upper_case" if word.lower() in WORDS else "syntax_unknown", word=word)
    if rest:
        raise CommandError("syntax_too_many", word=word)
    return Command(word)


def parse_ending(line: str) -> Command | None:
    """Returns the command of a line after the end of a game: `new` for an empty line, `undo`, `review`, or `save`.

    Returns:
        The command, where `save` may lack its path; None for any other text, which means no.
    """
    word, _, rest = line.strip().partition(" ")
    if word in ("", "new", "undo", "review"):
        return Command(word or "new")
    return Command(word, path=rest.strip()) if word == "save" else None


def _cell(word: str, texts: list[str], rows: int, cols: int) -> Cell:
    if len(texts) != 2 or not all(_is_number(text) for text in texts):
        raise CommandError("syntax_coordinates", word=word)
    col, row = (int(text) if len(text) < 10 else 0 for text in texts)
    if not (1 <= col <= cols and 1 <= row <= rows):
        raise CommandError("syntax_off_board", cols=cols, rows=rows)
    return row - 1, col - 1


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal()
