"""The screen on which one policy plays, or two next to each other on the same boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from baselines.cli.failures import explain
from minesweeper_env.generation import GenerationError
from minesweeper_play.terminal.background import LatestOnly
from minesweeper_play.terminal.board.canvas import BoardCanvas
from minesweeper_play.terminal.board.lines import largest_size
from minesweeper_play.terminal.board.picture import RISK_STYLES, RiskStyle
from minesweeper_play.terminal.dialogs.pages import Page
from minesweeper_play.terminal.dialogs.settings import SettingsDialog
from minesweeper_play.terminal.fitting import FittingScreen
from minesweeper_play.terminal.key_bar import Key, KeyBar
from minesweeper_play.terminal.playing.figures import FigureLine
from minesweeper_play.terminal.watching.pictures import picture_of
from minesweeper_play.terminal.watching.player import Choice, Player
from minesweeper_play.terminal.watching.texts import figures_of, score_of, title_of

if TYPE_CHECKING:
    from minesweeper_play.terminal.app import MinesweeperApp

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Moves per second."""

FIRST_SPEED = SPEEDS.index(2.0)

END_SECONDS = 2.0
"""Seconds for which the end of a game stays on the screen; less at speeds above one move a second."""

KEYS: tuple[tuple[str, str], ...] = (
    ("space", "pause"),
    (".", "step"),
    ("+", "faster"),
    ("-", "slower"),
    ("p", "risks"),
    ("n", "next"),
    ("s", "settings"),
    ("?", "manual"),
    ("q", "leave"),
)
"""The keys of the bottom line, each with its action; the catalogue has a label `key_ACTION` for each."""


class WatchScreen(FittingScreen):
    """Watches policies play one game after the other.

    Attributes:
        players: one or two players.
        seed: the seed of the present game.
        paused: whether the games stand still.
    """

    DEFAULT_CSS = """
    WatchScreen #players { layout: horizontal; height: 1fr; }
    WatchScreen.-stacked #players { layout: vertical; }
    WatchScreen .player { width: 1fr; height: 1fr; }
    WatchScreen .title { height: 1; width: 1fr; text-align: center; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", show=False),
        Binding("full_stop", "step", show=False),
        Binding("plus,equals_sign", "faster", show=False),
        Binding("minus", "slower", show=False),
        Binding("p", "risks", show=False),
        Binding("n", "next", show=False),
        Binding("s", "settings", show=False),
        Binding("question_mark", "manual", show=False),
        Binding("q,escape", "leave", show=False),
    ]

    class Chosen(Message):
        """The policies have chosen their next moves; `problem` is the error of one that failed."""

        def __init__(self, game: object, choices: list[Choice | None], problem: Exception | None = None) -> None:
            """Stores the moves, None for players whose game is over."""
            super().__init__()
            self.game, self.choices, self.problem = game, choices, problem

    def __init__(self, players: Sequence[Player], seed: int) -> None:
        """Prepares to watch.

        Args:
            players: one or two players.
            seed: the seed of the first game; the next games have the seeds after it.
        """
        super().__init__()
        self.players, self.seed, self.paused = tuple(players), seed, False
        self._speed = FIRST_SPEED
        self._style: RiskStyle = "numbers"
        self._choices: list[Choice | None] = [None] * len(self.players)
        self._background = LatestOnly(lambda error: self.post_message(self.Chosen(self._game, [], error)))
        self._game: object = None
        self._due: Timer | None = None
        self._steps_wanted = 0

    @property
    def game_app(self) -> MinesweeperApp:
        """The application, with its settings and its language."""
        return cast("MinesweeperApp", self.app)

    def compose(self) -> ComposeResult:
        """Yields a line of figures, a board per player, a line for messages, and the keys."""
        yield FigureLine()
        with Container(id="players"):
            for index, player in enumerate(self.players):
                with Vertical(classes="player"):
                    yield Static(classes="title", id=f"title{index}")
                    yield BoardCanvas(
                        picture_of(player, None),
                        self.game_app.settings.appearance,
                        id=f"board{index}",
                    )
        yield Static(id="message")
        yield KeyBar()

    def on_mount(self) -> None:
        """Begins the first game."""
        self.translate()
        self._begin()

    def translate(self) -> None:
        """Writes all texts of the screen in the language of the settings."""
        self.query_one(KeyBar).show([Key(key, self.game_app.text(f"key_{name}"), name) for key, name in KEYS])
        self._show()

    def fit(self, width: int, height: int) -> None:
        """Puts two boards above each other where this shows larger cells."""
        config = self.players[0].config
        self.set_class(len(self.players) == 2 and is_stacked(width, height, config.rows, config.cols), "-stacked")

    # The course of a game

    def _begin(self) -> None:
        for player in self.players:
            player.begin(self.seed)
        self._choices = [None] * len(self.players)
        self._game = object()
        self._think()

    def _think(self) -> None:
        """Asks the policies for their next moves, in another thread."""
        game, rated = self._game, self._style != "off"

        def work() -> None:
            choices: list[Choice | None] = []
            for player in self.players:
                rival = choices[0] if choices else None
                choices.append(None if player.is_over else player.choose(rated, rival))
            self.post_message(self.Chosen(game, choices))

        self._background.ask(work)

    @on(Chosen)
    def _take(self, event: Chosen) -> None:
        if event.problem is not None:
            self.game_app.fail(explain(event.problem))
        elif event.game is self._game:
            self._choices = event.choices
            self._show()
            self._plan(1.0 / SPEEDS[self._speed])

    def _plan(self, seconds: float) -> None:
        """Plans the next step of the game, unless it stands still."""
        if self._due is not None:
            self._due.stop()
            self._due = None
        if self._steps_wanted > 0:
            self._steps_wanted -= 1
            self._advance()
        elif not self.paused:
            self._due = self.set_timer(seconds, self._advance)

    def _advance(self) -> None:
        """Makes the chosen moves, or begins the next game."""
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
            self.game_app.fail(" ".join(str(error).split()))
            return
        self._choices = [None] * len(self.players)
        self._show()
        if all(player.is_over for player in self.players):
            self._plan(min(END_SECONDS, END_SECONDS / SPEEDS[self._speed]))
        else:
            self._think()

    # What is shown

    def _show(self) -> None:
        """Shows the boards, the figures and the state of the games."""
        numbers, rated = self._style == "numbers", self._style != "off"
        for index, (player, choice) in enumerate(zip(self.players, self._choices, strict=True)):
            board = self.query_one(f"#board{index}", BoardCanvas)
            board.show(picture_of(player, choice, numbers, rated))
            if choice is not None:
                board.look_at(choice.cell)
            self.query_one(f"#title{index}", Static).update(
                Content(title_of(player, choice, rated, self.game_app.catalogue))
            )
        speed = SPEEDS[self._speed]
        self.query_one(FigureLine).show(
            figures_of(self.players, self.seed, speed, self.paused, self.game_app.catalogue)
        )
        self.query_one("#message", Static).update(Content(score_of(self.players, self.game_app.catalogue)))

    # Keys

    def action_pause(self) -> None:
        """Stops the games, or lets them go on."""
        self.paused = not self.paused
        self._show()
        self._plan(1.0 / SPEEDS[self._speed])

    def action_step(self) -> None:
        """Makes one move, and stops the games."""
        self.paused = True
        self._steps_wanted = 1
        if any(self._choices) or all(player.is_over for player in self.players):
            self._plan(0.0)

    def action_faster(self) -> None:
        """Makes the games faster."""
        self._change_speed(1)

    def action_slower(self) -> None:
        """Makes the games slower."""
        self._change_speed(-1)

    def _change_speed(self, change: int) -> None:
        self._speed = min(max(self._speed + change, 0), len(SPEEDS) - 1)
        self._show()
        if any(self._choices):
            self._plan(1.0 / SPEEDS[self._speed])

    def action_risks(self) -> None:
        """Shows ratings in per cent, then as shades, then not at all."""
        self._style = RISK_STYLES[(RISK_STYLES.index(self._style) + 1) % len(RISK_STYLES)]
        self._show()

    def action_next(self) -> None:
        """Leaves this game unfinished, and begins the next one."""
        if self._due is not None:
            self._due.stop()
        self.seed += 1
        self._begin()

    def action_settings(self) -> None:
        """Opens the settings."""
        self.app.push_screen(SettingsDialog())

    def action_manual(self) -> None:
        """Lists the keys, also those for which the bottom line has no room."""
        text = self.game_app.text
        self.app.push_screen(
            Page(text("manual_title"), "\n".join(f"  {key:<8}{text(f'key_{name}')}" for key, name in KEYS))
        )

    def action_leave(self) -> None:
        """Ends the program."""
        self.app.exit(0)


def is_stacked(width: int, height: int, rows: int, cols: int) -> bool:
    """Returns whether two boards above each other have larger cells, or show more of their cells, than side by side.

    Args:
        width: the columns of the terminal.
        height: its lines.
        rows: the rows of a board.
        cols: its columns.
    """
    free = height - 5
    beside = largest_size(width // 2, free - 1, rows, cols)
    above = largest_size(width, free // 2 - 1, rows, cols)
    if beside != above:
        return above.width > beside.width
    needed = len(str(rows)) + 1 + cols * beside.width
    return needed > width // 2 and free // 2 - 2 >= rows * above.height
