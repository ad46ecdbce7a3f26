"""Dialogs: a new game, settings, statistics, the manual, questions, and the progress of long work."""

import re
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from rich.table import Table
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, ProgressBar, Select, Static

from minesweeper_env.config import FIRST_CLICKS, MAX_CELLS, PRESETS, UNIFORM_FIRST_CLICKS, BoardConfig, NoGuess
from minesweeper_play.catalogue import wrapped_lines
from minesweeper_play.game.moves import CancelledError
from minesweeper_play.terminal.base import CHOICES, BoardChoice, Services

Result = TypeVar("Result")


class Dialog(ModalScreen[Result | None]):
    """A dialog in the middle of the screen; Escape closes it without a result."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > #frame { width: auto; max-width: 96%; height: auto; max-height: 96%; padding: 0 2; background: $surface;
                      border: round $accent; border-title-color: $accent; border-title-style: bold; overflow: auto; }
    Dialog Grid { grid-size: 2; grid-columns: 22 1fr; grid-rows: 1; height: auto; grid-gutter: 0 1; }
    Dialog #buttons { height: auto; width: 1fr; align-horizontal: right; margin-top: 1; }
    Dialog Button { margin-left: 2; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", show=False)]

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.services = services

    def text(self, key: str, **values: object) -> str:
        return self.services.catalogue.text(key, **values)

    @on(Button.Pressed, "#cancel, #close")
    def _close(self) -> None:
        self.dismiss(None)


class Question(Dialog[bool]):
    """Asks a question; the result is True for yes."""

    DEFAULT_CSS = "Question > #frame { width: 52; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,s", "dismiss(True)", show=False),
        Binding("n", "dismiss(False)", show=False),
    ]

    def __init__(self, services: Services, key: str) -> None:
        super().__init__(services)
        self._key = key

    def compose(self) -> ComposeResult:
        with Vertical(id="frame"):
            yield Label(self.text(self._key), markup=False)
            with Horizontal(id="buttons"):
                yield Button(self.text("yes"), id="yes", variant="primary", compact=True)
                yield Button(self.text("no"), id="no", compact=True)

    @on(Button.Pressed)
    def _press(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")


class Page(Dialog[None]):
    """A text or a table with a title; Enter, q and Escape close it."""

    # The gutter keeps room for a scroll bar, which would else appear after the text is wrapped, and narrow it.
    DEFAULT_CSS = """
    Page > #frame { width: 98%; max-width: 110; padding: 0 1; scrollbar-gutter: stable; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,q,question_mark", "dismiss", show=False)]

    def __init__(self, services: Services, title: str, text: str, table: Table | None = None) -> None:
        """Shows a text, whose line feeds stay, below a table; `title` is a key of the catalogues."""
        super().__init__(services)
        self._title, self._text, self._table = title, text, table

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="frame") as frame:
            frame.border_title = self.text(self._title)
            frame.border_subtitle = self.text("page_keys")
            if self._table is not None:
                yield Static(self._table)
            yield Static(id="text", markup=False)

    def on_mount(self) -> None:
        self.query_one("#frame").focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._write)

    def _write(self) -> None:
        width = self.query_one("#frame").scrollable_content_region.width
        self.query_one("#text", Static).update(Content("\n".join(wrapped_lines(self._text, max(width, 20)))))


class LongWork(Dialog[None]):
    """Shows how far work in a thread is; Escape and the button set `cancelled`, which ends it at its next step."""

    DEFAULT_CSS = """
    LongWork > #frame { width: 60; max-width: 96%; }
    LongWork Label { width: 1fr; }
    LongWork ProgressBar { width: 1fr; margin-top: 1; }
    LongWork Bar { width: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "cancel", show=False)]

    def __init__(self, services: Services, key: str) -> None:
        """Shows work that has the texts KEY_title and KEY_progress."""
        super().__init__(services)
        self._key, self._done, self._total = key, 0, 0
        self.cancelled = False

    def report(self, done: int, total: int) -> None:
        """Notes the progress, in the thread of the work; raises a `CancelledError` if the user has cancelled it."""
        self._done, self._total = done, total
        if self.cancelled:
            raise CancelledError

    def compose(self) -> ComposeResult:
        with Vertical(id="frame") as frame:
            frame.border_title = self.text(f"{self._key}_title")
            yield Label(markup=False)
            yield ProgressBar(show_eta=False)
            with Horizontal(id="buttons"):
                yield Button(self.text("cancel"), compact=True)

    def on_mount(self) -> None:
        self._show()
        self.set_interval(0.1, self._show)

    def _show(self) -> None:
        if self._total:
            progress = self.text(f"{self._key}_progress", done=self._done, total=self._total)
            self.query_one(Label).update(progress)
            self.query_one(ProgressBar).update(total=self._total, progress=self._done)

    @on(Button.Pressed)
    def action_cancel(self) -> None:
        self.cancelled = True
        self.query_one(Button).disabled = True


class SettingsDialog(Dialog[None]):
    """Changes the settings of the application; each change shows at once."""

    DEFAULT_CSS = "SettingsDialog > #frame { width: 60; }"

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="frame", can_focus=False) as frame:
            frame.border_title = self.text("settings")
            with Grid():
                for name in CHOICES:
                    current = getattr(self.services.settings, name)
                    endings = {value: {True: "on", False: "off"}.get(value, value) for value in CHOICES[name]}
                    keys = {value: f"{name}_{ending}".replace("-", "_") for value, ending in endings.items()}
                    options = [(self.text(key), value) for value, key in keys.items()]
                    yield Label(self.text(f"setting_{name}"), markup=False)
                    yield Select(options, value=current, allow_blank=False, id=name, compact=True)
            with Horizontal(id="buttons"):
                yield Button(self.text("close"), id="close", variant="primary", compact=True)

    def on_mount(self) -> None:
        self.query_one("#language").focus()

    @on(Select.Changed)
    async def _change(self, event: Select.Changed) -> None:
        language = self.services.settings.language
        self.services.change(**{str(event.select.id): event.value})
        if self.services.settings.language != language:
            await self.recompose()
            self.on_mount()


BOARDS = {
    name.lower() or "default": (config.rows, config.cols, config.mines)
    for name, config in ((name, BoardConfig.of_size(**preset)) for name, preset in PRESETS.items())
}
"""(rows, columns, mines) of each preset, by name."""

NO_GUESS: dict[str, NoGuess] = {"off": False, "subset": "subset", "exact": "exact"}
NO_LUCK = "no_luck"
SIZE = ("rows", "cols", "mines")


class NewGame(Dialog[BoardChoice]):
    """Chooses a board; begins with the present one, and no seed."""

    DEFAULT_CSS = """
    NewGame > #frame { width: 64; }
    NewGame #size { height: 1; }
    NewGame Input { background: $boost; }
    NewGame #size Input { width: 6; margin-right: 1; }
    NewGame #problem { color: $text-error; height: auto; min-height: 1; }
    """

    def compose(self) -> ComposeResult:
        config, text = self.services.choice.config, self.text
        size = [str(getattr(config, name)) for name in SIZE]
        presets = [(f"{text(f'board_{name}')}  {r}\u00d7{c}, {m}", name) for name, (r, c, m) in BOARDS.items()]
        rules = [(text(f"rule_{rule}"), rule) for rule in FIRST_CLICKS]
        levels = [(text(f"no_guess_{level}"), level) for level in (*NO_GUESS, NO_LUCK)]
        with VerticalScroll(id="frame", can_focus=False) as frame:
            frame.border_title = text("new_title")
            with Grid():
                yield Label(text("new_board"))
                yield _select("preset", [*presets, (text("board_custom"), "custom")], _preset(size))
                yield Label(text("new_size"))
                with Horizontal(id="size"):
                    for name, value in zip(SIZE, size, strict=True):
                        yield Input(value, id=name, compact=True)
                yield Label(text("new_first_click"))
                yield _select("first_click", rules, config.first_click)
                yield Label(text("new_no_guess"))
                current = (self.services.choice.no_guess or "off") if config.luck else NO_LUCK
                yield _select("no_guess", levels, current)
                yield Label(text("new_seed"))
                yield Input(placeholder=text("new_seed_random"), id="seed", compact=True)
            yield Static(id="problem", markup=False)
            with Horizontal(id="buttons"):
                yield Button(text("new_start"), id="start", variant="primary", compact=True)
                yield Button(text("cancel"), id="cancel", compact=True)

    def on_mount(self) -> None:
        self.query_one("#start").focus()

    @on(Select.Changed)
    def _change_choice(self, event: Select.Changed) -> None:
        for name, value in zip(SIZE, BOARDS.get(str(event.value), ()), strict=False):
            self.query_one(f"#{name}", Input).value = str(value)
        self._validate()

    @on(Input.Changed)
    def _change_number(self) -> None:
        """Names the preset of the size, and says at once what is wrong."""
        with self.prevent(Select.Changed):
            self.query_one("#preset", Select).value = _preset([self._value(name) for name in SIZE])
        self._validate()

    def _validate(self) -> BoardChoice | None:
        """Shows the problem of the typed values, if any; returns the choice, None with a problem."""
        try:
            choice, problem = self._read_choice(), ""
        except ValueError as error:
            choice, problem = None, str(error)
        self.query_one("#problem", Static).update(problem)
        self.query_one("#start", Button).disabled = choice is None
        return choice

    def _read_choice(self) -> BoardChoice:
        """Returns the choice that is typed; raises a ValueError whose message the player reads."""
        rows, cols, mines = (self._number(name, 1) for name in SIZE)
        seed = self._number("seed", 0) if self._value("seed") else None
        if not 2 <= rows * cols <= MAX_CELLS:
            raise ValueError(self.text("new_too_many_cells", most=MAX_CELLS, given=rows * cols))
        rule, level = (str(self.query_one(f"#{name}", Select).value) for name in ("first_click", "no_guess"))
        try:
            max_mines = BoardConfig(rows, cols, 1, first_click=rule).max_mines
        except ValueError as error:
            raise ValueError(self.text("new_no_mines_fit")) from error
        if mines > max_mines:
            raise ValueError(self.text("new_too_many_mines", most=max_mines, given=mines))
        luck = level != NO_LUCK
        if not luck and rule not in UNIFORM_FIRST_CLICKS:
            raise ValueError(self.text("new_needs_luck"))
        return BoardChoice(BoardConfig(rows, cols, mines, rule, luck=luck), NO_GUESS.get(level, False), seed)

    def _value(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()

    def _number(self, name: str, least: int) -> int:
        text = self._value(name)
        if not re.fullmatch(r"\d{1,18}", text, re.ASCII) or int(text) < least:
            field = self.text(f"new_{name}" if name != "seed" else "new_seed_name")
            raise ValueError(self.text("new_not_a_number", name=field, least=least, given=text))
        return int(text)

    @on(Input.Submitted)
    @on(Button.Pressed, "#start")
    def _start(self) -> None:
        if (choice := self._validate()) is not None:
            self.dismiss(choice)


def _select(name: str, options: Sequence[tuple[str, str]], value: str) -> Select[str]:
    return Select(options, value=value, allow_blank=False, id=name, compact=True)


def _preset(size: Sequence[str]) -> str:
    return next((name for name, board in BOARDS.items() if [*map(str, board)] == [*size]), "custom")
