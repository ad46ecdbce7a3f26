"""The table of a game: figures, the board, a line for messages, the prompt and the keys; and the moves of a player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from minesweeper_play.game.moves import Cell, Report
from minesweeper_play.game.opening import opening_layers
from minesweeper_play.game.session import Session
from minesweeper_play.terminal.board.picture import Picture
from minesweeper_play.terminal.board.view import BoardView
from minesweeper_play.terminal.fitting import FittingScreen
from minesweeper_play.terminal.key_bar import Key, KeyBar
from minesweeper_play.terminal.playing.figures import FigureLine
from minesweeper_play.terminal.playing.message import MessageLine
from minesweeper_play.terminal.playing.pictures import picture_of
from minesweeper_play.terminal.playing.texts import figures_of

if TYPE_CHECKING:
    from minesweeper_play.terminal.app import MinesweeperApp

KEYS: tuple[tuple[str, str], ...] = (
    ("\u23ce", "open"),
    ("f", "flag"),
    ("c", "expand"),
    ("h", "hint"),
    ("p", "risks"),
    ("u", "undo"),
    ("n", "new"),
    ("r", "again"),
    ("v", "review"),
    (":", "prompt"),
    ("s", "settings"),
    ("t", "statistics"),
    ("?", "manual"),
    ("q", "leave"),
)
"""The keys of the bottom line, each with its action; the catalogue has a label `key_ACTION` for each."""


class TableScreen(FittingScreen):
    """Plays one session; subclasses add help, and other games.

    Attributes:
        session: the game.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "open", show=False),
        Binding("f", "flag", show=False),
        Binding("x", "question", show=False),
        Binding("c", "expand", show=False),
        Binding("u", "undo", show=False),
    ]

    def __init__(self, session: Session) -> None:
        """Shows a session."""
        super().__init__()
        self.session = session

    @property
    def game_app(self) -> MinesweeperApp:
        """The application, with its settings and its language."""
        return cast("MinesweeperApp", self.app)

    @property
    def board(self) -> BoardView:
        """The board."""
        return self.query_one(BoardView)

    def compose(self) -> ComposeResult:
        """Yields the parts of the screen, from top to bottom."""
        yield FigureLine()
        yield BoardView(picture_of(self.session), self.game_app.settings.appearance, id="board")
        yield MessageLine()
        yield Input(id="prompt", compact=True, select_on_focus=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """Begins to show the clock."""
        self.translate()
        self.say("ready" if self.session.status == "ready" else "resumed")
        self.set_interval(0.5, self.show_figures)
        self.board.focus()

    def translate(self) -> None:
        """Writes all texts of the screen in the language of the settings."""
        say = self.game_app.text
        self.query_one("#prompt", Input).placeholder = say("prompt_placeholder")
        self.query_one(KeyBar).show([Key(key, say(f"key_{name}"), name) for key, name in KEYS])
        self.show_figures()

    def say(self, key: str, **values: object) -> None:
        """Shows a message of the catalogue; an empty key clears the line."""
        self.tell(self.game_app.text(key, **values) if key else "")

    def tell(self, text: str) -> None:
        """Shows a text on the message line."""
        self.query_one(MessageLine).show(text)

    # Moves

    def action_open(self) -> None:
        """Opens the cell of the cursor, or chords on its number."""
        self.move("click", self.board.cursor)

    def action_flag(self) -> None:
        """Sets or removes a flag at the cursor."""
        self.move("flag", self.board.cursor)

    def action_question(self) -> None:
        """Sets or removes a question mark at the cursor."""
        self.move("question", self.board.cursor)

    def action_expand(self) -> None:
        """Chords at the cursor, or flags what must be mines."""
        self.move("expand", self.board.cursor)

    def action_undo(self) -> None:
        """Takes the last move back."""
        self.after(self.session.undo())

    @on(BoardView.Chosen)
    def _click(self, event: BoardView.Chosen) -> None:
        self.board.focus()
        self.move(event.action, event.cell)

    def move(self, name: str, cell: Cell) -> None:
        """Makes a move, by the name of a method of `Session`, and shows what it did."""
        self.after(getattr(self.session, name)(*cell), cell)

    def after(self, report: Report, origin: Cell | None = None) -> None:
        """Shows what a move did.

        Args:
            report: what it did.
            origin: the cell of the move, from which an opening spreads; None for none.
        """
        self.say(report.key, **report.values)
        if not report.accepted:
            return
        self.position_changed()
        self.show_board(self._layers(report, origin))
        self.show_figures()
        if self.session.is_over:
            self.finish()

    def position_changed(self) -> None:
        """Prepares for a position that is not shown yet."""

    def finish(self) -> None:
        """Acts on the end of the game."""

    def _layers(self, report: Report, origin: Cell | None) -> list[list[Cell]]:
        """Returns the layers of an opening of more than one cell, if openings are animated."""
        board, most = self.session.board, self.session.config.codes.max_count
        opened = [cell for cell in report.cells if board[cell] <= most]
        if origin is None or self.session.status == "lost" or len(opened) < 2 or not self.game_app.is_animated:
            return []
        return opening_layers(board, opened, origin, self.session.config.radius)

    def show_board(self, layers: Sequence[Sequence[Cell]] = ()) -> None:
        """Shows the position, in layers where cells are opened."""
        self.board.show(self.picture(), layers)

    def picture(self) -> Picture:
        """Returns the picture of the position."""
        return picture_of(self.session)

    def show_figures(self) -> None:
        """Shows the figures above the board."""
        self.query_one(FigureLine).show(figures_of(self.session, self.game_app.catalogue))
