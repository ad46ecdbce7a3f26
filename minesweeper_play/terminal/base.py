"""State that the Textual screens share: settings and their file, texts, statistics, the next board, background work."""

import threading
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import msgspec
from textual.app import ComposeResult
from textual.binding import ActiveBinding
from textual.content import Content
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widgets import Footer, Static

from baselines.files import write_json
from baselines.process import explain
from minesweeper_env.config import BoardConfig, NoGuess
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.game.moves import Report
from minesweeper_play.game.records import Statistics
from minesweeper_play.game.session import Session
from minesweeper_play.options import Language, Palette, PlayOptions
from minesweeper_play.terminal.drawing import PALETTES, Pencil

Answer = TypeVar("Answer")

Theme = Literal["dark", "light"]

CHOICES: Mapping[str, tuple[Any, ...]] = {
    "language": get_args(Language),
    "theme": get_args(Theme),
    "palette": get_args(Palette),
    "animation": (True, False),
}
"""The values of the settings, which the dialog offers."""

BOARD_FIELDS = ("rows", "cols", "mines", "first_click", "no_guess", "luck")
"""The fields of `BoardConfig` that the board in the file has; older files lack `luck`."""


class Settings(msgspec.Struct, frozen=True):
    """Settings of the screen."""

    language: Language = "en"
    theme: Theme = "dark"
    palette: Palette = "standard"
    animation: bool = True

    @property
    def pencil(self) -> Pencil:
        return Pencil(PALETTES[self.theme, self.palette == "colour-blind"])


@dataclass(frozen=True)
class BoardChoice:
    """A board to play, with the reasoning that solves it without a guess; a `seed` of None draws one."""

    config: BoardConfig
    no_guess: NoGuess = False
    seed: int | None = None


def first_settings(options: PlayOptions, kept: Mapping[str, Any]) -> tuple[Settings, BoardChoice]:
    """Returns the settings and the board: those that the command line states, and else those that the file kept.

    A command line with a board decides everything about boards, so that it means the same on every computer. Without a
    board, its options change the kept board, or Beginner if they are not allowed on the kept one. Raises a ValueError,
    TypeError or KeyError for a value of the file that is not allowed.
    """
    from_options = {name: getattr(options, name) for name in ("language", "palette", "animation")}
    from_file = {name: kept[name] for name in Settings.__struct_fields__ if name in kept and name not in options.given}
    settings = msgspec.convert({**from_options, **from_file}, Settings)
    if options.config is None and "board" in kept:
        kept_board = {"luck": True, **kept["board"]}
        board = BoardConfig(**{name: kept_board[name] for name in BOARD_FIELDS})
        rule = options.first_click if "first_click" in options.given else board.first_click
        # `no_guess` and `luck=False` exclude each other, so both come from one source.
        source: PlayOptions | BoardConfig = options if options.given & {"no_guess", "luck"} else board
        with suppress(ValueError):
            config = replace(board, no_guess=False, luck=source.luck, first_click=rule)
            return settings, BoardChoice(config, source.no_guess, options.seed)
    config = options.config or BoardConfig.of_size(9, first_click=options.first_click, luck=options.luck)
    return settings, BoardChoice(config, options.no_guess, options.seed)


def read_settings(file: Path | None) -> dict[str, Any]:
    """Returns the JSON object in a file, {} without a file; raises an OSError or a ValueError for a damaged file."""
    content = file.read_bytes() if file is not None and file.exists() else b"{}"
    return msgspec.json.decode(content, type=dict[str, Any])


class Services:
    """What the screens of one program share.

    Attributes:
        choice: the board of the next game; `choose` replaces it.
        statistics: the statistics; None where none are kept, as for visitors of a web page.
        problem: what went wrong with the settings at the start; its key is "" if nothing did.
        failure: the message of the error that ended the program; "" if there was none.
        on_change, warn: called after settings have changed, and with what the player has to know.
    """

    def __init__(self, options: PlayOptions, statistics: Statistics | None, file: Path | None) -> None:
        """Takes the settings of a file and of the command line; without a file none are kept."""
        self.statistics, self._file, self.failure = statistics, file, ""
        self.problem = Report()
        self.on_change: Callable[[], object] = lambda: None
        self.warn: Callable[[Report], object] = lambda _: None
        try:
            self.settings, self.choice = first_settings(options, read_settings(file))
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            self.problem = Report("settings_unreadable", values={"path": file, "reason": explain(error)})
            self.settings, self.choice = first_settings(options, {})
        self.catalogue = Catalogue(self.settings.language)

    def change(self, **changed: Any) -> None:
        """Changes settings by name, and keeps the changed ones for later games."""
        before, self.settings = self.settings, msgspec.structs.replace(self.settings, **changed)
        self.catalogue = Catalogue(self.settings.language)
        self._keep({name: value for name, value in changed.items() if value != getattr(before, name)})
        self.on_change()

    def choose(self, choice: BoardChoice) -> None:
        """Takes another board for the next games, and keeps it for later ones, without its seed."""
        self.choice = choice
        config = replace(choice.config, no_guess=choice.no_guess)
        self._keep({"board": {name: getattr(config, name) for name in BOARD_FIELDS}})

    def next_session(self) -> Session:
        """Returns a new game on the chosen board; after a given seed come the seeds that follow it."""
        choice = self.choice
        if choice.seed is not None:
            self.choice = replace(choice, seed=choice.seed + 1)
        return Session(choice.config, seed=choice.seed, no_guess=choice.no_guess)

    def _keep(self, changed: dict[str, object]) -> None:
        """Adds changed settings to the present file; after a failure it warns once, and keeps no more settings."""
        if self._file is None or not changed:
            return
        kept: dict[str, Any] = {}
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with suppress(ValueError, RecursionError):
                kept = read_settings(self._file)
            write_json(self._file, {**kept, **changed}, follow=True)
        except OSError as error:
            values = {"path": self._file, "reason": error}
            self._file = None
            self.warn(Report("settings_failed", values=values))


class GameAppScreen(Screen[None]):
    """A screen of the game; the descriptions of its keys are keys of the catalogues."""

    DEFAULT_CSS = """
    GameAppScreen #figures { height: 1; background: $panel; text-align: center; text-wrap: nowrap; }
    GameAppScreen #message { height: 2; padding: 0 1; }
    GameAppScreen.-low #message { height: 1; }
    GameAppScreen.-high #message { height: 3; }
    GameAppScreen.-top #message { height: 5; }
    """

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.services = services

    @property
    def catalogue(self) -> Catalogue:
        return self.services.catalogue

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """The keys that the footer shows, described in the language of the settings.

        A narrow and high screen is a phone: it has no other keys, so that the footer shows all that have a description.
        """
        bindings, is_phone = super().active_bindings, self.has_class("-narrow", "-top")
        for key, active in bindings.items():
            if active.binding.description in self.catalogue.texts:
                text, name = self.catalogue.text(active.binding.description), self.catalogue.texts.get(f"name_{key}")
                show = active.binding.show or is_phone
                translated = replace(active.binding, description=text, key_display=name, show=show)
                bindings[key] = active._replace(binding=translated)
        return bindings

    def on_resize(self) -> None:
        """Shows the keys of a phone, or fewer."""
        self.refresh_bindings()

    def show_figures(self, figures: Sequence[tuple[str, str]]) -> None:
        """Shows values after their labels, which may be "", in the first line of the screen."""
        contents = (
            Content.from_markup("$label [b]$value[/]" if label else "[b]$value[/]", label=label, value=value)
            for label, value in figures
        )
        self.query_one("#figures", Static).update(Content("  ").join(contents))

    @abstractmethod
    def translate(self) -> None:
        """Writes all texts of the screen in the language of the settings."""


class KeyFooter(Footer):
    """The keys of a screen: a line, or on a narrow screen several lines of `COLUMNS` keys each."""

    COLUMNS = 3

    def compose(self) -> ComposeResult:
        yield from super().compose()
        self.styles.grid_size_columns = self.COLUMNS


class Background:
    """Runs requests in threads, one at a time; of several that wait, only the latest runs.

    Unlike textual's workers, these are daemon threads, so a slow answer does not delay the end of the program.
    """

    def __init__(self, owner: MessagePump, fail: Callable[[Exception], object]) -> None:
        """Delivers answers, and errors of the work to `fail`, in the thread of the owner."""
        self._owner, self._fail = owner, fail
        self._lock = threading.Lock()
        self._request: object = None

    @property
    def is_busy(self) -> bool:
        return self._request is not None

    def ask(self, work: Callable[[], Answer], take: Callable[[Answer], object]) -> None:
        """Requests work; `take` takes the answer, unless another request or `forget` comes before it."""
        request = self._request = object()

        def run() -> None:
            answer: Any = None
            deliver: Callable[[Any], object] = take
            with self._lock:
                if request is not self._request:
                    return
                try:
                    answer = work()
                except Exception as error:
                    answer, deliver = error, self._fail
            # The program may have ended meanwhile.
            with suppress(RuntimeError):
                self._owner.call_later(self._deliver, request, answer, deliver)

        threading.Thread(target=run, daemon=True).start()

    def forget(self) -> None:
        self._request = None

    def _deliver(self, request: object, answer: Any, deliver: Callable[[Any], object]) -> None:
        if request is self._request:
            self._request = None
            deliver(answer)
