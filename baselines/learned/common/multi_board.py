"""One algorithm on several boards in turn: each board has games and a buffer of its own, and all share the network.

Stable-Baselines3 knows one environment with one shape. Here an algorithm enters the place of a board before each
rollout, plays and learns there, and goes on to the board that has had the least work for its size, so that each gets
an equal part of the time. With one board this is Stable-Baselines3's own loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.buffers import BaseBuffer

from baselines.learned.common.budget import Paced
from baselines.learned.common.replay_buffer import ThinnedReplayBuffer
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.networks.features import BoardExtractor
from baselines.learned.networks.masks import safe_cells

LEARNING_COST = 3
"""The time of a forward and a backward pass over that of a forward pass, about."""


@dataclass
class Place:
    """Where an algorithm stands on a board.

    Attributes:
        env: its games.
        buffer: what they are stored in.
        batch_size: the size of a minibatch.
        observations: (N, rows, cols) int8, the codes that the next clicks are for.
        episode_starts: (N,) bool, which of them begin a game.
        work: the cells that the network has seen here, those that it learned from counting more.
        drawn: the stored transitions that were learned from, each as often as it was.
        games: (N,) int64, a number for each game that no other game of this place has.
        memory: boards and what their cells proved to be; the buffer itself if that is what it holds.
    """

    env: MinesweeperVecEnv
    buffer: Any
    batch_size: int
    observations: NDArray[np.int8]
    episode_starts: NDArray[np.bool_]
    games: NDArray[np.int64]
    memory: ThinnedReplayBuffer
    work: int = 0
    drawn: int = 0

    def note_ends(self, dones: NDArray[np.bool_], infos: list[dict[str, Any]]) -> None:
        """Tells the memory what the cells proved to be in games that have ended, (N,) bool, and numbers the next."""
        for index in np.flatnonzero(dones):
            if not infos[index]["TimeLimit.truncated"]:
                self.memory.ended(self.games[index], safe_cells(infos[index]["terminal_observation"]))
        self.games[dones] += len(self.games)


class InTurn(Paced):
    """A mixin for an algorithm on several boards.

    Attributes:
        places: those of all boards; none until `play_on` is called, which leaves Stable-Baselines3's own loop as it is.
        place: the one that the algorithm plays on.
    """

    places: list[Place]
    place: Place
    batch_size: Any
    buffer_size: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Passes the arguments on to the algorithm, which is in no place until `play_on` is called."""
        self.places = []
        super().__init__(*args, **kwargs)

    def play_on(self, envs: Sequence[MinesweeperVecEnv], batch_sizes: Sequence[int]) -> None:
        """Begins games on boards.

        Args:
            envs: one a board; the first is the one that the algorithm was made with.
            batch_sizes: the size of a minibatch on each.
        """
        self.places = [self._place(env, size) for env, size in zip(envs, batch_sizes, strict=True)]
        for env in envs:
            env.clock = self.clock
        self.enter(self.places[0])

    def _place(self, env: MinesweeperVecEnv, batch_size: int) -> Place:
        buffer, count = self._make_buffer(env), env.num_envs
        memory = buffer
        if not isinstance(memory, ThinnedReplayBuffer):
            memory = ThinnedReplayBuffer(self.buffer_size, env.observation_space, env.action_space, self.device)
        return Place(env, buffer, batch_size, env.reset(), np.ones(count, np.bool_), np.arange(count), memory)

    def _make_buffer(self, env: MinesweeperVecEnv) -> BaseBuffer:
        """Returns an empty buffer for the games of a board."""
        raise NotImplementedError

    def _use_buffer(self, buffer: Any) -> None:
        """Has the algorithm store in, and learn from, this buffer."""
        raise NotImplementedError

    def enter(self, place: Place) -> None:
        """Goes on to a board; nothing must be under way on the one that is left."""
        self.place = place
        self.env, self.n_envs, self.batch_size = place.env, place.env.num_envs, place.batch_size
        self.observation_space, self.action_space = place.env.observation_space, place.env.action_space
        self._last_obs, self._last_episode_starts = place.observations, place.episode_starts
        self._last_original_obs = None
        # The policy, and networks within it, check what they are given by the spaces that they were made with.
        for module in self.policy.modules():
            if isinstance(module, BoardExtractor):
                module.mines = place.env.config.mines
            if hasattr(module, "observation_space"):
                module.observation_space, module.action_space = self.observation_space, self.action_space  # type: ignore[assignment]
        self._use_buffer(place.buffer)

    def leave(self) -> None:
        """Keeps where the algorithm stands on its board."""
        assert isinstance(self._last_obs, np.ndarray)
        self.place.observations = self._last_obs
        self.place.episode_starts = np.asarray(self._last_episode_starts, np.bool_)

    def enter_next(self) -> None:
        """Goes on to the board with the least work, the first of them if there are several."""
        self.leave()
        self.enter(min(self.places, key=lambda place: place.work))

    def worked(self, seen: int, learned: int) -> None:
        """Counts the boards of this place that the network saw, and those that it learned from."""
        rows, cols = self.place.observations.shape[1:]
        self.place.work += (seen + LEARNING_COST * learned) * rows * cols
