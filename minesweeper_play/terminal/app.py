"""The application: its first screen, settings, language and statistics."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from minesweeper_play.game.moves import Report
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import Finish, Statistics, open_statistics
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.board.canvas import BoardCanvas
from minesweeper_play.terminal.board.picture import RiskStyle
from minesweeper_play.terminal.choice import BoardChoice, first_choice
from minesweeper_play.terminal.dialogs.pages import Page
from minesweeper_play.terminal.fitting import FittingScreen
from minesweeper_play.terminal.kept_settings import BOARD, Kept, KeptSettings
from minesweeper_play.terminal.playing.screen import GameScreen
from minesweeper_play.terminal.settings import THEMES, Settings
from minesweeper_play.terminal.statistics import statistics_text
from minesweeper_play.terminal.watching.player import Player
from minesweeper_play.terminal.watching.screen import WatchScreen

DONE, FAILED, INTERRUPTED = 0, 1, 130
"""Exit statuses."""

WARNING_SECONDS = 10.0
"""Seconds for which a warning about the settings is shown."""


class MinesweeperApp(App[int]):
    """Plays Minesweeper on the whole screen, or watches policies play it.

    Attributes:
        choice: the board of the next game; `choose` changes it.
        problem: the message of the error that ended the program; "" if there was none.
    """

    TITLE = "Minesweeper"
    ENABLE_COMMAND_PALETTE = False
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
        self._statistics, self._no_statistics = statistics, Report()
        if statistics is None:
            self._statistics, self._no_statistics = open_statistics()
        kept = Kept() if kept_settings is None else kept_settings.read()
        chosen = first_choice(options, kept.board)
        self.choice = chosen if session is None else BoardChoice(session.config, session.no_guess)
        self.problem = ""
        self._players, self._session = players, session
        self._seed = 0 if options.seed is None else options.seed
        self._settings = Settings.of(options, kept.settings)
        self._kept_settings, self._kept_problem = kept_settings, kept.problem

    def record(self, session: Session) -> Finish:
        """Records a finished game, where statistics are kept; visitors of a web page have none."""
        return Finish() if self._statistics is None or self.is_web else self._statistics.finish(session)

    @property
    def settings(self) -> Settings:
        """The settings of the screen; new ones take effect at once, and are kept for later games."""
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        before, self._settings = asdict(self._settings), settings
        self._keep({name: value for name, value in asdict(settings).items() if value != before[name]})
        self._dress()

    def _dress(self) -> None:
        """Draws all screens with the present settings."""
        settings = self._settings
        self.theme = THEMES[settings.theme]
        for screen in self.screen_stack:
            for board in screen.query(BoardCanvas):
                board.dress(settings.appearance)
            if isinstance(screen, FittingScreen):
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
        for problem in (self._kept_problem, Report() if self.is_web else self._no_statistics):
            if problem.key:
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
        self._keep({BOARD: choice})

    def set_overlay(self, overlay: RiskStyle) -> None:
        """Keeps how risks are shown; only the screen that shows them has to be drawn again."""
        self._settings = replace(self._settings, overlay=overlay)
        self._keep({"overlay": overlay})

    def _keep(self, changed: Mapping[str, object]) -> None:
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

    def notice(self, line: str) -> None:
        """Shows a notice, such as that of a compilation; any thread may call this."""
        self.call_later(self._show_notice, line)

    def _show_notice(self, line: str) -> None:
        self.notify(line, timeout=WARNING_SECONDS)
        if isinstance(self.screen, GameScreen):
            self.screen.say_compiling()

    def show_statistics(self) -> None:
        """Opens the page of the statistics."""
        if self._statistics is None or self.is_web:
            self._warn(Report("statistics_on_web") if self.is_web else self._no_statistics)
            return
        try:
            text = statistics_text(self._statistics, self.catalogue)
        except OSError as error:
            text = self.text("statistics_failed", path=self._statistics.path, reason=error.strerror or error)
        self.push_screen(Page(self.text("statistics_title"), text))

    def fail(self, problem: str) -> None:
        """Ends the program with a problem, which is printed when the terminal is as before."""
        self.problem = problem
        self.exit(FAILED)

    def action_leave_at_once(self) -> None:
        """Ends the program without a question."""
        self.exit(DONE)

    def action_interrupt(self) -> None:
        """Ends the program as Ctrl-C does."""
        self.exit(INTERRUPTED)

    def on_load(self) -> None:
        """Restores the terminal where SIGTERM ends the program."""
        # The event loops of Windows have no signal handlers.
        with suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.exit, 128 + signal.SIGTERM)
