"""One game in the line mode, command by command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from minesweeper_env.inference import PositionTooHardError
from minesweeper_play.classic.animation import animate
from minesweeper_play.classic.console import Console, LeaveError
from minesweeper_play.classic.drawing import Drawn, board_lines, draw_risks, draw_session
from minesweeper_play.game.commands import Command, CommandError, parse_command
from minesweeper_play.game.moves import Cell, Report
from minesweeper_play.game.saved import save_game
from minesweeper_play.game.session import Session
from minesweeper_play.language.explanations import explain_advice


class ClassicGame:
    """Plays one session with typed commands.

    Attributes:
        session: the game.
    """

    def __init__(self, session: Session, console: Console) -> None:
        """Shows nothing yet."""
        self.session = session
        self._console = console
        self._do: dict[str, Callable[[Command], None]] = {
            "assist": lambda _: self._move(self.session.help),
            "help": lambda _: self._move(self.session.help) if console.is_source else self._show_manual(),
            "undo": lambda _: self._move(self.session.undo),
            "hint": self._hint,
            "probabilities": lambda _: self._show_risks(),
            "review": lambda _: self._console.say("review_later"),
            "man": lambda _: self._show_manual(),
            "save": lambda command: self.save(command.path),
        }

    def play(self) -> bool:
        """Plays until the game is over; returns False if the player wants another game before that.

        Raises:
            LeaveError: the player leaves.
        """
        while not self.session.is_over:
            line = self._console.ask("ask_action")
            try:
                command = parse_command(line, self.session.config.rows, self.session.config.cols)
            except CommandError as error:
                self._console.say(error.key, **error.values)
                continue
            if command.word == "quit":
                raise LeaveError
            if command.word == "new":
                return False
            self._carry_out(command)
        return True

    def show_board(self) -> None:
        """Prints the board and the figures below it."""
        self._print(draw_session(self.session, self._console.glyphs))
        key = "figures_practice" if self.session.practice else "figures"
        clock = self._console.catalogue.clock(self.session.seconds)
        self._console.say(key, mines=self.session.mines_left, time=clock)

    def undo(self) -> None:
        """Takes the last move back, and shows the board if there was one."""
        self._move(self.session.undo)

    def save(self, name: str) -> None:
        """Saves the game in a file, and says so."""
        try:
            path = Path(name).expanduser()
            save_game(self.session, path)
        except (OSError, ValueError, RuntimeError) as error:
            # The last two are a NUL in the name, and a user without a home.
            self._console.say("save_failed", path=name, reason=getattr(error, "strerror", None) or str(error))
        else:
            self._console.say("saved", path=path)

    def _carry_out(self, command: Command) -> None:
        try:
            if command.word in self._do:
                self._do[command.word](command)
            elif command.cell is not None:
                self._move_at(command.word, command.cell)
        except PositionTooHardError:
            self._console.say("too_hard")

    def _move_at(self, word: str, cell: Cell) -> None:
        """Makes a move at a cell: `try` opens it, the other words are methods of a session."""
        method = self._open if word == "try" else getattr(self.session, word)
        self._move(lambda: method(*cell), cell)

    def _move(self, move: Callable[[], Report], origin: Cell | None = None) -> None:
        """Makes a move, and shows what it did."""
        flags = self.session.mines_left
        report = move()
        if not report.accepted:
            self._console.say(report.key, **report.values)
            return
        if origin is not None and self.session.status != "lost":
            animate(self.session, report, origin, self._console)
        self.show_board()
        self._describe(report, flags - self.session.mines_left)

    def _open(self, row: int, col: int) -> Report:
        """Opens a cell; the first one of a game without guesses needs a search."""
        if not self.session.no_guess or self.session.status != "ready":
            return self.session.open(row, col)
        self.session.on_attempts = self._show_search
        try:
            self._show_search(0)
            return self.session.open(row, col)
        except KeyboardInterrupt:
            return Report("search_cancelled")
        finally:
            self._draw_search("")

    def _show_search(self, count: int) -> None:
        """Draws the number of attempts so far, on a terminal."""
        # Its module loads kernels.
        from minesweeper_env.generation import MAX_ATTEMPTS

        part = self._console.catalogue.per_cent(min(count / MAX_ATTEMPTS, 1.0))
        self._draw_search(self._console.catalogue.text("searching", count=count, part=part))

    def _draw_search(self, text: str) -> None:
        if self._console.is_live:
            # A line that wraps could not be cleared.
            sys.stdout.write(f"\r\033[K{text[: (self._console.width or 80) - 1]}")
            sys.stdout.flush()

    def _describe(self, report: Report, new_flags: int) -> None:
        """Prints the effect of an accepted move."""
        codes, row_col = self.session.config.codes, report.cells[0]
        if report.key:
            self._console.say(report.key, **report.values)
            return
        opened = sum(self.session.board[cell] <= codes.max_count for cell in report.cells)
        if opened:
            self._console.say("opened", count=opened)
        elif new_flags > 0:
            self._console.say("flagged", count=new_flags)
        elif self.session.board[row_col] == codes.question:
            self._console.say("question_set", **report.values)
        else:
            self._console.say("flag_removed" if new_flags else "question_removed", **report.values)

    def _hint(self, command: Command) -> None:
        """Explains a safe cell, or names the cell of least risk; says of a given cell what is known of it."""
        refusal = None if command.cell is None else self.session.refuse_hint(*command.cell)
        if refusal is not None:
            self._console.say(refusal.key, **refusal.values)
            return
        for sentence in explain_advice(self.session.hint(command.cell), self._console.catalogue):
            self._console.explain(sentence)

    def _show_risks(self) -> None:
        board, risks = self.session.board, self.session.probabilities()
        self._console.say("probabilities_shown")
        self._print(draw_risks(board, risks, self._console.glyphs, self.session.config.radius))

    def _show_manual(self) -> None:
        self._console.page(self._console.catalogue.manual(is_source=self._console.is_source))
        if self._console.is_interactive:
            self._console.ask("manual_return")
            self.show_board()

    def _print(self, cells: list[list[Drawn]]) -> None:
        self._console.tell("\n".join(board_lines(cells, self._console.painter.paint, self._console.width)))
