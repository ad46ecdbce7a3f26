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
    r"""Returns a text for a terminal: escape codes stand for all characters that it obeys, except "\n" and "\t"."""
    return "".join(
        each.encode("unicode_escape").decode("ascii")
        if unicodedata.category(each) in _OBEYED and each not in "\n\t"
        else each
        for each in str(text)
    )


def html(text: object) -> str:
    """Returns a text for HTML or SVG, in an element or in an attribute."""
    return _html.escape(printable(text))


def markdown(text: object) -> str:
    """Returns a text for Markdown, in one line: character references stand for all punctuation that Markdown uses."""
    line = " ".join(printable(text).split())
    return re.sub(r"[\\`*_{}\[\]<>|~#$&^]", lambda found: f"&#{ord(found[0])};", line)


def markdown_code(text: object) -> str:
    """Returns a text for Markdown as code, in one line."""
    shown = str(text)
    return f"`{shown}`" if _PLAIN.fullmatch(shown) else f"<code>{markdown(shown)}</code>"
