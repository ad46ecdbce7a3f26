"""The game behind the window: what mouse and keys do, without any drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.rendering.probabilities import COLOUR_BLIND, STANDARD
from minesweeper_env.rendering.scene import Scene, with_mines_flagged
from minesweeper_play.game.boards import BOARDS, preset_board
from minesweeper_play.game.metrics import measure
from minesweeper_play.game.moves import Report
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import Statistics
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.language.explanations import explain_advice
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.board.picture import Mark
from minesweeper_play.terminal.playing.pictures import marks_of

LEFT, MIDDLE, RIGHT = 1, 2, 3
"""The buttons of a mouse, as pygame numbers them."""

Cell = tuple[int, int]

PRESET_KEYS = dict(zip("123", BOARDS, strict=True))
"""The keys that start a game on a classic board."""

KEYS = {"cell_is_flagged": "window_flagged", "cell_is_open": "", "cannot_chord": ""}
"""Messages of moves that the window words in its own way, or not at all."""

STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
"""What the arrow keys add to row and column of the cursor."""


class SearchCancelledError(Exception):
    """The player has cancelled the search for a board that needs no guess."""


class WindowGame:
    """One game after another, played with the buttons of a mouse and with keys.

    Attributes:
        session: the present game.
        message: the text below the board.
        overlay: whether the mine probabilities are shown.
        marks: the cells that the last hint names, and the part of each; none after the next move.
        cursor: the cell of the keyboard; None until an arrow key is pressed.
        pressed: the cell under a pressed mouse button, None without one.
        is_over: whether the player has left.
        on_search: called now and then while the first click searches for a board that needs no guess; True cancels.
    """

    on_search: Callable[[], bool] | None = None

    def __init__(
        self, options: PlayOptions, session: Session | None = None, statistics: Statistics | None = None
    ) -> None:
        """Starts the first game.

        Args:
            options: the options of `play.py`.
            session: a saved game to go on with; None starts a new one.
            statistics: where finished games are stored; None stores none.
        """
        self._options = options
        self._catalogue = Catalogue(options.language)
        self._statistics = statistics
        self._config = options.config or preset_board("beginner", options.first_click)
        self._played = 0
        self._buttons: set[int] = set()
        self._chording = False
        self._known: tuple[bytes, NDArray[np.float64] | None] = (b"", None)
        self.overlay = False
        self.is_over = False
        self.cursor: Cell | None = None
        if session is None:
            self.new_game()
        else:
            self._begin(session)

    @property
    def config(self) -> BoardConfig:
        """The board and its rules."""
        return self.session.config

    @property
    def is_pressed(self) -> bool:
        """Whether a mouse button is down on the board."""
        return self.pressed is not None

    @property
    def sunken(self) -> list[Cell]:
        """The covered cells that are drawn pressed: the one under the mouse button, or its neighbours for a chord."""
        if self.pressed is None or self.session.is_over:
            return []
        row, col = self.pressed
        reach = self.config.radius if self._chording else 0
        near = {self._within(row + down, col + right) for down in _around(reach) for right in _around(reach)}
        board, codes = self.session.board, self.config.codes
        return [cell for cell in sorted(near) if board[cell] in (codes.hidden, codes.question)]

    @property
    def mines_left(self) -> int:
        """The number of mines less the number of flags; 0 in a won game, where every mine shows a flag."""
        return 0 if self.session.status == "won" else self.session.mines_left

    def text(self, key: str, **values: object) -> str:
        """Returns a text in the language of the options."""
        return self._catalogue.text(key, **values)

    def new_game(self, config: BoardConfig | None = None) -> None:
        """Starts a game, on the same board unless another one is given; each game has the next seed."""
        self._config = config or self._config
        seed = None if self._options.seed is None else self._options.seed + self._played
        self._played += 1
        self._begin(Session(self._config, seed=seed, no_guess=self._options.no_guess))

    def _begin(self, session: Session) -> None:
        self.session = session
        session.on_attempts = self._count_attempts
        self._config = session.config
        self.message = self.text("window_keys")
        self.marks: Mapping[Cell, Mark] = {}
        self.pressed: Cell | None = None
        if self.cursor is not None:
            self.cursor = self._within(*self.cursor)

    def scene(self) -> Scene:
        """Returns what the board shows, and at the end of the game the mines."""
        session, codes = self.session, self.config.codes
        board, nothing = session.board, np.zeros(self.session.board.shape, np.bool_)
        mines, exploded = nothing if session.layout is None else session.layout, nothing
        if session.status == "won":
            board = with_mines_flagged(board, codes, mines)
        if session.exploded is not None:
            exploded = nothing.copy()
            exploded[session.exploded] = True
        tints = COLOUR_BLIND if self._options.palette == "colour-blind" else STANDARD
        return Scene(board, codes, mines, exploded, self._probabilities(), tints)

    def _probabilities(self) -> NDArray[np.float64] | None:
        """Returns the mine probabilities if they are to be shown; each board is asked for once."""
        if not self.overlay or self.session.is_over:
            return None
        board = self.session.board.tobytes()
        if self._known[0] != board:
            try:
                self._known = (board, self.session.probabilities())
            except PositionTooHardError:
                self._known = (board, None)
                self.message = self.text("too_hard")
        return self._known[1]

    def press(self, button: int, cell: Cell | None) -> None:
        """A mouse button goes down on a cell, or beside the board.

        The right button sets or removes a flag at once. The left one opens a cell or chords on a number, and the middle
        one chords, when it goes up again on the same cell, so that a player may change his mind. Left and right
        together chord.
        """
        self._buttons.add(button)
        self.cursor = None
        if cell is None:
            return
        self._chording = self._chording or button == MIDDLE or {LEFT, RIGHT} <= self._buttons
        if self._chording or button == LEFT:
            self.pressed = cell
        elif button == RIGHT and not self._is_open(cell):
            self._move(self.session.flag, cell)

    def move_pointer(self, cell: Cell | None) -> None:
        """The mouse moves to a cell; a pressed cell follows."""
        if self._buttons & {LEFT, MIDDLE} and self.pressed is not None:
            self.pressed = cell or self.pressed

    def release(self, button: int, cell: Cell | None) -> None:
        """A mouse button goes up on a cell, or beside the board."""
        self._buttons.discard(button)
        was_pressed, was_chording = self.pressed is not None, self._chording
        self.pressed = None
        if not self._buttons:
            self._chording = False
        if cell is None or not was_pressed:
            return
        if was_chording:
            self._move(self.session.chord, cell)
        elif button == LEFT:
            self._move(self.session.click, cell)

    def key(self, name: str) -> None:
        """A key goes down.

        Args:
            name: the name of the key, as pygame has it, such as "n", "escape" or "left".
        """
        actions: dict[str, Callable[[], object]] = {
            "n": self.new_game,
            "f2": self.new_game,
            "u": self._undo,
            "h": self._hint,
            "p": self._toggle_overlay,
            "q": self._leave,
            "escape": self._leave,
        }
        if name in actions:
            actions[name]()
        elif name in PRESET_KEYS:
            self.new_game(preset_board(PRESET_KEYS[name], self._options.first_click))
        elif name in STEPS:
            row, col = self.cursor or (self.config.rows // 2, self.config.cols // 2)
            down, right = STEPS[name] if self.cursor else (0, 0)
            self.cursor = self._within(row + down, col + right)
        elif self.cursor is not None:
            self._key_at(name, self.cursor)

    def _key_at(self, name: str, cell: Cell) -> None:
        """A key goes down that acts on the cell of the cursor."""
        moves: dict[str, Callable[[int, int], Report]] = {
            "space": self.session.click,
            "return": self.session.click,
            "f": self.session.flag,
            "c": self.session.chord,
        }
        if name in moves:
            self._move(moves[name], cell)

    def _within(self, row: int, col: int) -> Cell:
        """Returns the cell of the board that is next to a place."""
        return min(max(row, 0), self.config.rows - 1), min(max(col, 0), self.config.cols - 1)

    def _is_open(self, cell: Cell) -> bool:
        return bool(self.session.board[cell] <= self.config.codes.max_count)

    def _move(self, move: Callable[[int, int], Report], cell: Cell) -> None:
        """Makes a move, and says what there is to say about it."""
        over_before = self.session.is_over
        try:
            report = move(*cell)
        except SearchCancelledError:
            report = Report("window_search_cancelled")
        self.marks = {}
        self.message = self.text(KEYS.get(report.key, report.key), **report.values)
        if self.session.is_over and not over_before:
            self._finish()

    def _count_attempts(self, count: int) -> None:
        """Shows how many boards a search has tried; raises a SearchCancelledError if the player cancels it."""
        self.message = self.text("window_searching", count=count)
        if self.on_search is not None and self.on_search():
            raise SearchCancelledError

    def _undo(self) -> None:
        report = self.session.undo()
        self.marks = {}
        self.message = self.text(report.key, **report.values)

    def _hint(self) -> None:
        if self.session.is_over:
            self.message = self.text("game_is_over")
            return
        try:
            advice = self.session.hint()
        except PositionTooHardError:
            self.message = self.text("too_hard")
            return
        self.marks = marks_of(advice)
        self.message = " ".join(explain_advice(advice, self._catalogue))

    def _toggle_overlay(self) -> None:
        self.overlay = not self.overlay
        self.message = self.text("window_overlay") if self.overlay else ""

    def _leave(self) -> None:
        self.is_over = True

    def _finish(self) -> None:
        """Tells the result and its figures, and stores the game."""
        metrics, number = measure(self.session), self._catalogue.number
        figures = self.text(
            "ending",
            solved=metrics.solved,
            value=metrics.value,
            clicks=metrics.clicks,
            efficiency=self._catalogue.per_cent(metrics.efficiency),
            per_second=number(metrics.per_second, 2),
            time=number(metrics.seconds, 1),
        )
        # A unit stays with its number where the line wraps.
        figures = figures.replace("   ", ", ").replace(" s", "\u00a0s") + "."
        self.message = f"{self.message} {figures} {self._stored()}".rstrip()

    def _stored(self) -> str:
        """Stores the game; returns what there is to say about best times, or about a file that cannot be written."""
        if self._statistics is None:
            return ""
        finish = self._statistics.finish(self.session)
        if finish.problem.key:
            return self.text(finish.problem.key, **finish.problem.values)
        if not finish.is_best:
            return ""
        if finish.best_before is None:
            return self.text("best_time_first")
        return self.text("best_time_new", time=self._catalogue.number(finish.best_before, 1))


def _around(reach: int) -> range:
    return range(-reach, reach + 1)
