"""The screen of the game: one game after the other, their ends, the dialogs, and the command prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from minesweeper_env.inference import PositionTooHardError
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import Finish
from minesweeper_play.terminal.choice import BoardChoice
from minesweeper_play.terminal.dialogs.long_work import LongWork
from minesweeper_play.terminal.dialogs.new_game import NewGame
from minesweeper_play.terminal.dialogs.pages import Page
from minesweeper_play.terminal.dialogs.question import Question
from minesweeper_play.terminal.dialogs.settings import SettingsDialog
from minesweeper_play.terminal.playing.help import HelpedScreen
from minesweeper_play.terminal.playing.orders import carry_out
from minesweeper_play.terminal.playing.texts import ending
from minesweeper_play.terminal.reviewing.work import Reviewing


class GameScreen(HelpedScreen):
    """Plays one session after the other."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "new", show=False),
        Binding("r", "again", show=False),
        Binding("v", "review", show=False),
        Binding("s", "settings", show=False),
        Binding("t", "statistics", show=False),
        Binding("question_mark", "manual", show=False),
        # With priority the prompt and the board have the keys that come right after, as those of a pasted command do.
        Binding("colon", "prompt", show=False, priority=True),
        Binding("escape", "board", show=False, priority=True),
        Binding("q", "leave", show=False),
    ]

    class Recorded(Message):
        """The statistics have a finished game."""

        def __init__(self, session: Session, finish: Finish) -> None:
            """Stores the game, and what the statistics say about it."""
            super().__init__()
            self.session, self.finish = session, finish

    def finish(self) -> None:
        """Records the game in the statistics, in another thread, and says how it ended."""
        session = self.session
        self.tell(ending(session, Finish(), self.game_app.catalogue))

        def record() -> None:
            finish = self.game_app.record(session)
            self.post_message(self.Recorded(session, finish))

        self.run_worker(record, thread=True, group="statistics")

    @on(Recorded)
    def _say_ending(self, event: Recorded) -> None:
        if event.session is self.session and self.session.is_over:
            self.tell(ending(self.session, event.finish, self.game_app.catalogue))

    # Games

    @property
    def is_under_way(self) -> bool:
        """Whether a game would be lost if another one began."""
        return self.session.status == "playing"

    def action_again(self) -> None:
        """Begins another game on the same board; asks first if this one is not over."""
        if self.is_under_way:
            self._ask("ask_new", lambda: self.begin(self.game_app.next_session()))
        else:
            self.begin(self.game_app.next_session())

    def action_new(self) -> None:
        """Asks which board to play next."""
        self.app.push_screen(NewGame(self.game_app.choice), self._begin_choice)

    def _begin_choice(self, choice: BoardChoice | None) -> None:
        if choice is not None:
            self.game_app.choose(choice)
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
        catalogue = self.game_app.catalogue
        self.app.push_screen(Page(catalogue.text("manual_title"), catalogue.text("manual_keys") + catalogue.manual()))

    def action_review(self) -> None:
        """Asks the coach for a review of the game, once it is over."""
        if not self.session.is_over:
            self.say("review_later")
        elif self._work is None:
            self._work_on(Reviewing(self.session))

    def take_work(self, work: LongWork) -> None:
        """Shows a review, or what a search has found."""
        if not isinstance(work, Reviewing):
            super().take_work(work)
        elif work.review is not None:
            # Its import loads what the coach needs.
            from minesweeper_play.terminal.reviewing.screen import ReviewScreen

            self.app.push_screen(ReviewScreen(work.review))
        else:
            self.say(work.problem.key or "no_review", **work.problem.values)

    def action_prompt(self) -> None:
        """Goes to the command prompt."""
        self.set_focus(self.query_one("#prompt"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Returns whether an action may happen; at the prompt a colon is a letter of a path."""
        is_typed = action == "prompt" and self.focused is not None and self.focused.id == "prompt"
        return not is_typed and super().check_action(action, parameters)

    def action_board(self) -> None:
        """Goes back to the board, and shows at once what an animation has not shown yet."""
        self.board.finish_animation()
        self.set_focus(self.board)

    def action_assist(self) -> None:
        """Says whether a safe cell can be inferred; if none can, opens random safe cells until one can."""
        try:
            self.after(self.session.help())
        except PositionTooHardError:
            self.say("too_hard")

    @on(Input.Submitted)
    def _carry_out(self, event: Input.Submitted) -> None:
        event.input.value = ""
        carry_out(self, event.value)
