"""Textual app of the terminal game: its start, settings, statistics and end; and the screen that watches policies."""

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from baselines.checks import MissingExtraError
from baselines.policy import PolicyError
from baselines.process import BAD_ARGUMENTS, FAILED, INTERRUPTED, explain
from minesweeper_env.console import say, show_compilations
from minesweeper_env.engine.games import compile_kernels
from minesweeper_env.generation import GenerationError
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.explanations import statistics_table
from minesweeper_play.game.advice import Mark
from minesweeper_play.game.moves import Cell, Report
from minesweeper_play.game.records import Statistics, load_game, open_statistics, summarise, user_folder
from minesweeper_play.game.session import Session
from minesweeper_play.game.watched_policy import Choice, WatchedPolicy, load_policies
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.base import Background, BoardChoice, GameAppScreen, KeyFooter, Services
from minesweeper_play.terminal.board import BoardCanvas
from minesweeper_play.terminal.dialogs import Page, SettingsDialog
from minesweeper_play.terminal.drawing import NEXT_STYLE, RiskStyle, picture_of
from minesweeper_play.terminal.playing import GameScreen

WARNING_SECONDS = 10.0


def run(options: PlayOptions) -> int:
    """Plays on the whole screen, or watches policies, until the user leaves.

    Returns the exit status: 0, 1 after a failure, 2 where a policy or a saved game cannot be used, 130 after Ctrl-C.
    """
    try:
        compile_kernels(step_alone=True)
        players = load_policies(options)
        session = None if options.saved is None else load_game(options.saved, Catalogue(options.language))
    except (ValueError, PolicyError, MissingExtraError) as error:
        say(f"{options.program}: {explain(error)}")
        return BAD_ARGUMENTS
    file = None
    # A user without a home folder has no settings file; the screen warns of this together with the statistics.
    with suppress(OSError):
        file = user_folder("config") / "settings.json" if options.keeps_settings else None
    app = MinesweeperApp(options, players, session, file=file)
    notify = partial(app.notify, app.services.catalogue.text("compiling"), timeout=WARNING_SECONDS)
    announce = cache(partial(app.call_later, notify))  # cached, so that many compilations give one message
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
    # The style class of a screen, by its least number of lines, and below by that of columns.
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-middle"), (25, "-high"), (32, "-top")]  # noqa: RUF012 - as in `App`
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
        players: Sequence[WatchedPolicy] = (),
        session: Session | None = None,
        statistics: Statistics | None = None,
        file: Path | None = None,
    ) -> None:
        """Prepares the full screen for the options of the command line.

        Without players the user plays: the session or, if it is None, a new game. Statistics of None are the user's
        own. The settings are kept in `file`; None keeps none.
        """
        super().__init__()
        self._players, self._session, self._seed = players, session, options.seed or 0
        self._statistics_problem = Report("statistics_on_web" if self.is_web else "")
        if statistics is None and not self.is_web:
            statistics, self._statistics_problem = open_statistics()
        self.services = Services(options, None if self.is_web else statistics, file)
        self.services.on_change, self.services.warn = self._apply_settings, self._warn
        if session is not None:
            self.services.choice = BoardChoice(session.config, session.no_guess)

    def _apply_settings(self) -> None:
        self.theme = f"textual-{self.services.settings.theme}"
        for screen in self.screen_stack:
            for board in screen.query(BoardCanvas):
                board.restyle(self.services.settings.pencil)
            if isinstance(screen, GameAppScreen):
                screen.translate()

    def on_mount(self) -> None:
        self._apply_settings()
        if self._players:
            self.push_screen(WatchScreen(self.services, self._players, self._seed))
        else:
            self.push_screen(GameScreen(self.services, self._session or self.services.next_session()))
        for problem in (self._statistics_problem, self.services.problem):
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
            self._warn(self._statistics_problem)
            return
        try:
            records = statistics.read()
        except OSError as error:
            page_text = text("statistics_failed", path=statistics.path, reason=error)
        else:
            problem = text(statistics.problem.key, **statistics.problem.values)
            table = statistics_table(summarise(records), self.services.catalogue) if records else None
            parts = ("" if records else text("statistics_empty"), problem, text("table_place", path=statistics.path))
            page_text = "\n\n".join(filter(None, parts))
        self.push_screen(Page(self.services, "statistics_title", page_text, table))

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


SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Moves per second."""

END_SECONDS = 2.0
"""Seconds for which the end of a game stays on the screen; less at speeds above one move a second."""


class WatchScreen(GameAppScreen):
    """Watches one or two policies play one game after the other."""

    DEFAULT_CSS = """
    WatchScreen #players { layout: horizontal; height: 1fr; }
    WatchScreen .player { width: 1fr; height: 1fr; }
    WatchScreen .title { height: 2; width: 1fr; text-align: center; }
    WatchScreen.-broad .title { height: 1; }
    WatchScreen #score { height: auto; padding: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "key_pause"),
        Binding("full_stop", "step", "key_step"),
        Binding("plus,equals_sign", "change_speed(1)", "key_faster"),
        Binding("minus", "change_speed(-1)", "key_slower"),
        Binding("p", "risks", "key_risks"),
        Binding("n", "next", "key_next"),
        Binding("s", "app.settings", show=False),
        Binding("q,escape", "leave", "key_leave"),
    ]

    def __init__(self, services: Services, players: Sequence[WatchedPolicy], seed: int) -> None:
        super().__init__(services)
        self.players, self.seed, self.paused = tuple(players), seed, False
        self._speed = SPEEDS.index(2.0)
        self._risk_style: RiskStyle = "numbers"
        self._choices: list[Choice | None] = [None] * len(self.players)
        self._background = Background(self, self._fail)
        self._timer: Timer | None = None
        self._wants_step = False

    def compose(self) -> ComposeResult:
        yield Static(id="figures")
        with Container(id="players"):
            for index, player in enumerate(self.players):
                with Vertical(classes="player"):
                    yield Static(classes="title", id=f"title{index}")
                    yield BoardCanvas(picture_of(player), self.services.settings.pencil, id=f"board{index}")
        yield Static(id="score")
        yield KeyFooter(compact=True)

    def on_mount(self) -> None:
        self.translate()
        self._begin()

    def translate(self) -> None:
        self.refresh_bindings()
        self._show()

    def _fail(self, error: Exception) -> None:
        """Ends the program with an error, which `run` prints once the terminal is restored."""
        self.services.failure = explain(error)
        self.app.exit(FAILED)

    def _begin(self) -> None:
        for player in self.players:
            player.begin(self.seed)
        self._choices = [None] * len(self.players)
        self._choose_moves()

    def _choose_moves(self) -> None:
        def work() -> list[Choice | None]:
            choices: list[Choice | None] = []
            for player in self.players:
                rival = choices[0] if choices else None
                choices.append(None if player.is_over else player.choose(rated=self._risk_style != "off", rival=rival))
            return choices

        self._background.ask(work, self._take_choices)

    def _take_choices(self, choices: list[Choice | None]) -> None:
        self._choices = choices
        self._show()
        self._schedule_step()

    def _schedule_step(self, seconds: float = 1.0) -> None:
        """Schedules the next step: at once if requested, never while paused, else after `seconds` / moves a second."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._wants_step:
            self._wants_step = False
            self._advance()
        elif not self.paused:
            self._timer = self.set_timer(seconds / SPEEDS[self._speed], self._advance)

    def _advance(self) -> None:
        """Plays the chosen moves and asks for the next ones, or begins the next game once all games are over."""
        self._timer = None
        if all(player.is_over for player in self.players):
            self.seed += 1
            self._begin()
            return
        if not any(self._choices):
            return
        try:
            for player, choice in zip(self.players, self._choices, strict=True):
                if choice is not None:
                    player.play(choice)
        except GenerationError as error:
            self._fail(error)
            return
        self._choices = [None] * len(self.players)
        self._show()
        if all(player.is_over for player in self.players):
            self._schedule_step(END_SECONDS * min(1.0, SPEEDS[self._speed]))  # at most END_SECONDS, at any speed
        else:
            self._choose_moves()

    def _show(self) -> None:
        """Shows the boards with the next moves and the risks, the titles, the figures and the score."""
        for index, (player, choice) in enumerate(zip(self.players, self._choices, strict=True)):
            board = self.query_one(f"#board{index}", BoardCanvas)
            ratings = choice.ratings if choice is not None and self._risk_style != "off" else None
            shows_numbers = self._risk_style == "numbers" and (ratings is None or ratings.source != "preference")
            marks: dict[Cell, Mark] = {} if choice is None else {choice.cell: "choice"}
            board.show(picture_of(player, None if ratings is None else ratings.risks, shows_numbers, marks))
            if choice is not None:
                board.look_at(choice.cell)
            title = title_of(player, choice, self._risk_style != "off", self.catalogue)
            self.query_one(f"#title{index}", Static).update(Content(title))
        text, config, speed = self.catalogue.text, self.players[0].config, SPEEDS[self._speed]
        speed_text = text("watching_speed", speed=self.catalogue.number(speed, 0 if speed >= 1 else 2))
        figures = [
            (text("figure_speed"), text("watching_paused") if self.paused else speed_text),
            ("", f"{config.rows}\u00d7{config.cols}, {config.mines}"),
            (text("figure_seed"), str(self.seed)),
        ]
        self.show_figures(figures)
        self.query_one("#score", Static).update(Content(score_of(self.players, self.catalogue)))

    def action_pause(self) -> None:
        self.paused = not self.paused
        self._show()
        self._schedule_step()

    def action_step(self) -> None:
        self.paused = self._wants_step = True
        if any(self._choices) or all(player.is_over for player in self.players):
            self._schedule_step(0.0)

    def action_change_speed(self, change: int) -> None:
        self._speed = min(max(self._speed + change, 0), len(SPEEDS) - 1)
        self._show()
        if any(self._choices):
            self._schedule_step()

    def action_risks(self) -> None:
        self._risk_style = NEXT_STYLE[self._risk_style]
        self._show()

    def action_next(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self.seed += 1
        self._begin()

    def action_leave(self) -> None:
        self.app.exit(0)


def title_of(player: WatchedPolicy, choice: Choice | None, rated: bool, catalogue: Catalogue) -> str:
    """Returns the line above a board: the policy, the state of its game, and the kind of its ratings.

    If the policy has ratings of its own, the line also has its rating and the oracle's rating of the click.
    """
    text, parts = catalogue.text, [player.name, catalogue.text(f"watching_{player.status}", count=player.moves)]
    if not rated or choice is None or choice.ratings is None:
        return "   ".join(parts)
    source, risks, oracle = choice.ratings
    if oracle is not None and oracle.source != "none":
        by_policy, by_oracle = (catalogue.per_cent(float(each[choice.cell])) for each in (risks, oracle.risks))
        key = "ratings_beside_preference" if source == "preference" else "ratings_beside"
        parts.append(text(key, own=by_policy, oracle=by_oracle, kind=text(f"risk_{oracle.source}")))
    return "   ".join([*parts, text(f"ratings_{source}")])


def score_of(players: Sequence[WatchedPolicy], catalogue: Catalogue) -> str:
    """Returns the score over all finished games."""
    if not all(player.games for player in players):
        return catalogue.text("score_none")
    rates = [catalogue.per_cent(player.wins / player.games) for player in players]
    return "   ".join(
        catalogue.text("score", name=player.name, wins=player.wins, games=player.games, rate=rate)
        for player, rate in zip(players, rates, strict=True)
    )
