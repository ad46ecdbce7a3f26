"""MaskablePPO against a mix of opponents, with schedules that follow a `Budget`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from baselines.azulejos.learning.agents import AzulejosAgent
from baselines.azulejos.learning.policy import AzulejosPolicy
from baselines.azulejos.learning.vec_env import AzulejosVecEnv
from baselines.learned.common.budget import Budget, BudgetMixin


class AzulejosPPO(BudgetMixin, MaskablePPO):
    """Unmodified MaskablePPO, and past versions of its policy among the opponents.

    Args:
        policy: `AzulejosPolicy`.
        env: an `AzulejosVecEnv`.
        versions: opponents in the environment that receive the weights of the policy from time to time.
        version_interval: fraction of the training between two such times; the oldest version is replaced.
        **kwargs: arguments of `MaskablePPO`.

    Attributes:
        replaced: number of versions replaced so far.
    """

    policy: AzulejosPolicy
    env: AzulejosVecEnv

    def __init__(
        self,
        policy: type[AzulejosPolicy],
        env: AzulejosVecEnv,
        versions: list[AzulejosAgent],
        version_interval: float,
        **kwargs: Any,
    ) -> None:
        """Builds the network, and gives its weights to all versions."""
        self.versions, self.version_interval, self.replaced = versions, version_interval, 0
        super().__init__(policy, env, **kwargs)
        env.clock = self.clock
        self.renew_all()

    def renew_all(self) -> None:
        """Gives the weights of the policy to all versions."""
        for version in self.versions:
            self._renew(version)

    def _renew(self, version: AzulejosAgent) -> None:
        version.network.load_state_dict(self.policy.network().state_dict())

    def rounds(self, budget: Budget) -> Iterator[None]:
        """Learns without end, and yields before each rollout.

        Args:
            budget: the schedules follow its progress.
        """
        self.budget = budget
        callback = self._setup_learn(0, None, reset_num_timesteps=False)[1]
        while True:
            yield
            self.clock.lap("between")
            self._replace_versions(budget.progress(self.num_timesteps))
            self.collect_rollouts(self.env, callback, self.rollout_buffer, self.n_steps)
            self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
            self.train()
            self.clock.lap("update")

    def _replace_versions(self, progress: float) -> None:
        while self.versions and self.replaced < int(progress / self.version_interval):
            self._renew(self.versions[self.replaced % len(self.versions)])
            self.replaced += 1

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Plays `n_rollout_steps` steps of each game."""
        done = super().collect_rollouts(env, callback, rollout_buffer, n_rollout_steps, use_masking)
        self.clock.lap("inference")
        return done
