"""The policy of plain MaskablePPO on the shared trunk: what `ppo_policy.py` changes, left out, as a control."""

from __future__ import annotations

from typing import Any

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from baselines.learned.networks.board import CellHead
from baselines.learned.networks.features import BoardExtractor


class MeanValueHead(nn.Module):
    """Features to one number a board."""

    def __init__(self, channels: int) -> None:
        """Prepares the map from the mean over the board."""
        super().__init__()
        self.layer = nn.Linear(channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to (N, 1)."""
        value: Tensor = self.layer(features.mean(dim=(2, 3)))
        return value


class _Both(nn.Module):
    """Gives the actor and the critic the same features: what Stable-Baselines3 has an MLP for."""

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return features, features

    def forward_actor(self, features: Tensor) -> Tensor:
        return features

    def forward_critic(self, features: Tensor) -> Tensor:
        return features


class PlainPolicy(MaskableActorCriticPolicy):
    """A logit for each cell and a value for the board, each trained as PPO trains them.

    Args:
        args: as `MaskableActorCriticPolicy` takes them.
        probability: ignored; values are values here, whatever the returns.
        kwargs: as `MaskableActorCriticPolicy` takes them; features_extractor_kwargs holds the sizes.
    """

    action_net: CellHead
    value_net: MeanValueHead  # type: ignore[assignment]

    def __init__(self, *args: Any, probability: bool = False, **kwargs: Any) -> None:  # noqa: ARG002
        """Builds the network."""
        self.probability = False
        super().__init__(*args, **{"features_extractor_class": BoardExtractor, "ortho_init": False, **kwargs})

    def _build(self, lr_schedule: Schedule) -> None:
        self.mlp_extractor = _Both()  # type: ignore[assignment]
        self.action_net = CellHead(self.features_dim)
        self.value_net = MeanValueHead(self.features_dim)
        parameters = self.parameters()
        self.optimizer = self.optimizer_class(parameters, lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def begin_with(self, head: CellHead) -> None:
        """Has the logits begin as a head that rates clicks."""
        self.action_net.load_state_dict(head.state_dict())

    def click_head(self) -> CellHead:
        """Returns the head whose greatest number is the greedy click."""
        return self.action_net
