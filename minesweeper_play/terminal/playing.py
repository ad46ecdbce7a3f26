"""The screen on which a person plays: figures, the board, messages, the prompt and the keys; and help in threads."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from textual import on
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from minesweeper_env.inference import PositionTooHardError
from minesweeper_play.catalogue import wrapped_lines
from minesweeper_play.explanations import explain_advice, explain_ending
from minesweeper_play.game.advice import Advice, marks_of
from minesweeper_play.game.moves import CancelledError, Cell, Report, TextError, parse_command
from minesweeper_play.game.records import save_as
from minesweeper_play.game.session import Session
from minesweeper_play.terminal.base import Background, BoardChoice, GameAppScreen, KeyFooter, Services
from minesweeper_play.terminal.board import BoardView
from minesweeper_play.terminal.dialogs import LongWork, NewGame, Page, Question
from minesweeper_play.terminal.drawing import NEXT_STYLE, Picture, RiskStyle, picture_of

Progress = Callable[[int, int], None]

PATIENCE_SECONDS = 0.3
"""Seconds after which work shows that it goes on."""

STALE_SECONDS = 0.15
"""Seconds after which the risks of an earlier position disappear while new ones are computed."""

WHILE_PLAYING = ("at_cursor", "hint", "risks")
"""Actions without a meaning once a game is over; the footer then has room for others."""


class GameScreen(GameAppScreen):
    """Plays one session after the other."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "at_cursor('click')", "key_open"),
        Binding("f", "at_cursor('flag')", "key_flag"),
        Binding("x", "at_cursor('question')", "key_question", show=False),
        Binding("c", "at_cursor('expand')", "key_expand", show=False),
        Binding("h", "hint", "key_hint"),
        Binding("p", "risks", "key_risks"),
        Binding("u", "undo", "key_undo"),
        Binding("n", "new", "key_new"),
        Binding("r", "again", "key_again"),
        Binding("v", "review", "key_review"),
        Binding("g", "share", "key_share"),
        # With priority these keys move the focus before the next key is read, as in a pasted command.
        Binding("colon", "prompt", show=False, priority=True),
        Binding("escape", "board", "key_back", priority=True),
        Binding("s", "app.settings", "key_settings", show=False),
        Binding("t", "app.statistics", "key_statistics", show=False),
        Binding("z", "pause", "key_pause", show=False),
        Binding("question_mark", "manual", "key_manual"),
        Binding("q", "leave", "key_leave"),
    ]

    def __init__(self, services: Services, session: Session) -> None:
        super().__init__(services)
        self.session = session
        self.overlay: RiskStyle = "off"
        self._risks: NDArray[np.float64] | None = None
        self._advice: Advice | None = None
        self._work: LongWork | None = None
        self._ending = self._cut = ""
        self._oracle, self._adviser, self._worker = (Background(self, self._fail) for _ in range(3))

    @property
    def board(self) -> BoardView:
        return self.query_one(BoardView)

    def compose(self) -> ComposeResult:
        yield Static(id="figures")
        yield BoardView(self._picture(), self.services.settings.pencil, id="board")
        yield Static(id="message", markup=False)
        yield Input(id="prompt", compact=True, select_on_focus=False)
        yield KeyFooter(compact=True)

    def on_mount(self) -> None:
        self.translate()
        self.say("ready" if self.session.status == "ready" else "resumed")
        self.set_interval(0.5, self._show_figures)
        self.board.focus()
        self._ask_for_risks()

    def translate(self) -> None:
        self.query_one("#prompt", Input).placeholder = self.catalogue.text("prompt_placeholder")
        self.refresh_bindings()
        self._show_figures()

    def say(self, key: str, **values: object) -> None:
        """Shows a message of the catalogue; an empty key clears the line."""
        self.tell(self.catalogue.text(key, **values))

    def tell(self, text: str, *, ends: bool = False) -> None:
        """Shows a text. If it has too many lines for the message, shows its beginning, or with `ends` its end.

        The key of a hint then shows the whole text.
        """
        message, width = self.query_one("#message", Static), max(self.size.width - 2, 20)
        lines, room = wrapped_lines(text, width), message.size.height
        self._cut = text if 0 < room < len(lines) else ""
        if self._cut and ends:
            lines = ["\u2026 (h)", *lines[1 - room :]] if room > 1 else lines[-1:]
        elif self._cut:
            lines[room - 1 :] = [f"{lines[room - 1][: width - 5]}\u2026 (h)"]
        message.update(Content("\n".join(lines)))

    @property
    def _is_at_prompt(self) -> bool:
        return self.focused is not None and self.focused.id == "prompt"

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """The keys that the footer shows: `v` and `g` only once the game is over, and Escape only at the prompt."""
        is_shown = {**dict.fromkeys("vg", self.session.is_over), "escape": self._is_at_prompt}
        return {key: active for key, active in super().active_bindings.items() if is_shown.get(key, True)}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Returns whether an action has a meaning now; at the prompt a colon is a letter of a path."""
        if action == "prompt":
            return not self._is_at_prompt
        return not (action in WHILE_PLAYING and self.session.is_over) and super().check_action(action, parameters)

    def action_at_cursor(self, move: str) -> None:
        """Makes a move, by the name of a method of `Session`, on the cell of the cursor."""
        self.move(move, self.board.cursor)

    def action_undo(self) -> None:
        self._after(self.session.undo())

    @on(BoardView.Chosen)
    def _click(self, event: BoardView.Chosen) -> None:
        self.board.focus()
        self.move(event.action, event.cell)

    def move(self, name: str, cell: Cell) -> None:
        """Makes a move, by the name of a method of `Session`; the first of a board without guesses needs a search."""
        if self._worker.is_busy:
            return
        session, act = self.session, partial(getattr(self.session, name), *cell)
        if name not in ("open", "click") or not session.no_guess or session.status != "ready":
            self._after(act(), cell)
            return

        def search(progress: Progress) -> Report:
            session.on_attempts = progress
            return act()

        self._work_on("search", search, cell)

    def _after(self, report: Report, origin: Cell | None = None) -> None:
        """Shows what a move did; an opening spreads from `origin`."""
        self.say(report.key, **report.values)
        if not report.accepted:
            return
        is_animated = self.services.settings.animation and self.app.animation_level != "none"
        self._show_position(self.session.opening_layers(report, origin) if is_animated and origin is not None else ())
        if self.session.is_over:
            ending = explain_ending(self.session, self.services.statistics, self.catalogue)
            self._ending = " ".join([self.catalogue.text(self.session.status), *ending])
            self.tell(self._ending)

    def _show_position(self, layers: Sequence[Sequence[Cell]] = ()) -> None:
        """Shows a new position, without the hint and the risks of the one before."""
        self._advice = None
        self._adviser.forget()
        self._ask_for_risks()
        self.board.show(self._picture(), layers)
        self._show_figures()
        self.refresh_bindings()

    def _picture(self) -> Picture:
        risks = None if self.overlay == "off" else self._risks
        marks = None if self._advice is None else marks_of(self._advice)
        return picture_of(self.session, risks, self.overlay == "numbers", marks)

    def _show_figures(self) -> None:
        text, session, config = self.catalogue.text, self.session, self.session.config
        figures = [
            (text("figure_mines"), str(session.mines_left)),
            (text("figure_time"), self.catalogue.clock(session.seconds)),
            ("", f"{config.rows}\u00d7{config.cols}, {config.mines}"),
            ("", text("figure_no_guess") if session.no_guess else ""),
            ("", "" if config.luck else text("figure_no_luck")),
            ("", text("figure_practice") if session.practice else ""),
            (text("figure_seed"), str(session.seed)),
        ]
        self.show_figures([figure for figure in figures if figure[1]])

    def action_risks(self) -> None:
        """Shows risks in per cent, then as shades, then not at all."""
        self.overlay = NEXT_STYLE[self.overlay]
        self.say("risks_tenths" if self.overlay == "numbers" and self.board.is_narrow else f"risks_{self.overlay}")
        if self._risks is None:
            self._ask_for_risks()
        self.board.show(self._picture())

    def _ask_for_risks(self) -> None:
        """Computes the risks in a thread, if they are to be shown; those of an earlier position soon disappear."""
        if self.overlay == "off" or self.session.is_over:
            self._oracle.forget()
            self._risks = None
            return
        self._oracle.ask(self.session.probabilities, self._show_risks)
        self.set_timer(STALE_SECONDS, lambda: self._show_risks(None) if self._oracle.is_busy else None)

    def _show_risks(self, risks: NDArray[np.float64] | None) -> None:
        """Shows risks, (rows, cols), on the board; None hides those of an earlier board."""
        if risks is not None or self._risks is not None:
            self._risks = risks
            self.board.show(self._picture())

    def action_hint(self, cell: Cell | None = None) -> None:
        if self._advice is not None and self._cut and cell is None:
            self.app.push_screen(Page(self.services, "key_hint", self._cut))
            return
        self._adviser.ask(partial(self.session.hint, cell), self._advise)
        self.set_timer(PATIENCE_SECONDS, lambda: self.say("thinking") if self._adviser.is_busy else None)

    def _advise(self, advice: Advice) -> None:
        self._advice = advice
        self.tell(" ".join(explain_advice(advice, self.session.board, self.catalogue)), ends=bool(advice.steps))
        self.board.show(self._picture())
        self.board.look_at(advice.cell)

    def action_assist(self) -> None:
        """Says whether a safe cell can be inferred; if none can, opens random safe cells until one can."""
        try:
            self._after(self.session.help())
        except PositionTooHardError:
            self.say("too_hard")

    def _fail(self, error: Exception) -> None:
        """Says why there is no answer; a ValueError means that the game ended between the request and the answer."""
        if isinstance(error, PositionTooHardError):
            self.say("too_hard")
        elif not isinstance(error, ValueError):
            raise error

    def _work_on(self, key: str, work: Callable[[Progress], Any], origin: Cell | None = None) -> None:
        """Runs a move at `origin` or work of the coach in a thread, and shows the progress if this takes long."""
        dialog = self._work = LongWork(self.services, key)

        def run_work() -> Any:
            try:
                return work(dialog.report)
            except CancelledError:
                return Report(f"{key}_cancelled")
            except PositionTooHardError:
                return Report("too_hard")

        def finish(result: Any) -> None:
            if dialog.is_attached:
                dialog.dismiss()
            if isinstance(result, Report):
                self._after(result, origin)
                return
            from minesweeper_play.terminal.reviewing import ReviewScreen

            self.tell(self._ending)
            self.app.push_screen(ReviewScreen(self.services, result))

        def show_dialog() -> None:
            if self._worker.is_busy and dialog is self._work:
                self.app.push_screen(dialog)

        self._worker.ask(run_work, finish)
        self.set_timer(PATIENCE_SECONDS, show_dialog)

    def action_review(self) -> None:
        from minesweeper_play.coach.review import review_game

        session = self.session
        self._review(lambda report: review_game(session, quick=True, progress=report))

    def action_share(self) -> None:
        """Draws the finished game into a GIF; in a web page the file would lie on the computer that serves it."""
        from minesweeper_play.coach.sharing import share

        session, catalogue = self.session, self.catalogue
        if self.app.is_web:
            self.say("save_on_web")
        else:
            self._review(lambda report: share(session, catalogue, report, quick=True), "share_later")

    def _review(self, work: Callable[[Progress], Any], too_early: str = "review_later") -> None:
        """Starts work of the coach, or says why it cannot; `too_early` is the message key for a game that goes on."""
        session = self.session
        if not session.is_over or session.config.first_click == "corners":
            self.say("review_corners" if session.is_over else too_early)
        elif not self._worker.is_busy:
            self._work_on("reviewing", work)

    def begin(self) -> None:
        self.session = self.services.next_session()
        self._worker.forget()
        if self._work is not None:
            self._work.cancelled = True
        self.overlay, self._risks = "off", None
        self._show_position()
        self.say("ready")
        self.board.focus()

    def action_again(self) -> None:
        self._after_consent("ask_new", self.begin)

    def action_leave(self) -> None:
        self._after_consent("ask_leave", lambda: self.app.exit(0))

    def _after_consent(self, question: str, act: Callable[[], Any]) -> None:
        """Calls `act`; if this would abandon a game under way, only after the player agrees to `question`."""
        if self.session.status == "playing":
            self.app.push_screen(Question(self.services, question), lambda is_yes: is_yes and act())
        else:
            act()

    def action_new(self) -> None:
        def begin(choice: BoardChoice | None) -> None:
            if choice is not None:
                self.services.choose(choice)
                self.begin()

        self.app.push_screen(NewGame(self.services), begin)

    def on_screen_suspend(self) -> None:
        """Stops the clock under another screen, and hides a board in play, which a dialog would leave in sight."""
        self.session.pause()
        self.board.visible = self.session.status != "playing"

    def on_screen_resume(self) -> None:
        self.session.pause(False)
        if not self.board.visible:
            # A hidden board has lost the focus.
            self.board.visible = True
            self.board.focus()

    def action_pause(self) -> None:
        self.app.push_screen(Page(self.services, "key_pause", self.catalogue.text("paused")))

    def action_manual(self) -> None:
        text = self.catalogue.text("manual_keys") + self.catalogue.text("manual")
        self.app.push_screen(Page(self.services, "manual_title", text))

    def action_prompt(self) -> None:
        self.set_focus(self.query_one("#prompt"))

    def action_board(self) -> None:
        """Goes back to the board, and shows at once what an animation has not shown yet."""
        self.board.finish_animation()
        self.set_focus(self.board)

    @on(Input.Submitted)
    def _take_line(self, event: Input.Submitted) -> None:
        """Carries out a typed command; the colon that leads to the prompt may stand before it."""
        event.input.value = ""
        config = self.session.config
        try:
            word, cell, path = parse_command(event.value.lstrip(" :"), config.rows, config.cols)
        except TextError as error:
            self.say(error.key, **error.values)
            return
        action_names = {"probabilities": "risks", "man": "manual", "help": "manual", "quit": "leave"}
        if cell is not None:
            self.board.move_to(cell)
        if word == "save":
            # In a web page the file would lie on the computer that serves it, wherever the visitor says.
            report = Report("save_on_web") if self.app.is_web else save_as(self.session, path)
            self.say(report.key, **report.values)
        elif word == "hint" and (refusal := self.session.refuse_hint(cell)):
            self.say(refusal.key, **refusal.values)
        elif word == "hint":
            self.action_hint(cell)
        elif cell is not None:
            self.move("open" if word == "try" else word, cell)
        else:
            self.call_next(self.run_action, action_names.get(word, word))
