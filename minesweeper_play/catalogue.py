"""Message catalogue of a language: placeholders, plurals, numbers and line wrapping; and the choice of a language."""

import errno
import locale
import os
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from textwrap import wrap

from minesweeper_env.escape import printable
from minesweeper_play.options import Language


@cache
def texts_of(language: Language) -> Mapping[str, str]:
    """Returns the texts of a language by key; " / " stands between the forms for a `count` of 1 and for any other."""
    return tomllib.loads((Path(__file__).parent / "texts" / f"{language}.toml").read_text(encoding="utf-8"))


class Catalogue:
    """The texts of one language by key."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self.texts = texts_of(language)

    def text(self, key: str, **values: object) -> str:
        """Returns a text with its placeholders filled by printable values; the empty key has the empty text."""
        if not key:
            return ""
        singular, separator, plural = self.texts[key].partition(" / ")
        template = plural if separator and values["count"] != 1 else singular
        return template.format(**{k: v if isinstance(v, int | float) else self._shown(v) for k, v in values.items()})

    def _shown(self, value: object) -> str:
        """Returns a printable value; of an OSError it is the reason, in this language where the catalogue has it."""
        if isinstance(value, OSError) and value.strerror is not None:
            value = self.texts.get(errno.errorcode.get(value.errno or 0, ""), value.strerror)
        return printable(value)

    def number(self, value: float, digits: int = 0) -> str:
        """Returns a number with `digits` digits after the decimal sign of the language."""
        return f"{value:.{digits}f}".replace(".", "," if self.language == "es" else ".")

    def per_cent(self, probability: float, digits: int = 0) -> str:
        """Returns a probability as "12.5%"; one that would only round to 0 or 100 becomes "<0.1%" or ">99.9%"."""
        sign, per_cent, smallest = "", 100 * probability, 10.0**-digits
        unit = "\u00a0%" if self.language == "es" else "%"
        if 0 < probability < 1 and not smallest / 2 <= per_cent < 100 - smallest / 2:
            sign, per_cent = ("<", smallest) if per_cent < 50 else (">", 100 - smallest)
        return f"{sign}{self.number(per_cent, digits)}{unit}"

    def clock(self, seconds: float) -> str:
        """Returns a time as minutes and whole seconds, such as "1:05"; with hours from an hour on."""
        minutes, rest = divmod(int(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

    def listing(self, items: list[str]) -> str:
        """Returns items as in "a, b and c"."""
        return self.text("list_end", items=", ".join(items[:-1]), last=items[-1]) if len(items) > 1 else "".join(items)


def language_of(environment: Mapping[str, str] = os.environ) -> Language:
    """Returns Spanish where LC_ALL, LC_MESSAGES, LANG or else the settings of the system say so, English elsewhere."""
    locales = (environment.get(variable) for variable in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, locales), locale.getlocale()[0] or "")
    # Windows spells "es_ES.UTF-8" as "Spanish_Spain".
    return "es" if re.split(r"[-_.]", name)[0].lower() in ("es", "spanish") else "en"


_COLUMNS = re.compile(r" +\S+(?: \S+)* {2,}(?=\S)")
_PAIR = re.compile(r"(?<=\d) (?=\d)")
_TIE = "\x1f"
"""A control character that stands for the blank between the numbers of a cell while a text is wrapped."""


def wrapped_lines(text: str, width: int) -> list[str]:
    """Returns the lines of a text, each at most `width` characters long.

    A line of two columns, which two blanks or more divide, continues below its second column. A cell, such as "(3 7)"
    or "3 7", stays on one line.
    """
    lines = []
    for line in text.splitlines():
        columns, tied = _COLUMNS.match(line), _PAIR.sub(_TIE, line)
        indent = " " * len(columns[0]) if columns else ""
        lines += wrap(tied, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
    return [line.replace(_TIE, " ") for line in lines]
