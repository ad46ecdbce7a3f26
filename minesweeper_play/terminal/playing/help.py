"""Help at the table, computed in other threads: risks on the cells, hints, and boards that need no guess."""

from __future__ import annotations

from typing import ClassVar, cast

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from minesweeper_play.game.advice import Advice
from minesweeper_play.game.moves import Cell
from minesweeper_play.game.session import Session
from minesweeper_play.language.explanations import explain_advice
from minesweeper_play.terminal.board.picture import RISK_STYLES, Picture, RiskStyle
from minesweeper_play.terminal.dialogs.long_work import PATIENCE_SECONDS, LongWork, LongWorkDialog
from minesweeper_play.terminal.playing.pictures import picture_of
from minesweeper_play.terminal.playing.search import Search
from minesweeper_play.terminal.playing.table import TableScreen
from minesweeper_play.terminal.playing.thinker import Risks, Thinker

STALE_SECONDS = 0.15
"""Seconds after which the risks of an earlier position disappear while new ones are computed."""

THINKING_SECONDS = 0.3
"""Seconds after which the message line says that a hint is being searched for."""


class HelpedScreen(TableScreen):
    """Plays one session with help."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "left_or_hint", show=False),
        Binding("j", "vi_move(1, 0)", show=False),
        Binding("k", "vi_move(-1, 0)", show=False),
        Binding("l", "vi_move(0, 1)", show=False),
        Binding("H", "hint", show=False),
        Binding("p", "risks", show=False),
    ]

    class Thought(Message):
        """An answer of a `Thinker` is there; None for a position that is too hard."""

        def __init__(self, thinker: Thinker, ticket: object, answer: object) -> None:
            """Stores the answer."""
            super().__init__()
            self.thinker, self.ticket, self.answer = thinker, ticket, answer

    class Done(Message):
        """Long work has ended."""

        def __init__(self, work: LongWork) -> None:
            """Stores the work."""
            super().__init__()
            self.work = work

    def __init__(self, session: Session) -> None:
        """Shows a session."""
        super().__init__(session)
        self._risks: Risks | None = None
        self._advice: Advice | None = None
        self._search: Search | None = None
        self._work: LongWork | None = None
        self._thinking = "thinking"
        self._oracle = Thinker(lambda ticket, answer: self.post_message(self.Thought(self._oracle, ticket, answer)))
        self._adviser = Thinker(lambda ticket, answer: self.post_message(self.Thought(self._adviser, ticket, answer)))

    @property
    def overlay(self) -> RiskStyle:
        """The way in which risks are shown."""
        return self.game_app.settings.overlay

    def on_mount(self) -> None:
        """Asks for the risks, where they are shown from the start."""
        self._ask_for_risks()

    def position_changed(self) -> None:
        """Forgets the hint, and asks for the risks of the new position."""
        self._advice = None
        self._adviser.forget()
        self._ask_for_risks()

    def begin(self, session: Session) -> None:
        """Plays another session."""
        self.session = session
        if self._work is not None:
            self._work.cancel()
        self._work = self._search = None
        self._risks = None
        self.position_changed()
        self.show_board()
        self.show_figures()
        self.say("ready")
        self.board.focus()

    def picture(self) -> Picture:
        """Returns the picture of the position, with risks and the hint."""
        risks = None if self.overlay == "off" else self._risks
        return picture_of(self.session, risks, self.overlay == "numbers", self._advice)

    # The search for a board without guesses

    def move(self, name: str, cell: Cell) -> None:
        """Makes a move; the first move on a board without guesses searches for the board."""
        if self._search is not None:
            return
        if name in ("open", "click") and self.session.no_guess and self.session.status == "ready":
            self._begin_search(cell)
        else:
            super().move(name, cell)

    def _begin_search(self, cell: Cell) -> None:
        """Makes the first move of a game without guesses, in another thread."""
        self._search = Search(self.session, cell)
        self._work_on(self._search)

    def _work_on(self, work: LongWork) -> None:
        """Starts long work, and shows its progress if it takes long indeed."""
        self._work = work
        work.start(lambda: self.post_message(self.Done(work)))
        self.set_timer(PATIENCE_SECONDS, lambda: self._show_progress(work))

    def _show_progress(self, work: LongWork) -> None:
        if work is self._work:
            self.app.push_screen(LongWorkDialog(work))

    @on(Done)
    def _end_work(self, event: Done) -> None:
        if event.work is not self._work:
            return
        self._work = None
        if isinstance(self.app.screen, LongWorkDialog):
            self.app.pop_screen()
        if event.work.error is not None:
            raise event.work.error
        self.take_work(event.work)

    def take_work(self, work: LongWork) -> None:
        """Shows what long work has found."""
        if not isinstance(work, Search):
            return
        self._search = None
        if work.move is not None:
            self.after(work.move, work.cell)
        else:
            self.say("search_cancelled")

    # Risks

    def action_risks(self) -> None:
        """Shows risks in per cent, then as shades, then not at all."""
        overlay = RISK_STYLES[(RISK_STYLES.index(self.overlay) + 1) % len(RISK_STYLES)]
        self.game_app.set_overlay(overlay)
        self.say(f"risks_{overlay}")
        if self._risks is None:
            self._ask_for_risks()
        self.show_board()

    def _ask_for_risks(self) -> None:
        if self.overlay == "off" or self.session.is_over:
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
            self.show_board()

    # Hints

    def action_left_or_hint(self) -> None:
        """Moves the cursor to the left if the vi keys are on; shows a hint otherwise."""
        if self.game_app.settings.vi_keys:
            self.board.action_move(0, -1)
        else:
            self.action_hint()

    def action_vi_move(self, down: int, right: int) -> None:
        """Moves the cursor if the vi keys are on."""
        if self.game_app.settings.vi_keys:
            self.board.action_move(down, right)

    def action_hint(self) -> None:
        """Asks for a hint."""
        if self.session.is_over:
            self.say("game_is_over")
        else:
            self._ask_for_advice()

    def hint_at(self, cell: Cell) -> None:
        """Asks what is known of a cell."""
        refusal = self.session.refuse_hint(*cell)
        if refusal is None:
            self._ask_for_advice(cell)
        else:
            self.say(refusal.key, **refusal.values)

    def _ask_for_advice(self, cell: Cell | None = None) -> None:
        self._adviser.ask_for_advice(self.session, cell)
        ticket = self._adviser.ticket
        self.set_timer(THINKING_SECONDS, lambda: self._say_thinking(ticket))

    def _say_thinking(self, ticket: object) -> None:
        """Says that a hint is being searched for, unless it has come."""
        if ticket is self._adviser.ticket:
            self.say(self._thinking)

    def say_compiling(self) -> None:
        """Says that kernels are compiled, in the place of the search for a hint that needs them."""
        self._thinking = "compiling"
        if self._adviser.ticket is not None:
            self.say(self._thinking)

    @on(Thought)
    def _take(self, event: Thought) -> None:
        """Shows an answer, unless the position has changed since."""
        if event.ticket is not event.thinker.ticket:
            return
        event.thinker.forget()
        self._thinking = "thinking"
        if isinstance(event.answer, Exception):
            raise event.answer
        if event.answer is None:
            self.say("too_hard")
        elif event.thinker is self._oracle:
            self._risks = cast("Risks", event.answer)
            self.show_board()
        else:
            self._advise(cast("Advice", event.answer))

    def _advise(self, advice: Advice) -> None:
        self._advice = advice
        self.tell(" ".join(explain_advice(advice, self.game_app.catalogue)))
        self.show_board()
        self.board.look_at(advice.cell)
