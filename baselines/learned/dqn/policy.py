"""Q-network of `MaskedDQN`, in the policy class that Stable-Baselines3 requires."""

from __future__ import annotations

from typing import Any

from stable_baselines3.common.type_aliases import PyTorchObs
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import Tensor

from baselines.learned.common.losses import to_return
from baselines.learned.networks.board import CellHead
from baselines.learned.networks.features import BoardExtractor, check_clicks_alone
from baselines.learned.networks.masks import click_masks

ILLEGAL = -1e8
"""Q-value of an illegal click, below every return."""


class MinesweeperQNetwork(QNetwork):
    """Q-values of all clicks: the shared trunk and one number per cell."""

    def __init__(self, *args: Any, probability: bool = True, **kwargs: Any) -> None:
        """Builds the network; `probability` is True if returns are probabilities."""
        super().__init__(*args, **kwargs)
        self.q_net = CellHead(self.features_dim)  # type: ignore[assignment]
        self.probability = probability

    def outputs(self, obs: PyTorchObs) -> Tensor:
        """Returns the outputs of the head, (N, rows * cols): logits if `probability`, and Q-values if not."""
        outputs: Tensor = self.q_net(self.extract_features(obs, self.features_extractor))
        return outputs

    def forward(self, obs: PyTorchObs) -> Tensor:
        """Returns the Q-values, (N, rows * cols); `ILLEGAL` where a click does nothing."""
        assert isinstance(obs, Tensor)
        return to_return(self.outputs(obs), self.probability).masked_fill(~click_masks(obs), ILLEGAL)


class MinesweeperQPolicy(DQNPolicy):
    """Policy for `MaskedDQN`. Stable-Baselines3's own `DQN` accepts it too, but explores without the masks.

    Args:
        args: arguments of `DQNPolicy`.
        probability: True if returns are probabilities.
        kwargs: arguments of `DQNPolicy`; features_extractor_kwargs holds the sizes of the network.
    """

    def __init__(self, *args: Any, probability: bool = True, **kwargs: Any) -> None:
        """Builds the network and its target."""
        self.probability = probability
        super().__init__(*args, **{"features_extractor_class": BoardExtractor, "net_arch": [], **kwargs})

    def make_q_net(self) -> MinesweeperQNetwork:
        """Returns a new Q-network."""
        check_clicks_alone(self.observation_space, self.action_space)
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        return MinesweeperQNetwork(**arguments, probability=self.probability).to(self.device)
