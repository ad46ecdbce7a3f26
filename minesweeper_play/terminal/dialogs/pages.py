"""Pages of text that scroll: the manual and the statistics."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from minesweeper_play.language.wrapping import wrapped_lines
from minesweeper_play.terminal.dialogs.base import Dialog


class Page(Dialog[None]):
    """A text with a title; Enter, q and Escape close it."""

    # A scroll bar that came after the text was wrapped would take columns away from it.
    DEFAULT_CSS = "Page > #frame { width: 98%; max-width: 96; padding: 0 1; scrollbar-gutter: stable; }"

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,q,question_mark", "close", show=False)]

    def __init__(self, title: str, text: str) -> None:
        """Shows a text.

        Args:
            title: the title, above the frame.
            text: the text; its line feeds stay.
        """
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        """Yields the text."""
        with VerticalScroll(id="frame") as frame:
            frame.border_title = self._title
            frame.border_subtitle = self.text("page_keys")
            yield Static(id="text", markup=False)

    def on_mount(self) -> None:
        """Lets the arrow keys scroll."""
        self.query_one("#frame").focus()

    def on_resize(self) -> None:
        """Wraps the text to the new width."""
        self.call_after_refresh(self._write)

    def _write(self) -> None:
        width = self.query_one("#frame").scrollable_content_region.width
        self.query_one("#text", Static).update(Content("\n".join(wrapped_lines(self._text, max(width, 20)))))
