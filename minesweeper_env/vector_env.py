"""Gymnasium vector environment that steps many games in one call of the engine, `MinesweeperVectorEnv`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from minesweeper_env.bases.batched import BatchedEnv
from minesweeper_env.calls.checks import AUTORESET_MODES, RESET_OPTIONS, layout_option, smaller_limit, warn_without_mode
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games, compile_kernels
from minesweeper_env.engine.state import IDLE, LOST
from minesweeper_env.engine.threaded import make_games
from minesweeper_env.no_guess import supply_for
from minesweeper_env.observations import Encoder
from minesweeper_env.rendering.board import render_board
from minesweeper_env.rendering.human import HumanView
from minesweeper_env.rendering.scene import exploded_cells
from minesweeper_env.rewards import Reward, check_rewards, describe, find_reward

__all__ = ["AUTORESET_MODES", "MinesweeperVectorEnv"]


class MinesweeperVectorEnv(BatchedEnv[Games]):
    """N games of `MinesweeperEnv`, played by one compiled call per step.

    After `reset(seed=s)` game i equals the single environment seeded s + i, step for step, over any number of games.
    Observations, rewards, terminations, truncations and every entry of info are arrays whose first axis has length
    N. Info holds the keys of `MinesweeperEnv` and, for each key, Gymnasium's `_key`, bool (N,).

    With `autoreset_mode=AutoresetMode.NEXT_STEP` the step after the end of a game starts the next one, whatever the
    action. With SAME_STEP the step that ends a game also starts the next one. Info then holds "final_info" and
    "final_obs", an object array of the last observations with None for the other games. With DISABLED a game that is
    over waits for `reset(options={"reset_mask": mask})`.

    One environment belongs to one thread: a second thread needs an environment of its own.

    All arguments of `MinesweeperEnv` are allowed, and these:

    Args:
        num_envs: N, at least 1.
        autoreset_mode: `AutoresetMode.NEXT_STEP`, `SAME_STEP` or `DISABLED`, or its value as a str.
        max_episode_steps: the name that `gymnasium.make_vec` gives to `max_steps`; the smaller of both applies.
        threads: the number of threads that divide a step, at least 1; the games are the same for every number. A
            step uses fewer threads if each would have less than 65536 cells, that is 1024 boards of 8x8 or 137 of
            16x30. `sample_actions` and a reward of your own run in one thread. `close` ends the threads.

    Raises:
        ValueError: the value of an argument is not allowed; the message lists the allowed ones.
    """

    OPTIONS = RESET_OPTIONS
    view: HumanView | None = None

    def __init__(
        self,
        num_envs: int = 1,
        size: int | Sequence[int] = 8,
        mines: int | None = None,
        first_click: str = "opening",
        moves: Sequence[str] = ("click", "flag"),
        reward: str | Reward = "win_loss",
        observation: str = "codes",
        radius: int = 1,
        max_steps: int | None = None,
        render_mode: str | None = None,
        no_guess: Literal[False, "subset", "exact"] = False,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        threads: int = 1,
    ) -> None:
        """Checks the arguments, which the class describes; `reset` starts the games."""
        self.config = BoardConfig.of_size(
            size,
            mines,
            first_click=first_click,
            moves=moves,
            radius=radius,
            max_steps=smaller_limit(max_steps, max_episode_steps),
            no_guess=no_guess,
        )
        weights, self._reward = find_reward(reward, self.config)
        self.reward = reward
        self.observation = observation
        self._encoder = Encoder(observation, self.config)
        self._prepare(num_envs, self._encoder.space, self.config.actions, autoreset_mode, render_mode, threads)
        self.view = HumanView(self.config) if render_mode == "human" else None
        compile_kernels()
        supply = supply_for(self.config, self.num_envs, self._pool)
        self._games = make_games(self.config, self.num_envs, weights, supply, self._pool)

    @classmethod
    def of_config(cls, config: BoardConfig, num_envs: int, **arguments: Any) -> MinesweeperVectorEnv:
        """Returns the environment of a configuration; `arguments` are further arguments of the class."""
        return cls(
            num_envs,
            (config.rows, config.cols),
            config.mines,
            config.first_click,
            config.moves,
            radius=config.radius,
            max_steps=config.max_steps,
            no_guess=config.no_guess,
            **arguments,
        )

    def render(self) -> tuple[Any, ...] | None:
        """Returns a picture or text for each game, as `MinesweeperEnv.render` does.

        With "human" it shows the games side by side in one window, as many as fit on a screen, and returns None.

        Raises:
            gymnasium.error.DependencyNotInstalled: the window needs pygame, which is not installed.
            gymnasium.error.Error: the window needs a display, which the machine lacks.
        """
        games = self._current_games()
        warn_without_mode(self.render_mode, self.spec)
        mines = games.revealed_mines()
        boards = games.show()[0].reshape(mines.shape)
        last = [None] * self.num_envs if self._last_actions is None else self._last_actions.tolist()
        if self.view is not None:
            self.view.show(boards, mines, games.status, last, self.metadata["render_fps"])
            return None
        return tuple(
            render_board(self.render_mode, codes, self.config.codes, known, self._exploded(codes, status, action))
            for codes, known, status, action in zip(boards, mines, games.status, last, strict=True)
        )

    def _exploded(self, codes: NDArray[np.int8], status: int, action: int | None) -> NDArray[np.bool_] | None:
        return exploded_cells(codes, self.config, action) if status == LOST and action is not None else None

    def _given_boards(self, options: dict[str, Any] | None, chosen: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        return layout_option(options, self.config, self.num_envs, chosen)

    def _observe(self, shown: NDArray[np.int8], chosen: NDArray[np.bool_] | None = None) -> NDArray[Any]:
        return self._encoder.encode(shown if chosen is None else shown[chosen], self._pool)

    def _rewards(self, actions: NDArray[np.int64], shown: NDArray[np.int8]) -> NDArray[np.float64]:
        if self._reward is None:
            return super()._rewards(actions, shown)
        given = check_rewards(self._reward(describe(self._games, actions, shown)), self.num_envs)
        return np.where(self._games.events[IDLE], 0.0, given)
