"""PPO with action masks: sb3-contrib's algorithm, unchanged, with a policy for boards.

What differs from plain MaskablePPO is the policy alone:

1. The critic is a state-action value Q(s, a), one number a cell, whose squared loss descends as cross-entropy
   if returns are probabilities (see `returns.py`). What PPO calls V(s), and subtracts as the
   baseline, is the mean of Q under the policy; what its value loss fits to the return is Q of the action
   taken. With the default, reward 1 for a safe click and gamma 0, Q(s, a) is the chance that the cell is safe.
2. The action logits are `SHARPNESS` * Q, through which no policy gradient flows, plus a preference for each
   cell that the policy gradient alone trains. This is close to value learning inside PPO: with an actor that
   must find out for each cell on its own what the critic knows already, PPO learns many times more slowly.

`MinesweeperPPO` adds an auxiliary phase, as phasic policy gradient does (Cobbe et al. 2021): after each rollout it
fits Q to what the cells of earlier boards proved to be by the end of their games, which the last board of a game
shows to any player. That phase sees boards turned and mirrored; the policy phase must not, since it compares the
probability of an action with the one that it was drawn with. With the weight `hindsight` 0 there is no such phase.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableDistribution, make_masked_proba_distribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor, nn

from baselines.learned.features import BoardExtractor
from baselines.learned.masks import click_masks, unopened
from baselines.learned.network import BoardNetwork, CellHead
from baselines.learned.places import InTurn
from baselines.learned.plain_ppo import PlainPolicy
from baselines.learned.returns import hindsight_losses, to_fitted_return, to_return
from baselines.learned.symmetry import turn_at_random
from baselines.learned.thinning import ThinnedRolloutBuffer, chances_to_keep
from baselines.learned.vec_env import MinesweeperVecEnv

SHARPNESS = 4.0

Masks = NDArray[np.bool_] | Tensor | None


class MinesweeperPolicy(MaskableActorCriticPolicy):
    """The policy to give to `MaskablePPO`: the shared trunk, Q and preference of each cell.

    Args:
        args: as `MaskableActorCriticPolicy` takes them.
        probability: whether returns are probabilities, see `returns.py`.
        kwargs: as `MaskableActorCriticPolicy` takes them; features_extractor_kwargs holds the sizes.

    Attributes:
        values: V, (N, 1), of the boards that clicks were last chosen for.
        bootstraps: whether the value of what follows counts; if not, `predict_values` spares the work.
    """

    action_net: CellHead
    value_net: CellHead  # type: ignore[assignment]
    values: Tensor
    bootstraps = True

    def __init__(self, *args: Any, probability: bool = True, **kwargs: Any) -> None:
        """Builds the network."""
        self.probability = probability
        super().__init__(*args, **{"features_extractor_class": BoardExtractor, "ortho_init": False, **kwargs})

    def _build(self, lr_schedule: Schedule) -> None:
        self.action_net = CellHead(self.features_dim)
        self.value_net = CellHead(self.features_dim)
        for parameter in self.action_net.parameters():
            nn.init.zeros_(parameter)
        parameters = self.parameters()
        self.optimizer = self.optimizer_class(parameters, lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def _judge(self, obs: PyTorchObs, action_masks: Masks) -> tuple[Tensor, MaskableDistribution]:
        """Returns what the critic says, (N, rows * cols), and the masked distribution over the clicks."""
        features = self.extract_features(obs)
        outputs = self.value_net(features)
        logits = SHARPNESS * outputs.detach() + self.action_net(features)
        distribution = self.action_dist.proba_distribution(action_logits=logits)
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return outputs, distribution

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Masks = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the actions (N,), V (N, 1) and the log-probabilities (N,)."""
        outputs, distribution = self._judge(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        values = self._mean(outputs, distribution)
        # Stable-Baselines3 tells the buffer alone of V, and that only once the next boards are there.
        self.values = values.detach()
        return actions, values, distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Masks = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Returns Q of the actions (N, 1), their log-probabilities (N,) and the entropy (N,)."""
        outputs, distribution = self._judge(obs, action_masks)
        chosen = to_fitted_return(outputs.gather(1, actions.long().reshape(-1, 1)), self.probability)
        return chosen, distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self, obs: PyTorchObs, action_masks: Masks = None) -> MaskableDistribution:
        """Returns the distribution over the clicks."""
        return self._judge(obs, action_masks)[1]

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        """Returns V, (N, 1), 0 unless it `bootstraps`; masks, which PPO does not pass here, are read off the codes."""
        assert isinstance(obs, Tensor)
        if not self.bootstraps:
            return torch.zeros(len(obs), 1, device=obs.device)
        return self._mean(*self._judge(obs, click_masks(obs)))

    def click_head(self) -> CellHead:
        """Returns a head whose greatest number is the greedy click; a copy, merging the two heads."""
        head = CellHead(self.features_dim)
        sources = (self.value_net.layer.parameters(), self.action_net.layer.parameters())
        with torch.no_grad():
            # Both heads are linear in the same features, so their sum is a head as well.
            for mine, critics, actors in zip(head.parameters(), *sources, strict=True):
                mine.copy_(SHARPNESS * critics + actors)
        return head.to(self.device)

    def begin_with(self, head: CellHead) -> None:
        """Has the critic begin as a head that rates clicks by their returns."""
        self.value_net.load_state_dict(head.state_dict())

    def _mean(self, outputs: Tensor, distribution: MaskableDistribution) -> Tensor:
        probabilities: Tensor = distribution.distribution.probs  # type: ignore[union-attr]
        return (probabilities * to_return(outputs, self.probability)).sum(dim=1, keepdim=True)


class MinesweeperPPO(InTurn, MaskablePPO):
    """MaskablePPO whose schedules follow a `Budget`, and which can play on several boards in turn.

    Args:
        policy: `MinesweeperPolicy`, or `PlainPolicy` for a control, which learns nothing in hindsight.
        env: a `MinesweeperVecEnv`.
        hindsight: the weight of the auxiliary loss, for gamma 0 and returns that are probabilities.
        untouched: for how many cells those that no count touches count in it together, at most.
        buffer_size: how many boards are kept for it.
        replays: how often each is drawn, on average.
        keep_scale: a step is learned from with a chance of `keep_scale` times its expected loss, 1 - V, if gamma is 0
            and returns are probabilities, and its board is kept for the auxiliary phase with that chance; 0 keeps all.
        keep_least: the least such chance.
        **kwargs: as `MaskablePPO` takes them.
    """

    policy: MinesweeperPolicy | PlainPolicy

    def __init__(
        self,
        policy: type[MinesweeperPolicy | PlainPolicy],
        env: MinesweeperVecEnv,
        hindsight: float = 0.0,
        untouched: float = 64.0,
        buffer_size: int = 50_000,
        replays: float = 4.0,
        keep_scale: float = 5.0,
        keep_least: float = 0.1,
        **kwargs: Any,
    ) -> None:
        """Builds the network, and enters the board of the environment."""
        self.hindsight, self.untouched = hindsight, untouched
        self.buffer_size, self.replays = buffer_size, replays
        self.keep_scale, self.keep_least = keep_scale, keep_least
        super().__init__(policy, env, **kwargs)
        if not self.policy.probability or self.gamma > 0:
            self.hindsight = self.keep_scale = 0.0
        if isinstance(self.policy, MinesweeperPolicy):
            self.policy.bootstraps = self.gamma > 0
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
        buffer.scale, buffer.least = self.keep_scale, self.keep_least
        self.rollout_buffer = buffer
        self.policy.action_dist = make_masked_proba_distribution(self.action_space)

    def collect_rollouts(
        self,
        env: VecEnv,  # noqa: ARG002 - the signature is Stable-Baselines3's
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,  # noqa: ARG002
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Plays `n_rollout_steps` steps on the board whose turn it is."""
        self.enter_next()
        go_on = super().collect_rollouts(self.place.env, callback, self.rollout_buffer, n_rollout_steps, use_masking)
        self.clock.lap("inference")
        return go_on

    def _update_info_buffer(self, infos: list[dict[str, Any]], dones: NDArray[np.bool_] | None = None) -> None:
        super()._update_info_buffer(infos, dones)
        if self.hindsight == 0:
            return
        # Called after each step, before its observations take the place of those that it began with.
        boards, place = self._last_obs, self.place
        assert isinstance(boards, np.ndarray)
        assert isinstance(self.policy, MinesweeperPolicy)
        assert dones is not None
        chances = chances_to_keep(1 - self.policy.values.cpu().numpy()[:, 0], self.keep_scale, self.keep_least)
        chosen = (torch.rand(len(boards)).numpy() < chances) & ~unopened(boards)
        place.memory.add_some(chosen, observations=boards, games=place.games)
        place.note_ends(dones, infos)

    def train(self) -> None:
        """Learns from the rollout, and then from hindsight."""
        super().train()
        assert isinstance(self.rollout_buffer, ThinnedRolloutBuffer)
        place, learned = self.place, self.n_epochs * self.rollout_buffer.drawn
        losses = []
        while place.drawn + self.batch_size <= self.replays * place.memory.added:
            losses.append(self._hindsight_step())
            place.drawn += self.batch_size
        if losses:
            self.logger.record("train/hindsight_loss", float(np.mean(losses)))
        self.worked(seen=self.n_steps * self.n_envs, learned=learned + len(losses) * self.batch_size)
        self.clock.lap("update")

    def _hindsight_step(self) -> float:
        sample = self.place.memory.sample(self.batch_size)
        boards, cells = turn_at_random(sample.observations)
        outputs = self.policy.value_net(self.policy.extract_features(boards))[:, cells]
        loss = self.hindsight * hindsight_losses(outputs, sample.observations, sample.safe, self.untouched).mean()
        self.policy.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()
        return loss.item()

    def begin_with(self, network: BoardNetwork) -> None:
        """Takes the weights of a network of as many channels; what to do with its head is up to the policy."""
        self.network().trunk.load_state_dict(network.trunk.state_dict())
        self.policy.begin_with(network.head)

    def network(self) -> BoardNetwork:
        """Returns a network that plays as the policy does when it is greedy; its trunk is the policy's."""
        extractor = self.policy.features_extractor
        assert isinstance(extractor, BoardExtractor)
        return BoardNetwork(extractor.trunk, self.policy.click_head())
