"""Base class of the dialogs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

if TYPE_CHECKING:
    from minesweeper_play.terminal.app import MinesweeperApp

Result = TypeVar("Result")


class Dialog(ModalScreen[Result | None]):
    """A dialog in the middle of the screen; Escape closes it without a result."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > #frame { width: auto; max-width: 96%; height: auto; max-height: 96%; padding: 0 2; background: $surface;
                      border: round $accent; border-title-color: $accent; border-title-style: bold; overflow: auto; }
    Dialog #buttons { height: auto; width: 1fr; align-horizontal: right; margin-top: 1; }
    Dialog Button { margin-left: 2; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", show=False)]

    def action_close(self) -> None:
        """Closes the dialog."""
        self.dismiss(None)

    def text(self, key: str, **values: object) -> str:
        """Returns a text of the catalogue."""
        return cast("MinesweeperApp", self.app).text(key, **values)
