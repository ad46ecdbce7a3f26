"""Training of one Stable-Baselines3 algorithm on several boards in turn.

Stable-Baselines3 trains on one environment of one shape. Here each board has a slot: its games, its buffer and its
minibatch size. Before each rollout the algorithm activates the slot with the least work so far, measured in cells that
passed through the network. So all boards get about equal time. All slots train the same network. With one board this
is Stable-Baselines3's own loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.buffers import BaseBuffer
from stable_baselines3.common.callbacks import BaseCallback

from baselines.learned.common.budget import Budget, BudgetMixin
from baselines.learned.common.replay_buffer import ThinnedReplayBuffer
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.networks.features import BoardExtractor
from baselines.learned.networks.masks import safe_cells

LEARNING_COST = 3
"""Approximate time of a forward and a backward pass, in forward passes."""


@dataclass
class BoardSlot:
    """State of an algorithm on one board.

    Attributes:
        env: the N games of the board.
        buffer: the rollout or replay buffer of these games.
        batch_size: boards in a minibatch.
        observations: (N, rows, cols) int8, the codes that the next clicks answer.
        episode_starts: (N,) bool, True where the next click is the first of its game.
        games: (N,) int64, numbers of the games in progress, unique within the slot.
        hindsight_buffer: boards with the outcomes of their cells; DQN uses its replay buffer for this.
        work: cells that passed through the network so far; those in gradient steps count `LEARNING_COST` times.
        drawn: boards drawn from the hindsight buffer so far, repeats included.
    """

    env: MinesweeperVecEnv
    buffer: Any
    batch_size: int
    observations: NDArray[np.int8]
    episode_starts: NDArray[np.bool_]
    games: NDArray[np.int64]
    hindsight_buffer: ThinnedReplayBuffer
    work: int = 0
    drawn: int = 0

    def record_ends(self, dones: NDArray[np.bool_], infos: list[dict[str, Any]]) -> None:
        """Labels the stored boards of games that ended, and numbers the games that follow them.

        Truncated games stay without labels: their last board does not show the mines.

        Args:
            dones: (N,) bool, True where the game ended.
            infos: N dicts, as `MinesweeperVecEnv.step_wait` returns them.
        """
        for index in np.flatnonzero(dones):
            if not infos[index]["TimeLimit.truncated"]:
                self.hindsight_buffer.ended(self.games[index], safe_cells(infos[index]["terminal_observation"]))
        self.games[dones] += len(self.games)


class MultiBoardMixin(BudgetMixin):
    """Mixin that lets a Stable-Baselines3 algorithm train on several boards.

    Attributes:
        slots: one slot per board; empty until `play_on` is called.
        slot: the active slot, whose games the algorithm plays.
        counters: names of the attributes that a snapshot keeps as numbers.
    """

    counters: tuple[str, ...] = ("num_timesteps", "_n_updates", "_episode_num")

    slots: list[BoardSlot]
    slot: BoardSlot
    batch_size: Any
    buffer_size: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Passes the arguments on to the algorithm; no slot exists until `play_on` is called."""
        self.slots = []
        super().__init__(*args, **kwargs)

    def play_on(self, envs: Sequence[MinesweeperVecEnv], batch_sizes: Sequence[int]) -> None:
        """Starts games on all boards, and activates the first slot.

        Args:
            envs: one environment per board; the first one was given to the constructor.
            batch_sizes: boards in a minibatch, one number per board.
        """
        self.slots = [self._make_slot(env, size) for env, size in zip(envs, batch_sizes, strict=True)]
        for env in envs:
            env.clock = self.clock
        self.activate(self.slots[0])

    def _make_slot(self, env: MinesweeperVecEnv, batch_size: int) -> BoardSlot:
        buffer, count = self._make_buffer(env), env.num_envs
        hindsight_buffer = buffer
        if not isinstance(hindsight_buffer, ThinnedReplayBuffer):
            hindsight_buffer = ThinnedReplayBuffer(
                self.buffer_size, env.observation_space, env.action_space, self.device
            )
        return BoardSlot(
            env, buffer, batch_size, env.reset(), np.ones(count, np.bool_), np.arange(count), hindsight_buffer
        )

    def rounds(self, budget: Budget) -> Iterator[None]:
        """Learns without end; yields before each rollout, when no update is in progress.

        Args:
            budget: the schedules follow its progress.
        """
        raise NotImplementedError

    def network(self) -> BoardNetwork:
        """Returns the network that plays; training keeps changing its weights."""
        raise NotImplementedError

    def begin_with(self, network: BoardNetwork) -> None:
        """Copies the weights of a network with as many channels."""
        raise NotImplementedError

    def _make_buffer(self, env: MinesweeperVecEnv) -> BaseBuffer:
        """Returns an empty buffer for the games of one board."""
        raise NotImplementedError

    def _use_buffer(self, buffer: Any) -> None:
        """Makes the algorithm store in this buffer and learn from it."""
        raise NotImplementedError

    def activate(self, slot: BoardSlot) -> None:
        """Switches the algorithm to a slot; call it between rollouts, after `deactivate`."""
        self.slot = slot
        self.env, self.n_envs, self.batch_size = slot.env, slot.env.num_envs, slot.batch_size
        self.observation_space, self.action_space = slot.env.observation_space, slot.env.action_space
        self._last_obs, self._last_episode_starts = slot.observations, slot.episode_starts
        self._last_original_obs = None
        # The policy and its networks check their inputs against the spaces that they were built with.
        for module in self.policy.modules():
            if isinstance(module, BoardExtractor):
                module.mines = slot.env.config.mines
            if hasattr(module, "observation_space"):
                module.observation_space, module.action_space = self.observation_space, self.action_space  # type: ignore[assignment]
        self._use_buffer(slot.buffer)

    def deactivate(self) -> None:
        """Saves the state of the current rollout into the active slot."""
        assert isinstance(self._last_obs, np.ndarray)
        self.slot.observations = self._last_obs
        self.slot.episode_starts = np.asarray(self._last_episode_starts, np.bool_)

    def _begin_rounds(self, budget: Budget) -> BaseCallback:
        """Prepares for rollouts as `learn` does, and returns a callback without effect."""
        self.budget = budget
        return self._setup_learn(0, None, reset_num_timesteps=False)[1]

    def activate_next(self) -> None:
        """Switches to the slot with the least work; ties go to the first one."""
        self.deactivate()
        self.activate(min(self.slots, key=lambda slot: slot.work))

    def count_work(self, seen: int, learned: int) -> None:
        """Adds boards of forward passes (`seen`) and of gradient steps (`learned`) to the active slot's work."""
        rows, cols = self.slot.observations.shape[1:]
        self.slot.work += (seen + LEARNING_COST * learned) * rows * cols
