"""A position with what its drawings show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class View:
    """A position as it is drawn.

    Attributes:
        board: (rows, cols) int8, 0 for an empty cell.
        last: (rows, cols) bool, the cells that the last move emptied before tiles fell.
        names: the names of the first and the second player; one name for a game alone.
        scores: their scores.
        turn: the player to move; None once the game is over.
    """

    board: NDArray[np.int8]
    last: NDArray[np.bool_]
    names: tuple[str, ...]
    scores: tuple[int, ...]
    turn: int | None

    @property
    def leaders(self) -> list[int]:
        """The players with most points."""
        return [player for player, score in enumerate(self.scores) if score == max(self.scores)]

    def status_line(self) -> str:
        """Returns the scores, and whose turn it is or how the game has ended."""
        scores = ", ".join(f"{name} {score}" for name, score in zip(self.names, self.scores, strict=True))
        if self.turn is not None:
            return f"{scores}: {self.names[self.turn]} to move"
        if len(self.names) == 1:
            return f"{scores}: {'over' if self.board.any() else 'board cleared'}"
        if len(self.leaders) > 1:
            return f"{scores}: a tie"
        winner = self.names[self.leaders[0]]
        return f"{scores}: {winner} {'win' if winner == 'you' else 'wins'}"

    def last_move(self) -> str:
        """Returns the last move in words, or "no move yet"."""
        cells = np.argwhere(self.last)
        return f"last move: {len(cells)} tiles at ({cells[0][0]},{cells[0][1]})" if len(cells) else "no move yet"
