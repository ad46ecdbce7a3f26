"""Turns of a game: each move that opens cells, with the board before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.neighbours import neighbour_table
from minesweeper_play.game.moves import Move
from minesweeper_play.game.session import Session

Cell = tuple[int, int]


@dataclass(frozen=True)
class Turn:
    """A move that opens cells.

    Attributes:
        number: its number among the turns of the game, from 1.
        move: the move.
        before: (rows, cols) int8 codes that the player saw.
        after: the codes after the move.
        opened: the covered cells that the move opens, before any flood.
        lost: whether it lost the game.
        wrong_flags: the flags on safe cells by which a chord lost the game.
    """

    number: int
    move: Move
    before: NDArray[np.int8]
    after: NDArray[np.int8]
    opened: tuple[Cell, ...]
    lost: bool
    wrong_flags: tuple[Cell, ...] = ()

    @property
    def cell(self) -> Cell:
        """The cell of the move, as (row, col)."""
        return self.move.row, self.move.col


@dataclass(frozen=True)
class Replay:
    """A game that was played again.

    Attributes:
        turns: the moves that open cells, in order.
        board: the codes after the last move.
        wrong_flags: the number of moves that set a flag on a cell without a mine.
    """

    turns: tuple[Turn, ...]
    board: NDArray[np.int8]
    wrong_flags: int


def replay(session: Session) -> Replay:
    """Plays the moves of a session again, from the first one on.

    Args:
        session: a game of any status; it stays as it is.

    Raises:
        ValueError: a recorded move is not possible.
    """
    layout = session.placed_mines()
    again = Session(session.config, seed=session.seed, layout=layout if layout.any() else None)
    return replay_moves(again, session.moves, layout)


def replay_moves(session: Session, moves: Sequence[Move], layout: NDArray[np.bool_]) -> Replay:
    """Plays moves in a session that has no move yet; `layout` is its mines, bool (rows, cols)."""
    codes = session.config.codes
    table = neighbour_table(session.config.rows, session.config.cols, session.config.radius)
    turns: list[Turn] = []
    wrong_flags = 0
    for number, move in enumerate(moves, 1):
        before = session.board
        if not session.repeat(move).accepted:
            raise ValueError(f"move {number} ({move.kind} at {(move.row, move.col)}) is not possible")
        after = session.board
        if opened := _opened(before, after, move, table, codes):
            lost = session.status == "lost"
            trusted = _around(move, before, table) if lost and move.kind in ("chord", "expand") else []
            wrong = tuple(cell for cell in trusted if before[cell] == codes.flagged and not layout[cell])
            turns.append(Turn(len(turns) + 1, move, before, after, opened, lost, wrong))
        wrong_flags += int(((after == codes.flagged) & (before != codes.flagged) & ~layout).sum())
    return Replay(tuple(turns), session.board, wrong_flags)


def _opened(
    before: NDArray[np.int8], after: NDArray[np.int8], move: Move, table: NDArray[np.uint32], codes: Codes
) -> tuple[Cell, ...]:
    """Returns the covered cells that a move opens; none if it changes marks alone."""
    if move.kind in ("open", "reveal"):
        return ((move.row, move.col),)
    shown = (after <= codes.max_count) | (after == codes.mine)
    if not (shown & (before > codes.max_count)).any():
        return ()
    around = _around(move, before, table)
    return tuple(cell for cell in around if before[cell] > codes.max_count and before[cell] != codes.flagged)


def _around(move: Move, board: NDArray[np.int8], table: NDArray[np.uint32]) -> list[Cell]:
    """Returns the neighbours of the cell of a move."""
    cols = board.shape[1]
    return [divmod(int(cell), cols) for cell in table[move.row * cols + move.col] if cell < board.size]
