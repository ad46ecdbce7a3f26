"""The line of keys at the bottom of a screen; each entry can be clicked, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static


class Key(NamedTuple):
    """An entry of the line.

    Attributes:
        key: the key as the line shows it.
        label: what it does, in the language of the player.
        action: the action of the screen, such as "hint".
    """

    key: str
    label: str
    action: str

    @property
    def width(self) -> int:
        """Columns of the entry."""
        return cell_len(self.key) + 1 + cell_len(self.label)


class KeyBar(Static):
    """Shows as many entries as fit on its lines, the first ones first; the last entry is always there."""

    DEFAULT_CSS = """
    KeyBar { height: auto; max-height: 2; background: $panel; color: $foreground; link-style: none;
             link-color: $foreground; link-background-hover: $accent; link-style-hover: none; }
    """

    def __init__(self, keys: Sequence[Key] = (), lines: int = 2) -> None:
        """Shows keys on at most so many lines."""
        super().__init__()
        self._keys, self._lines = tuple(keys), lines

    def show(self, keys: Sequence[Key]) -> None:
        """Shows other keys."""
        self._keys = tuple(keys)
        self._write()

    def on_resize(self) -> None:
        """Fits the entries to the width."""
        self._write()

    def _write(self) -> None:
        if self.size.width > 0:
            lines = fitted(self._keys, self.size.width, self._lines)
            self.update(Content("\n").join(Content("  ").join(map(_entry, line)) for line in lines))


def fitted(keys: Sequence[Key], width: int, lines: int) -> list[list[Key]]:
    """Returns the entries that fit on so many lines of a width, with two blanks between them."""
    if not keys:
        return []
    *others, last = keys
    for count in range(len(others), -1, -1):
        found = _filled([*others[:count], last], width)
        if len(found) <= lines:
            return found
    return [[last]]


def _filled(keys: Sequence[Key], width: int) -> list[list[Key]]:
    lines: list[list[Key]] = [[]]
    used = 0
    for key in keys:
        needed = key.width + (2 if lines[-1] else 0)
        if lines[-1] and used + needed > width:
            lines.append([])
            used, needed = 0, key.width
        lines[-1].append(key)
        used += needed
    return lines


def _entry(key: Key) -> Content:
    return Content.from_markup(
        "[@click=screen.{action}()][b $accent]$key[/] $label[/]".replace("{action}", key.action),
        key=key.key,
        label=key.label,
    )
