"""Policy of PPO for boards, with a state-action critic.

Differences from unmodified MaskablePPO:

1. The critic is a state-action value Q(s, a), one number per cell. If returns are probabilities, its squared loss
   descends as cross-entropy (`common/losses.py`). The baseline V(s) of PPO is the mean of Q under the policy. The
   value loss fits Q of the action taken to the return. With the defaults, reward 1 for a safe click and gamma 0,
   Q(s, a) is the probability that the cell is safe.
2. The action logits are `SHARPNESS` * Q plus a learned preference per cell. No policy gradient flows through Q, so the
   policy gradient trains the preferences only. This is close to value learning inside PPO. An actor that learns each
   cell's safety by itself, although the critic estimates it already, learns many times more slowly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor, nn

from baselines.learned.common.losses import to_fitted_return, to_return
from baselines.learned.networks.board import CellHead
from baselines.learned.networks.features import BoardExtractor, check_clicks_alone
from baselines.learned.networks.masks import click_masks

SHARPNESS = 4.0
"""Factor of the critic's outputs in the action logits."""

Masks = NDArray[np.bool_] | Tensor | None


class MinesweeperPolicy(MaskableActorCriticPolicy):
    """Policy for `MaskablePPO`: the shared trunk, with Q and a preference for each cell.

    Args:
        args: arguments of `MaskableActorCriticPolicy`.
        probability: True if returns are probabilities; see `common/losses.py`.
        kwargs: arguments of `MaskableActorCriticPolicy`; features_extractor_kwargs holds the sizes of the network.

    Attributes:
        values: (N, 1), V of the boards in the last call of `forward`.
        bootstraps: True if returns include the value of the next board; without it `predict_values` returns 0.
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
        check_clicks_alone(self.observation_space, self.action_space)
        self.action_net = CellHead(self.features_dim)
        self.value_net = CellHead(self.features_dim)
        for parameter in self.action_net.parameters():
            nn.init.zeros_(parameter)
        parameters = self.parameters()
        self.optimizer = self.optimizer_class(parameters, lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def _judge(self, obs: PyTorchObs, action_masks: Masks) -> tuple[Tensor, MaskableDistribution]:
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
        outputs, distribution = self._judge(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        values = self._mean(outputs, distribution)
        # Stable-Baselines3 passes V to the buffer only, and not before the next boards exist.
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
        """Returns V, (N, 1); 0 unless `bootstraps`. PPO passes no masks here, so they come from the codes."""
        assert isinstance(obs, Tensor)
        if not self.bootstraps:
            return torch.zeros(len(obs), 1, device=obs.device)
        return self._mean(*self._judge(obs, click_masks(obs)))

    def click_head(self) -> CellHead:
        """Returns a new head, the sum of critic and preferences, whose largest output marks the greedy click."""
        head = CellHead(self.features_dim)
        sources = (self.value_net.layer.parameters(), self.action_net.layer.parameters())
        with torch.no_grad():
            # Both heads are linear in the same features, so their sum is a head as well.
            for mine, critics, actors in zip(head.parameters(), *sources, strict=True):
                mine.copy_(SHARPNESS * critics + actors)
        return head.to(self.device)

    def begin_with(self, head: CellHead) -> None:
        """Copies a head that rates clicks by their returns into the critic."""
        self.value_net.load_state_dict(head.state_dict())

    def _mean(self, outputs: Tensor, distribution: MaskableDistribution) -> Tensor:
        probabilities: Tensor = distribution.distribution.probs  # type: ignore[union-attr]
        return (probabilities * to_return(outputs, self.probability)).sum(dim=1, keepdim=True)
