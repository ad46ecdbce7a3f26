"""The screen of the game: figures above, the board, a line for messages, the command prompt, and the keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from minesweeper_env.inference import PositionTooHardError
from minesweeper_play.game.advice import Advice
from minesweeper_play.game.moves import Cell, Report
from minesweeper_play.game.opening import opening_layers
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import Finish
from minesweeper_play.terminal.board.picture import RISK_STYLES, RiskStyle
from minesweeper_play.terminal.board.view import BoardView
from minesweeper_play.terminal.dialogs.new_game import BoardChoice, NewGame
from minesweeper_play.terminal.dialogs.pages import Page
from minesweeper_play.terminal.dialogs.question import Question
from minesweeper_play.terminal.dialogs.settings import SettingsDialog
from minesweeper_play.terminal.fitting import FittingScreen
from minesweeper_play.terminal.key_bar import Key, KeyBar
from minesweeper_play.terminal.playing.figures import FigureLine
from minesweeper_play.terminal.playing.orders import carry_out
from minesweeper_play.terminal.playing.pictures import picture_of
from minesweeper_play.terminal.playing.texts import ending, figures_of, hint_text
from minesweeper_play.terminal.playing.thinker import Risks, Thinker

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
    (":", "prompt"),
    ("s", "settings"),
    ("t", "statistics"),
    ("?", "manual"),
    ("q", "leave"),
)
"""The keys of the bottom line, each with its action; the catalogue has a label `key_ACTION` for each."""

STALE_SECONDS = 0.15
"""Seconds after which the risks of an earlier position disappear while new ones are computed."""

THINKING_SECONDS = 0.3
"""Seconds after which the message line says that a hint is being searched for."""


class GameScreen(FittingScreen):
    """Plays one session after the other.

    Attributes:
        session: the game.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "open", show=False),
        Binding("f", "flag", show=False),
        Binding("x", "question", show=False),
        Binding("c", "expand", show=False),
        Binding("h", "left_or_hint", show=False),
        Binding("j", "vi_move(1, 0)", show=False),
        Binding("k", "vi_move(-1, 0)", show=False),
        Binding("l", "vi_move(0, 1)", show=False),
        Binding("H", "hint", show=False),
        Binding("p", "risks", show=False),
        Binding("u", "undo", show=False),
        Binding("n", "new", show=False),
        Binding("r", "again", show=False),
        Binding("s", "settings", show=False),
        Binding("t", "statistics", show=False),
        Binding("question_mark", "manual", show=False),
        Binding("colon", "prompt", show=False),
        Binding("escape", "board", show=False),
        Binding("q", "leave", show=False),
    ]

    class Thought(Message):
        """An answer of a `Thinker` is there; None for a position that is too hard."""

        def __init__(self, thinker: Thinker, ticket: object, answer: object) -> None:
            """Stores the answer."""
            super().__init__()
            self.thinker, self.ticket, self.answer = thinker, ticket, answer

    class Recorded(Message):
        """The statistics have a finished game."""

        def __init__(self, session: Session, finish: Finish) -> None:
            """Stores the game, and what the statistics say about it."""
            super().__init__()
            self.session, self.finish = session, finish

    def __init__(self, session: Session) -> None:
        """Shows a session."""
        super().__init__()
        self.session = session
        self._style: RiskStyle = "off"
        self._risks: Risks | None = None
        self._advice: Advice | None = None
        self._oracle = Thinker(lambda ticket, answer: self.post_message(self.Thought(self._oracle, ticket, answer)))
        self._adviser = Thinker(lambda ticket, answer: self.post_message(self.Thought(self._adviser, ticket, answer)))

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
        yield Static(id="message")
        yield Input(id="prompt", compact=True, select_on_focus=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """Begins to show the clock."""
        self.translate()
        self.say("ready")
        self.set_interval(0.5, self._show_figures)
        self.board.focus()

    def translate(self) -> None:
        """Writes all texts of the screen in the language of the settings."""
        say = self.game_app.text
        self.query_one("#prompt", Input).placeholder = say("prompt_placeholder")
        self.query_one(KeyBar).show([Key(key, say(f"key_{name}"), name) for key, name in KEYS])
        self._show_figures()

    def say(self, key: str, **values: object) -> None:
        """Shows a message of the catalogue; an empty key clears the line."""
        self.tell(self.game_app.text(key, **values) if key else "")

    def tell(self, text: str) -> None:
        """Shows a text on the message line."""
        self.query_one("#message", Static).update(Content(text))

    # Moves

    def action_open(self) -> None:
        """Opens the cell of the cursor."""
        self.move("open", self.board.cursor)

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
        self._advice = None
        self._adviser.forget()
        self._ask_for_risks()
        self._show_board(self._layers(report, origin))
        self._show_figures()
        if self.session.is_over:
            self._finish()

    def _layers(self, report: Report, origin: Cell | None) -> list[list[Cell]]:
        """Returns the layers of an opening of more than one cell, if openings are animated."""
        board, most = self.session.board, self.session.config.codes.max_count
        opened = [cell for cell in report.cells if board[cell] <= most]
        if origin is None or self.session.status == "lost" or len(opened) < 2 or not self.game_app.is_animated:
            return []
        return opening_layers(board, opened, origin, self.session.config.radius)

    def _show_board(self, layers: list[list[Cell]] | None = None) -> None:
        risks = None if self._style == "off" else self._risks
        self.board.show(picture_of(self.session, risks, self._style == "numbers", self._advice), layers or ())

    def _show_figures(self) -> None:
        self.query_one(FigureLine).show(figures_of(self.session, self.game_app.catalogue))

    def _finish(self) -> None:
        """Records the game in the statistics, in another thread, and says how it ended."""
        session = self.session
        self._oracle.forget()
        self.tell(ending(session, Finish(), self.game_app.catalogue))

        def record() -> None:
            finish = self.game_app.statistics.finish(session)
            self.post_message(self.Recorded(session, finish))

        self.run_worker(record, thread=True, group="statistics")

    @on(Recorded)
    def _say_ending(self, event: Recorded) -> None:
        if event.session is self.session and self.session.is_over:
            self.tell(ending(self.session, event.finish, self.game_app.catalogue))

    # Games

    def begin(self, session: Session) -> None:
        """Plays another session."""
        self.session = session
        self._risks, self._advice = None, None
        self._oracle.forget()
        self._adviser.forget()
        self._ask_for_risks()
        self._show_board()
        self._show_figures()
        self.say("ready")
        self.board.focus()

    @property
    def is_under_way(self) -> bool:
        """Whether a game would be lost if another one began."""
        return self.session.status == "playing"

    def action_again(self) -> None:
        """Begins another game on the same board, after a question if this one is not over."""
        if self.is_under_way:
            self._ask("ask_new", lambda: self.begin(self.game_app.next_session()))
        else:
            self.begin(self.game_app.next_session())

    def action_new(self) -> None:
        """Asks which board to play next."""
        self.app.push_screen(NewGame(self.game_app.choice), self._begin_choice)

    def _begin_choice(self, choice: BoardChoice | None) -> None:
        if choice is not None:
            self.game_app.choice = choice
            self.begin(self.game_app.next_session())

    def action_leave(self) -> None:
        """Ends the program, after a question if the game is not over."""
        if self.is_under_way:
            self._ask("ask_leave", lambda: self.app.exit(0))
        else:
            self.app.exit(0)

    def _ask(self, question: str, act: Callable[[], object]) -> None:
        """Asks a question of the catalogue, and acts if the answer is yes."""

        def take(answer: bool | None) -> None:
            if answer:
                act()

        self.app.push_screen(Question(self.game_app.text(question)), take)

    # Other screens, and the prompt

    def action_settings(self) -> None:
        """Opens the settings."""
        self.app.push_screen(SettingsDialog())

    def action_statistics(self) -> None:
        """Opens the statistics."""
        self.game_app.show_statistics()

    def action_manual(self) -> None:
        """Opens the manual."""
        self.app.push_screen(
            Page(self.game_app.text("manual_title"), self.game_app.text("manual_keys") + self.game_app.text("manual"))
        )

    def action_prompt(self) -> None:
        """Goes to the command prompt."""
        self.query_one("#prompt").focus()

    def action_board(self) -> None:
        """Goes back to the board, and shows at once what an animation has not shown yet."""
        self.board.finish_animation()
        self.board.focus()

    def action_help(self) -> None:
        """Says whether a safe cell can be inferred; if none can, opens random safe cells until one can."""
        try:
            self.after(self.session.help())
        except PositionTooHardError:
            self.say("too_hard")

    @on(Input.Submitted)
    def _carry_out(self, event: Input.Submitted) -> None:
        event.input.value = ""
        carry_out(self, event.value)

    # Risks and hints

    def action_risks(self) -> None:
        """Shows risks in per cent, then as shades, then not at all."""
        self._style = RISK_STYLES[(RISK_STYLES.index(self._style) + 1) % len(RISK_STYLES)]
        self.say(f"risks_{self._style}")
        if self._risks is None:
            self._ask_for_risks()
        self._show_board()

    def _ask_for_risks(self) -> None:
        if self._style == "off" or self.session.is_over:
            self._oracle.forget()
            self._risks = None
            return
        self._oracle.ask_for_risks(self.session)
        ticket = self._oracle.ticket
        self.set_timer(STALE_SECONDS, lambda: self._drop_stale(ticket))

    def _drop_stale(self, ticket: object) -> None:
        """Removes the risks of an earlier position, unless the answer to a request has come."""
        if ticket is self._oracle.ticket and self._risks is not None:
            self._risks = None
            self._show_board()

    def action_left_or_hint(self) -> None:
        """Moves the cursor to the left where the letters of vi move it; asks for a hint elsewhere."""
        if self.game_app.settings.vi_keys:
            self.board.action_move(0, -1)
        else:
            self.action_hint()

    def action_vi_move(self, down: int, right: int) -> None:
        """Moves the cursor where the letters of vi do."""
        if self.game_app.settings.vi_keys:
            self.board.action_move(down, right)

    def action_hint(self) -> None:
        """Asks for a hint."""
        if self.session.is_over:
            self.say("game_is_over")
            return
        self._adviser.ask_for_advice(self.session)
        ticket = self._adviser.ticket
        self.set_timer(THINKING_SECONDS, lambda: self._say_thinking(ticket))

    def _say_thinking(self, ticket: object) -> None:
        """Says that a hint is being searched for, unless it has come."""
        if ticket is self._adviser.ticket:
            self.say("thinking")

    @on(Thought)
    def _take(self, event: Thought) -> None:
        """Shows an answer, unless the position has changed since."""
        if event.ticket is not event.thinker.ticket:
            return
        event.thinker.forget()
        if event.answer is None:
            self.say("too_hard")
        elif event.thinker is self._oracle:
            self._risks = cast("Risks", event.answer)
            self._show_board()
        else:
            self._advise(cast("Advice", event.answer))

    def _advise(self, advice: Advice) -> None:
        self._advice = advice
        self.tell(hint_text(advice, self.game_app.catalogue))
        self._show_board()
        self.board.look_at(advice.cell)
