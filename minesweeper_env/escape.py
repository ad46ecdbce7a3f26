"""Text for people: counted nouns, and escaping for terminals, Markdown, HTML and SVG."""

import html as _html
import re
import unicodedata

_OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters that a terminal or a browser obeys: controls, directions, surrogates, breaks of lines."""

_PLAIN = re.compile(r"[\w ,.:;=+@/()-]+", re.ASCII)
"""Texts that Markdown shows as they are between backticks."""


def counted(count: int, noun: str) -> str:
    """Returns a number with its noun, such as "1 mine" or "14 mines"."""
    return f"{count} {noun}{'' if abs(count) == 1 else 's'}"


def printable(text: object) -> str:
    r"""Returns a text for a terminal: escape codes replace all characters that terminals obey, except "\n" and "\t"."""
    return "".join(
        char.encode("unicode_escape").decode("ascii")
        if unicodedata.category(char) in _OBEYED and char not in "\n\t"
        else char
        for char in str(text)
    )


def html(text: object) -> str:
    """Returns a text for HTML or SVG, in an element or in an attribute."""
    return _html.escape(printable(text))


def markdown(text: object) -> str:
    """Returns a text for Markdown, in one line: character references stand for all punctuation that Markdown uses."""
    line = " ".join(printable(text).split())
    return re.sub(r"[\\`*_{}\[\]<>|~#$&^]", lambda match: f"&#{ord(match[0])};", line)


def markdown_code(text: object) -> str:
    """Returns a text for Markdown as code, in one line."""
    string = str(text)
    return f"`{string}`" if _PLAIN.fullmatch(string) else f"<code>{markdown(string)}</code>"
