"""Moves of a person in one game, on the engine that environments and policies use."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Move as EngineMove
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_play.game.moves import Cell, Move, MoveKind, Report, changed_cells
from minesweeper_play.game.position import Difference, Position, Status, Step
from minesweeper_play.game.stopwatch import Stopwatch

NoGuess = Literal[False, "subset", "exact"]

LARGEST_SEED = 10**9
"""Sessions without a seed draw one below this number, which is short enough to type."""


class PlayedGame:
    """A game from its first click to its end, with marks, a clock, and moves that can be taken back.

    The same seed and first click give the board that `MinesweeperEnv` has with that seed.

    Attributes:
        config: the board and its rules.
        seed: the seed of the game.
        no_guess: the reasoning that solves the board without a guess; False for any board.
        identity: a random name, by which the statistics count a game once, even if it is loaded and finished again.
        moves: the moves that changed the board, without those that were taken back.
        exploded: the mine that was opened, in a lost game; the first in reading order if a chord opened several.
        practice: whether a move was taken back, or the layout was known before; then the game is in no statistics.
        aids: the kinds of help that the player used: "hint", "help", "probabilities".
        stopwatch: the clock.
        on_attempts: called with the number of layouts tried so far, while the first click searches for a board that
            needs no guess. An exception of the function cancels the search, and the click.
    """

    on_attempts: Callable[[int], object] | None = None

    def __init__(
        self,
        config: BoardConfig,
        *,
        seed: int | None = None,
        no_guess: NoGuess = False,
        layout: NDArray[np.bool_] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Starts a game; the first click places the mines.

        Args:
            config: the board and its rules; its moves and its step limit play no part.
            seed: seed of the game, at least 0; None draws one.
            no_guess: False, or the reasoning that solves the board without a guess: "subset" or "exact".
            layout: bool (rows, cols), the mines to play with instead; then the game is practice.
            now: a clock in seconds.

        Raises:
            ValueError: an argument is not allowed; the message states the allowed values.
        """
        self.seed = secrets.randbelow(LARGEST_SEED) if seed is None else whole_number("seed", seed, 0)
        self.no_guess: NoGuess = no_guess
        self.identity = secrets.token_hex(8)
        self.moves: list[Move] = []
        self.exploded: Cell | None = None
        self.practice = layout is not None
        self.aids: set[str] = set()
        self.stopwatch = Stopwatch(now)
        self._position = Position(config, self.seed, layout)
        self.config = self._position.config
        self._history: list[Difference] = []
        self._random = np.random.default_rng([self.seed, 1])

    @property
    def board(self) -> NDArray[np.int8]:
        """The visible codes, a copy of shape (rows, cols)."""
        return self._position.board.copy()

    @property
    def status(self) -> Status:
        """State of the game: "ready" until a cell is open, then "playing", "won" or "lost"."""
        return self._position.status

    @property
    def is_over(self) -> bool:
        """True if the game is won or lost."""
        return self.status in ("won", "lost")

    @property
    def mines_left(self) -> int:
        """The number of mines less the number of flags; below 0 where there are too many flags."""
        return self.config.mines - int((self._position.board == self.config.codes.flagged).sum())

    @property
    def seconds(self) -> float:
        """The seconds since the first cell was opened, up to the end of the game."""
        return self.stopwatch.seconds

    @property
    def layout(self) -> NDArray[np.bool_] | None:
        """The mines, bool (rows, cols), once the game is over; None before."""
        return self._position.mines.copy() if self.is_over else None

    @property
    def wrong_flags(self) -> NDArray[np.bool_]:
        """The flags on cells without a mine, bool (rows, cols); all False until the game is over."""
        flags = self._position.board == self.config.codes.flagged
        return flags & ~self._position.mines if self.is_over else np.zeros_like(flags)

    @property
    def can_undo(self) -> bool:
        """True if there is a move to take back; a won game stays won."""
        return bool(self._history) and self.status != "won"

    def click(self, row: int, col: int) -> Report:
        """Opens a covered cell; chords on an open number with covered cells around it that have no flag."""
        if not self._refuse(row, col) and self._position.is_open((row, col)):
            _, others = self._position.covered_around((row, col))
            return self.chord(row, col) if others else _message("cell_is_open", row, col)
        return self.open(row, col)

    def open(self, row: int, col: int) -> Report:
        """Opens a cell, and floods from a 0; refused on flagged and open cells.

        Where the first click finds no board that needs no guess, the game goes on as any other, and the report says so.
        """
        if refusal := self._refuse_open_cell(row, col):
            return refusal
        if self._position.is_flagged((row, col)):
            return _message("cell_is_flagged", row, col)
        return self._play("open", (row, col), [(EngineMove.CLICK, (row, col))])

    def flag(self, row: int, col: int) -> Report:
        """Sets a flag on a covered cell, or removes it."""
        if refusal := self._refuse_open_cell(row, col):
            return refusal
        return self._play("flag", (row, col), [(EngineMove.FLAG, (row, col))])

    def question(self, row: int, col: int) -> Report:
        """Sets a question mark on a covered cell, or removes it."""
        if refusal := self._refuse_open_cell(row, col):
            return refusal
        is_set = self._position.board[row, col] == self.config.codes.question
        move = EngineMove.UNFLAG if is_set else EngineMove.QUESTION
        return self._play("question", (row, col), [(move, (row, col))])

    def chord(self, row: int, col: int) -> Report:
        """Opens the unflagged neighbours of an open cell that has as many flags around it as its count.

        A wrong flag loses the game.
        """
        if refusal := self._refuse(row, col):
            return refusal
        flags, others = self._position.covered_around((row, col))
        if not others or self._position.board[row, col] != len(flags):
            return _message("cannot_chord", row, col)
        return self._play("chord", (row, col), [(EngineMove.CHORD, (row, col))])

    def expand(self, row: int, col: int) -> Report:
        """Finishes the neighbours of an open cell with a count above 0.

        With as many flags around as its count it chords. With as many covered neighbours as its count it flags them.
        """
        if refusal := self._refuse(row, col):
            return refusal
        count = int(self._position.board[row, col])
        flags, others = self._position.covered_around((row, col))
        is_count = 0 < count <= self.config.codes.max_count
        if not is_count or count not in (len(flags), len(flags) + len(others)):
            return _message("cannot_expand", row, col)
        if not others:
            return _message("nothing_to_expand", row, col)
        if count == len(flags):
            return self._play("expand", (row, col), [(EngineMove.CHORD, (row, col))])
        return self._play("expand", (row, col), [(EngineMove.FLAG, cell) for cell in others])

    def undo(self) -> Report:
        """Takes the last move back; from then on the game is practice."""
        if not self.can_undo:
            return Report("game_is_over" if self.status == "won" else "nothing_to_undo")
        before = self._position.board
        self._take_back()
        self.practice = True
        if self.status == "playing":
            self.stopwatch.start()
        else:
            self.stopwatch.stop()
        return Report("undone", changed_cells(before, self._position.board))

    def _play(self, kind: MoveKind, cell: Cell, steps: Sequence[Step]) -> Report:
        """Makes a move, and records it."""
        opened = self._position.opened_by(steps[-1])
        # A search for a board may be cancelled, so it comes before anything changes.
        searches = bool(opened and self.no_guess and not self._position.has_mines)
        layout = self._find_layout(cell) if searches else None
        if opened and self.status == "ready":
            self.stopwatch.start()
        self.moves.append(Move(kind, *cell, self.seconds))
        before = self._position.board
        self._history.append(self._position.take(steps, layout))
        if self.is_over:
            self.stopwatch.stop()
        if self.status == "lost":
            self.exploded = min(each for each in opened if self._position.mines[each])
        key = self.status if self.is_over else "solvable" if layout is not None else "unsolvable" if searches else ""
        return Report(key, changed_cells(before, self._position.board), {"x": cell[1] + 1, "y": cell[0] + 1})

    def _find_layout(self, first_cell: Cell) -> NDArray[np.bool_] | None:
        """Returns a layout that needs no guess after its first cell; where none is found, guesses are allowed."""
        from minesweeper_env.generation import GenerationError, generate

        assert self.no_guess, "another board needs no search"
        try:
            return generate(self.config, first_cell, self.no_guess, self.seed, on_attempts=self.on_attempts).layout
        except GenerationError:
            self.no_guess = False
            return None

    def _take_back(self) -> None:
        self._position.take_back(self._history.pop())
        self.moves.pop()
        self.exploded = None

    def _refuse(self, row: int, col: int) -> Report | None:
        """Returns the refusal of a move in a finished game; raises a ValueError for a cell off the board."""
        if not (0 <= row < self.config.rows and 0 <= col < self.config.cols):
            last = (self.config.rows - 1, self.config.cols - 1)
            raise ValueError(f"a cell of this board lies between (0, 0) and {last}, not at {(row, col)}")
        return Report("game_is_over") if self.is_over else None

    def _refuse_open_cell(self, row: int, col: int) -> Report | None:
        if refusal := self._refuse(row, col):
            return refusal
        return _message("cell_is_open", row, col) if self._position.is_open((row, col)) else None


def _message(key: str, row: int, col: int) -> Report:
    return Report(key, (), {"x": col + 1, "y": row + 1})
