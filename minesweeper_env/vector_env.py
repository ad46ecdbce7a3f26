"""Gymnasium vector environment that steps many games in one call of the engine, `MinesweeperVectorEnv`."""

import reprlib
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from minesweeper_env.base import BaseEnv
from minesweeper_env.checks import generator_state, layout_option, names_arguments
from minesweeper_env.config import BoardConfig, NoGuess, items_of, one_of, whole_number
from minesweeper_env.engine.games import compile_kernels
from minesweeper_env.engine.state import PLAYING, RESTART
from minesweeper_env.rewards import Reward, describe, user_rewards
from minesweeper_env.threads import ThreadPool

__all__ = ["CALLS", "MinesweeperVectorEnv"]

CALLS = ("action_masks", "get_state", "render")
"""The methods of a single environment that `call` makes for each game of a batch."""


class MinesweeperVectorEnv(BaseEnv, VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
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
        autoreset_mode: `AutoresetMode.NEXT_STEP`, `SAME_STEP` or `DISABLED`, or its value, such as "SameStep".
        max_episode_steps: the name that `gymnasium.make_vec` gives to `max_steps`; the smaller of both applies.
        threads: the number of threads that divide a step, at least 1; the games are the same for every number. A
            step uses fewer threads if each would have less than 65536 cells, that is 1024 boards of 8x8 or 137 of
            16x30. `sample_actions` and a reward of your own run in one thread. `close` ends the threads.

    Raises:
        ValueError: the value of an argument is not allowed; the message lists the allowed ones.
    """

    _last_actions: NDArray[np.int64] | None = None

    @names_arguments
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
        no_guess: NoGuess = False,
        luck: bool = True,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        threads: int = 1,
    ) -> None:
        compile_kernels()
        limits = {"max_steps": max_steps, "max_episode_steps": max_episode_steps}
        step_limits = [whole_number(name, limit, 1) for name, limit in limits.items() if limit is not None]
        rules = {"first_click": first_click, "moves": moves, "radius": radius, "no_guess": no_guess, "luck": luck}
        config = BoardConfig.of_size(size, mines, max_steps=min(step_limits, default=None), **rules)
        self.num_envs = whole_number("num_envs", num_envs, 1)
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        mode_names = [each.value for each in AutoresetMode]
        self.autoreset_mode = AutoresetMode(one_of("autoreset_mode", mode, mode_names, "an AutoresetMode or "))
        self._pool = ThreadPool(threads)
        self._prepare(config, reward, observation, render_mode, self.num_envs)
        self.metadata["autoreset_mode"] = self.autoreset_mode
        self.single_observation_space = self._encoder.space
        self.single_action_space = gymnasium.spaces.Discrete(config.actions)
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
            options: {"reset_mask": bool (N,)} starts these games alone, in every autoreset mode. {"layout":
                mines} plays a given layout as it is, bool (rows, cols) for all games or (N, rows, cols).

        Returns:
            The observations of all games, and the info. Under a mask the `_key` of each key is the mask.

        Raises:
            ValueError: a seed or an option is not allowed; the message lists the allowed ones.
            gymnasium.error.ResetNeeded: a mask leaves out games, and no game has begun.
        """
        all_games = np.ones(self.num_envs, np.bool_)
        chosen = _check_mask("reset_mask", (options or {}).get("reset_mask", all_games), self.num_envs)
        layouts = layout_option(options, self.config, self.num_envs, chosen)
        if not chosen.all():
            self._current_games()  # raises a ResetNeeded if no game has begun
        self._seed(seed, chosen)
        codes, masks = self._start(chosen, layouts)
        self._was_reset = True
        if self.view is not None:
            self.render()
        no_game = np.zeros(self.num_envs, np.bool_)
        return self._encoder.encode(codes, self._pool), self._infos(masks, no_game, no_game.copy(), chosen)

    def _seed(self, seed: int | Sequence[int | None] | None, chosen: NDArray[np.bool_]) -> None:
        """Seeds the chosen games that have a seed; at the first reset, or if all have one, all and `sample_actions`."""
        seeds = _seeds(seed, self.num_envs)
        reseeds_all = not self._was_reset or (chosen.all() and None not in seeds)
        if seed is None and not reseeds_all:
            return
        if reseeds_all and isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        elif reseeds_all and None not in seeds:
            self.np_random = np.random.default_rng([s for s in seeds if s is not None])
        seeded = [i for i, s in enumerate(seeds) if reseeds_all or (chosen[i] and s is not None)]
        # A game with a seed gets the generator of `MinesweeperEnv.reset`; a game without one draws from `np_random`.
        generators = [self.np_random if seeds[i] is None else seeding.np_random(seeds[i])[0] for i in seeded]
        self._games.seed(np.array([generator_state(generator) for generator in generators], np.uint64), seeded)
        if reseeds_all:
            # The first number that a seed's generator draws is the state of game 0, so the sampler takes the second.
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
        array, shape = np.asarray(actions), (self.num_envs,)
        if array.shape != shape or array.dtype.kind not in "iu":
            raise ValueError(f"actions must be whole numbers of shape {shape}, not {array.dtype} {array.shape}")
        # A copy, because a read-only array has a numba type of its own and would compile the kernel again.
        actions = np.array(array, np.int64, order="C")
        games = self._current_games()
        if self.autoreset_mode is AutoresetMode.DISABLED and (games.status > PLAYING).any():
            ended_games = np.flatnonzero(games.status > PLAYING).tolist()
            raise ResetNeeded(f"games {ended_games} are over: reset them with options={{'reset_mask': ...}}")
        if self._mine_placer is not None:
            self._mine_placer.set_mines(games, actions)
        previous_codes = None if self._reward is None else games.boards.shown[:, :-1].copy()
        codes, masks = games.play(actions, RESTART)
        self._last_actions = actions
        if self.view is not None:
            self.render()
        terminations, truncations, won, illegal, idle = games.events.copy()
        rewards = games.rewards.copy()
        if self._reward is not None and previous_codes is not None:
            user_values = user_rewards(self._reward, describe(games, actions, codes, previous_codes), self.num_envs)
            rewards = np.where(idle, 0.0, user_values)  # `idle` games only started anew
        infos = self._infos(masks, illegal, won)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and (ended := terminations | truncations).any():
            codes, infos = self._restart(codes, infos, ended)
        return self._encoder.encode(codes, self._pool), rewards, terminations, truncations, infos

    def _restart(
        self, codes: NDArray[np.int8], infos: dict[str, Any], ended: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Starts new games in place of `ended` ones; returns the codes, and info with "final_obs" and "final_info"."""
        final_observations = np.full(self.num_envs, None, dtype=object)
        observations = self._encoder.encode(codes[ended], self._pool)
        for i, observation in zip(np.flatnonzero(ended).tolist(), observations, strict=True):
            final_observations[i] = observation
        final_infos = {key: value.copy() for key, value in infos.items()}
        for value in final_infos.values():
            value[~ended] = 0
        codes, masks = self._start(ended)
        infos = self._infos(masks, infos["invalid_action"] & ~ended, np.zeros(self.num_envs, np.bool_))
        final = {"final_obs": final_observations, "final_info": final_infos}
        return codes, infos | final | {f"_{key}": ended.copy() for key in final}

    def sample_actions(self) -> NDArray[np.int64]:
        """Draws a legal action for each game uniformly, (N,) int64; in a decided game all actions count as legal."""
        return self._current_games().sample_actions(self._sampler)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (N, actions) bool, True for each legal action."""
        return self._current_games().show()[1].reshape(self.num_envs, -1).astype(np.bool_)

    def close_extras(self, **_: Any) -> None:
        """Closes the window, if there is one, and ends the threads."""
        self._pool.close()
        if self.view is not None:
            self.view.close()

    def get_state(self) -> dict[str, Any]:
        """Returns the games in progress, including their hidden state, as a dict for `set_state`.

        The keys are those of `MinesweeperEnv.get_state`, in arrays whose first axis has length N, and "sampler", uint64
        (1,), the random state of `sample_actions`.
        """
        return self._current_games().save(sampler=self._sampler.copy())

    def set_state(self, state: dict[str, Any], mask: NDArray[np.bool_] | None = None) -> None:
        """Restores games from `get_state`, and with them the sequences of later games.

        An array without the first axis goes to all games, so the state of a `MinesweeperEnv` does, too. A state that
        has not changed since `get_state` of the same configuration is restored at once. Any other is checked first: a
        changed one, a copy, or an unpickled one.

        Args:
            state: the games; a state without "sampler" leaves `sample_actions` as it is.
            mask: bool (N,), restores these games alone, and leaves the others and `sample_actions` as they are.

        Raises:
            ValueError: no game of this configuration reaches the state, the number of games is another, or the mask is
                wrong.
            gymnasium.error.ResetNeeded: a mask leaves out games, and no game has begun.
        """
        if mask is not None and not (mask := _check_mask("mask", mask, self.num_envs)).all():
            self._current_games()
        self._games.set_state(state, (self.num_envs,), ... if mask is None else mask)
        if mask is None:
            self._sampler[:] = state.get("sampler", self._sampler)
        self._last_actions = None
        self._was_reset = True

    def call(self, name: str) -> tuple[Any, ...]:
        """Returns what this method of `CALLS` returns for each game, in the form of `MinesweeperEnv`.

        Any other name is that of an attribute, as in `get_attr`.
        """
        if name == "render":
            return self.render() or (None,) * self.num_envs
        if name == "action_masks":
            return tuple(self.action_masks())
        if name == "get_state":
            saved = self._current_games().save()
            return tuple({key: value[i] for key, value in saved.items()} for i in range(self.num_envs))
        return self.get_attr(name)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Returns an attribute once per game, since all games share it; raises an AttributeError if there is none."""
        if name in CALLS:
            return self.call(name)
        name_here = f"single_{name}" if name in ("observation_space", "action_space") else name
        return (getattr(self, name_here),) * self.num_envs

    def render(self) -> tuple[Any, ...] | None:
        """Returns a picture or text for each game, and raises what `MinesweeperEnv.render` raises.

        With "human" it shows the games side by side in one window, as many as fit on a screen, and returns None.
        """
        return self._draw([None] * self.num_envs if self._last_actions is None else self._last_actions.tolist())

    def _infos(
        self,
        masks: NDArray[np.int8],
        illegal: NDArray[np.bool_],
        won: NDArray[np.bool_],
        chosen: NDArray[np.bool_] | None = None,
    ) -> dict[str, Any]:
        """Returns the info of all games, whose `_key` entries are True for the `chosen` ones, by default all."""
        chosen = np.ones(self.num_envs, np.bool_) if chosen is None else chosen
        infos = {"action_mask": masks.reshape(self.num_envs, -1), "invalid_action": illegal, "is_success": won}
        if self._too_hard is not None:
            infos["too_hard"] = self._too_hard.copy()
        return infos | {f"_{key}": chosen.copy() for key in infos}


def _check_mask(name: str, value: Any, count: int) -> NDArray[np.bool_]:
    """Returns a copy of a mask, (N,) bool, of N = `count` games; a ValueError says what is allowed."""
    mask = np.array(value)
    if mask.shape != (count,) or mask.dtype != np.bool_ or not mask.any():
        found = f"{mask.dtype} {mask.shape}"
        raise ValueError(f"{name} must be a bool array of shape ({count},) with a True value, not {found}")
    return mask


def _seeds(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    """Returns the seeds of N = `count` games: seed + i for game i, or the items of a sequence, or all None."""
    if seed is None:
        return [None] * count
    # Python's int, because sums in NumPy's small integer types overflow.
    seeds = [int(seed) + i for i in range(count)] if isinstance(seed, (int, np.integer)) else list(items_of(seed))
    if len(seeds) != count or not all(s is None or (isinstance(s, (int, np.integer)) and s >= 0) for s in seeds):
        shortened = reprlib.repr(seed)
        raise ValueError(f"seed must be None, a whole number of at least 0, or {count} of these, not {shortened}")
    return [None if s is None else int(s) for s in seeds]
