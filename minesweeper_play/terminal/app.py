"""The full screen: what is loaded before it, its first screen, its settings and statistics, and its end."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from baselines.policy import PolicyError
from baselines.support.checks import MissingExtraError
from baselines.support.processes import BAD_ARGUMENTS, FAILED, INTERRUPTED, explain
from minesweeper_env.engine.games import compile_kernels
from minesweeper_env.notices import say, show_compilations
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.explanations import statistics_table
from minesweeper_play.game.moves import Report
from minesweeper_play.game.saved import load_game
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import Statistics, open_statistics, summarise, user_folder
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.base import BoardChoice, GameAppScreen, Services
from minesweeper_play.terminal.board import BoardCanvas
from minesweeper_play.terminal.dialogs import Page, SettingsDialog
from minesweeper_play.terminal.player import Player, load_players
from minesweeper_play.terminal.playing import GameScreen
from minesweeper_play.terminal.watching import WatchScreen

WARNING_SECONDS = 10.0


def run(options: PlayOptions) -> int:
    """Plays on the whole screen, or watches policies, until the user leaves.

    Returns the exit status: 0, 1 after a failure, 2 where a policy or a saved game cannot be used, 130 after Ctrl-C.
    """
    try:
        compile_kernels(step_alone=True)
        players = load_players(options)
        session = None if options.saved is None else load_game(options.saved, Catalogue(options.language))
    except (ValueError, PolicyError, MissingExtraError) as error:
        say(f"{options.program}: {explain(error)}")
        return BAD_ARGUMENTS
    file = None
    # The screen warns of a user without a home, who has no statistics either.
    with suppress(OSError):
        file = user_folder("config") / "settings.json" if options.keeps_settings else None
    app = MinesweeperApp(options, players, session, file=file)
    notify = partial(app.notify, app.services.catalogue.text("compiling"), timeout=WARNING_SECONDS)
    announce = cache(partial(app.call_later, notify))
    show_compilations(lambda _: announce())
    status = app.run()
    show_compilations(None)
    if app.services.failure:
        say(f"{options.program}: {app.services.failure}")
    return FAILED if status is None else status


class MinesweeperApp(App[int]):
    """Plays Minesweeper on the whole screen, or watches policies play it; the screens share its `services`."""

    TITLE = "Minesweeper"
    ENABLE_COMMAND_PALETTE = False
    # The class of screens that have at least so many lines.
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-middle"), (24, "-high"), (32, "-top")]  # noqa: RUF012 - as in `App`
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (70, "-wide"), (160, "-broad")]  # noqa: RUF012 - as in `App`
    CSS = """
    #prompt { height: 1; border: none; padding: 0 1; }
    .-narrow Footer { layout: grid; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", f"leave({INTERRUPTED})", show=False, priority=True),
        Binding("ctrl+q", "leave(0)", show=False, priority=True),
    ]

    def __init__(
        self,
        options: PlayOptions,
        players: Sequence[Player] = (),
        session: Session | None = None,
        statistics: Statistics | None = None,
        file: Path | None = None,
    ) -> None:
        """Prepares the screen of a command line.

        Without players the user plays, and a session of None begins a game. Statistics of None are the user's own.
        Settings are kept in a file, if there is one.
        """
        super().__init__()
        self._players, self._session, self._seed = players, session, options.seed or 0
        self._lack = Report("statistics_on_web" if self.is_web else "")
        if statistics is None and not self.is_web:
            statistics, self._lack = open_statistics()
        self.services = Services(options, None if self.is_web else statistics, file)
        self.services.on_change, self.services.warn = self._dress, self._warn
        if session is not None:
            self.services.choice = BoardChoice(session.config, session.no_guess)

    def _dress(self) -> None:
        self.theme = f"textual-{self.services.settings.theme}"
        for screen in self.screen_stack:
            for board in screen.query(BoardCanvas):
                board.dress(self.services.settings.pencil)
            if isinstance(screen, GameAppScreen):
                screen.translate()

    def on_mount(self) -> None:
        self._dress()
        if self._players:
            self.push_screen(WatchScreen(self.services, self._players, self._seed))
        else:
            self.push_screen(GameScreen(self.services, self._session or self.services.next_session()))
        for problem in (self._lack, self.services.problem):
            if problem.key and not self.is_web:
                self._warn(problem)
        if self.is_web:
            self.set_interval(1.0, partial(self._end_alone, os.getppid()))

    def _end_alone(self, server: int) -> None:
        """Ends the game of a visitor whose server has ended."""
        if os.getppid() != server:
            self.exit(0)

    def _warn(self, report: Report) -> None:
        text = self.services.catalogue.text(report.key, **report.values)
        self.notify(text, severity="warning", timeout=WARNING_SECONDS, markup=False)

    def action_settings(self) -> None:
        self.push_screen(SettingsDialog(self.services))

    def action_statistics(self) -> None:
        statistics, text, table = self.services.statistics, self.services.catalogue.text, None
        if statistics is None:
            self._warn(self._lack)
            return
        try:
            records = statistics.read()
        except OSError as error:
            shown = text("statistics_failed", path=statistics.path, reason=error)
        else:
            problem = text(statistics.problem.key, **statistics.problem.values)
            table = statistics_table(summarise(records), self.services.catalogue) if records else None
            parts = ("" if records else text("statistics_empty"), problem, text("table_place", path=statistics.path))
            shown = "\n\n".join(filter(None, parts))
        self.push_screen(Page(self.services, "statistics_title", shown, table))

    async def run_action(self, *args: Any, **kwargs: Any) -> bool:
        """Runs no action once the program ends: a screen that a key typed ahead opened would never get its widgets."""
        return self.return_code is None and await super().run_action(*args, **kwargs)

    def action_leave(self, status: int) -> None:
        self.exit(status)

    def on_load(self) -> None:
        """Restores the terminal where SIGTERM ends the program."""
        # The event loops of Windows have no signal handlers, nor have those of other threads than the main one.
        with suppress(NotImplementedError, RuntimeError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.exit, 128 + signal.SIGTERM)
