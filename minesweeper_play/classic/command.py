"""`play.py --classic`: one game after another in the line mode."""

from __future__ import annotations

from minesweeper_env.config import BoardConfig
from minesweeper_play.classic.console import Console, LeaveError
from minesweeper_play.classic.game import ClassicGame
from minesweeper_play.classic.review import show_review
from minesweeper_play.game.boards import recommended_mines, sized_board
from minesweeper_play.game.commands import parse_ending
from minesweeper_play.game.metrics import measure
from minesweeper_play.game.saved import load_game
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import open_statistics
from minesweeper_play.options import PlayOptions

DONE, INTERRUPTED = 0, 130
"""Exit statuses."""

LEAST_SIDE, MOST_SIDE = 3, 10
"""The sides of the boards to choose from; a protected opening needs one more, and options allow any size."""


def run(options: PlayOptions) -> int:
    """Plays until the player leaves.

    Returns:
        The exit status: 0, or 130 after Ctrl-C.

    Raises:
        SavedGameError: the saved game of the options cannot be read.
    """
    console = Console(options)
    try:
        _Player(console, options).play()
    except LeaveError:
        status = DONE
    except KeyboardInterrupt:
        print()
        status = INTERRUPTED
    else:
        status = DONE
    console.say("goodbye")
    return status


class _Player:
    """Plays games until the player has enough."""

    def __init__(self, console: Console, options: PlayOptions) -> None:
        self._console = console
        self._options = options
        self._played = 0
        self._statistics, self._problem = open_statistics()

    def play(self) -> None:
        """Plays one game after another."""
        session = None if self._options.saved is None else load_game(self._options.saved)
        self._console.say(self._problem.key, **self._problem.values)
        while True:
            session = session or self._new_session()
            self._announce(session)
            game = ClassicGame(session, self._console)
            game.show_board()
            if not self._play_one(game):
                return
            session = None

    def _new_session(self) -> Session:
        options = self._options
        config, no_guess = options.config, options.no_guess
        if config is None:
            config = self._ask_board(options.first_click if "first_click" in options.given else None)
            if not no_guess and self._console.ask("ask_no_guess").strip().lower()[:1] in ("y", "s"):
                no_guess = "subset"
        seed = None if options.seed is None else options.seed + self._played
        self._played += 1
        return Session(config, seed=seed, no_guess=no_guess)

    def _ask_board(self, rule: str | None) -> BoardConfig:
        """Returns the board that a player chooses, by its side and its mines, as Buscaminas_Terminal asks for them."""
        least = LEAST_SIDE + (rule in ("opening", "corners"))
        side = self._console.ask_number(least, MOST_SIDE, "ask_size")
        most = BoardConfig(side, side, 1, first_click=rule or "safe").max_mines
        recommended = min(recommended_mines(side, side), most)
        mines = self._console.ask_number(1, most, "ask_mines", recommended=recommended)
        return sized_board(side, side, mines, rule)

    def _announce(self, session: Session) -> None:
        config = session.config
        mines = self._console.catalogue.text("mine_count", count=config.mines)
        self._console.say("new_game", rows=config.rows, cols=config.cols, mines=mines, seed=session.seed)

    def _play_one(self, game: ClassicGame) -> bool:
        """Plays a game, and again after each fatal move that is taken back; returns whether to play another game."""
        while game.play():
            self._sum_up(game.session)
            answer = self._ask_again(game)
            if answer is not None:
                return answer
        return True

    def _ask_again(self, game: ClassicGame) -> bool | None:
        """Returns whether to play another game; None after the fatal move was taken back."""
        while True:
            command = parse_ending(self._console.ask("ask_again"))
            if command is None or command.word == "new":
                return command is not None
            if command.word == "save" and not command.path:
                self._console.say("syntax_path", word=command.word)
            elif command.word == "save":
                game.save(command.path)
            elif command.word == "review":
                show_review(game.session, self._console)
            elif command.word == "undo":
                game.undo()
                if not game.session.is_over:
                    return None

    def _sum_up(self, session: Session) -> None:
        """Prints the figures of a finished game, and records it."""
        say, catalogue, glyphs = self._console.say, self._console.catalogue, self._console.glyphs
        if session.status == "lost":
            say("legend", mine=glyphs.mine, exploded=glyphs.exploded, wrong=glyphs.wrong)
        metrics = measure(session)
        say(
            "ending",
            solved=metrics.solved,
            value=metrics.value,
            clicks=metrics.clicks,
            efficiency=catalogue.per_cent(metrics.efficiency),
            per_second=catalogue.number(metrics.per_second, 2),
            time=catalogue.number(metrics.seconds, 1),
        )
        self._record(session)

    def _record(self, session: Session) -> None:
        if self._statistics is None:
            return
        finish = self._statistics.finish(session)
        self._console.say(finish.problem.key, **finish.problem.values)
        if finish.is_best and finish.best_before is None:
            self._console.say("best_time_first")
        elif finish.best_before is not None and session.status == "won":
            time = self._console.catalogue.number(finish.best_before, 1)
            self._console.say("best_time_new" if finish.is_best else "best_time_old", time=time)
