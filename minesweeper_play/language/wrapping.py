"""Texts of the catalogues on lines of a given width."""

from __future__ import annotations

import re
from textwrap import wrap

_COLUMNS = re.compile(r" +\S+(?: \S+)* {2,}(?=\S)")
_CELL = re.compile(r"\((\d+) (\d+)\)")
_TIE = "\x1f"
"""A character that is no blank, in place of the blank in the name of a cell."""


def wrapped_lines(text: str, width: int) -> list[str]:
    """Returns the lines of a text, each at most `width` characters long.

    Lines that are not indented make one paragraph until a blank line comes. A line of two columns, which two blanks or
    more divide, continues below its second column. The name of a cell, such as "(3 7)", stays on one line.
    """
    paragraphs: list[tuple[str, int]] = []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if paragraphs and line.strip() and _continues(paragraphs[-1], indent):
            paragraphs[-1] = (f"{paragraphs[-1][0]} {line.strip()}", paragraphs[-1][1])
            continue
        columns = _COLUMNS.match(line)
        paragraphs.append((line, len(columns[0]) if columns else 0))
    return [line for paragraph, indent in paragraphs for line in _wrapped(paragraph, indent, width)]


def _continues(paragraph: tuple[str, int], indent: int) -> bool:
    """Returns whether a line with this indent continues a paragraph, which is its text and its hanging indent."""
    text, hanging = paragraph
    return indent == hanging if indent else text.strip() != "" and not text.startswith(" ")


def _wrapped(paragraph: str, indent: int, width: int) -> list[str]:
    tied = _CELL.sub(rf"(\1{_TIE}\2)", paragraph)
    return [line.replace(_TIE, " ") for line in wrap(tied, width, subsequent_indent=" " * indent)] or [""]
