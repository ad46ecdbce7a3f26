"""One game as a person plays it, with hints, help and saved moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Move as EngineMove
from minesweeper_env.inference import certain_cells, mine_probabilities
from minesweeper_play.game.advice import Advice, advise, judge
from minesweeper_play.game.moves import Cell, Move, Report, changed_cells
from minesweeper_play.game.played import PlayedGame


class Session(PlayedGame):
    """A game with hints, exact probabilities, help, and recorded moves that can be repeated."""

    def probabilities(self) -> NDArray[np.float64]:
        """Returns the mine probability of each cell, (rows, cols), 0.0 on open cells; the game notes this aid.

        Every covered cell has the probability mines / cells before the first click, whatever protects that click.

        Raises:
            PositionTooHardError: the frontier is too wide to count the layouts.
        """
        self.aids.add("probabilities")
        return mine_probabilities(self.board, self.config.mines, radius=self.config.radius)

    def hint(self, cell: Cell | None = None) -> Advice:
        """Returns the shortest proof of a safe cell, or else the guess that wins most; the game notes this aid.

        Args:
            cell: a covered cell, to learn whether it is safe or a mine, why, or else its risk; None for any cell.

        Raises:
            PositionTooHardError: an exact answer would take too much time or memory.
            ValueError: the game is over, or the cell is open.
        """
        if self.is_over or (cell is not None and self.refuse_hint(*cell)):
            raise ValueError("there is no hint once the game is over, nor on an open cell")
        self.aids.add("hint")
        if cell is not None:
            return judge(self.board, self.config, cell, is_protected=self._is_protected())
        return advise(self.board, self.config, is_protected=self._is_protected())

    def refuse_hint(self, row: int, col: int) -> Report | None:
        """Returns the message that says why there is no hint on a cell; None if there is one.

        Raises:
            ValueError: the cell is off the board.
        """
        return self._refuse_open_cell(row, col)

    def help(self) -> Report:
        """Reports whether a safe cell can be inferred; if none can, opens random safe cells until one can.

        The game notes this aid. The cells opened are moves of the kind "reveal".

        Raises:
            PositionTooHardError: an exact answer would take too much time or memory.
        """
        if self.is_over:
            return Report("game_is_over")
        self.aids.add("help")
        before, count = self._position.board, len(self.moves)
        while not self.is_over and not self._can_infer():
            self._reveal()
        if len(self.moves) == count:
            return Report("first_click_is_safe" if self._is_protected() else "can_infer")
        revealed = {"count": len(self.moves) - count}
        return Report("won" if self.is_over else "revealed", changed_cells(before, self._position.board), revealed)

    def repeat(self, move: Move) -> Report:
        """Makes a recorded move again, with the time of the record.

        Raises:
            ValueError: its cell is off the board.
        """
        cell = (move.row, move.col)
        if move.kind == "reveal":
            report = self._refuse_open_cell(*cell) or self._reveal_cell(cell)
        else:
            report = getattr(self, move.kind)(*cell)
        if report.accepted:
            self.moves[-1] = move
        return report

    def resume(self, seconds: float, practice: bool) -> None:
        """Continues a game whose recorded moves were repeated.

        Args:
            seconds: the time on the clock.
            practice: whether the game is practice.
        """
        self.stopwatch.set(seconds)
        self.practice = practice

    def placed_mines(self) -> NDArray[np.bool_]:
        """Returns the mines for a saved game, bool (rows, cols); all False until the first click places them."""
        return self._position.mines.copy()

    def _is_protected(self) -> bool:
        """Returns whether the next click is the first one, and cannot hit a mine."""
        return not self._position.has_mines and (self.config.first_click != "any" or bool(self.no_guess))

    def _can_infer(self) -> bool:
        if self._is_protected():
            return True
        return bool(certain_cells(self.board, self.config.mines, radius=self.config.radius).safe.any())

    def _reveal(self) -> None:
        """Opens a random safe cell, an unflagged one if there is one."""
        codes, board = self.config.codes, self._position.board
        safe = (board > codes.max_count) & ~self._position.mines
        unflagged = safe & (board != codes.flagged)
        for row, col in self._random.permutation(np.argwhere(unflagged if unflagged.any() else safe)).tolist():
            self._reveal_cell((row, col))
            if self.status != "lost":
                return
            # Under the rule "any" nobody knows the mines before the click that places them.
            self._take_back()

    def _reveal_cell(self, cell: Cell) -> Report:
        unflag = [(EngineMove.UNFLAG, cell)] if self._position.is_flagged(cell) else []
        return self._play("reveal", cell, [*unflag, (EngineMove.CLICK, cell)])
