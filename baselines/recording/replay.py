"""Recorded games: the moves of a policy, replayed, with the exact mine probability of each clicked cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig
from minesweeper_env.engine.state import LOST, WON
from minesweeper_env.inference import Oracle
from minesweeper_env.rendering.scene import Scene, exploded_cells, with_mines_flagged
from minesweeper_env.vector_env import MinesweeperVectorEnv


class Turn(NamedTuple):
    """A board, and the move that follows on it.

    Attributes:
        board: (rows, cols) int8, the codes before the move.
        move: name of the move, such as "click".
        row: row of the cell, from 0.
        col: column of the cell, from 0.
        probabilities: (rows, cols) float64, the mine probabilities of the board; NaN where unknown.
        risk: mine probability of the cell; 0.0 for a first click that the first-click rule protects; NaN if unknown.
        least: the least mine probability of a covered cell; NaN if unknown.
    """

    board: NDArray[np.int8]
    move: str
    row: int
    col: int
    probabilities: NDArray[np.float64]
    risk: float
    least: float


@dataclass(frozen=True)
class RecordedGame:
    """A game move by move.

    Attributes:
        policy: specification of the policy.
        seed: seed of the game.
        config: board and rules.
        turns: the moves, at least one.
        end: (rows, cols) int8, the last board; every mine of a won game has a flag.
        mines: (rows, cols) bool, the mines of a won or lost game; all False for a game out of steps.
        exploded: (rows, cols) bool, the mines that the last move opened.
        result: "won", "lost" or "out of steps".
    """

    policy: str
    seed: int
    config: BoardConfig
    turns: list[Turn]
    end: NDArray[np.int8]
    mines: NDArray[np.bool_]
    exploded: NDArray[np.bool_]
    result: str

    @property
    def frames(self) -> int:
        """Number of pictures of the game: the boards before each move, and the last one."""
        return len(self.turns) + 1

    @property
    def risk_taken(self) -> float:
        """Probability that one of the clicks hits a mine, each judged on its own board; unknown risks count as 0."""
        survival = math.prod(1.0 - turn.risk for turn in self.turns if turn.move == "click" and turn.risk == turn.risk)
        return 1.0 - survival

    def scene(self, frame: int, overlay: bool = False) -> Scene:
        """Returns the content of a frame's board.

        Args:
            frame: 0 to `frames` - 1.
            overlay: True to write the mine probabilities on covered cells, except on the last board.
        """
        nothing = np.zeros(self.end.shape, np.bool_)
        if frame == len(self.turns):
            return Scene(self.end, self.config.codes, self.mines, self.exploded)
        turn = self.turns[frame]
        return Scene(turn.board, self.config.codes, nothing, nothing, turn.probabilities if overlay else None)


def replay(policy: str, config: BoardConfig, seed: int, actions: Sequence[int]) -> RecordedGame:
    """Plays the actions of a game again.

    Args:
        policy: specification of the policy that chose them.
        config: board and rules of the game.
        seed: seed of the game.
        actions: the actions, up to the end of the game.
    """
    env = MinesweeperVectorEnv.of_config(config, 1, autoreset_mode="Disabled")
    board, _ = env.reset(seed=[seed])
    boards = []
    for action in actions:
        boards.append(board[0])
        board, *_ = env.step(np.array([action]))
    state = env.get_state()
    env.close()
    status, mines = int(state["status"][0]), state["mines"][0]
    result = {WON: "won", LOST: "lost"}.get(status, "out of steps")
    nothing = np.zeros(mines.shape, np.bool_)
    return RecordedGame(
        policy,
        seed,
        config,
        _turns(config, np.stack(boards), actions),
        with_mines_flagged(board[0], config.codes, mines) if result == "won" else board[0],
        mines if status in (WON, LOST) else nothing,
        exploded_cells(board[0], config, actions[-1]) if result == "lost" else nothing,
        result,
    )


def _turns(config: BoardConfig, boards: NDArray[np.int8], actions: Sequence[int]) -> list[Turn]:
    probabilities = _probabilities(config, boards)
    turns = []
    for board, known, action in zip(boards, probabilities, actions, strict=True):
        move, cell = divmod(int(action), config.cells)
        row, col = divmod(cell, config.cols)
        risk, least = float(known[row, col]), _least(known[board > config.codes.max_count])
        if _is_protected(config, board):
            risk, least = (0.0, 0.0) if config.moves[move] == "click" else (math.nan, math.nan)
        turns.append(Turn(board, config.moves[move], row, col, known, risk, least))
    return turns


def _probabilities(config: BoardConfig, boards: NDArray[np.int8]) -> NDArray[np.float64]:
    """Returns the mine probabilities of boards; NaN where they are unknown, or where the first click is protected."""
    unknown = np.full(boards.shape, math.nan)
    if config.first_click not in UNIFORM_FIRST_CLICKS:
        return unknown
    protected = np.array([_is_protected(config, board) for board in boards])
    return np.where(protected[:, None, None], unknown, Oracle(config).ask(boards).probabilities)


def _is_protected(config: BoardConfig, board: NDArray[np.int8]) -> bool:
    """Returns whether the next click is the first one, and cannot hit a mine."""
    is_safe = config.first_click != "any" or bool(config.no_guess)
    return is_safe and bool((board > config.codes.max_count).all())


def _least(risks: NDArray[np.float64]) -> float:
    return float(risks.min()) if len(risks) else math.nan
