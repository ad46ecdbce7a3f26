"""`play.py --classic`, the line mode: typed commands and printed boards, for pipes, screen readers, plain terminals."""

import io
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from shutil import get_terminal_size

import numpy as np
from numpy.typing import NDArray

from baselines.process import INTERRUPTED, is_styled, output_width
from minesweeper_env.codes import FLAGGED, QUESTION
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig
from minesweeper_env.console import is_live, say
from minesweeper_env.escape import printable
from minesweeper_env.inference import PositionTooHardError
from minesweeper_play.catalogue import Catalogue, wrapped_lines
from minesweeper_play.coach.board_text import ASCII, PLAIN, Drawn, board_lines, draw_session
from minesweeper_play.explanations import explain_advice, explain_ending, statistics_table, table_lines
from minesweeper_play.game.moves import LAYER_SECONDS, Cell, Command, Report, TextError, parse_command
from minesweeper_play.game.records import Statistics, load_game, open_statistics, save_as, summarise
from minesweeper_play.game.session import Session
from minesweeper_play.options import PlayOptions, recommended_mines, sized_board

LEAST_SIDE, MOST_SIDE = 3, 10
"""The sides of the boards to choose from; a protected opening needs one more, and options allow any size."""

NARROW, WIDE = 80, 120
"""The numbers of columns of a review and of the statistics where stdout is no terminal."""

ANSWERS = {**dict.fromkeys(("", "yes", "y", "sí", "si", "s"), "new"), **dict.fromkeys(("no", "n"), "quit")}
"""The command of each answer after a game; `n` is a key for a new game elsewhere."""

COLOURS: dict[str, dict[str, int]] = {
    "standard": {"flag": 32, "mine": 31, "exploded": 41, "wrong": 31, "question": 33},
    "colour-blind": {"flag": 94, "mine": 33, "exploded": 43, "wrong": 95, "question": 36},
    "": {},
}
"""SGR colours of cells that are no numbers, by the field of `Glyphs`, in each palette."""

COUNT_COLOURS = {"standard": (34, 32, 31, 35, 33, 36, 37, 90), "colour-blind": (94, 33, 36, 95, 93, 96, 37, 90)}


class LeaveError(Exception):
    """The player leaves, or the input ends."""


def run(options: PlayOptions) -> int:
    """Plays until the player leaves; returns the exit status, 0 or 130 after Ctrl-C."""
    game = ClassicGame(options)
    return play_until_left(game.console, game.play)


def play_until_left(console: "Console", play: Callable[[], object]) -> int:
    """Plays until the player leaves, and says goodbye; returns the exit status."""
    status = 0
    try:
        with suppress(LeaveError):
            play()
    except KeyboardInterrupt:
        print()
        status = INTERRUPTED
    console.say("goodbye")
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
        self.console, self._options, self._played = Console(options), options, 0
        self._keeps_board = False
        self._statistics, self._problem = open_statistics()
        # `--classic` imitates a Spanish program in which `help` opens cells.
        follows_source = "classic" in options.given
        self._handlers: dict[str, Callable[[Command], object]] = {
            "assist": lambda _: self._move(self.session.help),
            "help": lambda _: self._move(self.session.help) if follows_source else self._show_manual(),
            "undo": lambda _: self._move(self.session.undo),
            "hint": self._hint,
            "probabilities": lambda _: self._show_risks(),
            "review": lambda _: self._review(self._print_review, "review_later"),
            "share": lambda _: self._review(self._share, "share_later"),
            "man": lambda _: self._show_manual(),
            "pause": lambda _: self._wait("paused"),
            "save": lambda command: self.console.report(save_as(self.session, command.path)),
        }

    def play(self) -> None:
        """Plays one game after another; raises a LeaveError when the player leaves a game under way."""
        saved = self._options.saved and load_game(self._options.saved, self.console.catalogue)
        self.console.report(self._problem)
        goes_on = True
        while goes_on:
            key = "resumed_game" if saved else "new_game"
            self.session, saved = saved or self._new_session(), None
            # A search in vain clears `no_guess` of this session, but later games search again.
            self._no_guess_level = self.session.no_guess
            config, seed = self.session.config, self.session.seed
            mines = self.console.catalogue.text("mine_count", count=config.mines)
            self.console.say(key, rows=config.rows, cols=config.cols, mines=mines, seed=seed)
            self._show_board()
            goes_on = self._play_one()

    def _new_session(self) -> Session:
        """Returns a game on the same board, on that of the options, or on one for which it asks the player."""
        options = self._options
        config, level = options.config, options.no_guess
        if self._keeps_board:
            config, level = self.session.config, self._no_guess_level
        elif config is None:
            config = self._ask_board(options.first_click if "first_click" in options.given else None)
            if not level and options.luck:
                answer = self.console.ask("ask_no_guess").strip().lower()[:1]
                level = "subset" if answer in ("y", "s") else False
                if answer == "l" and config.first_click in UNIFORM_FIRST_CLICKS:
                    config = replace(config, luck=False)
                elif answer == "l":
                    self.console.say("new_needs_luck")
        seed = None if options.seed is None else options.seed + self._played
        self._played += 1
        return Session(config, seed=seed, no_guess=level)

    def _ask_board(self, rule: str | None) -> BoardConfig:
        """Returns the board that a player chooses, by its side and its mines, as Buscaminas_Terminal asks for them."""
        min_side = LEAST_SIDE + 1 if rule in ("opening", "corners") else LEAST_SIDE
        side = self.console.ask_number(min_side, MOST_SIDE, "ask_size")
        max_mines = BoardConfig(side, side, 1, first_click=rule or "safe").max_mines
        recommended = min(recommended_mines(side, side), max_mines)
        mines = self.console.ask_number(1, max_mines, "ask_mines", recommended=recommended)
        return sized_board(side, side, mines, rule, self._options.luck)

    def _play_one(self) -> bool:
        """Plays a game, and again after each fatal move that is taken back; returns whether to play another game."""
        while True:
            while not self.session.is_over:
                command = self._ask_command("ask_action", {})
                if command.word == "quit":
                    raise LeaveError
                if self._begins(command):
                    return True
                self._carry_out(command)
            if self.session.status == "lost":
                glyphs = self.console.glyphs
                self.console.say("legend", mine=glyphs.mine, exploded=glyphs.exploded, wrong=glyphs.wrong)
            self.console.tell(*explain_ending(self.session, self._statistics, self.console.catalogue))
            while self.session.is_over:
                command = self._ask_command("ask_again", ANSWERS)
                if command.word == "quit":
                    return False
                if self._begins(command):
                    return True
                self._carry_out(command)

    def _ask_command(self, key: str, answers: Mapping[str, str]) -> Command:
        """Asks until the line is a command, or a key of `answers`, which stands for one; returns the command."""
        config = self.session.config
        while True:
            line = self.console.ask(key).strip()
            try:
                return parse_command(answers.get(line.lower(), line), config.rows, config.cols)
            except TextError as error:
                self.console.say(error.key, **error.values)

    def _begins(self, command: Command) -> bool:
        """Returns whether a command begins another game; `again` keeps the board."""
        self._keeps_board = command.word == "again"
        return command.word in ("new", "again")

    def _show_board(self) -> None:
        self.console.show(self.session)
        key = "figures_practice" if self.session.practice else "figures"
        clock = self.console.catalogue.clock(self.session.seconds)
        self.console.say(key, mines=self.session.mines_left, time=clock)

    def _carry_out(self, command: Command) -> None:
        """Carries out a command that neither leaves nor begins another game."""
        try:
            if command.word in self._handlers:
                self._handlers[command.word](command)
            elif command.cell is not None:
                method = self._open if command.word == "try" else getattr(self.session, command.word)
                row, col = command.cell
                self._move(lambda: method(row, col), command.cell)
        except PositionTooHardError:
            self.console.say("too_hard")

    def _move(self, move: Callable[[], Report], origin: Cell | None = None) -> None:
        """Makes a move, on the cell `origin` if it has one, and shows the board and what the move did."""
        mines_left = self.session.mines_left
        report = move()
        if not report.accepted:
            self.console.report(report)
            return
        if origin is not None:
            self.console.animate(self.session, report, origin)
        self._show_board()
        board, new_flags = self.session.board, mines_left - self.session.mines_left
        opened = sum(board[cell] < FLAGGED for cell in report.cells)
        if report.key:
            self.console.report(report)
        elif opened:
            self.console.say("opened", count=opened)
        elif new_flags > 0:
            self.console.say("flagged", count=new_flags)
        elif board[report.cells[0]] == QUESTION:
            self.console.say("question_set", **report.values)
        else:
            self.console.say("flag_removed" if new_flags else "question_removed", **report.values)

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
            self.console.draw_again("")

    def _show_search(self, attempts: int, max_attempts: int) -> None:
        text = self.console.catalogue.text
        share = self.console.catalogue.per_cent(min(attempts / max_attempts, 1.0))
        self.console.draw_again(text("searching", count=attempts, part=share))

    def _hint(self, command: Command) -> None:
        if refusal := self.session.refuse_hint(command.cell):
            self.console.report(refusal)
        else:
            advice = self.session.hint(command.cell)
            self.console.tell(*explain_advice(advice, self.session.board, self.console.catalogue))

    def _show_risks(self) -> None:
        risks = self.session.probabilities()
        self.console.say("probabilities_shown")
        self.console.show(self.session, risks)

    def _show_manual(self) -> None:
        self.console.say("manual")
        if self.console.is_live:
            self._wait("manual_return")

    def _wait(self, key: str) -> None:
        """Asks for Enter, while the clock stands still, and shows the board again."""
        self.session.pause()
        self.console.ask(key)
        self.session.pause(False)
        self._show_board()

    def _review(self, work: Callable[[], object], too_early: str) -> None:
        """Runs `work` of the coach on a finished game, or says `too_early`, a key of the catalogue; Ctrl-C cancels."""
        if not self.session.is_over or self.session.config.first_click == "corners":
            self.console.say("review_corners" if self.session.is_over else too_early)
            return
        try:
            work()
        except KeyboardInterrupt:
            self.console.say("reviewing_cancelled")

    def _print_review(self) -> None:
        # These modules load kernels that a game without a review never needs.
        from minesweeper_play.coach.review import review_game
        from minesweeper_play.coach.sentences import review_lines

        review = review_game(self.session)
        print("\n".join(review_lines(review, self.console.catalogue, output_width() or NARROW)), flush=True)

    def _share(self) -> None:
        from minesweeper_play.coach.sharing import share

        self.console.report(share(self.session, self.console.catalogue))


class Console:
    """Asks and prints in one language.

    Attributes:
        is_live: whether a person types on a terminal whose lines can be drawn again.
    """

    def __init__(self, options: PlayOptions) -> None:
        """Checks whether stdin and stdout are terminals; characters that these cannot encode or decode become "?"."""
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        self.catalogue = Catalogue(options.language)
        self.glyphs = PLAIN if sys.stdout.isatty() else ASCII
        self._palette = options.palette if is_styled(sys.stdout) else ""
        self.is_live = sys.stdin.isatty() and is_live(sys.stdout)
        self.is_animated = options.animation and self.is_live
        if self.is_live:
            with suppress(ImportError):
                # Its import gives `input` the arrow keys and a history.
                import readline  # noqa: F401

    def ask(self, key: str, **values: object) -> str:
        """Prints a question, and returns the line that answers it; raises a LeaveError where the input has ended."""
        try:
            line = input(self.catalogue.text(key, **values))
        except EOFError as error:
            print()
            raise LeaveError from error
        if not sys.stdin.isatty():
            # A terminal echoes what is typed; a pipe does not, and the transcript would lack the line.
            print(printable(line))
        return line

    def ask_number(self, least: int, most: int, key: str, **values: object) -> int:
        """Asks until the answer is a whole number from `least` to `most`, and returns this number."""
        while True:
            try:
                number = int(self.ask(key, least=least, most=most, **values))
            except ValueError:
                self.say("not_a_number")
                continue
            if least <= number <= most:
                return number
            self.say("not_in_range", least=least, most=most)

    def say(self, key: str, **values: object) -> None:
        """Prints a text of the catalogue; the empty key prints nothing."""
        if key:
            self.tell(self.catalogue.text(key, **values))

    def report(self, report: Report) -> None:
        self.say(report.key, **report.values)

    def tell(self, *texts: str) -> None:
        """Prints texts whose lines break between words, if stdout is a terminal."""
        for text in texts:
            width = output_width()
            lines = text.splitlines() if width is None else wrapped_lines(text, width)
            print("\n".join(lines), flush=True)

    def draw_again(self, text: str) -> None:
        """Draws a line over the last one, on a terminal; cuts it, because a line that wraps cannot be cleared."""
        if self.is_live:
            sys.stdout.write(f"\r\033[K{text[: (output_width() or NARROW) - 1]}")
            sys.stdout.flush()

    def show(self, session: Session, risks: NDArray[np.float64] | None = None) -> None:
        """Prints the board of a game, with the risks of covered cells if they are given."""
        self.draw(draw_session(session, self.glyphs, risks))

    def draw(self, cells: Sequence[Sequence[Drawn]]) -> None:
        print("\n".join(board_lines(cells, output_width(), self._paint)), flush=True)

    def animate(self, session: Session, report: Report, origin: Cell) -> None:
        """Draws the opening of a move on the cell `origin` layer by layer, and erases it, so that the board can follow.

        It draws nothing where animation is switched off, stdout is no terminal, or the board is higher than the screen.
        """
        layers = session.opening_layers(report, origin) if self.is_animated else []
        for shown in range(1, len(layers)):
            frame = self._frame(session, layers[shown:])
            if len(frame) >= get_terminal_size().lines:
                return
            print("\n".join(frame), flush=True)
            time.sleep(LAYER_SECONDS)
            print(f"\033[{len(frame)}A\r\033[J", end="", flush=True)

    def _frame(self, session: Session, covered_layers: Sequence[Sequence[Cell]]) -> list[str]:
        """Returns the lines of the board with the cells of some layers still covered."""
        cells = draw_session(session, self.glyphs)
        for row, col in (cell for layer in covered_layers for cell in layer):
            cells[row][col] = Drawn(self.glyphs.hidden, "hidden")
        return board_lines(cells, output_width(), self._paint)

    def _paint(self, text: str, kind: str) -> str:
        """Returns a text in the SGR colour of a kind of cell: a field of `Glyphs`, or "count" for a number."""
        sgr = COLOURS[self._palette].get(kind)
        if kind == "count" and self._palette:
            palette = COUNT_COLOURS[self._palette]
            sgr = palette[(int(text) - 1) % len(palette)]
        return text if sgr is None else f"\033[{sgr}m{text}\033[0m"
