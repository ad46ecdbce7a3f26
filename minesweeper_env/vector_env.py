"""Gymnasium vector environment that steps many games in one call of the engine, `MinesweeperVectorEnv`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from minesweeper_env.checks import (
    RESET_OPTIONS,
    NamesArguments,
    check_actions,
    check_autoreset_mode,
    check_option_names,
    check_seeds,
    check_under_way,
    generator_state,
    generator_states,
    layout_option,
    reset_mask_option,
    smaller_limit,
    warn_without_mode,
)
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.engine.games import Games, check_saved, compile_kernels
from minesweeper_env.engine.state import IDLE
from minesweeper_env.no_guess import supply_for
from minesweeper_env.observations import Encoder
from minesweeper_env.rendering import METADATA, check_render_mode, exploded_cells, render_board
from minesweeper_env.rewards import Reward, check_rewards, describe, find_reward
from minesweeper_env.threads import ThreadPool
from minesweeper_env.window import HumanView, metadata_here

__all__ = ["CALLS", "SHARED_ATTRIBUTES", "MinesweeperVectorEnv"]


SHARED_ATTRIBUTES = ("config", "render_mode", "metadata", "spec", "reward", "observation")
"""The attributes that `get_attr` returns once per game, since all games share them."""

CALLS = ("action_masks", "get_state", "render")
"""The methods of a single environment that `call` makes for each game of a batch."""


class MinesweeperVectorEnv(NamesArguments, VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
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

    view: HumanView | None = None
    _begun = False
    _last_actions: NDArray[np.int64] | None = None
    # Older versions of Gymnasium close an environment whose constructor refused an argument.
    _pool = ThreadPool()

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
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self._pool = ThreadPool(threads)
        self.autoreset_mode = check_autoreset_mode(autoreset_mode)
        self.render_mode = check_render_mode(render_mode, METADATA["render_modes"])
        self.metadata = {**metadata_here(render_mode), "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = self._encoder.space
        self.single_action_space = gymnasium.spaces.Discrete(self.config.actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._sampler = np.zeros(1, np.uint64)
        self.view = HumanView(self.config) if render_mode == "human" else None
        compile_kernels()
        supply = supply_for(self.config, self.num_envs, self._pool)
        self._games = Games(self.config, self.num_envs, weights, supply, self._pool)

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
            seed: s for the seeds s, s + 1, ... of the games, or a sequence of N seeds. A game with the seed None goes
                on to the next game of its own seed. Under a mask, the seeds of the other games have no effect.
            options: {"reset_mask": bool (N,)} starts these games alone, in every autoreset mode. {"layout":
                mines} plays a given layout, bool (rows, cols) for all games or (N, rows, cols).

        Returns:
            The observations of all games, and the info. Under a mask the `_key` of each key is the mask.

        Raises:
            TypeError: the mask is not a bool array.
            ValueError: a seed or an option is not allowed; the message lists the allowed ones.
            gymnasium.error.ResetNeeded: a mask leaves out games, and no game has begun.
        """
        check_option_names(options, (*RESET_OPTIONS, "reset_mask"))
        chosen = reset_mask_option(options, self.num_envs)
        given = layout_option(options, self.config, self.num_envs, chosen)
        seeds = check_seeds(seed, self.num_envs)
        if not chosen.all():
            self._current_games()
        if self._begun and (not chosen.all() or None in seeds):
            if seed is not None:
                self._seed_some(seeds, chosen)
        else:
            self._seed(seed, seeds)
        shown, masks = self._games.reset(chosen, given)
        self._begun = True
        if self.view is not None:
            self.render()
        nothing = np.zeros(self.num_envs, np.bool_)
        return self._observe(shown), self._infos(masks, nothing, nothing.copy(), chosen)

    def _seed_some(self, seeds: Sequence[int | None], chosen: NDArray[np.bool_]) -> None:
        """Sets the generators of the chosen games that have a seed."""
        given = np.array([s is not None for s in seeds]) & chosen
        states = self._games.states()
        states[given] = generator_states([s for s, use in zip(seeds, given, strict=True) if use], self.np_random)
        self._games.seed(states)

    def _seed(self, seed: int | Sequence[int | None] | None, seeds: Sequence[int | None]) -> None:
        """Sets all generators, the one of `sample_actions` too."""
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
        """Makes one move in each game, with (N,) integer actions; returns what `MinesweeperEnv.step` does, as arrays.

        Raises:
            ValueError: the shape of the actions is wrong, or one is outside the action space.
            gymnasium.error.ResetNeeded: no game has begun, or with DISABLED a game is over.
        """
        actions = check_actions(actions, self.num_envs)
        games = self._current_games()
        if self.autoreset_mode is AutoresetMode.DISABLED:
            check_under_way(games.over)
        shown, masks = games.step(actions, True)
        self._last_actions = actions
        if self.view is not None:
            self.render()
        terminations, truncations, won, illegal, _ = games.events.copy()
        rewards = self._rewards(actions, shown)
        infos = self._infos(masks, illegal, won)
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            ended = terminations | truncations
            if ended.any():
                shown, infos = self._restart(shown, infos, ended)
        return self._observe(shown), rewards, terminations, truncations, infos

    def _restart(
        self, shown: NDArray[np.int8], infos: dict[str, Any], ended: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Starts the next game where `ended`; returns the boards and the info of a SAME_STEP step."""
        final = _final_results(self._observe(shown[ended]), infos, ended)
        shown, masks = self._games.reset(ended)
        infos = self._infos(masks, infos["invalid_action"] & ~ended, np.zeros(self.num_envs, np.bool_))
        return shown, infos | final

    def sample_actions(self) -> NDArray[np.int64]:
        """Returns (N,) int64: a legal action for each game, all equally likely; all are legal in a decided game."""
        return self._current_games().sample_actions(self._sampler)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (N, actions) bool, True for each legal action."""
        return self._current_games().show()[1].reshape(self.num_envs, -1).astype(np.bool_)

    def close_extras(self, **_: Any) -> None:
        """Closes the window, if there is one, and ends the threads."""
        self._pool.close()
        if self.view is not None:
            self.view.close()

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Returns the games in progress, including their hidden state, in arrays for `set_state`."""
        return {**self._current_games().save(), "sampler": self._sampler.copy()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores games from `get_state`, and with them the sequences of later games.

        Raises:
            ValueError: the state is damaged, or belongs to another configuration or number of games.
        """
        saved = check_saved(state, {**self._games.save(), "sampler": self._sampler}, self.config)
        self._games.restore(saved)
        self._sampler[:] = saved["sampler"]
        self._last_actions = None
        self._begun = True

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls "action_masks", "get_state" or "render" for each game, or returns what `get_attr` does.

        Returns:
            N results, in the form that `MinesweeperEnv` has for one game.

        Raises:
            AttributeError: games in a batch have no such method or attribute; the message lists those they have.
            TypeError: an argument is given.
        """
        if name not in CALLS:
            return self.get_attr(name)
        if args or kwargs:
            raise TypeError(f"{name} takes no arguments")
        if name == "render":
            return self.render() or (None,) * self.num_envs
        if name == "action_masks":
            return tuple(self.action_masks())
        saved = self._current_games().save()
        return tuple({key: value[i] for key, value in saved.items()} for i in range(self.num_envs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Returns an attribute once per game; all games share it.

        Raises:
            AttributeError: games in a batch have no such attribute; the message lists those they have.
        """
        spaces = {"observation_space": self.single_observation_space, "action_space": self.single_action_space}
        if name in CALLS:
            return self.call(name)
        if name not in (*spaces, *SHARED_ATTRIBUTES):
            allowed = ", ".join((*CALLS, *SHARED_ATTRIBUTES, *spaces))
            raise AttributeError(f"games in a batch have no {name!r}; call and get_attr take {allowed}")
        return (spaces[name] if name in spaces else getattr(self, name),) * self.num_envs

    def set_attr(self, name: str, values: Any) -> None:  # noqa: ARG002 - the signature is Gymnasium's
        """Raises an AttributeError, since all games share one configuration."""
        raise AttributeError(f"all games share one {name!r}; make another environment to change it")

    def render(self) -> tuple[Any, ...] | None:
        """Returns a picture or text for each game, and raises what `MinesweeperEnv.render` raises.

        With "human" it shows the games side by side in one window, as many as fit on a screen, and returns None.
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
            render_board(self.render_mode, codes, self.config.codes, known, exploded_cells(codes, self.config, action))
            for codes, known, action in zip(boards, mines, last, strict=True)
        )

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
        infos = {"action_mask": masks.reshape(self.num_envs, -1), "invalid_action": illegal, "is_success": won}
        return infos | {f"_{key}": chosen.copy() for key in infos}

    def _observe(self, shown: NDArray[np.int8]) -> NDArray[Any]:
        return self._encoder.encode(shown, self._pool)

    def _rewards(self, actions: NDArray[np.int64], shown: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns the rewards of the last step, (N,), in a fresh array."""
        if self._reward is None:
            return self._games.rewards.copy()
        given = check_rewards(self._reward(describe(self._games, actions, shown)), self.num_envs)
        return np.where(self._games.events[IDLE], 0.0, given)


def _final_results(
    observations: NDArray[Any], infos: dict[str, NDArray[Any]], ended: NDArray[np.bool_]
) -> dict[str, Any]:
    """Returns the entries of a SAME_STEP info about the K games that `ended`; `observations` are their last ones."""
    final_observations = np.full(len(ended), None, dtype=object)
    for i, observation in zip(np.flatnonzero(ended).tolist(), observations, strict=True):
        final_observations[i] = observation
    final_infos = {key: value.copy() for key, value in infos.items()}
    for value in final_infos.values():
        value[~ended] = 0
    final = {"final_obs": final_observations, "final_info": final_infos}
    return final | {f"_{key}": ended.copy() for key in final}
