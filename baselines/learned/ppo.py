"""PPO with action masks: the algorithm of sb3-contrib, with policies for boards.

`MinesweeperPPO` adds an auxiliary phase, like phasic policy gradient (Cobbe et al. 2021). After each rollout it fits Q
to the contents of the cells of earlier boards. The last board of each game shows them to any player. A random symmetry
turns and mirrors the boards of this phase. The policy phase cannot do that, since it compares the probability of an
action with the probability at the time of the draw. With the weight `hindsight` 0 there is no auxiliary phase.

Differences from unmodified MaskablePPO:

1. The critic is a state-action value Q(s, a), one number per cell. If returns are probabilities, its squared loss
   descends as cross-entropy (see `make_model`). The baseline V(s) of PPO is the mean of Q under the policy. The
   value loss fits Q of the action taken to the return. With the defaults, reward 1 for a safe click and gamma 0,
   Q(s, a) is the probability that the cell is safe.
2. The action logits are `SHARPNESS` * Q plus a learned preference per cell. No policy gradient flows through Q, so the
   policy gradient trains the preferences only. This is close to value learning inside PPO. An actor that learns each
   cell's safety by itself, although the critic estimates it already, learns many times more slowly.
"""

from collections import OrderedDict
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from sb3_contrib.common.maskable.distributions import MaskableDistribution, make_masked_proba_distribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor, nn

from baselines.learned.common import multi_board
from baselines.learned.common.multi_board import BoardExtractor, BoardSlot, MultiBoardMixin
from baselines.learned.common.replay_buffer import Transitions, keep_probabilities
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.networks import cell_head, click_masks, turn_at_random, unopened
from baselines.learned.settings import LEARNING_COST, PPOHyperparameters


class PlainPolicy(MaskableActorCriticPolicy):
    """The shared trunk, one logit per cell and one value per board, with the losses of unmodified PPO.

    It takes the arguments of `MaskableActorCriticPolicy`, with the sizes of the network as features_extractor_kwargs,
    and `probability`, True if returns are probabilities (see `make_model`); its losses are squared errors all the same.
    """

    action_net: nn.Sequential
    value_net: nn.Sequential  # type: ignore[assignment]

    def __init__(self, *args: Any, probability: bool = True, **kwargs: Any) -> None:
        self.probability = probability
        defaults: dict[str, Any] = {"features_extractor_class": BoardExtractor, "ortho_init": False, "net_arch": []}
        super().__init__(*args, **defaults | kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        multi_board.check_clicks_alone(self.observation_space, self.action_space)
        self._build_mlp_extractor()  # Without layers it is the identity.
        self.action_net = cell_head(self.features_dim)
        self.value_net = self._new_value_net()
        parameters = self.parameters()
        self.optimizer = self.optimizer_class(parameters, lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def _new_value_net(self) -> nn.Sequential:
        layers = OrderedDict(mean=nn.AdaptiveAvgPool2d(1), flatten=nn.Flatten(), layer=nn.Linear(self.features_dim, 1))
        return nn.Sequential(layers)

    def click_head(self) -> nn.Sequential:
        """Returns the head whose largest output marks the greedy click."""
        return self.action_net

    def begin_with(self, head: nn.Sequential) -> None:
        """Copies the weights of a click head into the actor."""
        self.action_net.load_state_dict(head.state_dict())


SHARPNESS = 4.0
"""Factor of the critic's outputs in the action logits, an inverse temperature."""

Masks = NDArray[np.bool_] | Tensor | None


class MinesweeperPolicy(PlainPolicy):
    """Policy for `MaskablePPO`: the shared trunk, with Q and a preference for each cell.

    Attributes:
        bootstraps: True if returns include the value of the next board; without it `predict_values` returns 0.
    """

    bootstraps = True

    def _new_value_net(self) -> nn.Sequential:
        for parameter in self.action_net.parameters():
            nn.init.zeros_(parameter)
        return cell_head(self.features_dim)

    def _critic_and_actor(self, obs: PyTorchObs, action_masks: Masks) -> tuple[Tensor, MaskableDistribution]:
        """Returns the outputs of the critic, (N, rows * cols), and the masked distribution over the clicks."""
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
        outputs, distribution = self._critic_and_actor(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, self._expected_return(outputs, distribution), distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Masks = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Returns Q of the actions (N, 1), their log-probabilities (N,) and the entropy (N,)."""
        outputs, distribution = self._critic_and_actor(obs, action_masks)
        chosen = outputs.gather(1, actions.long().reshape(-1, 1))
        return fitted_return(chosen, self.probability), distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self, obs: PyTorchObs, action_masks: Masks = None) -> MaskableDistribution:
        """Returns the distribution over the clicks."""
        return self._critic_and_actor(obs, action_masks)[1]

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        """Returns V, (N, 1); 0 unless `bootstraps`. PPO passes no masks here, so they come from the codes."""
        assert isinstance(obs, Tensor)
        if not self.bootstraps:
            return torch.zeros(len(obs), 1, device=obs.device)
        return self._expected_return(*self._critic_and_actor(obs, click_masks(obs)))

    def click_head(self) -> nn.Sequential:
        """Returns a new head, the sum of critic and preferences, whose largest output marks the greedy click."""
        head = cell_head(self.features_dim)
        sources = (self.value_net.parameters(), self.action_net.parameters())
        with torch.no_grad():
            # Both heads are linear in the same features, so their sum is a head as well.
            for merged, critic, actor in zip(head.parameters(), *sources, strict=True):
                merged.copy_(SHARPNESS * critic + actor)
        return head.to(self.device)

    def begin_with(self, head: nn.Sequential) -> None:
        """Copies the weights of a click head, whose outputs rate returns, into the critic."""
        self.value_net.load_state_dict(head.state_dict())

    def _expected_return(self, outputs: Tensor, distribution: MaskableDistribution) -> Tensor:
        """Returns V, (N, 1): the mean of Q under the policy, for outputs of the critic, (N, rows * cols)."""
        probabilities: Tensor = distribution.distribution.probs  # type: ignore[union-attr]
        returns = torch.sigmoid(outputs) if self.probability else outputs
        return (probabilities * returns).sum(dim=1, keepdim=True)


def fitted_return(outputs: Tensor, probability: bool) -> Tensor:
    """Maps a critic's outputs to predicted returns of the same shape, for PPO's squared value loss.

    For probabilities the gradient skips the sigmoid (straight-through). The gradient in z of the squared error
    (sigmoid(z) - r)^2 is then 2 (sigmoid(z) - r), twice the gradient of the cross-entropy.
    """
    return torch.sigmoid(outputs).detach() + (outputs - outputs.detach()) if probability else outputs


class ThinnedRolloutBuffer(MaskableRolloutBuffer):
    """A rollout buffer whose minibatches leave out most of the steps that were expected to be safe.

    The keep probability depends only on V of the board, which is known before the click. So given (board, click) the
    kept returns have the same mean as all of them, and the critic's targets stay unbiased. The advantages left out
    are nearly 0.

    Attributes:
        keep_scale: a step is kept with probability `keep_scale` * (1 - V), where returns are probabilities; 0 keeps
            every step.
        keep_min: lower bound of this probability.
        drawn: number of steps in the minibatches of the last `get`.
    """

    keep_scale = 0.0
    keep_min = 0.0
    drawn = 0

    def get(self, batch_size: int | None = None) -> Iterator[MaskableRolloutBufferSamples]:  # type: ignore[override]
        """Yields minibatches of about `batch_size` kept steps in random order; None yields a single one."""
        (rollout,) = super().get(None)  # all steps at once
        errors = 1 - rollout.old_values.cpu().numpy().astype(np.float32)
        probabilities = keep_probabilities(errors, self.keep_scale, self.keep_min)
        probabilities[errors.argmax()] = 1.0  # So at least one step is kept.
        kept = np.flatnonzero(np.random.random(len(errors)) < probabilities)  # noqa: NPY002 - the base class's generator
        self.drawn = len(kept)
        minibatches = max(1, round(len(kept) / batch_size)) if batch_size else 1
        for steps in np.array_split(kept, minibatches):
            indices = torch.as_tensor(steps, device=rollout.actions.device)
            yield MaskableRolloutBufferSamples(*(field[indices] for field in rollout))


class MinesweeperPPO(MultiBoardMixin, MaskablePPO):
    """MaskablePPO with schedules that follow a `Budget`, on one board or on several in turn.

    Args:
        policy: `MinesweeperPolicy`, or `PlainPolicy` as a control without the auxiliary phase.
        env: a `MinesweeperVecEnv`.
        hyperparameters: `keep_scale` and `hindsight` have an effect if gamma is 0 and returns are probabilities.
            With normalised advantages `policy_coef` must be 1.
        **kwargs: arguments of `MaskablePPO`, with its own hyperparameters among them.
    """

    policy: PlainPolicy

    def __init__(
        self, policy: type[PlainPolicy], env: MinesweeperVecEnv, hyperparameters: PPOHyperparameters, **kwargs: Any
    ) -> None:
        super().__init__(policy, env, hyperparameters, **kwargs)
        if isinstance(self.policy, MinesweeperPolicy):
            self.policy.bootstraps = self.gamma > 0
        if self.normalize_advantage and hyperparameters.policy_coef != 1:
            raise ValueError(f"policy_coef must be 1 with normalize_advantage, not {hyperparameters.policy_coef:g}")

    def activate(self, slot: BoardSlot) -> None:
        """Switches to a slot, with an empty rollout buffer; see `MultiBoardMixin.activate`."""
        super().activate(slot)
        sizes_and_spaces = self.n_steps, self.observation_space, self.action_space, self.device
        buffer = ThinnedRolloutBuffer(*sizes_and_spaces, self.gae_lambda, self.gamma, self.n_envs)
        buffer.keep_scale, buffer.keep_min = self.hyperparameters.keep_scale, self.hyperparameters.keep_min
        self.rollout_buffer = buffer
        self.policy.action_dist = make_masked_proba_distribution(self.action_space)

    def _play_and_learn(self, callback: BaseCallback) -> int:
        self.collect_rollouts(self.slot.env, callback, self.rollout_buffer, self.n_steps)
        self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
        self.train()
        assert isinstance(self.rollout_buffer, ThinnedRolloutBuffer)
        # `drawn` is that of the last epoch; the others draw about as many steps.
        return self.n_steps * self.n_envs + LEARNING_COST * self.n_epochs * self.rollout_buffer.drawn

    def after_step(self, rollout_locals: dict[str, Any], _globals: dict[str, Any]) -> bool:
        """Stores a sample of the boards of a step for the auxiliary phase; returns True to continue the rollout."""
        if self.hyperparameters.hindsight == 0:
            return True
        boards, errors = self._last_obs, 1 - rollout_locals["values"].cpu().numpy()[:, 0]
        chances = keep_probabilities(errors, self.hyperparameters.keep_scale, self.hyperparameters.keep_min)
        kept = (torch.rand(len(boards)).numpy() < chances) & ~unopened(boards)
        self.slot.store(kept, observations=boards)
        self.slot.record_ends(rollout_locals["dones"], rollout_locals["infos"])
        return True

    def train(self) -> None:
        """Runs the policy phase, then the auxiliary phase."""
        # The clipped loss of a step is proportional to its advantage, so this scales the loss of the policy.
        self.rollout_buffer.advantages *= self.hyperparameters.policy_coef
        super().train()
        if losses := self.learn_from_buffer(self._hindsight_loss):
            self.logger.record("train/hindsight_loss", float(np.mean(losses)))

    def _hindsight_loss(self, sample: Transitions) -> Tensor:
        """Returns the loss of a minibatch of the auxiliary phase."""
        boards, new_cells = turn_at_random(sample.observations)
        outputs = self.policy.value_net(self.policy.extract_features(boards))[:, new_cells]
        return self.hyperparameters.hindsight * self.hindsight_losses(outputs, sample).mean()


make_ppo = partial(multi_board.make_model, MinesweeperPPO, MinesweeperPolicy, normalize_advantage=False)
make_plain_ppo = partial(multi_board.make_model, MinesweeperPPO, PlainPolicy, normalize_advantage=True)
"""Return a new model of PPO, or of unmodified PPO, for `TrainingSettings`, with games in progress."""
