"""The trunk as a Stable-Baselines3 features extractor."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor

from baselines.learned.networks.board import NetworkSize, Trunk
from minesweeper_env.codes import MINE


class BoardExtractor(BaseFeaturesExtractor):
    """Turns the codes of N boards into features, (N, channels, rows, cols), which heads read cell by cell.

    Args:
        observation_space: the int8 `Box` of the codes, radius 1.
        channels: as `NetworkSize` has it.
        depth: as `NetworkSize` has it.
        mines: the number of mines on the boards, which observations do not show; without it the features lack what
            follows from it.

    Attributes:
        mines: as above; it may change from one batch to the next.

    Raises:
        ValueError: the space is another one, or a number is out of range.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        channels: int = NetworkSize.channels,
        depth: int = NetworkSize.depth,
        mines: int | None = None,
    ) -> None:
        """Prepares the trunk."""
        if not isinstance(observation_space, spaces.Box) or observation_space.shape is None:
            raise ValueError(f"the observation space must be a Box of codes, not {observation_space}")
        if len(observation_space.shape) != 2 or int(observation_space.high.max()) != MINE:
            raise ValueError(f"the observations must be codes (rows, cols) of 0 to {MINE}, not {observation_space}")
        super().__init__(observation_space, features_dim=channels)
        self.trunk = Trunk(NetworkSize(channels, depth))
        self.mines = mines

    def forward(self, observations: Tensor) -> Tensor:
        """Maps codes, (N, rows, cols), to features, (N, channels, rows, cols)."""
        features: Tensor = self.trunk(observations, self.mines)
        return features
