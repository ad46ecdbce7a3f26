"""Texts at a limited width: folded at the separators of a name, or shortened in the middle; numbers stay whole."""

from __future__ import annotations

import re
import unicodedata

_PIECE = re.compile(r".*?(?:[ :,/_]|[.-](?!\d)|$)", re.DOTALL)
"""A part of a name up to a separator; "." and "-" separate only where no digit follows."""

_NUMBER = re.compile(r"\d[\d.]*(?:e[+-]?\d+)?")
_ELLIPSIS = "..."


def text_width(text: str) -> int:
    """Returns the number of terminal columns that a text takes; an East Asian wide character takes two."""
    if text.isascii():
        return len(text)
    return sum(_character_width(each) for each in text)


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fold(text: str, width: int) -> list[str]:
    """Returns the lines of a name or a specification, each at most `width` columns wide.

    A line ends after one of the separators " :,/_.-" where that is possible, and never between two digits of a
    number. A number that is longer than `width` makes its line longer.
    """
    lines = [""]
    for piece in _pieces(text, width):
        if lines[-1] and text_width((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def _pieces(text: str, width: int) -> list[str]:
    """Returns the parts that stay on one line; a part longer than `width` is cut, outside of its numbers."""
    pieces = []
    for piece in _PIECE.findall(text):
        while text_width(piece.rstrip()) > width and (cut := _cut(piece, width)) < len(piece):
            pieces.append(piece[:cut])
            piece = piece[cut:]
        pieces.append(piece)
    return [piece for piece in pieces if piece]


def _cut(text: str, width: int) -> int:
    """Returns the last place within `width` columns that is not inside a number; or the end of a leading number."""
    cut = max(1, sum(text_width(text[:end]) <= width for end in range(1, len(text) + 1)))
    for number in _NUMBER.finditer(text):
        if number.start() < cut < number.end():
            return number.start() or number.end()
    return cut


def longest_piece(text: str) -> int:
    """Returns the width of the longest part of a text between two separators."""
    return max(text_width(piece.rstrip()) for piece in _PIECE.findall(text))


def longest_number(text: str) -> int:
    """Returns the width of the longest number in a text."""
    return max(map(len, _NUMBER.findall(text)), default=0)


def shorten(text: str, width: int) -> str:
    """Returns a text of at most `width` columns: its middle becomes "...", and no number is cut in two."""
    if text_width(text) <= width:
        return text
    room = max(width - len(_ELLIPSIS), 2)
    head = _without_cut_number(text, room // 2)
    tail = _without_cut_number(text[::-1], room - len(head))[::-1]
    return f"{head}{_ELLIPSIS}{tail}"


def _without_cut_number(text: str, width: int) -> str:
    """Returns the beginning of a text, without a number that `width` would cut in two."""
    cut = sum(text_width(text[:end]) <= width for end in range(1, len(text) + 1))
    for number in _NUMBER.finditer(text):
        if number.start() < cut < number.end():
            return text[: number.start()]
    return text[:cut]
