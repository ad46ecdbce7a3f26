"""Position of one game in the engine: steps, differences that lead back, and what lies around a cell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import MOVE_NAMES
from minesweeper_env.codes import Move as EngineMove
from minesweeper_env.config import MAX_STEPS, BoardConfig
from minesweeper_env.engine.state import FRESH, LOST, PLAYING, WON
from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.neighbours import neighbour_table
from minesweeper_play.game.moves import Cell

Status = Literal["ready", "playing", "won", "lost"]

Step = tuple[EngineMove, Cell]
"""A move of the engine at a cell."""


@dataclass(frozen=True)
class Difference:
    """Difference that leads back to the position before some steps.

    Attributes:
        cells: (k,) int64, the changed cells, as row * cols + col.
        codes: (k,) int8, their codes before the steps.
        numbers: the entries of the saved state before the steps that are numbers.
    """

    cells: NDArray[np.int64]
    codes: NDArray[np.int8]
    numbers: dict[str, Any]


class Position:
    """A game in the engine, with all five moves and no step limit.

    Attributes:
        config: the board and its rules.
        codes: the codes of the cells.
        board: int8 (rows, cols), what the player sees.
        mines: bool (rows, cols), the mines; all False until the first click places them.
        status: "ready" until a cell is open, then "playing", "won" or "lost".
    """

    board: NDArray[np.int8]
    mines: NDArray[np.bool_]
    status: Status

    def __init__(self, config: BoardConfig, seed: int, layout: NDArray[np.bool_] | None) -> None:
        """Starts the game of a seed, with a given layout if there is one.

        Raises:
            ValueError: the shape, dtype or number of mines of the layout is wrong.
        """
        self.config = replace(config, moves=MOVE_NAMES, max_steps=MAX_STEPS)
        self.codes = config.codes
        self._neighbours = neighbour_table(config.rows, config.cols, config.radius)
        self._env = MinesweeperEnv(
            (config.rows, config.cols),
            config.mines,
            config.first_click,
            moves=MOVE_NAMES,
            radius=config.radius,
            max_steps=MAX_STEPS,
        )
        self._env.reset(seed=seed, options=None if layout is None else {"layout": np.asarray(layout)})
        self._look()

    @property
    def has_mines(self) -> bool:
        """True if the mines are placed."""
        return bool(self.mines.any())

    def around(self, cell: Cell) -> list[Cell]:
        """Returns the neighbours of a cell."""
        cols = self.config.cols
        found = self._neighbours[cell[0] * cols + cell[1]].tolist()
        return [divmod(each, cols) for each in found if each < self.config.cells]

    def is_open(self, cell: Cell) -> bool:
        """Returns whether a cell shows its count."""
        return bool(self.board[cell] <= self.codes.max_count)

    def is_flagged(self, cell: Cell) -> bool:
        """Returns whether a cell has a flag."""
        return bool(self.board[cell] == self.codes.flagged)

    def covered_around(self, cell: Cell) -> tuple[list[Cell], list[Cell]]:
        """Returns the flagged neighbours of a cell, and its other covered neighbours."""
        covered = [each for each in self.around(cell) if not self.is_open(each)]
        flags = [each for each in covered if self.is_flagged(each)]
        return flags, [each for each in covered if each not in flags]

    def opened_by(self, step: Step) -> list[Cell]:
        """Returns the cells that a step opens itself, before any flood."""
        move, cell = step
        if move == EngineMove.CHORD:
            return self.covered_around(cell)[1]
        return [cell] if move == EngineMove.CLICK else []

    def take(self, steps: Iterable[Step], layout: NDArray[np.bool_] | None = None) -> Difference:
        """Takes legal steps, and returns what they changed.

        Args:
            steps: the steps.
            layout: bool (rows, cols), mines to place before them in a game that has none yet; None places none.
        """
        before = self._env.get_state()
        if layout is not None:
            self._env.set_state({**before, "mines": layout, "status": np.int64(PLAYING)})
        for move, (row, col) in steps:
            self._env.step(move * self.config.cells + row * self.config.cols + col)
        self._look()
        cells = np.flatnonzero(before["codes"] != self.board)
        numbers = {key: value for key, value in before.items() if key not in ("codes", "mines")}
        return Difference(cells, before["codes"].flat[cells], numbers)

    def take_back(self, difference: Difference) -> None:
        """Returns to the position before the latest steps that were not taken back."""
        state = self._env.get_state()
        state["codes"].flat[difference.cells] = difference.codes
        if difference.numbers["status"] == FRESH:
            state["mines"] = np.zeros_like(state["mines"])
        self._restore({**state, **difference.numbers})

    def _restore(self, state: dict[str, Any]) -> None:
        self._env.set_state(state)
        self._look()

    def _look(self) -> None:
        """Reads the board, the mines and the status."""
        state = self._env.get_state()
        self.board, self.mines = state["codes"], state["mines"]
        decided: dict[int, Status] = {WON: "won", LOST: "lost"}
        under_way: Status = "playing" if (self.board <= self.codes.max_count).any() else "ready"
        self.status = decided.get(int(state["status"]), under_way)
