"""Policy of unmodified MaskablePPO on the shared trunk, as a control for `policy.py`."""

from __future__ import annotations

from typing import Any

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from baselines.learned.networks.board import CellHead
from baselines.learned.networks.features import BoardExtractor, check_clicks_alone


class MeanValueHead(nn.Module):
    """Maps features to one number per board, from their mean over the board."""

    def __init__(self, channels: int) -> None:
        """Makes the linear layer."""
        super().__init__()
        self.layer = nn.Linear(channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to (N, 1)."""
        value: Tensor = self.layer(features.mean(dim=(2, 3)))
        return value


class _Both(nn.Module):
    """Passes the same features to the actor and the critic, in place of the MLPs of Stable-Baselines3."""

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return features, features

    def forward_actor(self, features: Tensor) -> Tensor:
        return features

    def forward_critic(self, features: Tensor) -> Tensor:
        return features


class PlainPolicy(MaskableActorCriticPolicy):
    """One logit per cell and one value per board, with the losses of unmodified PPO.

    Args:
        args: arguments of `MaskableActorCriticPolicy`.
        probability: ignored; the value loss is the squared error for all returns.
        kwargs: arguments of `MaskableActorCriticPolicy`; features_extractor_kwargs holds the sizes of the network.
    """

    action_net: CellHead
    value_net: MeanValueHead  # type: ignore[assignment]

    def __init__(self, *args: Any, probability: bool = False, **kwargs: Any) -> None:  # noqa: ARG002
        """Builds the network."""
        self.probability = False
        super().__init__(*args, **{"features_extractor_class": BoardExtractor, "ortho_init": False, **kwargs})

    def _build(self, lr_schedule: Schedule) -> None:
        check_clicks_alone(self.observation_space, self.action_space)
        self.mlp_extractor = _Both()  # type: ignore[assignment]
        self.action_net = CellHead(self.features_dim)
        self.value_net = MeanValueHead(self.features_dim)
        parameters = self.parameters()
        self.optimizer = self.optimizer_class(parameters, lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def begin_with(self, head: CellHead) -> None:
        """Copies a head that rates clicks into the logits."""
        self.action_net.load_state_dict(head.state_dict())

    def click_head(self) -> CellHead:
        """Returns the head whose largest output marks the greedy click."""
        return self.action_net
