"""Games of policies played again move by move: boards, risks, and the texts beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.support.board_names import size_name
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig, counted
from minesweeper_env.engine.state import LOST, WON
from minesweeper_env.inference import Oracle
from minesweeper_env.rendering.board import Scene, exploded_cells, with_mines_flagged
from minesweeper_env.vector_env import MinesweeperVectorEnv

END_SECONDS = 3.0
"""Time for which the end of a game stays."""

Line = tuple[str, str]
"""A label and its text."""


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


class Slide(NamedTuple):
    """One picture of a recording.

    Attributes:
        frames: each game that is on the picture, from left to right, with the number of its frame.
        seconds: time for which it is shown.
    """

    frames: list[tuple[RecordedGame, int]]
    seconds: float


@dataclass(frozen=True)
class Recording:
    """Games one after another; games of several policies on one board stand side by side.

    Attributes:
        rounds: the games that are shown together, for each round; all rounds have as many.
        seconds_per_move: time for which a move is shown.
        overlay: True to write the mine probabilities on covered cells.
    """

    rounds: Sequence[Sequence[RecordedGame]]
    seconds_per_move: float
    overlay: bool

    def __len__(self) -> int:
        """Returns the number of slides."""
        return sum(max(game.frames for game in games) for games in self.rounds)

    def slides(self) -> Iterator[Slide]:
        """Yields the slides in order; a game that has ended keeps its last frame."""
        for games in self.rounds:
            frames = max(game.frames for game in games)
            for frame in range(frames):
                shown = [(game, min(frame, game.frames - 1)) for game in games]
                yield Slide(shown, END_SECONDS if frame == frames - 1 else self.seconds_per_move)


def format_risk(risk: float) -> str:
    """Returns a mine probability in per cent; only what is certain is 0 % or 100 %."""
    if math.isnan(risk):
        return "unknown"
    if 0.0 < risk < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= risk < 1.0:
        return "> 99.9 %"
    return f"{100 * risk:.0f} %" if risk in (0.0, 1.0) else f"{100 * risk:.1f} %"


def board_in_words(config: BoardConfig) -> str:
    """Returns the size, the mines and the logic of a board, such as "8x8, 14 mines"."""
    logic = ", no guess" if config.no_guess else ""
    return f"{size_name(config.rows, config.cols)}, {counted(config.mines, 'mine')}{logic}"


def fixed_lines(game: RecordedGame) -> list[Line]:
    """Returns the lines that stay the same in all frames of a game."""
    return [("policy", game.policy), ("board", board_in_words(game.config)), ("game", f"seed {game.seed}")]


def frame_lines(game: RecordedGame, frame: int) -> list[Line]:
    """Returns the lines of one frame: the move, its cell and its risk, and at the end the result."""
    last = min(frame, len(game.turns) - 1)
    turn = game.turns[last]
    lines = [
        ("move", f"{last + 1} of {len(game.turns)}"),
        (turn.move, f"row {turn.row}, column {turn.col}"),
        ("risk", format_risk(turn.risk)),
    ]
    if turn.move == "click" and turn.risk - turn.least > 1e-9:
        lines.append(("least risk", format_risk(turn.least)))
    if frame == len(game.turns):
        lines.append(("result", game.result))
    return lines
