"""Policy of unmodified MaskablePPO on the shared trunk, as a control for `policy.py`."""

from __future__ import annotations

from typing import Any

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from baselines.learned.networks.board import CellHead
from baselines.learned.networks.features import BoardExtractor, check_clicks_alone
from baselines.learned.ppo.value_heads import VALUE_HEADS


class _Both(nn.Module):
    """Passes features on to the actor and the critic as they are, in place of the MLPs of Stable-Baselines3."""

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
        value_pooling: a name in `VALUE_HEADS`, how the value reads the cells.
        kwargs: arguments of `MaskableActorCriticPolicy`; features_extractor_kwargs holds the sizes of the network.
            With share_features_extractor False the value has a trunk of its own.
    """

    action_net: CellHead
    value_net: nn.Module  # type: ignore[assignment]

    def __init__(
        self,
        *args: Any,
        probability: bool = False,  # noqa: ARG002
        value_pooling: str = "mean",
        **kwargs: Any,
    ) -> None:
        """Builds the network."""
        self.probability, self.value_pooling = False, value_pooling
        super().__init__(*args, **{"features_extractor_class": BoardExtractor, "ortho_init": False, **kwargs})

    def _build(self, lr_schedule: Schedule) -> None:
        check_clicks_alone(self.observation_space, self.action_space)
        self.mlp_extractor = _Both()  # type: ignore[assignment]
        self.action_net = CellHead(self.features_dim)
        self.value_net = VALUE_HEADS[self.value_pooling](self.features_dim)
        parameters = self.parameters()
        self.optimizer = self.optimizer_class(parameters, lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def begin_with(self, head: CellHead) -> None:
        """Copies a head that rates clicks into the logits."""
        self.action_net.load_state_dict(head.state_dict())

    def click_head(self) -> CellHead:
        """Returns the head whose largest output marks the greedy click."""
        return self.action_net
