"""The screen on which one policy plays, or two next to each other on the same boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from baselines.support.processes import FAILED, explain
from minesweeper_env.generation import GenerationError
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.game.advice import Mark
from minesweeper_play.game.moves import Cell
from minesweeper_play.terminal.base import Background, GameAppScreen, KeyFooter, Services
from minesweeper_play.terminal.board import BoardCanvas
from minesweeper_play.terminal.drawing import NEXT_STYLE, RiskStyle, picture_of
from minesweeper_play.terminal.player import Choice, Player

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

    def __init__(self, services: Services, players: Sequence[Player], seed: int) -> None:
        super().__init__(services)
        self.players, self.seed, self.paused = tuple(players), seed, False
        self._speed = SPEEDS.index(2.0)
        self._style: RiskStyle = "numbers"
        self._choices: list[Choice | None] = [None] * len(self.players)
        self._background = Background(self, self._fail)
        self._due: Timer | None = None
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

    # The course of a game

    def _fail(self, error: Exception) -> None:
        """Ends the program with an error, which is printed when the terminal is as before."""
        self.services.failure = explain(error)
        self.app.exit(FAILED)

    def _begin(self) -> None:
        for player in self.players:
            player.begin(self.seed)
        self._choices = [None] * len(self.players)
        self._think()

    def _think(self) -> None:
        def work() -> list[Choice | None]:
            choices: list[Choice | None] = []
            for player in self.players:
                rival = choices[0] if choices else None
                choices.append(None if player.is_over else player.choose(self._style != "off", rival))
            return choices

        self._background.ask(work, self._take)

    def _take(self, choices: list[Choice | None]) -> None:
        self._choices = choices
        self._show()
        self._plan()

    def _plan(self, seconds: float = 1.0) -> None:
        """Plans the next step after some seconds at one move a second, unless the game stands still."""
        if self._due is not None:
            self._due.stop()
            self._due = None
        if self._wants_step:
            self._wants_step = False
            self._advance()
        elif not self.paused:
            self._due = self.set_timer(seconds / SPEEDS[self._speed], self._advance)

    def _advance(self) -> None:
        self._due = None
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
            self._plan(END_SECONDS * min(1.0, SPEEDS[self._speed]))
        else:
            self._think()

    # What is shown

    def _show(self) -> None:
        for index, (player, choice) in enumerate(zip(self.players, self._choices, strict=True)):
            board = self.query_one(f"#board{index}", BoardCanvas)
            ratings = choice.ratings if choice is not None and self._style != "off" else None
            numbers = self._style == "numbers" and (ratings is None or ratings.source != "preference")
            marks: dict[Cell, Mark] = {} if choice is None else {choice.cell: "choice"}
            board.show(picture_of(player, None if ratings is None else ratings.risks, numbers, marks))
            if choice is not None:
                board.look_at(choice.cell)
            title = title_of(player, choice, self._style != "off", self.catalogue)
            self.query_one(f"#title{index}", Static).update(Content(title))
        text, config, speed = self.catalogue.text, self.players[0].config, SPEEDS[self._speed]
        pace = text("watching_speed", speed=self.catalogue.number(speed, 0 if speed >= 1 else 2))
        figures = [
            (text("figure_speed"), text("watching_paused") if self.paused else pace),
            ("", f"{config.rows}\u00d7{config.cols}, {config.mines}"),
            (text("figure_seed"), str(self.seed)),
        ]
        self.show_figures(figures)
        self.query_one("#score", Static).update(Content(score_of(self.players, self.catalogue)))

    # Keys

    def action_pause(self) -> None:
        self.paused = not self.paused
        self._show()
        self._plan()

    def action_step(self) -> None:
        self.paused = self._wants_step = True
        if any(self._choices) or all(player.is_over for player in self.players):
            self._plan(0.0)

    def action_change_speed(self, change: int) -> None:
        self._speed = min(max(self._speed + change, 0), len(SPEEDS) - 1)
        self._show()
        if any(self._choices):
            self._plan()

    def action_risks(self) -> None:
        self._style = NEXT_STYLE[self._style]
        self._show()

    def action_next(self) -> None:
        if self._due is not None:
            self._due.stop()
        self.seed += 1
        self._begin()

    def action_leave(self) -> None:
        self.app.exit(0)


def title_of(player: Player, choice: Choice | None, rated: bool, catalogue: Catalogue) -> str:
    """Returns the line above a board: the policy, how its game stands, and what the ratings are.

    Beside the policy's own numbers stand its number of the click and that of the oracle.
    """
    text, parts = catalogue.text, [player.name, catalogue.text(f"watching_{player.status}", count=player.moves)]
    if not rated or choice is None or choice.ratings is None:
        return "   ".join(parts)
    source, risks, oracle = choice.ratings
    if oracle is not None and oracle.source != "none":
        own, exact = (catalogue.per_cent(float(each[choice.cell])) for each in (risks, oracle.risks))
        key = "ratings_beside_preference" if source == "preference" else "ratings_beside"
        parts.append(text(key, own=own, oracle=exact, kind=text(f"risk_{oracle.source}")))
    return "   ".join([*parts, text(f"ratings_{source}")])


def score_of(players: Sequence[Player], catalogue: Catalogue) -> str:
    """Returns the score over all finished games."""
    if not all(player.games for player in players):
        return catalogue.text("score_none")
    rates = [catalogue.per_cent(player.wins / player.games) for player in players]
    return "   ".join(
        catalogue.text("score", name=player.name, wins=player.wins, games=player.games, rate=rate)
        for player, rate in zip(players, rates, strict=True)
    )
