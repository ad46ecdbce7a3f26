"""The dialog of the settings; each change shows at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Grid, Horizontal, VerticalScroll
from textual.widgets import Button, Label, Select

from minesweeper_play.terminal.dialogs.base import Dialog
from minesweeper_play.terminal.settings import CHOICES

if TYPE_CHECKING:
    from minesweeper_play.terminal.app import MinesweeperApp

NAMES: Mapping[object, str] = {None: "auto", True: "on", False: "off"}
"""Names of values that are no texts."""

VALUES: Mapping[str, Mapping[str, object]] = {
    name: {NAMES[value] if value is None or isinstance(value, bool) else str(value): value for value in choices}
    for name, choices in CHOICES.items()
    if name != "overlay"
}
"""The values of each setting, by the names that the dialog gives them; the overlay has a key of its own."""


class SettingsDialog(Dialog[None]):
    """Changes the settings of the application."""

    DEFAULT_CSS = """
    SettingsDialog > #frame { width: 60; }
    SettingsDialog Grid { grid-size: 2; grid-columns: 22 1fr; grid-rows: 1; height: auto; grid-gutter: 0 1; }
    """

    def compose(self) -> ComposeResult:
        """Yields a field per setting."""
        present = self._game_app.settings
        with VerticalScroll(id="frame", can_focus=False):
            with Grid():
                for name, values in VALUES.items():
                    yield Label(id=f"label_{name}", markup=False)
                    chosen = next(key for key, value in values.items() if value == getattr(present, name))
                    yield Select(self._named(name), value=chosen, allow_blank=False, id=name, compact=True)
            with Horizontal(id="buttons"):
                yield Button(id="close", variant="primary", compact=True)

    def on_mount(self) -> None:
        """Writes the labels."""
        self._translate()
        self.query_one("#language").focus()

    @property
    def _game_app(self) -> MinesweeperApp:
        return cast("MinesweeperApp", self.app)

    def _named(self, name: str) -> list[tuple[str, str]]:
        return [(self.text(f"{name}_{key}".replace("-", "_")), key) for key in VALUES[name]]

    def _translate(self) -> None:
        self.query_one("#frame").border_title = self.text("settings")
        self.query_one("#close", Button).label = self.text("close")
        for name in VALUES:
            self.query_one(f"#label_{name}", Label).update(self.text(f"setting_{name}"))

    @on(Select.Changed)
    def _change(self, event: Select.Changed) -> None:
        name = str(event.select.id)
        changed = replace(self._game_app.settings, **cast("dict[str, Any]", {name: VALUES[name][str(event.value)]}))
        if changed == self._game_app.settings:
            return
        self._game_app.settings = changed
        if name == "language":
            self._translate()
            for each in VALUES:
                self._rename(each)

    def _rename(self, name: str) -> None:
        """Writes the values of a field in the new language."""
        select = self.query_one(f"#{name}", Select)
        value = select.value
        with self.prevent(Select.Changed):
            select.set_options(self._named(name))
            select.value = value

    @on(Button.Pressed)
    def _close(self) -> None:
        self.dismiss(None)
