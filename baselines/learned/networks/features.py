"""The trunk as a features extractor of Stable-Baselines3."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor

from baselines.learned.networks.board import Trunk
from baselines.learned.networks.size import NetworkSize
from minesweeper_env.codes import MINE


class BoardExtractor(BaseFeaturesExtractor):
    """Maps the codes of N boards to features (N, channels, rows, cols), which the heads read per cell.

    Args:
        observation_space: int8 `Box` of the codes, radius 1.
        channels: see `NetworkSize`.
        depth: see `NetworkSize`.
        mines: number of mines on the boards, which codes do not show; None leaves the planes that need it 0.

    Attributes:
        mines: as above; it may change between batches.

    Raises:
        ValueError: the space is not a `Box` of codes of radius 1, or a number is out of range.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        channels: int = NetworkSize.channels,
        depth: int = NetworkSize.depth,
        mines: int | None = None,
    ) -> None:
        """Makes the trunk."""
        if not isinstance(observation_space, spaces.Box) or observation_space.shape is None:
            raise ValueError(f"the observation space must be a Box of codes, not {observation_space}")
        if len(observation_space.shape) != 2 or int(observation_space.high.max()) != MINE:
            raise ValueError(f"the observations must be codes (rows, cols) of 0 to {MINE}, not {observation_space}")
        super().__init__(observation_space, features_dim=channels)
        self.trunk = Trunk(NetworkSize(channels, depth))
        self.mines = mines

    def forward(self, observations: Tensor) -> Tensor:
        """Maps codes (N, rows, cols) to features (N, channels, rows, cols) float32."""
        features: Tensor = self.trunk(observations, self.mines)
        return features


def check_clicks_alone(observation_space: spaces.Space[Any], action_space: spaces.Space[Any]) -> None:
    """Checks that a network with one output per cell has an output for each action.

    Raises:
        ValueError: the actions are not the clicks on the cells of the board.
    """
    rows, cols = observation_space.shape or (0, 0)
    actions = getattr(action_space, "n", None)
    if actions != rows * cols:
        raise ValueError(
            f"the network rates the {rows * cols} clicks of {rows}x{cols}, but the environment has {actions} actions; "
            'make it with moves=("click",)'
        )
