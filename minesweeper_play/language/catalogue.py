"""Texts of one language: messages with placeholders, plurals, numbers, and the choice of a language."""

from __future__ import annotations

import locale
import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from minesweeper_env.texts import printable
from minesweeper_play.options import LANGUAGES, Language

PARTS = ("game", "reasons", "classic", "terminal", "window", "coach")
"""The modules of each language, each with a dict `TEXTS`."""

FOLDERS: dict[Language, str] = {"en": "english", "es": "spanish"}
"""The folder of each language."""

_DECIMAL_POINT: dict[Language, str] = {"en": ".", "es": ","}
_PER_CENT: dict[Language, str] = {"en": "%", "es": "\u00a0%"}


class Catalogue:
    """The texts of one language.

    Attributes:
        language: the language.
        texts: the texts by key.
    """

    def __init__(self, language: Language) -> None:
        """Loads the texts of a language."""
        self.language: Language = language
        self.texts = read_texts(language)

    def text(self, key: str, **values: object) -> str:
        """Returns a text with its placeholders filled by printable values.

        A text that depends on a number has two entries, KEY_one and KEY_other; `count` chooses between them.

        Args:
            key: the key of the text; the empty key has the empty text.
            **values: what fills the placeholders.

        Raises:
            KeyError: no text has this key, or a value is missing.
        """
        if not key:
            return ""
        if f"{key}_one" in self.texts:
            key = f"{key}_one" if values["count"] == 1 else f"{key}_other"
        numbers = (int, float)
        shown = {name: each if isinstance(each, numbers) else printable(each) for name, each in values.items()}
        return self.texts[key].format(**shown)

    def manual(self, *, is_source: bool = False) -> str:
        """Returns the manual; in the game of the Spanish source `help` opens cells, elsewhere `assist` does."""
        assist, manual = ("help", "man") if is_source else ("assist", "help, man")
        return self.text("manual", assist=assist, manual=manual)

    def number(self, value: float, digits: int = 0) -> str:
        """Returns a number with `digits` digits after the decimal sign of the language."""
        return f"{value:.{digits}f}".replace(".", _DECIMAL_POINT[self.language])

    def per_cent(self, probability: float, digits: int = 0) -> str:
        """Returns a probability in per cent, such as "12.5%"; only 0 and 1 are shown as 0 and 100."""
        least = 10.0**-digits
        shown = 100 * probability
        if 0 < probability < 1 and not least / 2 <= shown < 100 - least / 2:
            sign, limit = ("<", least) if shown < 50 else (">", 100 - least)
            return f"{sign}{self.number(limit, digits)}{_PER_CENT[self.language]}"
        return f"{self.number(shown, digits)}{_PER_CENT[self.language]}"

    def clock(self, seconds: float) -> str:
        """Returns a time as minutes and whole seconds, such as "1:05"; with hours from an hour on."""
        minutes, rest = divmod(int(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

    def listing(self, items: list[str]) -> str:
        """Returns items as in "a, b and c"."""
        if len(items) < 2:
            return "".join(items)
        return self.text("list_end", items=", ".join(items[:-1]), last=items[-1])


@cache
def read_texts(language: Language) -> Mapping[str, str]:
    """Returns all texts of a language by key.

    Raises:
        ValueError: two modules have the same key.
    """
    texts: dict[str, str] = {}
    for part in PARTS:
        found: dict[str, str] = import_module(f"{__package__}.{FOLDERS[language]}.{part}").TEXTS
        if twice := found.keys() & texts:
            raise ValueError(f"two modules of {FOLDERS[language]} have the keys {', '.join(sorted(twice))}")
        texts |= found
    return texts


def language_of(environment: Mapping[str, str] = os.environ) -> Language:
    """Returns the language of the user: Spanish where the locale says so, English elsewhere.

    The variables LC_ALL, LC_MESSAGES and LANG are read in this order, then the settings of the system.
    """
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(variable):
            return _language(environment[variable])
    return _language(locale.getlocale()[0] or "")


def _language(name: str) -> Language:
    """Returns the language of a locale such as "es_AR.UTF-8", or of "Spanish_Spain" as Windows spells it."""
    code = name.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return next((each for each in LANGUAGES if code in (each, FOLDERS[each])), "en")
