"""Language of typed commands: `3 7`, `flag 3 7`, `hint` and the like, and the words of the footer in each language."""

from __future__ import annotations

from typing import NamedTuple

from minesweeper_play.game.moves import Cell, TextError

ON_CELLS = ("try", "flag", "question", "expand", "chord")

PLAIN = ("help", "assist", "probabilities", "undo", "review", "man", "new", "again", "pause", "quit")
"""Commands of one word. `assist` is the `help` of the Spanish source, which elsewhere lists the commands."""

WORDS = (*ON_CELLS, "hint", *PLAIN, "save")
"""All commands; Buscaminas_Terminal (Rodríguez) has `try`, `flag`, `expand`, `help` and `man`."""

SYNONYMS = {
    **{"open": "try", "risks": "probabilities", "pausa": "pause"},
    **{"abrir": "try", "bandera": "flag", "interrogación": "question", "interrogacion": "question"},
    **{"expandir": "expand", "despejar": "chord", "pista": "hint", "inferir": "assist", "riesgos": "probabilities"},
    **{"deshacer": "undo", "revisar": "review", "guardar": "save", "nueva": "new", "otra": "again", "ayuda": "man"},
    "salir": "quit",
    **{"f": "flag", "x": "question", "c": "expand", "h": "hint", "p": "probabilities", "u": "undo", "n": "new"},
    **{"r": "again", "v": "review", "z": "pause", "?": "man", "q": "quit"},
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
    words = line.split()
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


def _cell(texts: list[str], rows: int, cols: int) -> Cell:
    if len(texts) != 2 or not all(_is_number(text) for text in texts):
        raise TextError("syntax_coordinates")
    col, row = (int(text) if len(text) < 10 else 0 for text in texts)
    if not (1 <= col <= cols and 1 <= row <= rows):
        raise TextError("syntax_off_board", cols=cols, rows=rows)
    return row - 1, col - 1


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal()
