"""The Q-network of `MaskedDQN`, and the policy that Stable-Baselines3 wants around it."""

from __future__ import annotations

from typing import Any

from stable_baselines3.common.type_aliases import PyTorchObs
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import Tensor

from baselines.learned.common.losses import to_return
from baselines.learned.networks.board import CellHead
from baselines.learned.networks.features import BoardExtractor
from baselines.learned.networks.masks import click_masks

ILLEGAL = -1e8


class MinesweeperQNetwork(QNetwork):
    """Q-values of all clicks: the shared trunk and one number per cell."""

    def __init__(self, *args: Any, probability: bool = True, **kwargs: Any) -> None:
        """Takes the arguments of `QNetwork`, and whether returns are probabilities."""
        super().__init__(*args, **kwargs)
        self.q_net = CellHead(self.features_dim)  # type: ignore[assignment]
        self.probability = probability

    def outputs(self, obs: PyTorchObs) -> Tensor:
        """Returns what the head says of every cell, (N, rows * cols), before the sigmoid if there is one."""
        outputs: Tensor = self.q_net(self.extract_features(obs, self.features_extractor))
        return outputs

    def forward(self, obs: PyTorchObs) -> Tensor:
        """Returns the Q-values, (N, rows * cols); `ILLEGAL` where a click does nothing."""
        assert isinstance(obs, Tensor)
        return to_return(self.outputs(obs), self.probability).masked_fill(~click_masks(obs), ILLEGAL)


class MinesweeperQPolicy(DQNPolicy):
    """The policy to give to `MaskedDQN`, or to Stable-Baselines3's own `DQN`, whose draws are then unmasked.

    Args:
        args: as `DQNPolicy` takes them.
        probability: whether returns are probabilities.
        kwargs: as `DQNPolicy` takes them; features_extractor_kwargs holds the sizes of the network.
    """

    def __init__(self, *args: Any, probability: bool = True, **kwargs: Any) -> None:
        """Builds the network and its target."""
        self.probability = probability
        super().__init__(*args, **{"features_extractor_class": BoardExtractor, "net_arch": [], **kwargs})

    def make_q_net(self) -> MinesweeperQNetwork:
        """Returns a new Q-network."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        return MinesweeperQNetwork(**arguments, probability=self.probability).to(self.device)
