"""Base of the environments of N games: resets, seeds, steps in each autoreset mode, saved games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from minesweeper_env.bases.playing import Kind, Playing
from minesweeper_env.calls.batch_calls import BatchCalls, final_results
from minesweeper_env.calls.checks import (
    check_actions,
    check_autoreset_mode,
    check_option_names,
    check_seeds,
    check_under_way,
    generator_state,
    generator_states,
    reset_mask_option,
)
from minesweeper_env.config import whole_number
from minesweeper_env.rendering.board import METADATA, check_render_mode
from minesweeper_env.rendering.human import metadata_here
from minesweeper_env.threads import ThreadPool


class BatchedEnv(Playing[Kind], BatchCalls):
    """A Gymnasium vector environment that steps N games in one call of the engine."""

    _last_actions: NDArray[np.int64] | None = None
    # Older versions of Gymnasium close an environment whose constructor refused an argument.
    _pool = ThreadPool()

    def _prepare(
        self,
        num_envs: int,
        observations: gymnasium.Space[Any],
        actions: int,
        autoreset_mode: AutoresetMode | str,
        render_mode: str | None,
        threads: int,
    ) -> None:
        """Sets the spaces, and checks and sets the numbers of games and threads and both modes."""
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self._pool = ThreadPool(threads)
        self.autoreset_mode = check_autoreset_mode(autoreset_mode)
        self.render_mode = check_render_mode(render_mode, METADATA["render_modes"])
        self.metadata = {**metadata_here(render_mode), "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = observations
        self.single_action_space = gymnasium.spaces.Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._sampler = np.zeros(1, np.uint64)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts new games: all N, or those that a mask selects.

        Args:
            seed: s for the seeds s, s + 1, ... of the games, or a sequence of N seeds. A game with the seed None goes
                on to the next game of its own seed. Under a mask, the seeds of the other games have no effect.
            options: {"reset_mask": bool (N,)} starts these games alone, in every autoreset mode. The option with which
                the single environment plays a given board takes one board for all games, or N boards.

        Returns:
            The observations of all games, and the info. Under a mask the `_key` of each key is the mask.

        Raises:
            TypeError: the mask is not a bool array.
            ValueError: a seed or an option is not allowed; the message lists the allowed ones.
            gymnasium.error.ResetNeeded: a mask leaves out games, and no game has begun.
        """
        check_option_names(options, (*self.OPTIONS, "reset_mask"))
        chosen = reset_mask_option(options, self.num_envs)
        given = self._given_boards(options, chosen)
        seeds = check_seeds(seed, self.num_envs)
        if not chosen.all():
            self._current_games()
        if self._begun and (not chosen.all() or seeds is None or None in seeds):
            self._seed_some(seeds, chosen)
        else:
            self._seed(seed, seeds or [None] * self.num_envs)
        shown, masks = self._games.reset(chosen, given)
        self._begun = True
        if self.view is not None:
            self.render()
        nothing = np.zeros(self.num_envs, np.bool_)
        return self._observe(shown), self._infos(masks, nothing, nothing.copy(), chosen)

    def _seed_some(self, seeds: Sequence[int | None] | None, chosen: NDArray[np.bool_]) -> None:
        """Sets the generators of the chosen games that have a seed."""
        if seeds is not None:
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
        """Makes one move in each game.

        Args:
            actions: (N,) integers, each one as in the `step` of the single environment.

        Returns:
            The observations, the rewards, whether each game ended, whether the step limit ended it, and the info.

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
        final = final_results(self._observe(shown, ended), infos, ended)
        shown, masks = self._games.reset(ended)
        infos = self._infos(masks, infos["invalid_action"] & ~ended, np.zeros(self.num_envs, np.bool_))
        return shown, infos | final

    def sample_actions(self) -> NDArray[np.int64]:
        """Draws one legal action for each game, all equally likely.

        Returns:
            (N,) int64; in a game that is decided every action is legal.
        """
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
        saved = self._games.check(state, {**self._games.save(), "sampler": self._sampler})
        self._games.restore(saved)
        self._sampler[:] = saved["sampler"]
        self._last_actions = None
        self._begun = True

    def _infos(
        self,
        masks: NDArray[np.int8],
        illegal: NDArray[np.bool_],
        won: NDArray[np.bool_],
        chosen: NDArray[np.bool_] | None = None,
    ) -> dict[str, Any]:
        """Returns an info that holds for the `chosen` games, by default for all."""
        chosen = np.ones(self.num_envs, np.bool_) if chosen is None else chosen
        infos = {
            "action_mask": masks.reshape(self.num_envs, -1),
            "invalid_action": illegal,
            "is_success": won,
            **self._more_infos(),
        }
        return infos | {f"_{key}": chosen.copy() for key in infos}

    def _more_infos(self) -> dict[str, NDArray[Any]]:
        """Returns the entries of the info that only this game has."""
        return {}

    def _rewards(self, actions: NDArray[np.int64], shown: NDArray[np.int8]) -> NDArray[np.float64]:  # noqa: ARG002
        """Returns the rewards of the last step, (N,), in a fresh array."""
        return self._games.rewards.copy()

    def _given_boards(self, options: dict[str, Any] | None, chosen: NDArray[np.bool_]) -> NDArray[Any] | None:
        """Returns the boards in the reset options for the chosen games, or None, or raises a ValueError."""
        raise NotImplementedError

    def _observe(self, shown: NDArray[np.int8], chosen: NDArray[np.bool_] | None = None) -> NDArray[Any]:
        """Returns the observations of boards that the engine shows, (N, n): all, or those of the chosen games."""
        raise NotImplementedError
