"""`play.py --classic`, the line mode: typed commands and printed boards, for pipes, screen readers, plain terminals."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

from baselines.cli.start import INTERRUPTED
from baselines.support.processes import output_width
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.notices import say
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.explanations import explain_advice, explain_ending, statistics_table, table_lines
from minesweeper_play.game.commands import Command, CommandError, parse_command, parse_ending
from minesweeper_play.game.moves import Cell, Report
from minesweeper_play.game.saved import load_game, save_as
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import Statistics, open_statistics, summarise
from minesweeper_play.line_console import Console, LeaveError
from minesweeper_play.options import PlayOptions, recommended_mines, sized_board

LEAST_SIDE, MOST_SIDE = 3, 10
"""The sides of the boards to choose from; a protected opening needs one more, and options allow any size."""

NARROW, WIDE = 80, 120
"""The numbers of columns of a review and of the statistics where stdout is no terminal."""


def run(options: PlayOptions) -> int:
    """Plays until the player leaves; returns the exit status, 0 or 130 after Ctrl-C."""
    game, status = ClassicGame(options), 0
    try:
        with suppress(LeaveError):
            game.play()
    except KeyboardInterrupt:
        print()
        status = INTERRUPTED
    game.console.say("goodbye")
    return status


def show_statistics(options: PlayOptions) -> int:
    """`play.py --stats`: prints the statistics of the user; returns the exit status 0."""
    catalogue, statistics = Catalogue(options.language), Statistics()
    records = statistics.read()
    if statistics.problem.key:
        say(catalogue.text(statistics.problem.key, **statistics.problem.values))
    if records:
        print("\n".join(table_lines(statistics_table(summarise(records), catalogue), output_width() or WIDE)))
    else:
        print(catalogue.text("statistics_empty"))
    return 0


class ClassicGame:
    """Plays games with typed commands until the player has enough."""

    def __init__(self, options: PlayOptions) -> None:
        """Begins nothing yet."""
        self.console, self._options, self._played = Console(options), options, 0
        self._statistics, self._problem = open_statistics()
        # In the Spanish source, whose game `--classic` is, `help` opens cells.
        self._is_source = "classic" in options.given
        self._do: dict[str, Callable[[Command], object]] = {
            "assist": lambda _: self._move(self.session.help),
            "help": lambda _: self._move(self.session.help) if self._is_source else self._show_manual(),
            "undo": lambda _: self._move(self.session.undo),
            "hint": self._hint,
            "probabilities": lambda _: self._show_risks(),
            "review": lambda _: self._review(),
            "man": lambda _: self._show_manual(),
            "save": lambda command: self._save(command.path),
        }

    def play(self) -> None:
        """Plays one game after another; raises a LeaveError when the player leaves in the middle of one."""
        saved = self._options.saved and load_game(self._options.saved)
        self.console.say(self._problem.key, **self._problem.values)
        goes_on = True
        while goes_on:
            self.session, saved = saved or self._new_session(), None
            config, seed = self.session.config, self.session.seed
            mines = self.console.catalogue.text("mine_count", count=config.mines)
            self.console.say("new_game", rows=config.rows, cols=config.cols, mines=mines, seed=seed)
            self._show_board()
            goes_on = self._play_one()

    def _new_session(self) -> Session:
        options = self._options
        config, no_guess = options.config, options.no_guess
        if config is None:
            config = self._ask_board(options.first_click if "first_click" in options.given else None)
            if not no_guess and self.console.ask("ask_no_guess").strip().lower()[:1] in ("y", "s"):
                no_guess = "subset"
        seed = None if options.seed is None else options.seed + self._played
        self._played += 1
        return Session(config, seed=seed, no_guess=no_guess)

    def _ask_board(self, rule: str | None) -> BoardConfig:
        """Returns the board that a player chooses, by its side and its mines, as Buscaminas_Terminal asks for them."""
        least = LEAST_SIDE + (rule in ("opening", "corners"))
        side = self.console.ask_number(least, MOST_SIDE, "ask_size")
        most = BoardConfig(side, side, 1, first_click=rule or "safe").max_mines
        recommended = min(recommended_mines(side, side), most)
        mines = self.console.ask_number(1, most, "ask_mines", recommended=recommended)
        return sized_board(side, side, mines, rule)

    def _play_one(self) -> bool:
        """Plays a game, and again after each fatal move that is taken back; returns whether to play another game."""
        while True:
            while not self.session.is_over:
                try:
                    line, config = self.console.ask("ask_action"), self.session.config
                    command = parse_command(line, config.rows, config.cols)
                except CommandError as error:
                    self.console.say(error.key, **error.values)
                    continue
                if command.word == "quit":
                    raise LeaveError
                if command.word == "new":
                    return True
                self._carry_out(command)
            self._sum_up()
            while self.session.is_over:
                ending = parse_ending(self.console.ask("ask_again"))
                if ending is None or ending.word == "new":
                    return ending is not None
                self._carry_out(ending)

    def _sum_up(self) -> None:
        """Prints the figures of a finished game, and records it."""
        glyphs = self.console.glyphs
        if self.session.status == "lost":
            self.console.say("legend", mine=glyphs.mine, exploded=glyphs.exploded, wrong=glyphs.wrong)
        for line in explain_ending(self.session, self._statistics, self.console.catalogue):
            self.console.tell(line)

    def _show_board(self) -> None:
        self.console.show(self.session)
        key = "figures_practice" if self.session.practice else "figures"
        clock = self.console.catalogue.clock(self.session.seconds)
        self.console.say(key, mines=self.session.mines_left, time=clock)

    def _carry_out(self, command: Command) -> None:
        """Carries out a command that neither leaves nor begins another game."""
        try:
            if command.word in self._do:
                self._do[command.word](command)
            elif command.cell is not None:
                method = self._open if command.word == "try" else getattr(self.session, command.word)
                row, col = command.cell
                self._move(lambda: method(row, col), command.cell)
        except PositionTooHardError:
            self.console.say("too_hard")

    def _move(self, move: Callable[[], Report], origin: Cell | None = None) -> None:
        """Makes a move, and shows what it did."""
        flags = self.session.mines_left
        report = move()
        if not report.accepted:
            self.console.say(report.key, **report.values)
            return
        if origin is not None:
            self.console.animate(self.session, report, origin)
        self._show_board()
        self._describe(report, flags - self.session.mines_left)

    def _open(self, row: int, col: int) -> Report:
        """Opens a cell; the first one of a game without guesses needs a search, which Ctrl-C cancels."""
        if not self.session.no_guess or self.session.status != "ready":
            return self.session.open(row, col)
        self.session.on_attempts = self._show_search
        try:
            self._show_search(0, 1)
            return self.session.open(row, col)
        except KeyboardInterrupt:
            return Report("search_cancelled")
        finally:
            self._draw_search("")

    def _show_search(self, count: int, most: int) -> None:
        part = self.console.catalogue.per_cent(min(count / most, 1.0))
        self._draw_search(self.console.catalogue.text("searching", count=count, part=part))

    def _draw_search(self, text: str) -> None:
        """Draws a line over the last one, on a terminal."""
        if self.console.is_live:
            # A line that wraps could not be cleared.
            sys.stdout.write(f"\r\033[K{text[: (output_width() or NARROW) - 1]}")
            sys.stdout.flush()

    def _describe(self, report: Report, new_flags: int) -> None:
        """Prints the effect of an accepted move."""
        codes, board = self.session.config.codes, self.session.board
        opened = sum(board[cell] <= codes.max_count for cell in report.cells)
        if report.key:
            self.console.say(report.key, **report.values)
        elif opened:
            self.console.say("opened", count=opened)
        elif new_flags > 0:
            self.console.say("flagged", count=new_flags)
        elif board[report.cells[0]] == codes.question:
            self.console.say("question_set", **report.values)
        else:
            self.console.say("flag_removed" if new_flags else "question_removed", **report.values)

    def _hint(self, command: Command) -> None:
        """Explains a safe cell, or names the cell of least risk; says of a given cell what is known of it."""
        if refusal := self.session.refuse_hint(command.cell):
            self.console.say(refusal.key, **refusal.values)
            return
        for sentence in explain_advice(self.session.hint(command.cell), self.console.catalogue):
            self.console.tell(sentence)

    def _show_risks(self) -> None:
        risks = self.session.probabilities()
        self.console.say("probabilities_shown")
        self.console.show(self.session, risks)

    def _show_manual(self) -> None:
        self.console.page(self.console.catalogue.manual(is_source=self._is_source))
        if self.console.is_interactive:
            self.console.ask("manual_return")
            self._show_board()

    def _save(self, name: str) -> None:
        report = save_as(self.session, name) if name else Report("syntax_path", values={"word": "save"})
        self.console.say(report.key, **report.values)

    def _review(self) -> None:
        """Prints the coach's review of the finished game, or why there is none; Ctrl-C cancels it."""
        if not self.session.is_over:
            self.console.say("review_later")
            return
        # They load kernels that a game without a review never needs.
        from minesweeper_play.coach.review import reason_against, review_game
        from minesweeper_play.coach.texts import review_lines

        if (against := reason_against(self.session)).key:
            self.console.say(against.key, **against.values)
            return
        try:
            review = review_game(self.session)
            print("\n".join(review_lines(review, self.console.catalogue, output_width() or NARROW)), flush=True)
        except KeyboardInterrupt:
            self.console.say("reviewing_cancelled")
