"""Gymnasium vector environment that steps many games in one call of the engine, `AzulejosVectorEnv`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from azulejos_env.config import POINTS, GameConfig
from azulejos_env.engine.games import Games, compile_kernels
from azulejos_env.engine.threaded import make_games
from azulejos_env.observations import Encoder
from azulejos_env.opponents import find_opponent
from azulejos_env.playing import OPTIONS, board_option, terms_of, views_of
from azulejos_env.policies import Policy
from azulejos_env.registration import ENV_ID
from azulejos_env.rendering.human import HumanView
from azulejos_env.rendering.modes import render_view
from minesweeper_env.bases.batched import BatchedEnv
from minesweeper_env.calls.checks import smaller_limit, warn_without_mode

__all__ = ["AzulejosVectorEnv"]


class AzulejosVectorEnv(BatchedEnv[Games]):
    """N games of `AzulejosEnv`, played by one compiled call per step.

    After `reset(seed=s)` game i equals the single environment seeded s + i, step for step, over any number of games.
    Observations, rewards, terminations, truncations and every entry of info are arrays whose first axis has length
    N. Info holds the keys of `AzulejosEnv` and, for each key, Gymnasium's `_key`, bool (N,).

    The opponents "random" and "greedy" are compiled. Any other one is asked for a move in one game after the other.

    With `autoreset_mode=AutoresetMode.NEXT_STEP` the step after the end of a game starts the next one, whatever the
    action. With SAME_STEP the step that ends a game also starts the next one. Info then holds "final_info" and
    "final_obs", an object array of the last observations with None for the other games. With DISABLED a game that is
    over waits for `reset(options={"reset_mask": mask})`.

    All arguments of `AzulejosEnv` are allowed, and these:

    Args:
        num_envs: N, at least 1.
        autoreset_mode: `AutoresetMode.NEXT_STEP`, `SAME_STEP` or `DISABLED`, or its value as a str.
        max_episode_steps: the name that `gymnasium.make_vec` gives to `max_steps`; the smaller of both applies.
        threads: the number of threads, and so of cores, that divide a step, at least 1; the games are the same for
            every number. Fewer are used while a thread has less than 8192 cells, which are 128 boards of 8x8. An
            opponent that is not compiled is asked by one thread. `close` ends the threads.

    Raises:
        ValueError: the value of an argument is not allowed; the message lists the allowed ones.
    """

    OPTIONS = OPTIONS
    view: HumanView | None = None

    def __init__(
        self,
        num_envs: int = 1,
        size: int | Sequence[int] = 8,
        colours: int = 3,
        opponent: str | Policy | None = "greedy",
        seat: str = "first",
        reward: str = "difference",
        observation: str = "codes",
        points: Sequence[int] = POINTS,
        per_tile: int = 2,
        bonus: float | str | Fraction = Fraction(13, 10),
        side: str = "left",
        max_steps: int | None = None,
        render_mode: str | None = None,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        threads: int = 1,
    ) -> None:
        """Checks the arguments, which the class describes; `reset` starts the games."""
        self.config = GameConfig.of_size(
            size, colours=colours, points=points, per_tile=per_tile, bonus=bonus, side=side
        )
        self.reward = reward
        self.observation = observation
        self._encoder = Encoder(observation, self.config)
        self._prepare(num_envs, self._encoder.space, self.config.cells, autoreset_mode, render_mode, threads)
        self.view = HumanView(self.config) if render_mode == "human" else None
        found = find_opponent(opponent)
        self._terms = terms_of(self.config, found, seat, reward, smaller_limit(max_steps, max_episode_steps))
        compile_kernels()
        self._games = make_games(self.config, self._terms, self.num_envs, found, self._pool)

    def render(self) -> tuple[Any, ...] | None:
        """Returns a picture or text for each game, as `AzulejosEnv.render` does.

        With "human" it shows the games in one window, as many as fit on a screen, and returns None.

        Raises:
            gymnasium.error.DependencyNotInstalled: the window needs pygame, which is not installed.
            gymnasium.error.Error: the window needs a display, which the machine lacks.
        """
        views = views_of(self._current_games())
        warn_without_mode(self.render_mode, self.spec, ENV_ID)
        if self.view is not None:
            self.view.show(views, self.metadata["render_fps"])
            return None
        return tuple(render_view(self.render_mode, view) for view in views)

    def _given_boards(self, options: dict[str, Any] | None, chosen: NDArray[np.bool_]) -> NDArray[np.int8] | None:  # noqa: ARG002
        return board_option(options, self.config, self.num_envs)

    def _observe(self, shown: NDArray[np.int8], chosen: NDArray[np.bool_] | None = None) -> NDArray[Any]:
        leads = self._games.leads()
        boards = (shown, leads) if chosen is None else (shown[chosen], leads[chosen])
        return self._encoder.encode(*boards, self._pool)

    def _more_infos(self) -> dict[str, NDArray[Any]]:
        return {"scores": self._games.scores()}
