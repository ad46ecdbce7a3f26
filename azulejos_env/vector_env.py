"""Gymnasium vector environment that steps many games in one call of the engine, `AzulejosVectorEnv`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from azulejos_env.config import POINTS, GameConfig
from azulejos_env.engine.batches import ILLEGAL, PLAYING, SUCCESS, TERMINATION, TRUNCATION
from azulejos_env.engine.games import Games, compile_kernels
from azulejos_env.engine.saved import check_saved
from azulejos_env.observations import Encoder
from azulejos_env.opponents import find_opponent
from azulejos_env.playing import OPTIONS, board_option, terms_of, views_of
from azulejos_env.policies import Policy
from azulejos_env.registration import ENV_ID
from azulejos_env.rendering.human import HumanView
from azulejos_env.rendering.picture import render_picture
from azulejos_env.rendering.text import render_text
from minesweeper_env.calls.batch_calls import BatchCalls, final_results
from minesweeper_env.calls.checks import (
    check_actions,
    check_autoreset_mode,
    check_keywords,
    check_option_names,
    check_seeds,
    check_under_way,
    generator_state,
    generator_states,
    reset_mask_option,
    warn_without_mode,
)
from minesweeper_env.config import whole_number
from minesweeper_env.rendering.board import METADATA, check_render_mode
from minesweeper_env.rendering.human import metadata_here

__all__ = ["AzulejosVectorEnv"]


class AzulejosVectorEnv(BatchCalls):
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
    ) -> None:
        """Checks the arguments, which the class describes; `reset` starts the games."""
        limits = [limit for limit in (max_steps, max_episode_steps) if limit is not None]
        self.config = GameConfig.of_size(
            size, colours=colours, points=points, per_tile=per_tile, bonus=bonus, side=side
        )
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self._autoreset_mode = check_autoreset_mode(autoreset_mode)
        self.render_mode = check_render_mode(render_mode, METADATA["render_modes"])
        self.metadata = {**metadata_here(render_mode), "autoreset_mode": self._autoreset_mode}
        self.view = HumanView(self.config) if render_mode == "human" else None
        self.reward = reward
        self.observation = observation
        self._encoder = Encoder(observation, self.config)
        self.single_observation_space = self._encoder.space
        self.single_action_space = Discrete(self.config.cells)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        found = find_opponent(opponent)
        checked = [whole_number("max_steps", limit, 1) for limit in limits]
        self._terms = terms_of(self.config, found, seat, reward, min(checked, default=None))
        compile_kernels()
        self._games = Games(self.config, self._terms, self.num_envs, found)
        self._sampler = np.zeros(1, np.uint64)
        self._begun = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts new games: all N, or those that a mask selects.

        Args:
            seed: s for the seeds s, s + 1, ... of the games, or a sequence of N seeds. Under a mask, the seeds of the
                other games have no effect, and a game with the seed None continues its own sequence.
            options: {"board": whole numbers (rows, cols) or (N, rows, cols)} plays these boards.
                {"reset_mask": bool (N,)} starts these games alone, in every autoreset mode.

        Returns:
            The observations of all games, and the info. Under a mask the `_key` of each key is the mask.

        Raises:
            TypeError: the mask is not a bool array.
            ValueError: a seed or an option is not allowed; the message lists the allowed ones.
            gymnasium.error.ResetNeeded: a mask leaves out games, and no game has begun.
        """
        check_option_names(options, (*OPTIONS, "reset_mask"))
        chosen = reset_mask_option(options, self.num_envs)
        given = board_option(options, self.config, self.num_envs)
        seeds = check_seeds(seed, self.num_envs)
        if not chosen.all():
            self._current_games()
            self._seed_some(seeds, chosen)
        elif seeds is not None or not self._begun:
            self._seed(seed, seeds or [None] * self.num_envs)
        boards, masks = self._games.reset(chosen, given)
        self._begun = True
        if self.view is not None:
            self.render()
        nothing = np.zeros(self.num_envs, np.bool_)
        return self._observe(boards), self._infos(masks, nothing, nothing.copy(), chosen)

    def _seed_some(self, seeds: Sequence[int | None] | None, chosen: NDArray[np.bool_]) -> None:
        """Sets the generators of the chosen games that have a seed."""
        if seeds is not None:
            given = np.array([s is not None for s in seeds]) & chosen
            wanted = [s for s, use in zip(seeds, given, strict=True) if use]
            self._games.batch.rng[given] = generator_states(wanted, self.np_random)

    def _seed(self, seed: int | Sequence[int | None] | None, seeds: Sequence[int | None]) -> None:
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        elif None not in seeds:
            self._np_random = np.random.default_rng([s for s in seeds if s is not None])
        self._games.batch.rng[:] = generator_states(seeds, self.np_random)
        # The first number from a seed's generator is the state of game 0, so that game equals a single environment's.
        generator_state(self.np_random)
        self._sampler[0] = generator_state(self.np_random)

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Makes one move in each game, which the opponent answers.

        Args:
            actions: (N,) integers, each one as in `AzulejosEnv.step`.

        Returns:
            The observations, the rewards, whether no group is left, whether the step limit ended each game, and
            the info.

        Raises:
            ValueError: the shape of the actions is wrong, or one is outside the action space.
            gymnasium.error.ResetNeeded: no game has begun, or with DISABLED a game is over.
        """
        actions = check_actions(actions, self.num_envs)
        games = self._current_games()
        if self._autoreset_mode is AutoresetMode.DISABLED:
            check_under_way(games.status > PLAYING)
        boards, masks = games.step(actions, True)
        if self.view is not None:
            self.render()
        terminations, truncations = games.events[TERMINATION].copy(), games.events[TRUNCATION].copy()
        rewards, observations = games.rewards.copy(), self._observe(boards)
        infos = self._infos(masks, games.events[ILLEGAL].copy(), games.events[SUCCESS].copy())
        if self._autoreset_mode is AutoresetMode.SAME_STEP:
            ended = terminations | truncations
            if ended.any():
                observations, infos = self._restart(observations, infos, ended)
        return observations, rewards, terminations, truncations, infos

    def sample_actions(self) -> NDArray[np.int64]:
        """Draws one legal action for each game, all equally likely.

        Returns:
            (N,) int64; where no group is left every action is legal.
        """
        return self._current_games().sample_actions(self._sampler)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (N, actions) bool, True for each legal action."""
        return self._current_games().show()[1].astype(np.bool_)

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
        if self.render_mode is None:
            return (None,) * self.num_envs
        return tuple(render_text(view) if self.render_mode == "ansi" else render_picture(view) for view in views)

    def close_extras(self, **_: Any) -> None:
        """Closes the window, if there is one."""
        if self.view is not None:
            self.view.close()

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Returns the games in progress in arrays for `set_state`."""
        return {**self._current_games().save(), "sampler": self._sampler.copy()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores games from `get_state`, and with them the sequences of later games.

        Raises:
            ValueError: the state is damaged, or belongs to another configuration or number of games.
        """
        example = {**self._games.save(), "sampler": self._sampler}
        saved = check_saved(state, example, self.config, self._terms)
        self._games.restore(saved)
        self._sampler[:] = saved["sampler"]
        self._begun = True

    def _current_games(self) -> Games:
        if not self._begun:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._games

    def _observe(self, boards: NDArray[np.int8]) -> NDArray[Any]:
        return self._encoder.encode(boards, self._games.leads())

    def _infos(
        self,
        masks: NDArray[np.int8],
        illegal: NDArray[np.bool_],
        won: NDArray[np.bool_],
        chosen: NDArray[np.bool_] | None = None,
    ) -> dict[str, Any]:
        """Returns an info that holds for the `chosen` games, by default for all."""
        chosen = np.ones(self.num_envs, np.bool_) if chosen is None else chosen
        scores = self._games.scores()
        infos = {"action_mask": masks, "invalid_action": illegal, "is_success": won, "scores": scores}
        return infos | {f"_{key}": chosen.copy() for key in infos}

    def _restart(
        self, observations: NDArray[Any], infos: dict[str, Any], ended: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts the next game where `ended`; returns the observations and the info of a SAME_STEP step."""
        final = final_results(observations[ended], infos, ended)
        boards, masks = self._games.reset(ended)
        infos = self._infos(masks, infos["invalid_action"] & ~ended, np.zeros(self.num_envs, np.bool_))
        infos |= final
        return self._observe(boards), infos
