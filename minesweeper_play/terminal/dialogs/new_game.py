"""The dialog that chooses a board: presets, any other size, first-click rule, no guessing, and the seed."""

from __future__ import annotations

import re

from textual import on
from textual.app import ComposeResult
from textual.containers import Grid, Horizontal, VerticalScroll
from textual.widgets import Button, Input, Label, Select, Static

from minesweeper_env.config import FIRST_CLICKS, MAX_CELLS, PRESETS, BoardConfig
from minesweeper_play.terminal.choice import NO_GUESS, BoardChoice
from minesweeper_play.terminal.dialogs.base import Dialog

BOARDS: dict[str, tuple[int, int, int]] = {
    name: (config.rows, config.cols, config.mines)
    for name, config in (
        (name.lower() or "default", BoardConfig.of_size(preset["size"], preset["mines"]))
        for name, preset in PRESETS.items()
    )
}
"""(rows, columns, mines) of each preset, by name."""

CUSTOM = "custom"


class NewGame(Dialog[BoardChoice]):
    """Chooses a board; the result is a `BoardChoice`."""

    DEFAULT_CSS = """
    NewGame > #frame { width: 64; }
    NewGame Grid { grid-size: 2; grid-columns: 22 1fr; grid-rows: 1; height: auto; grid-gutter: 0 1; }
    NewGame #size { height: 1; }
    NewGame Input { background: $boost; }
    NewGame #size Input { width: 6; margin-right: 1; }
    NewGame #size Label { padding: 0 1; }
    NewGame #problem { color: $text-error; height: auto; min-height: 1; }
    """

    def __init__(self, present: BoardChoice) -> None:
        """Begins with the present board, and no seed."""
        super().__init__()
        self._present = present

    def compose(self) -> ComposeResult:
        """Yields the fields and buttons."""
        config, text = self._present.config, self.text
        size = (config.rows, config.cols, config.mines)
        preset = next((name for name, board in BOARDS.items() if board == size), CUSTOM)
        with VerticalScroll(id="frame", can_focus=False) as frame:
            frame.border_title = text("new_title")
            with Grid():
                yield Label(text("new_board"))
                yield Select(self._presets(), value=preset, allow_blank=False, id="preset", compact=True)
                yield Label(text("new_size"))
                with Horizontal(id="size"):
                    for name, value in zip(("rows", "cols", "mines"), size, strict=True):
                        yield Input(str(value), id=name, compact=True)
                yield Label(text("new_first_click"))
                yield Select(
                    [(text(f"rule_{rule}"), rule) for rule in FIRST_CLICKS],
                    value=config.first_click,
                    allow_blank=False,
                    id="first_click",
                    compact=True,
                )
                yield Label(text("new_no_guess"))
                yield Select(
                    [(text(f"no_guess_{level}"), level) for level in NO_GUESS],
                    value=self._present.no_guess or "off",
                    allow_blank=False,
                    id="no_guess",
                    compact=True,
                )
                yield Label(text("new_seed"))
                yield Input(placeholder=text("new_seed_random"), id="seed", compact=True)
            yield Static(id="problem", markup=False)
            with Horizontal(id="buttons"):
                yield Button(text("new_start"), id="start", variant="primary", compact=True)
                yield Button(text("cancel"), id="cancel", compact=True)

    def on_mount(self) -> None:
        """Lets Enter start the present board again."""
        self.query_one("#start").focus()

    def _presets(self) -> list[tuple[str, str]]:
        named = [(f"{self.text(f'board_{name}')}  {r}\u00d7{c}, {m}", name) for name, (r, c, m) in BOARDS.items()]
        return [*named, (self.text(f"board_{CUSTOM}"), CUSTOM)]

    @on(Select.Changed, "#preset")
    def _take_preset(self, event: Select.Changed) -> None:
        if event.value in BOARDS:
            for name, value in zip(("rows", "cols", "mines"), BOARDS[str(event.value)], strict=True):
                self.query_one(f"#{name}", Input).value = str(value)

    @on(Input.Changed)
    def _check(self) -> None:
        """Names the preset of the size, and says at once what is wrong."""
        size = tuple(self.query_one(f"#{name}", Input).value for name in ("rows", "cols", "mines"))
        name = next((name for name, board in BOARDS.items() if tuple(map(str, board)) == size), CUSTOM)
        with self.prevent(Select.Changed):
            self.query_one("#preset", Select).value = name
        self._problem()

    @on(Select.Changed)
    def _check_rules(self) -> None:
        self._problem()

    def _problem(self) -> BoardChoice | None:
        """Shows what is wrong; returns the choice if nothing is."""
        try:
            choice, problem = self._read(), ""
        except ValueError as error:
            choice, problem = None, str(error)
        self.query_one("#problem", Static).update(problem)
        self.query_one("#start", Button).disabled = choice is None
        return choice

    def _read(self) -> BoardChoice:
        """Returns the choice; raises a ValueError whose message says what is allowed."""
        rows, cols, mines = (self._number(name, 1) for name in ("rows", "cols", "mines"))
        seed = self._number("seed", 0) if self.query_one("#seed", Input).value.strip() else None
        if not 2 <= rows * cols <= MAX_CELLS:
            raise ValueError(self.text("new_too_many_cells", most=MAX_CELLS, given=rows * cols))
        rule = str(self._value("first_click"))
        try:
            most = BoardConfig(rows, cols, 1, first_click=rule).max_mines
        except ValueError as error:
            raise ValueError(self.text("new_no_mines_fit")) from error
        if mines > most:
            raise ValueError(self.text("new_too_many_mines", most=most, given=mines))
        level = str(self._value("no_guess"))
        return BoardChoice(BoardConfig(rows, cols, mines, first_click=rule), NO_GUESS[level], seed)

    def _value(self, name: str) -> object:
        return self.query_one(f"#{name}", Select).value

    def _number(self, name: str, least: int) -> int:
        text = self.query_one(f"#{name}", Input).value.strip()
        if not re.fullmatch(r"\d{1,18}", text, re.ASCII) or int(text) < least:
            raise ValueError(
                self.text(
                    "new_not_a_number",
                    name=self.text(f"new_{name}" if name != "seed" else "new_seed_name"),
                    least=least,
                    given=text,
                )
            )
        return int(text)

    @on(Input.Submitted)
    @on(Button.Pressed, "#start")
    def _start(self) -> None:
        choice = self._problem()
        if choice is not None:
            self.dismiss(choice)

    @on(Button.Pressed, "#cancel")
    def _cancel(self) -> None:
        self.dismiss(None)
