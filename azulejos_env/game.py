"""Game in progress, which both environments play: boards of a seed, moves, observations, and what is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from azulejos_env.config import GameConfig, whole_in_range
from azulejos_env.position import Position, begin_stream, check_board, draw
from azulejos_env.rendering import View, render_view
from azulejos_env.search import compile_kernels
from azulejos_env.window import GameWindow

REWARDS: tuple[str, ...] = ("difference", "win_loss")


def check_name(argument: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raises a ValueError unless the value of an argument is one of the allowed names."""
    if value not in allowed:
        raise ValueError(f"{argument} must be one of {', '.join(allowed)}, not {value!r}")


class Game:
    """A game of one or two players.

    Attributes:
        space: the space of an observation.
        position: the position.
        last: (rows, cols) bool, the cells that the last move emptied before tiles fell.
        steps: number of steps taken.
    """

    def __init__(self, config: GameConfig, observation: str, max_steps: int | None, alone: bool = False) -> None:
        """Prepares games; `seed` and `begin` start them. `alone` says whether the first player makes all moves.

        Raises:
            ValueError: a value is not allowed.
        """
        check_name("observation", observation, ("codes", "planes"))
        compile_kernels()
        self._config = config
        self._max_steps = 10 * config.cells if max_steps is None else whole_in_range("max_steps", max_steps, 1, 1 << 62)
        shape = (config.rows, config.cols)
        self.space: Box[Any] = Box(0, config.colours, shape, np.int8)
        if observation == "planes":
            low = np.zeros((config.colours + 2, *shape), np.float32)
            low[-1] = -1.0
            self.space = Box(low, np.ones_like(low), dtype=np.float32)
        self._alone, self.window = alone, GameWindow()
        self._rng = np.zeros(2, np.uint64)

    def seed(self, state: np.uint64) -> None:
        """Sets the state of the generator with which the next game begins."""
        self._rng[1] = state

    def below(self, bound: int) -> int:
        """Draws one of 0..bound-1 from the generator of the game."""
        return int(self._draw(bound, 1)[0])

    def _draw(self, bound: int, count: int) -> NDArray[np.int64]:
        numbers = np.empty(count, np.int64)
        draw(self._rng[:1], bound, numbers)
        return numbers

    def begin(self, options: Mapping[str, Any] | None, draws_seat: bool = False) -> int:
        """Begins the next game, on a board in the reset options or on one of its own.

        Returns the seat of an agent, 0 unless it is drawn; raises a ValueError if the board is wrong.
        """
        given = check_board(options["board"], self._config) if options and "board" in options else None
        begin_stream(self._rng)
        seat = self.below(2) if draws_seat else 0
        self.position = self._deal() if given is None else Position(self._config, given)
        self.last = np.zeros(self.position.board.shape, np.bool_)
        self.steps = 0
        return seat

    def _deal(self) -> Position:
        """Returns a full board of independent uniform colours that has a group, if one is found in 64 deals."""
        for _ in range(64):
            board = 1 + self._draw(self._config.colours, self._config.cells).astype(np.int8)
            position = Position(self._config, board.reshape(self._config.rows, self._config.cols))
            if not position.over:
                break
        return position

    @property
    def over(self) -> bool:
        """Whether no group is left; a game that has none when it begins ends with its first step."""
        return self.steps > 0 and self.position.over

    @property
    def truncated(self) -> bool:
        """Whether the step limit has ended the game."""
        return self.steps >= self._max_steps and not self.over

    def play(self, row: int, col: int) -> None:
        """Removes the group of a cell for the player to move; raises a ValueError if there is none."""
        after = self.position.play(row, col)
        self.last = self.position.group_at(row, col)
        self.position = replace(after, player=0) if self._alone else after

    def act(self, action: int) -> bool:
        """Takes a step, which changes nothing if it is illegal or no group is left; returns whether it was illegal."""
        illegal = not self.mask()[action]
        if not illegal and not self.position.over:
            self.play(*divmod(action, self._config.cols))
        self.steps += 1
        return illegal

    def mask(self) -> NDArray[np.int8]:
        """Returns (actions,) int8, 1 for the first cell of each group; all 1 if no group is left."""
        groups = self.position.groups
        mask = np.full(self._config.cells, 0 if groups else 1, np.int8)
        mask[[group.row * self._config.cols + group.col for group in groups]] = 1
        return mask

    def scores(self, player: int) -> NDArray[np.int64]:
        """Returns (2,) int64: the score of a player and that of the other."""
        return np.array([self.position.scores[player], self.position.scores[1 - player]])

    def lead(self, player: int) -> int:
        """Returns the score of a player minus that of the other."""
        return self.position.scores[player] - self.position.scores[1 - player]

    def observe(self, player: int) -> NDArray[Any]:
        """Returns what a player sees, in a fresh array."""
        board = self.position.board
        if self.space.dtype == np.int8:
            return board.copy()
        planes = np.empty(self.space.shape, np.float32)
        planes[:-1] = board == np.arange(self._config.colours + 1, dtype=np.int8)[:, None, None]
        planes[-1] = np.tanh(self.lead(player) / self._config.cells)
        return planes

    def render(self, names: tuple[str, ...], mode: str | None, fps: float) -> str | NDArray[np.uint8] | None:
        """Returns the position as text or as a picture, or shows it in the window; one name for a game alone."""
        position = self.position
        turn = None if position.over or self.truncated else position.player
        view = View(position.board, self.last, names, position.scores[: len(names)], turn)
        if mode == "human":
            self.window.show_game(view, fps)
        return render_view(mode, view)
