"""Policy of PPO: one logit per group and one value per position, on the trunk of the agent's network."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor, nn

from baselines.azulejos.learning.network import AzulejosNetwork, GroupHead, Groups, Trunk
from baselines.learned.networks.size import NetworkSize

Masks = NDArray[np.bool_] | Tensor | None


class TrunkExtractor(BaseFeaturesExtractor):
    """The trunk as a features extractor; it returns features and groups.

    Args:
        observation_space: of `AzulejosVecEnv`.
        channels: see `NetworkSize`.
        depth: see `NetworkSize`.
        colours: the largest number of colours.
    """

    def __init__(self, observation_space: spaces.Space[Any], channels: int, depth: int, colours: int) -> None:
        """Makes the trunk."""
        super().__init__(observation_space, features_dim=channels)
        self.trunk = Trunk(NetworkSize(channels, depth), colours)

    def forward(self, observations: Tensor) -> tuple[Tensor, Groups]:
        """Maps observations (N, 6, rows, cols) to features (N, channels, rows, cols) and groups."""
        found: tuple[Tensor, Groups] = self.trunk(observations)
        return found


class ValueHead(nn.Module):
    """Maps features to one number per position, from their mean and maximum over the board."""

    def __init__(self, channels: int) -> None:
        """Makes two linear layers."""
        super().__init__()
        self.hidden = nn.Linear(2 * channels, 2 * channels)
        self.layer = nn.Linear(2 * channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to (N, 1)."""
        pooled = torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)
        value: Tensor = self.layer(torch.relu_(self.hidden(pooled)))
        return value


class AzulejosPolicy(MaskableActorCriticPolicy):
    """Policy for `MaskablePPO` with the losses of unmodified PPO.

    Args:
        args: arguments of `MaskableActorCriticPolicy`; features_extractor_kwargs holds the sizes of the network.
        kwargs: likewise.
    """

    action_net: GroupHead
    value_net: ValueHead  # type: ignore[assignment]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Builds the network."""
        super().__init__(*args, **{"features_extractor_class": TrunkExtractor, "ortho_init": False, **kwargs})

    def _build(self, lr_schedule: Schedule) -> None:
        self.action_net = GroupHead(self.features_dim)
        self.value_net = ValueHead(self.features_dim)
        # A uniform policy and values of 0 at the start.
        for layer in (self.action_net.layer, self.value_net.layer):
            for parameter in layer.parameters():
                nn.init.zeros_(parameter)
        parameters = self.parameters()
        self.optimizer = self.optimizer_class(parameters, lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def _judge(self, obs: PyTorchObs, action_masks: Masks) -> tuple[Tensor, MaskableDistribution]:
        """Returns the values (N, 1) and the masked distribution over the groups."""
        features, groups = self.extract_features(obs)
        assert isinstance(features, Tensor)
        assert isinstance(groups, Groups)
        distribution = self.action_dist.proba_distribution(action_logits=self.action_net(features, groups))
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return self.value_net(features), distribution

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Masks = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the actions (N,), the values (N, 1) and the log-probabilities (N,)."""
        values, distribution = self._judge(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, values, distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Masks = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Returns the values (N, 1), the log-probabilities of the actions (N,) and the entropy (N,)."""
        values, distribution = self._judge(obs, action_masks)
        return values, distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self, obs: PyTorchObs, action_masks: Masks = None) -> MaskableDistribution:
        """Returns the distribution over the groups."""
        return self._judge(obs, action_masks)[1]

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        """Returns the values, (N, 1)."""
        return self._judge(obs, None)[0]

    def network(self) -> AzulejosNetwork:
        """Returns the network that plays; it shares the weights of the policy."""
        extractor = self.features_extractor
        assert isinstance(extractor, TrunkExtractor)
        return AzulejosNetwork(extractor.trunk, self.action_net)
