"""Language of typed commands: `3 7`, `flag 3 7`, `hint` and the like, and the words of the footer in each language."""

from __future__ import annotations

from typing import NamedTuple

from minesweeper_play.game.moves import Cell

ON_CELLS = ("try", "flag", "question", "expand", "chord")

PLAIN = ("help", "assist", "probabilities", "undo", "review", "man", "new", "quit")
"""Commands of one word. `assist` is the `help` of the Spanish source, which elsewhere lists the commands."""

WORDS = (*ON_CELLS, "hint", *PLAIN, "save")
"""All commands; Buscaminas_Terminal (Rodríguez) has `try`, `flag`, `expand`, `help` and `man`."""

SYNONYMS = {
    **{"open": "try", "risks": "probabilities"},
    **{"abrir": "try", "bandera": "flag", "pista": "hint", "riesgos": "probabilities", "deshacer": "undo"},
    **{"nueva": "new", "revisar": "review", "guardar": "save", "ayuda": "man", "salir": "quit"},
}
"""Words that mean a command as well: those by which the full screen names its keys."""


class Command(NamedTuple):
    """A typed command: one of `WORDS`, its cell as (row, col) from 0 where it has one, and the path of `save`."""

    word: str
    cell: Cell | None = None
    path: str = ""


class CommandError(ValueError):
    """A line that is no command: the message of the catalogues that says why, and what fills its placeholders."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(f"{key} {values}")
        self.key, self.values = key, values


def parse_command(line: str, rows: int, cols: int) -> Command:
    """Returns the command of a line on a board of rows x cols; raises a CommandError.

    Words are in lower case. The first coordinate is the column and the second the row, both from 1. Two coordinates
    alone mean `try`.
    """
    words = line.split()
    if not words:
        raise CommandError("syntax_empty")
    if _is_number(words[0]):
        words.insert(0, "try")
    word, rest = SYNONYMS.get(words[0], words[0]), words[1:]
    if word == "save" and rest:
        return Command(word, path=line.split(maxsplit=1)[1].strip())
    if word in ON_CELLS or (word == "hint" and rest):
        return Command(word, _cell(word, rest, rows, cols))
    if word not in WORDS:
        raise CommandError("syntax_upper_case" if word.lower() in {*WORDS, *SYNONYMS} else "syntax_unknown", word=word)
    if word == "save" or rest:
        raise CommandError("syntax_too_many" if rest else "syntax_path", word=word)
    return Command(word)


def parse_ending(line: str) -> Command | None:
    """Returns `undo`, `review`, `save`, which may lack its path, or `new` for an empty line; None for any other text.

    This is what a player may answer after the end of a game; any other text means no.
    """
    word, _, rest = line.strip().partition(" ")
    word = SYNONYMS.get(word, word)
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
