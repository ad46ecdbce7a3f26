"""The full screen: what is loaded before it, its first screen, settings, language and statistics, and its end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from typing import Any, ClassVar

import msgspec
from textual.app import App
from textual.binding import Binding, BindingType

from baselines.cli.start import BAD_ARGUMENTS, FAILED, INTERRUPTED, explain
from baselines.policy import PolicyError
from baselines.support.extras import MissingExtraError
from minesweeper_env.engine.games import compile_step
from minesweeper_env.notices import say, show_compilations
from minesweeper_play.game.moves import Report
from minesweeper_play.game.saved import SavedGameError, load_game
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import Statistics, open_statistics, summarise
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.language.explanations import statistics_table
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.base import GameAppScreen
from minesweeper_play.terminal.board import BoardCanvas
from minesweeper_play.terminal.dialogs import Page, SettingsDialog
from minesweeper_play.terminal.player import Player, load_players
from minesweeper_play.terminal.playing import GameScreen
from minesweeper_play.terminal.settings import BoardChoice, KeptSettings, Settings, first_settings
from minesweeper_play.terminal.watching import WatchScreen

HEIGHTS = {0: "-low", 20: "-middle", 24: "-high", 32: "-top"}
"""The class of screens that have at least so many lines."""

WARNING_SECONDS = 10.0
"""Seconds for which a warning is shown."""


def run(options: PlayOptions) -> int:
    """Plays on the whole screen, or watches policies, until the user leaves.

    Returns:
        The exit status: 0 when the user left, 1 after a failure, 2 where a policy or a saved game cannot be used,
        130 after Ctrl-C.
    """
    try:
        compile_step()
        players = load_players(options)
        session = None if options.saved is None else load_game(options.saved)
    except (ValueError, PolicyError, SavedGameError, MissingExtraError) as error:
        say(f"{options.program}: {explain(error)}")
        return BAD_ARGUMENTS
    kept = None
    # The screen warns of a user without a home, who has no statistics either.
    with suppress(OSError):
        kept = KeptSettings() if options.keeps_settings else None
    app = MinesweeperApp(options, players, session, kept_settings=kept)
    announce = cache(partial(app.call_later, app.say_compiling))
    show_compilations(lambda _: announce())
    status = app.run()
    show_compilations(None)
    if app.problem:
        say(f"{options.program}: {app.problem}")
    return FAILED if status is None else status


class MinesweeperApp(App[int]):
    """Plays Minesweeper on the whole screen, or watches policies play it.

    Attributes:
        choice: the board of the next game; `choose` changes it.
        statistics: the statistics; None where none are kept, as for visitors of a web page.
        problem: the message of the error that ended the program; "" if there was none.
    """

    TITLE = "Minesweeper"
    ENABLE_COMMAND_PALETTE = False
    VERTICAL_BREAKPOINTS = list(HEIGHTS.items())  # noqa: RUF012 - the base class has no class variable
    CSS = """
    #prompt { height: 1; border: none; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("ctrl+q", "leave_at_once", show=False, priority=True),
    ]

    def __init__(
        self,
        options: PlayOptions,
        players: Sequence[Player] = (),
        session: Session | None = None,
        statistics: Statistics | None = None,
        kept_settings: KeptSettings | None = None,
    ) -> None:
        """Prepares the screen of a command line.

        Args:
            options: the command line.
            players: the policies to watch; none to play oneself.
            session: the first game; None begins one.
            statistics: the statistics; None for the user's own.
            kept_settings: the settings that outlive the game; None begins with the usual ones, and keeps none.
        """
        super().__init__()
        self.problem = ""
        self._problems: list[Report] = []
        self._players, self._session = players, session
        self._seed = 0 if options.seed is None else options.seed
        self._kept_settings = kept_settings
        self.statistics = None if self.is_web else statistics
        if statistics is None and not self.is_web:
            self.statistics, problem = open_statistics()
            self._problems.append(problem)
        self._settings, self.choice = self._first_settings(options)
        if session is not None:
            self.choice = BoardChoice(session.config, session.no_guess)

    def _first_settings(self, options: PlayOptions) -> tuple[Settings, BoardChoice]:
        """Returns the settings to begin with; those of a file that cannot be read count for nothing."""
        if self._kept_settings is not None:
            try:
                return first_settings(options, self._kept_settings.read())
            except (OSError, ValueError, KeyError, TypeError, msgspec.ValidationError) as error:
                values = {"path": self._kept_settings.path, "reason": explain(error)}
                self._problems.append(Report("settings_unreadable", values=values))
        return first_settings(options, {})

    @property
    def settings(self) -> Settings:
        """The settings of the screen; new ones take effect at once, and are kept for later games."""
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        before, self._settings = msgspec.to_builtins(self._settings), settings
        self._keep({name: value for name, value in msgspec.to_builtins(settings).items() if value != before[name]})
        self._dress()

    def change(self, **changed: Any) -> None:
        """Changes settings by name."""
        self.settings = msgspec.structs.replace(self._settings, **changed)

    def _dress(self) -> None:
        """Draws all screens with the present settings."""
        self.theme = f"textual-{self._settings.theme}"
        for screen in self.screen_stack:
            for board in screen.query(BoardCanvas):
                board.dress(self._settings.pencil)
            if isinstance(screen, GameAppScreen):
                screen.translate()

    @property
    def catalogue(self) -> Catalogue:
        """The texts in the language of the settings."""
        return Catalogue(self._settings.language)

    def text(self, key: str, **values: object) -> str:
        """Returns a text in the language of the settings."""
        return self.catalogue.text(key, **values)

    @property
    def is_animated(self) -> bool:
        """Whether openings are animated."""
        return self._settings.animation and self.animation_level != "none"

    def on_mount(self) -> None:
        """Shows the first game."""
        self._dress()
        watching = self._players and WatchScreen(self._players, self._seed)
        self.push_screen(watching or GameScreen(self._session or self.next_session()))
        for problem in filter(lambda report: report.key, self._problems):
            self._warn(problem)

    def next_session(self) -> Session:
        """Returns a new game on the chosen board; after a given seed come the seeds that follow it."""
        session = Session(self.choice.config, seed=self.choice.seed, no_guess=self.choice.no_guess)
        if self.choice.seed is not None:
            self.choice = replace(self.choice, seed=self.choice.seed + 1)
        return session

    def choose(self, choice: BoardChoice) -> None:
        """Takes another board for the next games, and keeps it for later ones."""
        self.choice = choice
        self._keep({"board": choice.plain()})

    def _keep(self, changed: dict[str, object]) -> None:
        """Keeps changed settings for later games; where that fails, one warning says so."""
        if self._kept_settings is None or not changed:
            return
        try:
            self._kept_settings.keep(changed)
        except OSError as error:
            values = {"path": self._kept_settings.path, "reason": error.strerror or str(error)}
            self._kept_settings = None
            self._warn(Report("settings_failed", values=values))

    def _warn(self, report: Report) -> None:
        self.notify(self.text(report.key, **report.values), severity="warning", timeout=WARNING_SECONDS, markup=False)

    def say_compiling(self) -> None:
        """Says that something is compiled, which makes the first answer slow."""
        self.notify(self.text("compiling"), timeout=WARNING_SECONDS)

    def action_settings(self) -> None:
        """Opens the settings."""
        self.push_screen(SettingsDialog())

    def action_statistics(self) -> None:
        """Opens the page of the statistics."""
        if self.statistics is None:
            self._warn(Report("statistics_on_web") if self.is_web else self._problems[0])
            return
        table = None
        try:
            records = self.statistics.read()
        except OSError as error:
            text = self.text("statistics_failed", path=self.statistics.path, reason=error.strerror or error)
        else:
            problem, place = self.statistics.problem, self.text("table_place", path=self.statistics.path)
            table = statistics_table(summarise(records), self.catalogue) if records else None
            parts = (self.text("statistics_empty") if not records else "", self.text(problem.key, **problem.values))
            text = "\n\n".join(filter(None, (*parts, place)))
        self.push_screen(Page(self.text("statistics_title"), text, table))

    def fail(self, problem: str) -> None:
        """Ends the program with a problem, which is printed when the terminal is as before."""
        self.problem = problem
        self.exit(FAILED)

    def action_leave_at_once(self) -> None:
        """Ends the program without a question."""
        self.exit(0)

    def action_interrupt(self) -> None:
        """Ends the program as Ctrl-C does."""
        self.exit(INTERRUPTED)

    def on_load(self) -> None:
        """Restores the terminal where SIGTERM ends the program."""
        # The event loops of Windows have no signal handlers.
        with suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.exit, 128 + signal.SIGTERM)
