"""The Q-network of `MaskedDQN`, and the policy that Stable-Baselines3 wants around it."""

from __future__ import annotations

from typing import Any

from stable_baselines3.common.type_aliases import PyTorchObs
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import Tensor

from baselines.learned.common.losses import to_return
from baselines.learned.networks.board import CellHead, rate_clicks
from baselines.learned.networks.features import BoardExtractor
from baselines.learned.networks.masks import click_masks

ILLEGAL = -1e8


class MinesweeperQNetwork(QNetwork):
    """Q-values of all clicks by the shared trunk and one number a cell, or two.

    Attributes:
        worth: the head of what clicks are worth, or None; see `worth.py`.
    """

    def __init__(self, *args: Any, probability: bool = True, worth: bool = False, **kwargs: Any) -> None:
        """Takes the arguments of `QNetwork`, whether returns are probabilities, and whether to make both heads."""
        super().__init__(*args, **kwargs)
        self.q_net = CellHead(self.features_dim)  # type: ignore[assignment]
        self.worth = CellHead(self.features_dim) if worth else None
        self.probability = probability

    def outputs(self, obs: PyTorchObs) -> Tensor:
        """Returns what the head says of every cell, (N, rows * cols), before the sigmoid if there is one."""
        outputs: Tensor = self.q_net(self.extract_features(obs, self.features_extractor))
        return outputs

    def factors(self, obs: PyTorchObs) -> tuple[Tensor, Tensor]:
        """Returns the logits of safety and of worth, (N, rows * cols) each, of a network that has both heads."""
        assert self.worth is not None
        features = self.extract_features(obs, self.features_extractor)
        return self.q_net(features), self.worth(features)

    def forward(self, obs: PyTorchObs) -> Tensor:
        """Returns the Q-values, or what `rate_clicks` says, (N, rows * cols); `ILLEGAL` where a click does nothing."""
        assert isinstance(obs, Tensor)
        if self.worth is not None:
            return rate_clicks(*self.factors(obs), obs).masked_fill(~click_masks(obs), ILLEGAL)
        return to_return(self.outputs(obs), self.probability).masked_fill(~click_masks(obs), ILLEGAL)


class MinesweeperQPolicy(DQNPolicy):
    """The policy to give to `MaskedDQN`, or to Stable-Baselines3's own `DQN`, whose draws are then unmasked.

    Args:
        args: as `DQNPolicy` takes them.
        probability: whether returns are probabilities.
        worth: whether the network has a head for what clicks are worth.
        kwargs: as `DQNPolicy` takes them; features_extractor_kwargs holds the sizes of the network.
    """

    def __init__(self, *args: Any, probability: bool = True, worth: bool = False, **kwargs: Any) -> None:
        """Builds the network and its target."""
        self.probability, self.worth = probability, worth
        super().__init__(*args, **{"features_extractor_class": BoardExtractor, "net_arch": [], **kwargs})

    def make_q_net(self) -> MinesweeperQNetwork:
        """Returns a new Q-network."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        return MinesweeperQNetwork(**arguments, probability=self.probability, worth=self.worth).to(self.device)
