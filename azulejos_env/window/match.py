"""Match of a person, who moves first, against the machine, without any screen."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread

import numpy as np
from numpy.typing import NDArray

from azulejos_env.position import Position
from azulejos_env.rendering.view import View

NAMES = ("you", "machine")
PERSON, MACHINE = 0, 1

Cell = tuple[int, int]
Choose = Callable[[Position], Cell]


class Match:
    """A game from a position on, with moves that can be taken back.

    Attributes:
        position: the position.
        message: why the person's last click or key had no effect; empty if it had one.
    """

    def __init__(self, position: Position, choose: Choose) -> None:
        """Begins a game.

        Args:
            position: the first position.
            choose: chooses the moves of the machine; called in another thread.
        """
        self.position = position
        self.message = ""
        self._choose = choose
        self._last = np.zeros(position.board.shape, np.bool_)
        self._earlier: list[tuple[Position, NDArray[np.bool_]]] = []
        self._answer: Future[Cell] | None = None
        self._ask()

    @property
    def is_thinking(self) -> bool:
        """Whether the machine is choosing its move."""
        return self._answer is not None

    @property
    def view(self) -> View:
        """The position as it is drawn."""
        position = self.position
        turn = None if position.over else position.player
        return View(position.board, self._last, NAMES, position.scores, turn)

    def click(self, row: int, col: int) -> None:
        """Removes the group of a cell for the person, if it is the person's turn and there is such a group."""
        if self.is_thinking or self.position.over:
            self.message = "the machine is thinking" if self.is_thinking else "the game is over"
            return
        try:
            self._move((row, col))
        except ValueError as error:
            self.message = str(error)

    def poll(self) -> bool:
        """Makes the move of the machine if it has chosen one, and returns whether it has.

        Raises:
            Exception: whatever the choice of the machine raises.
        """
        if self._answer is None or not self._answer.done():
            return False
        cell = self._answer.result()
        self._answer = None
        self._move(cell)
        return True

    def undo(self) -> None:
        """Takes back the last move of the person, and what the machine answered."""
        if self.is_thinking:
            self.message = "the machine is thinking"
            return
        while self._earlier:
            self.position, self._last = self._earlier.pop()
            self.message = ""
            if self.position.player == PERSON:
                return
        self.message = "there is no move to take back"

    def _move(self, cell: Cell) -> None:
        before = self.position
        after = before.play(*cell)
        self._earlier.append((before, self._last))
        self._last = before.group_at(*cell)
        self.position, self.message = after, ""
        self._ask()

    def _ask(self) -> None:
        if self.position.player == MACHINE and not self.position.over:
            self._answer = Future()
            # A daemon, so that a long search does not keep the program alive when the person leaves.
            Thread(target=self._think, args=(self._answer, self.position), daemon=True).start()

    def _think(self, answer: Future[Cell], position: Position) -> None:
        try:
            answer.set_result(self._choose(position))
        except Exception as error:
            answer.set_exception(error)
