"""What clicks are worth: the chance to win once a click has proved safe, learned from an agent's own games.

The chance to win by a click is the chance that it is safe times its worth. The first factor is learned as it is with
discount 0; the second one from returns that leave out the luck of mines: of a game's later guesses each counts with the
chance that it was given, and not with what became of it. A guess that lost tells nothing of its worth; the return of
the clicks before it goes by what it was thought to be worth. All other clicks count with what became of them: the
chances of many clicks that are nearly certain, each a little too low, would have a product that is much too low.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray

from baselines.learned.common.replay_buffer import Samples, ThinnedReplayBuffer

GUESS = 0.02
"""A click of at least this risk is a guess."""

UNKNOWN = -1.0

Floats = NDArray[np.float32]


def worths_of_clicks(
    chances: Floats, worths: Floats, bests: Floats, greedy: NDArray[np.bool_], won: bool, decay: float
) -> Floats:
    """Returns what each click of a game proved to be worth: its lambda-return, cut where a later click explored.

    Lambda is 1 past clicks that are no guesses.

    Args:
        chances: (T,), the chance that each click was given to be safe.
        worths: (T,), what each was thought to be worth.
        bests: (T,), the greatest chance to win that a click had at the time.
        greedy: (T,), whether the click was the one that had it.
        won: whether the last click won; else it lost.
        decay: lambda.

    Returns:
        (T,) float32; `UNKNOWN` for the last click of a game that was lost.
    """
    guesses = chances <= 1 - GUESS
    later = 1.0 if won else float(worths[-1] * guesses[-1])
    returns = np.full(len(chances), later, np.float32)
    for step in range(len(chances) - 1, 0, -1):
        if not greedy[step]:
            later = float(bests[step])
        elif guesses[step]:
            later = float(chances[step] * (worths[step] + decay * (later - worths[step])))
        returns[step - 1] = later
    if not won:
        returns[-1] = UNKNOWN
    return returns


class WorthReplayBuffer(ThinnedReplayBuffer):
    """A `ThinnedReplayBuffer` that tells of each transition, once its game has ended, what the click was worth.

    Args:
        buffer_size: as its base has it, and so are observation_space, action_space and device.
        n_envs: the games that are played at once; game number g is played by g modulo n_envs.
        decay: the lambda of the returns.
        optimize_memory_usage: must be False.
    """

    NAMES = (*ThinnedReplayBuffer.NAMES, "worths")
    PLAYED = ("lengths", "rows", "clicks", "chances", "worths_said", "bests", "greedy")

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device | str = "auto",
        n_envs: int = 1,
        optimize_memory_usage: bool = False,
        decay: float = 0.7,
    ) -> None:
        """Prepares empty arrays."""
        super().__init__(buffer_size, observation_space, action_space, device, n_envs, optimize_memory_usage)
        self.decay = decay
        self.worths = np.full(buffer_size, UNKNOWN, np.float32)
        shape = (n_envs, self.safe.shape[1])
        self.rows, self.clicks = (np.zeros(shape, np.int64) for _ in range(2))
        self.chances, self.worths_said, self.bests = (np.zeros(shape, np.float32) for _ in range(3))
        self.greedy = np.zeros(shape, np.bool_)
        self.lengths = np.zeros(n_envs, np.int64)

    def note_clicks(self, chances: Floats, worths: Floats, bests: Floats, greedy: NDArray[np.bool_]) -> None:
        """Remembers what was thought of the clicks, one in each game, that `add_some` is about to be given.

        Args:
            chances: (n_envs,), and so are all others; `worths_of_clicks` says what they are.
            worths: what each was thought to be worth.
            bests: the greatest chance to win on its board.
            greedy: whether the click was the one that had it.
        """
        now = np.arange(len(chances)), self.lengths
        self.chances[now], self.worths_said[now], self.bests[now], self.greedy[now] = chances, worths, bests, greedy

    def add_some(self, chosen: NDArray[np.bool_], **transitions: NDArray[Any]) -> NDArray[np.int64]:
        """Stores transitions as its base does, of one click in each game."""
        places = super().add_some(chosen, **transitions)
        self.worths[places] = UNKNOWN
        everywhere = np.full(len(chosen), -1)
        everywhere[chosen] = places
        now = np.arange(len(chosen)), self.lengths
        self.rows[now], self.clicks[now] = everywhere, transitions["actions"]
        self.lengths += 1
        return places

    def ended(self, game: int, safe: NDArray[np.bool_]) -> None:
        """Notes which cells proved safe, and what the clicks of the game were worth."""
        super().ended(game, safe)
        played = game % len(self.lengths)
        steps = slice(0, self.lengths[played])
        rows = self.rows[played, steps]
        won = bool(safe[self.clicks[played, len(rows) - 1]])
        returns = worths_of_clicks(
            self.chances[played, steps],
            self.worths_said[played, steps],
            self.bests[played, steps],
            self.greedy[played, steps],
            won,
            self.decay,
        )
        # Rows that were overwritten meanwhile are of another game.
        kept = (rows >= 0) & (self.games[rows] == game)
        self.worths[rows[kept]] = returns[kept]
        self.lengths[played] = 0

    def _get_samples(self, batch_inds: NDArray[np.int64], env: Any = None) -> Samples:  # type: ignore[override]
        worths = self.to_torch(self.worths[batch_inds][:, None])
        return super()._get_samples(batch_inds, env)._replace(worths=worths)

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Returns what is stored, the games so far, and the counters, as arrays."""
        return super().get_state() | {name: getattr(self, name) for name in self.PLAYED}

    def set_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Goes on from `get_state`.

        Raises:
            ValueError, KeyError: the state is of another buffer.
        """
        super().set_state(state)
        for name in self.PLAYED:
            getattr(self, name)[:] = state[name]
