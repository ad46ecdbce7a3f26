"""DQN that seeks to win, its Q taken apart: Q(s, a) = the chance that a is safe, times what a is worth then.

With reward "win" and discount 1 Q is the chance to win. A single head that learns it cannot tell a certain click from
one of small risk, since both have nearly the same Q. So there are two heads: one for the chance to be safe, learned in
hindsight as with discount 0, and one for the worth of a click (`worth.py`). Of the clicks whose risk is near the least,
the one with the greatest product is taken. All of it is learned from the agent's own games, without the oracle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from baselines.learned.common.losses import hindsight_losses
from baselines.learned.common.replay_buffer import Samples
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.dqn.algorithm import MaskedDQN
from baselines.learned.dqn.policy import MinesweeperQNetwork, MinesweeperQPolicy
from baselines.learned.dqn.two_head_buffer import GUESS, WorthReplayBuffer
from baselines.learned.networks.board import rate_clicks
from baselines.learned.networks.masks import unopened
from baselines.learned.networks.symmetry import turn_at_random


class WinSeekingDQN(MaskedDQN):
    """`MaskedDQN` for reward "win" and discount 1, with a head for the worth of clicks.

    It explores at guesses alone, among the clicks that are considered.

    Args:
        policy: `MinesweeperQPolicy`, with worth=True among its arguments.
        env: a `MinesweeperVecEnv`.
        decay: the lambda of the returns.
        keep_scale: a transition is stored with a chance of `keep_scale` times the risk of its click; 0 stores all.
        hindsight: the weight of the loss on what covered cells proved to be, beside that on what the click was worth.
        **kwargs: as `MaskedDQN` takes them.
    """

    replay_buffer: WorthReplayBuffer

    def __init__(
        self,
        policy: type[MinesweeperQPolicy],
        env: MinesweeperVecEnv,
        decay: float = 0.7,
        keep_scale: float = 5.0,
        hindsight: float = 1.0,
        **kwargs: Any,
    ) -> None:
        """Builds the network, and enters the board of the environment."""
        self.decay = decay
        super().__init__(policy, env, **kwargs)
        self.keep_scale, self.hindsight = keep_scale, hindsight

    def _make_buffer(self, env: MinesweeperVecEnv) -> WorthReplayBuffer:
        return WorthReplayBuffer(
            self.buffer_size, env.observation_space, env.action_space, self.device, env.num_envs, decay=self.decay
        )

    def _sample_action(
        self,
        learning_starts: int,
        action_noise: Any = None,  # noqa: ARG002 - the signature is Stable-Baselines3's
        n_envs: int = 1,  # noqa: ARG002
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        boards = self._last_obs
        assert isinstance(boards, np.ndarray)
        chances, worths, ratings = self._opinions(boards)
        best = ratings.argmax(axis=1)
        guesses = np.where(ratings > 0, chances, 0.0).max(axis=1) < 1 - GUESS
        explores = guesses & (torch.rand(len(boards)).numpy() < self.exploration_rate)
        explores |= unopened(boards) | (self.num_timesteps < learning_starts)
        drawn = np.where(ratings > 0, torch.rand(ratings.shape).numpy(), -1.0).argmax(axis=1)
        actions = np.where(explores, drawn, best)
        games = np.arange(len(boards))
        self._predicted = chances[games, actions]
        assert isinstance(self.replay_buffer, WorthReplayBuffer)
        self.replay_buffer.note_clicks(
            self._predicted, worths[games, actions], ratings[games, best].clip(min=0), actions == best
        )
        return actions, actions

    def _opinions(self, boards: NDArray[np.int8]) -> tuple[NDArray[np.float32], ...]:
        """Returns the chances to be safe, the worths, and the ratings of all clicks, (N, rows * cols) each."""
        self.policy.set_training_mode(False)
        assert isinstance(self.q_net, MinesweeperQNetwork)
        with torch.no_grad():
            codes = torch.as_tensor(boards, device=self.device)
            safety, worth = self.q_net.factors(codes)
            ratings = rate_clicks(safety, worth, codes)
            return tuple(part.cpu().numpy() for part in (torch.sigmoid(safety), torch.sigmoid(worth), ratings))

    def _losses(self, sample: Samples) -> Tensor:
        """Returns the loss of each sample, (N, 1)."""
        assert isinstance(self.q_net, MinesweeperQNetwork)
        assert sample.worths is not None
        boards, places = turn_at_random(sample.observations)
        # Back to where the cells were.
        safety, worth = (outputs[:, places] for outputs in self.q_net.factors(boards))
        known = sample.worths >= 0
        losses = functional.binary_cross_entropy_with_logits(
            worth.gather(1, sample.actions), sample.worths.clamp(min=0), reduction="none"
        )
        hindsight = hindsight_losses(safety, sample.observations, sample.safe, self.untouched)
        return losses * known + self.hindsight * hindsight
