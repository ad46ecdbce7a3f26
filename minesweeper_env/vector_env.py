"""Gymnasium vector environment that steps many games in one call of the engine, `MinesweeperVectorEnv`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from minesweeper_env.calls.batch_calls import BatchCalls, final_results
from minesweeper_env.calls.checks import (
    AUTORESET_MODES,
    BATCH_RESET_OPTIONS,
    check_actions,
    check_autoreset_mode,
    check_keywords,
    check_option_names,
    check_seeds,
    check_under_way,
    generator_state,
    generator_states,
    layout_option,
    reset_mask_option,
    warn_without_mode,
)
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.engine.games import Games, compile_kernels
from minesweeper_env.engine.saved import check_saved
from minesweeper_env.engine.state import IDLE, ILLEGAL, LOST, PLAYING, SUCCESS, TERMINATION, TRUNCATION
from minesweeper_env.no_guess.choice import supply_for
from minesweeper_env.observations import Encoder
from minesweeper_env.rendering.board import METADATA, check_render_mode, render_board
from minesweeper_env.rendering.human import HumanView, metadata_here
from minesweeper_env.rendering.scene import exploded_cells
from minesweeper_env.rewards import Reward, check_rewards, describe, find_reward

__all__ = ["AUTORESET_MODES", "MinesweeperVectorEnv"]


class MinesweeperVectorEnv(BatchCalls):
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

    Raises:
        ValueError: the value of an argument is not allowed; the message lists the allowed ones.
    """

    view: HumanView | None = None

    def __new__(cls, *_: Any, **named: Any) -> Self:
        """Refuses unknown keyword arguments, before `__init__` would with Python's own message."""
        check_keywords(cls, named)
        return super().__new__(cls)

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
    ) -> None:
        """Checks the arguments, which the class describes; `reset` starts the games."""
        given = {"max_steps": max_steps, "max_episode_steps": max_episode_steps}
        limits = [whole_number(name, limit, 1) for name, limit in given.items() if limit is not None]
        self.config = BoardConfig.of_size(
            size,
            mines,
            first_click=first_click,
            moves=moves,
            radius=radius,
            max_steps=min(limits, default=None),
            no_guess=no_guess,
        )
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self._autoreset_mode = check_autoreset_mode(autoreset_mode)
        self.render_mode = check_render_mode(render_mode, METADATA["render_modes"])
        self.metadata = {**metadata_here(render_mode), "autoreset_mode": self._autoreset_mode}
        self.view = HumanView(self.config) if render_mode == "human" else None
        weights, self._reward = find_reward(reward, self.config)
        self.reward = reward
        self.observation = observation
        self._encoder = Encoder(observation, self.config)
        self.single_observation_space = self._encoder.space
        self.single_action_space = Discrete(self.config.actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        compile_kernels()
        self._games = Games(self.config, self.num_envs, weights, supply_for(self.config, self.num_envs))
        self._sampler = np.zeros(1, np.uint64)
        self._last_actions: NDArray[np.int64] | None = None
        self._begun = False

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

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts new games: all N, or those that a mask selects.

        Args:
            seed: s for the seeds s, s + 1, ... of the games, or a sequence of N seeds. Under a mask, the seeds of the
                other games have no effect, and a game with the seed None continues its own sequence.
            options: {"layout": bool (rows, cols) or (N, rows, cols)} plays these layouts. {"reset_mask": bool (N,)}
                starts these games alone, in every autoreset mode.

        Returns:
            The observations of all games, and the info. Under a mask the `_key` of each key is the mask.

        Raises:
            TypeError: the mask is not a bool array.
            ValueError: a seed or an option is not allowed; the message lists the allowed ones.
            gymnasium.error.ResetNeeded: a mask leaves out games, and no game has begun.
        """
        check_option_names(options, BATCH_RESET_OPTIONS)
        chosen = reset_mask_option(options, self.num_envs)
        layouts = layout_option(options, self.config, self.num_envs, chosen)
        seeds = check_seeds(seed, self.num_envs)
        if not chosen.all():
            self._current_games()
            self._seed_some(seeds, chosen)
        elif seeds is not None or not self._begun:
            self._seed(seed, seeds or [None] * self.num_envs)
        codes, masks = self._games.reset(chosen)
        if layouts is not None:
            self._games.lay_out(layouts, np.flatnonzero(chosen))
        self._begun = True
        if self.view is not None:
            self.render()
        nothing = np.zeros(self.num_envs, np.bool_)
        return self._encoder.encode(codes), self._infos(masks, nothing, nothing.copy(), chosen)

    def _seed_some(self, seeds: Sequence[int | None] | None, chosen: NDArray[np.bool_]) -> None:
        """Sets the generators of the chosen games that have a seed."""
        if seeds is not None:
            given = np.array([s is not None for s in seeds]) & chosen
            states = self._games.states()
            states[given] = generator_states([s for s, use in zip(seeds, given, strict=True) if use], self.np_random)
            self._games.seed(states)

    def _seed(self, seed: int | Sequence[int | None] | None, seeds: Sequence[int | None]) -> None:
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        elif None not in seeds:
            self._np_random = np.random.default_rng([s for s in seeds if s is not None])
        self._games.seed(generator_states(seeds, self.np_random))
        # The first number from a seed's generator is the state of game 0, so that game equals a single environment's.
        generator_state(self.np_random)
        self._sampler[0] = generator_state(self.np_random)

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Makes one move in each game.

        Args:
            actions: (N,) integers, each one as in `MinesweeperEnv.step`.

        Returns:
            The observations, the rewards, whether each game is won or lost, whether the step limit ended it, and
            the info.

        Raises:
            ValueError: the shape of the actions is wrong, or one is outside the action space.
            gymnasium.error.ResetNeeded: no game has begun, or with DISABLED a game is over.
        """
        actions = check_actions(actions, self.num_envs)
        games = self._current_games()
        if self._autoreset_mode is AutoresetMode.DISABLED:
            check_under_way(games.status > PLAYING)
        codes, masks = games.step(actions, True)
        self._last_actions = actions
        if self.view is not None:
            self.render()
        terminations, truncations = games.events[TERMINATION].copy(), games.events[TRUNCATION].copy()
        rewards = games.rewards.copy()
        if self._reward is not None:
            given = check_rewards(self._reward(describe(games, actions, codes)), self.num_envs)
            rewards[:] = np.where(games.events[IDLE], 0.0, given)
        infos = self._infos(masks, games.events[ILLEGAL].copy(), games.events[SUCCESS].copy())
        if self._autoreset_mode is AutoresetMode.SAME_STEP:
            ended = terminations | truncations
            if ended.any():
                codes, infos = self._restart(codes, infos, ended)
        return self._encoder.encode(codes), rewards, terminations, truncations, infos

    def sample_actions(self) -> NDArray[np.int64]:
        """Draws one legal action for each game, all equally likely.

        Returns:
            (N,) int64; in a game that is won or lost every action is legal.
        """
        return self._current_games().sample_actions(self._sampler)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (N, actions) bool, True for each legal action."""
        return self._current_games().show()[1].reshape(self.num_envs, -1).astype(np.bool_)

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

    def close_extras(self, **_: Any) -> None:
        """Closes the window, if there is one."""
        if self.view is not None:
            self.view.close()

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Returns the games in progress, mines included, in arrays for `set_state`."""
        return {**self._current_games().save(), "sampler": self._sampler.copy()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores games from `get_state`, and with them the sequences of later games.

        Raises:
            ValueError: the state is damaged, or belongs to another configuration or number of games.
        """
        example = {**self._games.save(), "sampler": self._sampler}
        saved = check_saved(state, example, self.config)
        self._games.restore(saved)
        self._sampler[:] = saved["sampler"]
        self._last_actions = None
        self._begun = True

    def _current_games(self) -> Games:
        if not self._begun:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._games

    def _infos(
        self,
        masks: NDArray[np.int8],
        illegal: NDArray[np.bool_],
        won: NDArray[np.bool_],
        chosen: NDArray[np.bool_] | None = None,
    ) -> dict[str, Any]:
        """Returns an info that holds for the `chosen` games, by default for all."""
        chosen = np.ones(self.num_envs, np.bool_) if chosen is None else chosen
        return {
            "action_mask": masks.reshape(self.num_envs, -1),
            "_action_mask": chosen,
            "invalid_action": illegal,
            "_invalid_action": chosen.copy(),
            "is_success": won,
            "_is_success": chosen.copy(),
        }

    def _restart(
        self, codes: NDArray[np.int8], infos: dict[str, Any], ended: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Starts the next game where `ended`; returns the codes and the info of a SAME_STEP step."""
        final = final_results(self._encoder.encode(codes[ended]), infos, ended)
        codes, masks = self._games.reset(ended)
        infos = self._infos(masks, infos["invalid_action"] & ~ended, np.zeros(self.num_envs, np.bool_))
        infos |= final
        return codes, infos
