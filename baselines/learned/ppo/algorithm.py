"""PPO with action masks: the algorithm of sb3-contrib, with a policy for boards (`policy.py`).

`MinesweeperPPO` adds an auxiliary phase, like phasic policy gradient (Cobbe et al. 2021). After each rollout it fits Q
to the contents of the cells of earlier boards. The last board of each game shows them to any player. A random symmetry
turns and mirrors the boards of this phase. The policy phase cannot do that, since it compares the probability of an
action with the probability at the time of the draw. With the weight `hindsight` 0 there is no auxiliary phase.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import make_masked_proba_distribution
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from baselines.learned.common.budget import Budget
from baselines.learned.common.losses import hindsight_losses
from baselines.learned.common.multi_board import MultiBoardMixin
from baselines.learned.common.thinning import ThinnedRolloutBuffer, keep_probabilities
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.networks.features import BoardExtractor
from baselines.learned.networks.masks import unopened
from baselines.learned.networks.symmetry import turn_at_random
from baselines.learned.ppo.plain_policy import PlainPolicy
from baselines.learned.ppo.policy import MinesweeperPolicy


class MinesweeperPPO(MultiBoardMixin, MaskablePPO):
    """MaskablePPO with schedules that follow a `Budget`, on one board or on several in turn.

    Args:
        policy: `MinesweeperPolicy`, or `PlainPolicy` as a control without the auxiliary phase.
        env: a `MinesweeperVecEnv`.
        hindsight: weight of the auxiliary loss, for gamma 0 and returns that are probabilities.
        isolated_weight_cap: see `hindsight_losses`.
        buffer_size: number of boards stored for the auxiliary phase.
        replay_ratio: mean number of draws per stored board.
        keep_scale: a step is kept with probability `keep_scale` * (1 - V), its expected loss, if gamma is 0 and returns
            are probabilities. The policy phase learns from kept steps only, and the auxiliary phase draws its boards
            with the same probability. 0 keeps all.
        keep_min: lower bound of this probability.
        policy_coef: weight of the policy gradient; 0 turns it off, so that the critic alone learns. Advantages that
            are normalised allow no other weight than 1.
        **kwargs: arguments of `MaskablePPO`.
    """

    policy: MinesweeperPolicy | PlainPolicy

    def __init__(
        self,
        policy: type[MinesweeperPolicy | PlainPolicy],
        env: MinesweeperVecEnv,
        hindsight: float = 0.0,
        isolated_weight_cap: float = 64.0,
        buffer_size: int = 50_000,
        replay_ratio: float = 4.0,
        keep_scale: float = 5.0,
        keep_min: float = 0.1,
        policy_coef: float = 1.0,
        **kwargs: Any,
    ) -> None:
        """Builds the network, and activates the board of the environment."""
        self.hindsight, self.isolated_weight_cap = hindsight, isolated_weight_cap
        self.buffer_size, self.replay_ratio = buffer_size, replay_ratio
        self.keep_scale, self.keep_min, self.policy_coef = keep_scale, keep_min, policy_coef
        super().__init__(policy, env, **kwargs)
        if not self.policy.probability or self.gamma > 0:
            self.hindsight = self.keep_scale = 0.0
        if isinstance(self.policy, MinesweeperPolicy):
            self.policy.bootstraps = self.gamma > 0
        if self.normalize_advantage and policy_coef != 1:
            raise ValueError(f"policy_coef must be 1 with normalize_advantage, not {policy_coef:g}")
        self.play_on([env], [self.batch_size])

    def _make_buffer(self, env: MinesweeperVecEnv) -> ThinnedRolloutBuffer:
        return ThinnedRolloutBuffer(
            self.n_steps,
            env.observation_space,
            env.action_space,
            self.device,
            self.gae_lambda,
            self.gamma,
            env.num_envs,
        )

    def _use_buffer(self, buffer: ThinnedRolloutBuffer) -> None:
        buffer.keep_scale, buffer.keep_min = self.keep_scale, self.keep_min
        self.rollout_buffer = buffer
        self.policy.action_dist = make_masked_proba_distribution(self.action_space)

    def rounds(self, budget: Budget) -> Iterator[None]:
        """Learns without end; see `MultiBoardMixin.rounds`."""
        callback = self._begin_rounds(budget)
        while True:
            yield
            self.clock.lap("between")
            self.collect_rollouts(self.slot.env, callback, self.rollout_buffer, self.n_steps)
            self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
            self.train()

    def collect_rollouts(
        self,
        env: VecEnv,  # noqa: ARG002 - the signature is Stable-Baselines3's
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,  # noqa: ARG002
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Plays `n_rollout_steps` steps on the board that is next."""
        self.activate_next()
        go_on = super().collect_rollouts(self.slot.env, callback, self.rollout_buffer, n_rollout_steps, use_masking)
        self.clock.lap("inference")
        return go_on

    def _update_info_buffer(self, infos: list[dict[str, Any]], dones: NDArray[np.bool_] | None = None) -> None:
        super()._update_info_buffer(infos, dones)
        if self.hindsight == 0:
            return
        # Called after each step, while `_last_obs` still holds the boards before it.
        boards, slot = self._last_obs, self.slot
        assert isinstance(boards, np.ndarray)
        assert isinstance(self.policy, MinesweeperPolicy)
        assert dones is not None
        keep = keep_probabilities(1 - self.policy.values.cpu().numpy()[:, 0], self.keep_scale, self.keep_min)
        chosen = (torch.rand(len(boards)).numpy() < keep) & ~unopened(boards)
        slot.hindsight_buffer.add_some(chosen, observations=boards, games=slot.games)
        slot.record_ends(dones, infos)

    def train(self) -> None:
        """Runs the policy phase, then the auxiliary phase."""
        assert isinstance(self.rollout_buffer, ThinnedRolloutBuffer)
        # The clipped loss of a step is proportional to its advantage, so this scales the loss of the policy.
        self.rollout_buffer.advantages *= self.policy_coef
        super().train()
        slot, learned = self.slot, self.n_epochs * self.rollout_buffer.drawn
        losses = []
        while slot.drawn + self.batch_size <= self.replay_ratio * slot.hindsight_buffer.added:
            losses.append(self._hindsight_step())
            slot.drawn += self.batch_size
        if losses:
            self.logger.record("train/hindsight_loss", float(np.mean(losses)))
        self.count_work(seen=self.n_steps * self.n_envs, learned=learned + len(losses) * self.batch_size)
        self.clock.lap("update")

    def _hindsight_step(self) -> float:
        sample = self.slot.hindsight_buffer.sample(self.batch_size)
        boards, cells = turn_at_random(sample.observations)
        outputs = self.policy.value_net(self.policy.extract_features(boards))[:, cells]
        loss = (
            self.hindsight
            * hindsight_losses(outputs, sample.observations, sample.safe, self.isolated_weight_cap).mean()
        )
        self.policy.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()
        return loss.item()

    def begin_with(self, network: BoardNetwork) -> None:
        """Copies the trunk of a network with the same number of channels; the policy uses the head."""
        self.network().trunk.load_state_dict(network.trunk.state_dict())
        self.policy.begin_with(network.head)

    def network(self) -> BoardNetwork:
        """Returns a network that makes the greedy clicks of the policy; it shares the policy's trunk."""
        extractor = self.policy.features_extractor
        assert isinstance(extractor, BoardExtractor)
        return BoardNetwork(extractor.trunk, self.policy.click_head())
